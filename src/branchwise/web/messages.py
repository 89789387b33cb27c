"""What a page and the server say to each other over a WebSocket, and the bodies of the HTTP interface.

Each message is one JSON object whose `type` is its name in snake case. The names and types of its fields are
those here; `frontend/src/protocol.ts` is written from them by `branchwise.web.typescript`.

Values are returns between the game's `min_return` and `max_return`, for the player who stands beside them. A
node of the tree is named by its path: the actions that lead to it from the position that was searched.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

MAX_MOVES = 2000
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Action = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Line = Annotated[list[Action], Meta(max_length=MAX_MOVES)]
Moves = Annotated[list[Annotated[str, Meta(max_length=40)] | Action], Meta(max_length=MAX_MOVES)]
Seats = Annotated[list[Annotated[int, Meta(ge=0, le=255)]], Meta(max_length=256)]
RequestId = Annotated[int, Meta(ge=0, le=2**53)]


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


class Plain(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A part of messages."""


class Said(msgspec.Struct, kw_only=True, tag=_snake, forbid_unknown_fields=True):
    """What a page says. `id`, where it is given, comes back with the answer, or with the error."""

    id: RequestId | None = None


class Told(msgspec.Struct, kw_only=True, tag=_snake):
    """What the server tells; id : of what it answers, if it does."""

    id: RequestId | None = None


# --- parts of what a page says --------------------------------------------------------------------------


class Opponent(Plain):
    """Who plays the seats that no person has: one of the three is given.

    level : of difficulty, 1 to 10.   seconds, simulations : what a search has for a move.
    """

    level: Annotated[int, Meta(ge=1, le=10)] | None = None
    seconds: Annotated[float, Meta(ge=0.01, le=600)] | None = None
    simulations: Annotated[int, Meta(ge=1, le=10**9)] | None = None


class SearchSettings(Plain):
    """Settings of `MCTS` that a page may choose; None: its own default."""

    selection: Annotated[str, Meta(max_length=100)] | None = None
    c: Annotated[float, Meta(ge=0, le=1000)] | None = None
    playout: Annotated[str, Meta(max_length=100)] | None = None
    seed: Annotated[int, Meta(ge=0, le=2**53)] | None = None


class Branch(Plain):
    """A node of the tree whose children are to be shown, and how many of them, best first."""

    path: Line
    top: Annotated[int, Meta(ge=0, le=500)] = 4


# --- what a page says -----------------------------------------------------------------------------------


class Hello(Said):
    """The first message; session : the token of an earlier `Welcome`, to go on where it was left."""

    session: Annotated[str, Meta(max_length=100)] | None = None


class NewGame(Said):
    """Begin a game anew; moves : already played.   seats : those that people have."""

    game: Name
    moves: Moves = []
    seats: Seats | None = None
    opponent: Opponent | None = None


class Play(Said):
    """Play an action of a person's; ply : moves before it, so that a late click does nothing."""

    action: Action
    ply: Annotated[int, Meta(ge=0)]


class GoTo(Said):
    """Show the position after so many moves of the game; those behind it can be made again.

    The bot does not move there until `Play` or `BotMove`.
    """

    ply: Annotated[int, Meta(ge=0)]


class Undo(Said):
    """Take moves back until it is a person's turn."""


class Redo(Said):
    """Make moves again that were taken back, until it is a person's turn."""


class TakeUp(Said):
    """Go on with moves that were replaced; those that stand in their place become a variation in turn.

    variation : its place in the list of `Position`. The bot does not move there until `Play` or `BotMove`.
    """

    variation: Annotated[int, Meta(ge=0)]


class SetPlayers(Said):
    """Change who plays; None leaves it as it is. Without any seat the bot plays all by itself."""

    seats: Seats | None = None
    opponent: Opponent | None = None


class BotMove(Said):
    """Let the bot move for whoever is to move."""


class Hint(Said):
    """Ask what to play; answered by `Hinted`."""


class Stop(Said):
    """End the thinking of the bot, which then plays the best it has found, or of a hint."""


class Analyse(Said):
    """Search the position shown for as long as it is shown, or pause; settings hold from now on."""

    on: bool
    settings: SearchSettings | None = None


class WatchTree(Said):
    """Tell which nodes of the tree are to be shown from now on; none: the tree is not wanted."""

    branches: Annotated[list[Branch], Meta(max_length=400)]


class AskNode(Said):
    """Ask all about a node of the tree; answered by `NodeTold`."""

    path: Line


class AskBoard(Said):
    """Ask for the board after a line of play from the position shown; answered by `BoardTold`.

    ply : of the position that the line starts from, None: of the one shown.
    """

    line: Line
    ply: Annotated[int, Meta(ge=0)] | None = None


class BeginSteps(Said):
    """Begin a search of the position shown that goes step by step; answered by `StepsBegun`."""

    settings: SearchSettings | None = None


class MakeSteps(Said):
    """Run simulations of that search and tell what they did; answered by `StepsMade`."""

    count: Annotated[int, Meta(ge=1, le=100)] = 1


SaidByPage = (
    Hello | NewGame | Play | GoTo | Undo | Redo | TakeUp | SetPlayers | BotMove | Hint | Stop | Analyse
    | WatchTree | AskNode | AskBoard | BeginSteps | MakeSteps
)  # fmt: skip


# --- parts of what the server tells ---------------------------------------------------------------------


class GameInfo(Plain):
    """A game that can be played here.

    symbols : what stands for each player on the board, empty where nothing does.   options : constants that
    variants may set, with their values here.
    """

    name: str
    title: str
    about: str
    num_players: int
    symbols: list[str]
    min_return: float
    max_return: float
    has_levels: bool
    options: dict[str, Any]


class Limits(Plain):
    """What a client may not exceed; message_bytes : of one message to the server."""

    message_bytes: int
    seconds: float
    memory_mb: float


class MoveTold(Plain):
    """A move; player : who made or may make it, -1 for chance."""

    action: int
    text: str
    player: int


class Variation(Plain):
    """Moves that were replaced by others; ply : moves before the first of them.   count : how many they are.
    text : of the first of them, as people write them.
    """

    ply: int
    count: int
    text: list[str]


class PlyValue(Plain):
    """What a search came to before a move; ply : moves before it.   values : for each player."""

    ply: int
    values: list[float]


class ChildTold(Plain):
    """An action at the root of a search, best first; value, lower, proven : for the player to move.

    share : of all visits.   lower : confidence bound.   at_least, at_most : proven bounds.   moves_to_end :
    of a proven game.   line : of play expected, this action first.
    """

    action: int
    text: str
    visits: int
    share: float
    value: float | None
    lower: float | None
    prior: float | None
    proven: float | None
    at_least: float
    at_most: float
    moves_to_end: int | None
    line: list[int]
    line_text: list[str]


class TreeNode(Plain):
    """A node of the tree that is shown, parents before children and these best first.

    parent : place in the list, -1 at the root.   mover : who moved into it, whose value, bounds and proof are
    told; at the root, those of the player to move.   player : who is to move, if it is expanded.
    more : children that are not shown.   on_line : it is on the principal variation.
    """

    path: list[int]
    parent: int
    text: str
    mover: int | None
    player: int | None
    visits: int
    share: float
    value: float | None
    lower: float
    upper: float
    proven: float | None
    prior: float | None
    terminal: bool
    on_line: bool
    num_children: int
    more: int


class Term(Plain):
    """One child of a node as the selection rule sees it: score = value + exploration, for who chooses.

    share : of the node's visits.   All None for a child without visits.
    """

    action: int
    text: str
    visits: int
    value: float | None
    exploration: float | None
    score: float | None
    prior: float | None
    proven: float | None


# --- what the server tells ------------------------------------------------------------------------------


class Welcome(Told):
    """Answer to `Hello`; session : the token of this one.   resumed : whether it was left before."""

    session: str
    resumed: bool
    version: str
    games: list[GameInfo]
    limits: Limits


class Position(Told):
    """The position shown and the game around it; told whenever any of it changes.

    moves : all, those behind the position included.   ply : moves before the position.   last : cells are
    marked in the picture.   svg : None where there is no picture.   text : as plain text.   player : to move;
    None when the game is over.   returns : of a finished game.   values : of searches so far.
    variations : moves that were replaced when others were played in an earlier position, the latest first.
    link : query that brings this position back, such as "game=nim&moves=1,2".
    """

    game: GameInfo
    moves: list[MoveTold]
    ply: int
    svg: str | None
    text: str
    legal: list[MoveTold]
    player: int | None
    returns: list[float] | None
    seats: list[int]
    opponent: Opponent
    values: list[PlyValue]
    variations: list[Variation]
    link: str


class Thinking(Told):
    """Who thinks now: "bot", "hint", "analysis", or "" for nobody.

    stage : "compiling" until the game's machine code is there, "waiting" for room among other searches,
    "searching", "paused", or "" where nobody thinks.   seconds : the limit, if there is one.
    elapsed, estimate : seconds that compiling has taken so far, and that it may take in all, where known.
    """

    who: str
    stage: str
    seconds: float | None = None
    elapsed: float | None = None
    estimate: float | None = None


class Analysis(Told):
    """What a search has found; told about ten times a second while it goes on.

    ply : of the position searched.   rate : simulations a second.   depth : moves of the expected line.
    value : for the player to move.   values : for each player, None where not all are known.
    ended_by : see `SearchResult`; "" while it goes on.
    """

    ply: int
    who: str
    player: int
    simulations: int
    seconds: float
    rate: float
    depth: int
    nodes: int
    memory_bytes: int
    memory_full: bool
    ended_by: str
    value: float | None
    values: list[float] | None
    children: list[ChildTold]


class Tree(Told):
    """The nodes of the tree that the page watches.

    ply : of the position searched.   nodes_in_all : of the tree.   mirrored : there are two players, whose
    returns always come to the same sum: one's value is `min_return + max_return` less the other's.
    """

    ply: int
    nodes_in_all: int
    mirrored: bool
    nodes: list[TreeNode]


class NodeTold(Told):
    """All about a node: its board, and how the selection rule sees its children; rule, c : of the search."""

    path: list[int]
    svg: str | None
    text: str
    visits: int
    player: int | None
    returns: list[float] | None
    rule: str
    c: float
    terms: list[Term]


class BoardTold(Told):
    """The board after a line; line_text : as people write it."""

    line: list[int]
    line_text: list[str]
    svg: str | None
    text: str
    player: int | None
    returns: list[float] | None


class Hinted(Told):
    """What to play in the position after `ply` moves."""

    ply: int
    action: int
    text: str
    value: float | None


class StepsBegun(Told):
    """A search step by step begins.   rule, c, playout, seed : its settings, written out."""

    ply: int
    rule: str
    c: float
    playout: str
    seed: int


class StepsMade(Told):
    """What simulations did, as `Simulation.to_dict` has it, with `line_actions` beside each node's `line`,
    and the tree as it then is, up to some hundred nodes. over : the root is solved, or no more can be told.
    """

    simulations: list[dict[str, Any]]
    nodes: list[TreeNode]
    over: bool


class Refused(Told):
    """Something that a page said is not done; mend : what would be right.   about : type of the message.

    superseded : nothing was wrong with it, but a later message came before it was done.
    """

    message: str
    mend: str | None = None
    about: str | None = None
    superseded: bool = False


ToldByServer = (
    Welcome | Position | Thinking | Analysis | Tree | NodeTold | BoardTold | Hinted | StepsBegun | StepsMade
    | Refused
)  # fmt: skip


# --- the interface by HTTP ------------------------------------------------------------------------------


class SearchRequest(Plain):
    """Body of `POST /api/games/{game}/search`: a position and a budget.

    moves : from the start, as people write them or by number.   state : in place of them, as
    `Game.to_json` writes it.   Without simulations and seconds, one second.
    """

    moves: Moves = []
    state: dict[str, Any] | None = None
    simulations: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    seconds: Annotated[float, Meta(ge=0.001, le=600)] | None = None
    settings: SearchSettings | None = None


class PositionRequest(Plain):
    """Body of `POST /api/games/{game}/position`: what a board looks like, and what may be played there."""

    moves: Moves = []
    state: dict[str, Any] | None = None


class PositionAnswer(Plain):
    """Answer to it; state : to be sent back as it is, in place of moves."""

    game: str
    player: int | None
    legal: list[MoveTold]
    returns: list[float] | None
    svg: str | None
    text: str
    state: dict[str, Any]


class SearchAnswer(Plain):
    """What a search found: the best action, the value for the player to move, and every action."""

    game: str
    player: int
    best_action: int
    best_move: str
    value: float | None
    simulations: int
    seconds: float
    nodes: int
    ended_by: str
    memory_full: bool
    seed: int
    children: list[ChildTold]


class Problem(Plain):
    """Body of an answer with a status of 400 or more."""

    error: str
    mend: str | None = None
