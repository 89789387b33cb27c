"""The messages between a page and the server over a WebSocket, and the bodies of the HTTP interface.

Each message is one JSON object whose `type` is its name in snake case. The names and types of its fields are
those here; `branchwise.web.protocol.typescript` writes `frontend/src/protocol.ts` from them.

Values are returns between the game's `min_return` and `max_return`, for the player named beside them. Where
rewards are paid on the way, a value counts the rewards from the position on, and bounds may be infinite:
None stands for an infinite one. An action is a number; where actions are continuous, its numbers as one
word with commas, such as "0.25,-1.0". A joint move, of players who move at once, is the numbers of their
actions as one word with colons, such as "2:0", and "-" for a player without a choice. A node of the tree is
identified by its path: the actions that lead to it from the position that was searched.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import msgspec
from msgspec import Meta

MAX_MOVES = 2000
Name = Annotated[str, Meta(min_length=1, max_length=200)]
Action = Annotated[int, Meta(ge=0, le=2**31 - 1)] | Annotated[str, Meta(max_length=1600)]
"""An action of a page: its number, or its text; the numbers of a continuous action, such as "0.25,-1.0", or
of a joint move, such as "2:0"."""
Line = Annotated[list[Action], Meta(max_length=MAX_MOVES)]
Moves = Line
Seats = Annotated[list[Annotated[int, Meta(ge=0, le=255)]], Meta(max_length=256)]
RequestId = Annotated[int, Meta(ge=0, le=2**53)]
Seed = Annotated[int, Meta(ge=0, le=2**53)]


def _snake(name: str) -> str:
    return "".join("_" + c.lower() if c.isupper() else c for c in name).lstrip("_")


def finite(value: float | None) -> float | None:
    """Return a finite number as it is sent, and None for any other."""
    return None if value is None or not math.isfinite(value) else float(value)


class Plain(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A part of messages."""


class Said(msgspec.Struct, kw_only=True, tag=_snake, forbid_unknown_fields=True):
    """A message of a page. Its `id`, if given, is returned with the answer or the error."""

    id: RequestId | None = None


class Told(msgspec.Struct, kw_only=True, tag=_snake):
    """A message of the server; id : the id of the message that it answers, if any."""

    id: RequestId | None = None


# --- parts of a page's messages -------------------------------------------------------------------------


class Opponent(Plain):
    """The bot for the seats that no person has; one of level, seconds, simulations and bot is given.

    level : level of difficulty, 1 to 10.   seconds, simulations : limit of the search for a move.
    tuned : whether the search has the settings of `GameInfo.tuned`; with seconds or simulations.
    bot : the name of one of the bots in `GameInfo.bots`.
    """

    level: Annotated[int, Meta(ge=1, le=10)] | None = None
    seconds: Annotated[float, Meta(ge=0.01, le=600)] | None = None
    simulations: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    tuned: bool = False
    bot: Name | None = None


class SearchSettings(Plain):
    """Settings of `MCTS` that a page may choose; None: its own default.

    joint : how players choose where all move at once; by default "regret_matching". Other games ignore it.
    tuned : use the settings that `branchwise tune` found for the game, as `MCTS.for_game` does, unless
    another is given. Refused for a game that has not been tuned; a new game without such settings drops it.
    proofs : whether a search proves positions, and ends when the root is proven.
    """

    selection: Annotated[str, Meta(max_length=100)] | None = None
    c: Annotated[float, Meta(ge=0, le=1000)] | None = None
    playout: Annotated[str, Meta(max_length=100)] | None = None
    seed: Seed | None = None
    joint: Annotated[str, Meta(max_length=100)] | None = None
    tuned: bool = False
    proofs: bool | None = None


class LineVisits(Plain):
    """A line of moves, and how many visits it gets."""

    line: Line
    visits: Annotated[int, Meta(ge=1, le=10**9)]


class Branch(Plain):
    """A node of the tree whose children to show, and how many of them, best first."""

    path: Line
    top: Annotated[int, Meta(ge=0, le=500)] = 4


# --- messages of a page ---------------------------------------------------------------------------------


class Hello(Said):
    """The first message; session : the token of an earlier `Welcome`, to resume its session."""

    session: Annotated[str, Meta(max_length=100)] | None = None


class NewGame(Said):
    """Start a new game; moves : moves already played.   seats : seats of people.

    With hidden information no moves can be given, and one person plays.

    types_dice : whether people enter the outcomes of chance, from dice that they roll themselves.
    """

    game: Name
    moves: Moves = []
    seats: Seats | None = None
    opponent: Opponent | None = None
    types_dice: bool = False


class Play(Said):
    """Play a person's action; ply : number of moves before it, so that a late click does nothing.

    player : whose action it is. It may be left out unless several people choose at once. Where all players
    move at once, the server keeps what people choose until all have chosen: see `Position.waiting`.
    """

    action: Action
    ply: Annotated[int, Meta(ge=0)]
    player: Annotated[int, Meta(ge=0, le=255)] | None = None


class GoTo(Said):
    """Show the position after `ply` moves of the game; the moves after it can be made again.

    The bot does not move there until `Play` or `BotMove`.
    """

    ply: Annotated[int, Meta(ge=0)]


class Undo(Said):
    """Take moves back until it is a person's turn; a choice that waits for others is taken back first."""


class Redo(Said):
    """Redo moves that were taken back, until it is a person's turn."""


class TakeUp(Said):
    """Resume moves that were replaced; the moves that replaced them become a variation.

    variation : its index in the list of `Position`. The bot does not move there until `Play` or `BotMove`.
    """

    variation: Annotated[int, Meta(ge=0)]


class SetPlayers(Said):
    """Change the players; None leaves them unchanged. If people have no seat, the bot plays itself.

    types_dice : as in `NewGame`; with false the server rolls dice that are due.
    """

    seats: Seats | None = None
    opponent: Opponent | None = None
    types_dice: bool | None = None


class BotMove(Said):
    """Let the bot move for the player to move."""


class Hint(Said):
    """Ask for a hint; answered by `Hinted`."""


class Stop(Said):
    """Stop the bot, which then plays the best move found, or stop a hint."""


class Analyse(Said):
    """Search the position shown while it is shown, or pause; settings apply from now on.

    A new game of another name pauses it, too.   simulations, seconds : how many more until it pauses.
    at_least : a line below the position that is visited before the search goes on as usual.
    """

    on: bool
    settings: SearchSettings | None = None
    simulations: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    seconds: Annotated[float, Meta(ge=0.01, le=600)] | None = None
    at_least: LineVisits | None = None


class WatchTree(Said):
    """Choose the nodes of the tree to show from now on; empty: do not send the tree."""

    branches: Annotated[list[Branch], Meta(max_length=400)]


class AskNode(Said):
    """Ask for all data of a node of the tree; answered by `NodeTold`."""

    path: Line


class AskBoard(Said):
    """Ask for the board after a line of play from the position shown; answered by `BoardTold`.

    ply : of the position where the line starts; None: of the one shown.
    """

    line: Line
    ply: Annotated[int, Meta(ge=0)] | None = None


class BeginSteps(Said):
    """Start a step-by-step search of the position shown; answered by `StepsBegun`."""

    settings: SearchSettings | None = None


class MakeSteps(Said):
    """Run simulations of that search and report their steps; answered by `StepsMade`."""

    count: Annotated[int, Meta(ge=1, le=100)] = 1


SaidByPage = (
    Hello | NewGame | Play | GoTo | Undo | Redo | TakeUp | SetPlayers | BotMove | Hint | Stop | Analyse
    | WatchTree | AskNode | AskBoard | BeginSteps | MakeSteps
)  # fmt: skip


# --- parts of the server's messages ---------------------------------------------------------------------


class BotInfo(Plain):
    """A bot that the server was started with; about : the bot in full, as text."""

    name: str
    about: str


class BoardStyle(Plain):
    """How the board of a game looks, as `branchwise.boards.style.BoardStyle` has it.

    symbols : symbols[owner + 1][kind], the text of a cell.   colours, players : of each player; players may
    be empty.   column_labels, row_labels : empty for none.   block : rows and columns of a block.
    """

    family: str
    rows: int
    columns: int
    symbols: list[list[str]]
    colours: list[str]
    players: list[str]
    column_labels: list[str]
    row_labels: list[str]
    block: list[int] | None
    shifts: list[int]
    lines: list[list[int]]
    checkered: bool


class Board(Plain):
    """What a board holds: the owner, -1 for nobody, and the kind of each cell, row by row.

    A kind is 0 for an empty cell and -1 for no cell.   last : the squares of the last move, in order.
    caption : what the rules say below it, for problems of one player.
    """

    cells: list[int]
    last: list[int]
    caption: str = ""


class GameInBrief(Plain):
    """What the card of a game and its full description both have."""

    name: str
    title: str
    about: str
    num_players: int


class GameCard(GameInBrief):
    """A game in the list of games; about : one sentence.   kinds : such as "two players", "puzzle", "cards".

    picture : whether there is a picture of it.   reason : why it cannot be played on the page, if it cannot.
    """

    kinds: list[str]
    picture: bool = False
    reason: str | None = None


class GameInfo(GameInBrief):
    """A game that can be played here.

    board : how its board looks, None if it has none.   rules : the rules in words.
    symbols : the name of each player, or the symbol on the board; empty if there are none.   wide : whether
    values are best shown on the scale of those seen, as they use only a part of their bounds or have none.
    pays : whether rewards are paid on the way; discount : of each decision after the first, else 1.
    draws : whether its rules draw outcomes without listing them, so that a line of the search has no fixed
    board.   simulates : whether moves, even with the outcomes of chance, do not determine a position, or
    games start at random.   dimensions : how many numbers a continuous action has; 0 if actions are numbered.
    hides : whether players see only a part of the position: see `Position.viewer`.
    joint : whether all players move at once at some positions: see `Position.waiting`.
    tuned : the settings of a search that `branchwise tune` found for it; empty if it has not been tuned, or
    if nothing was better than the defaults.
    bots : the bots besides the searches of `Opponent` that play it, named when the server was started.
    options : constants that variants may set, with their current values.
    """

    rules: str
    symbols: list[str]
    min_return: float | None
    max_return: float | None
    wide: bool
    pays: bool
    discount: float
    draws: bool
    simulates: bool
    dimensions: int
    has_levels: bool
    has_chance: bool
    hides: bool
    joint: bool
    tuned: dict[str, Any]
    bots: list[BotInfo]
    options: dict[str, Any]
    board: BoardStyle | None


class Limits(Plain):
    """Limits of a client; message_bytes : of one message to the server."""

    message_bytes: int
    seconds: float
    memory_mb: float


class MoveTold(Plain):
    """A move; player : the player who made it or may make it, -1 for chance, -2 for a move of all players at
    once, -3 if the viewer cannot tell.

    action of such a joint move : the actions' numbers with colons between, "-" for a player without a choice,
    such as "2:0:-"; its text has commas between the actions' texts.

    action, text : -1 and a question mark for a move of which the viewer does not know which it was.
    squares : those that the move touches, in order, each row * columns + column.
    rewards : one a player, of a move that was made where rewards are paid on the way.   probability : of an
    outcome of chance, if the rules list them.
    """

    action: int | str
    text: str
    player: int
    rewards: list[float] | None = None
    probability: float | None = None
    squares: list[int] = []


class Box(Plain):
    """The bounds of each number of a continuous action in the position shown; whole : whether it is whole."""

    low: list[float]
    high: list[float]
    whole: list[bool]


class Variation(Plain):
    """Moves that were replaced by others; ply : number of moves before them.   count : number of moves.
    text : the first moves, in the game's notation.
    """

    ply: int
    count: int
    text: list[str]


class PlyValue(Plain):
    """The value of a search before a move; ply : number of moves before it.   values : for each player."""

    ply: int
    values: list[float]


class Figures(Plain):
    """What a search has found of one action; value : the mean return, or None without any."""

    text: str
    visits: int
    value: float | None


class ProvableFigures(Figures):
    """Those of an action with a node.   prior : None if the search has none.   proven : the proven value."""

    prior: float | None
    proven: float | None


class ChildTold(ProvableFigures):
    """An action at the root of a search, best first; value, lower, proven : for the player to move.

    value : the mean return, or the proven value.
    share : share of all visits.   lower : lower confidence bound.   at_least, at_most : proven bounds.
    moves_to_end : moves to the end of a proven game.   line : expected play, with this action first.
    """

    action: int | str
    share: float
    lower: float | None
    at_least: float | None
    at_most: float | None
    moves_to_end: int | None
    line: list[int | str]
    line_text: list[str]


class ChoiceTold(Figures):
    """An action of one player where all move at once; probability : in the player's mean strategy.

    value : for that player.
    """

    action: int
    probability: float


class Matrix(Plain):
    """What each pair of actions of two players brings the first of them, None for a pair not tried yet.

    rows, columns : the texts of the first and of the second player's actions.   values : by row.
    """

    rows: list[str]
    columns: list[str]
    values: list[list[float | None]]


class TreeNode(ProvableFigures):
    """A node of the tree that is shown; parents come before children, and children best first.

    parent : index in the list, -1 at the root.   mover : the player who moved into it; value, bounds and
    proof are for this player, and at the root for the player to move.   value : as in `ChildTold`, and of the
    root that of its best move.   player : the player to move, if expanded.
    more : number of children that are not shown.   on_line : whether it is on the principal variation.
    """

    path: list[int | str]
    parent: int
    mover: int | None
    player: int | None
    share: float
    lower: float | None
    upper: float | None
    terminal: bool
    on_line: bool
    num_children: int
    more: int


class Term(ProvableFigures):
    """How the selection rule scores one child of a node: score = value + exploration, for the player to move.

    All None for a child without visits.   probability : of an outcome of chance, which has no score; its
    value is for the player who moved before.
    """

    action: int | str
    exploration: float | None
    score: float | None
    probability: float | None = None


class PositionTold(Told):
    """A position in a message; `Position` describes these fields."""

    board: Board | None
    svg: str | None
    text: str
    player: int | None
    returns: list[float] | None
    paid: list[float] | None


# --- messages of the server -----------------------------------------------------------------------------


class Welcome(Told):
    """Answer to `Hello`; session : the token of this session.   resumed : whether it is an earlier one.

    games : all games, in brief; `GET /api/games/{game}` tells more of one.   first : the game that the server
    was started for, None if none was named.
    """

    session: str
    resumed: bool
    version: str
    games: list[GameCard]
    first: str | None
    limits: Limits


class Position(PositionTold):
    """The position shown and its game; sent whenever any of it changes.

    moves : all moves, including those after the position.   ply : number of moves before the position.
    board : what the board holds; None if the game has none, or draws its own.   svg : otherwise the picture,
    with the cells of the last move marked, or None.   text : the board as plain text.   legal : the legal
    moves, unless actions are continuous; where all move at once, those of each player.   box : the bounds of
    continuous actions, None otherwise and when the game is over.   player : the player to move, -1 for
    chance, -2 where all move at once; None when the game is over.   waiting : where all move at once, the
    seats of people who have still to choose.
    types_dice : whether people play outcomes of chance.   returns : of a finished game.
    paid : the sum of each player's rewards so far,
    discounted; None if returns come only at the end.   values : of searches so far.
    variations : moves that were replaced by others in an earlier position, the latest first.
    link : query that restores this position, such as "game=nim&moves=1,2"; continuous actions are
    in "vectors", with blanks between them.

    viewer : the player whose view this is, until a game with hidden information is over; None: all is shown.
    With a viewer, all other fields follow from what that player knows. Then ply counts the moves of which the
    viewer saw something; legal is empty and player is -3 unless it is the viewer's turn; nothing is said of
    rewards; and link names only the game.   seen : all that the viewer has seen and done, as one line.
    """

    game: GameInfo
    moves: list[MoveTold]
    ply: int
    legal: list[MoveTold]
    box: Box | None
    seats: list[int]
    types_dice: bool
    opponent: Opponent
    values: list[PlyValue]
    variations: list[Variation]
    link: str
    viewer: int | None = None
    seen: str = ""
    waiting: list[int] = []


class Thinking(Told):
    """The current search: "bot", "hint", "analysis", or "" for none.

    stage : "compiling" while a bot waits for the game's machine code, "waiting" for other searches,
    "searching", "paused", or "" for none.   seconds : the limit, if there is one.
    """

    who: str
    stage: str
    seconds: float | None = None


class Compiling(Told):
    """The current compile of the session; sent when that changes. Searches are slow until it has ended.

    what : name of the game, or "the search"; "" for nothing.   elapsed, estimate : seconds of compiling so
    far, and its estimated total.
    """

    what: str
    elapsed: float = 0.0
    estimate: float = 0.0


class Analysis(Told):
    """The findings of a search; sent about ten times a second while it runs.

    ply : of the position searched.   rate : simulations per second.   depth : length of the expected line.
    value : for the player to move.   values : for each player, or None if not all are known.
    judged : the value for the player to move that a network gave the position, before the search; None
    without a network. Its policy are the priors of `children`.
    ended_by : see `SearchResult`; "" while it runs.

    Where all move at once, player is -2, value is None and children is empty. Then strategies has the actions
    of each player, the most probable first, none for a player without a choice; matrix, for two players, what
    pairs of actions bring, unless there are very many.
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
    judged: float | None = None
    strategies: list[list[ChoiceTold]] = []
    matrix: Matrix | None = None


class Tree(Told):
    """The nodes of the tree that the page watches.

    ply : of the position searched.   nodes_in_all : number of nodes in the tree.
    """

    ply: int
    nodes_in_all: int
    nodes: list[TreeNode]


class NodeTold(PositionTold):
    """All data of a node: its board, and the selection rule's scores; rule, c : of the search.

    paid : the rewards of the moves to it, as in `BoardTold`.   text : says so if the node stands for many
    boards, because the moves lead to random states; board, svg, returns and paid are then None.
    """

    path: list[int | str]
    visits: int
    rule: str
    c: float
    terms: list[Term]


class BoardTold(PositionTold):
    """The board after a line; line_text : the line in the game's notation.   board, svg : see `Position`.

    returns : of a finished game, if returns come only at the end.   paid : otherwise, the sum of each
    player's rewards along the line, discounted from its second decision on.
    """

    line: list[int | str]
    line_text: list[str]


class Hinted(Told):
    """The move suggested in the position after `ply` moves, for `player`.

    Where all move at once, it is drawn from that player's mean strategy.
    """

    ply: int
    player: int
    action: int | str
    text: str
    value: float | None


class StepsBegun(Told):
    """The start of a step-by-step search.   rule, c, playout, cutoff, seed : its settings in full.

    stretches : whether scores are on the scale of the returns seen.   is_open : whether a node stands for the
    decisions that lead to it, as in an open loop; simulations then have `pictures`.
    horizon : number of decisions that count, 0 for all.
    """

    ply: int
    rule: str
    c: float
    playout: str
    cutoff: int | None
    seed: int
    stretches: bool
    is_open: bool
    horizon: int


class StepsMade(Told):
    """Simulations in the form of `Simulation.to_dict`, with `line_actions` beside each node's `line`, and the
    tree after them, up to some hundred nodes. over : the root is solved, or no more steps can be sent.
    In an open loop each has `pictures`: the boards as SVG, or None, of its "leaf", its last "node" and the
    "end" of its playout, which its moves do not reproduce.
    """

    simulations: list[dict[str, Any]]
    nodes: list[TreeNode]
    over: bool


class Refused(Told):
    """A message of the page was refused; mend : the correction.   about : type of the message.

    superseded : nothing was wrong with it, but a later message replaced it.
    """

    message: str
    mend: str | None = None
    about: str | None = None
    superseded: bool = False


ToldByServer = (
    Welcome | Position | Thinking | Compiling | Analysis | Tree | NodeTold | BoardTold | Hinted | StepsBegun
    | StepsMade | Refused
)  # fmt: skip


# --- the interface by HTTP ------------------------------------------------------------------------------


class Request(Plain):
    """What the bodies of both requests say of the position."""

    moves: Moves = []
    state: dict[str, Any] | None = None
    seed: Seed | None = None


class SearchRequest(Request):
    """Body of `POST /api/games/{game}/search`: a position and a budget.

    moves : from the start, as text or by number; a question mark stands for the outcomes of chance that are
    due there.   state : in place of moves, in the form of `Game.to_json`. A simulator, and a game that starts
    at random, can have both, and then the moves begin at the state; a simulator's moves lead to random
    states.   seed : of a random start and of the outcomes that are drawn, for question marks and at the end;
    without one, each request draws others.
    Without simulations and seconds the limit is one second.

    With hidden information, moves are all moves of the game, and what the player to move knows is searched.
    """

    simulations: Annotated[int, Meta(ge=1, le=10**9)] | None = None
    seconds: Annotated[float, Meta(ge=0.001, le=600)] | None = None
    settings: SearchSettings | None = None


class PositionRequest(Request):
    """Body of `POST /api/games/{game}/position`, which asks for a board and its legal moves.

    moves, state, seed : as in `SearchRequest`; outcomes are drawn only for question marks and, with hidden
    information, at the end.   viewer : the player whose view is wanted, in a game with hidden information; by
    default the player to move.
    """

    viewer: Annotated[int, Meta(ge=0, le=255)] | None = None


class PositionAnswer(Plain):
    """Answer to it; state : may be sent back unchanged, in place of moves.

    In a game with hidden information, it tells what one player, `viewer`, knows, until the game is over:
    player is that player or, while another is to move, -3, legal has that player's moves, seen is the history
    as that player saw it, and state is None.
    legal : outcomes of chance, with their probabilities, where chance is to move.   box : bounds of
    continuous actions, as in `Position`.   paid : the sum of each player's rewards along the moves,
    discounted; None if returns come only at the end, and for a state, whose rewards are unknown.
    returns : of a finished game; the same as paid if rewards are paid on the way.   drawn : texts of the
    outcomes that were drawn, as the viewer saw them.
    """

    game: str
    player: int | None
    legal: list[MoveTold]
    box: Box | None
    returns: list[float] | None
    paid: list[float] | None
    svg: str | None
    text: str
    state: dict[str, Any] | None
    drawn: list[str] = []
    viewer: int | None = None
    seen: str = ""


class SearchAnswer(Plain):
    """Result of a search: the best action, the value for the player to move, and every action.

    Where all players move at once, player is -2, best_action has the most probable action of each player,
    value is None and children is empty; values has the value for each player, and strategies and matrix are
    those of `Analysis`.   drawn : as in `PositionAnswer`.
    """

    game: str
    player: int
    best_action: int | str
    best_move: str
    value: float | None
    simulations: int
    seconds: float
    nodes: int
    ended_by: str
    memory_full: bool
    seed: int
    children: list[ChildTold]
    values: list[float] | None = None
    strategies: list[list[ChoiceTold]] = []
    matrix: Matrix | None = None
    drawn: list[str] = []


class LearningPoint(Plain):
    """A training after a round, as `branchwise.learning.train.Progress` has it.

    lead : over playouts at equal simulations, in Elo, and the ends of its interval, infinite ones as None;
    None where strength was not measured.
    """

    share: float
    seconds: float
    games: int
    positions: int
    proven: float
    policy_error: float
    value_error: float
    value_loss: float
    policy_loss: float
    lead: list[float | None] | None


class Learning(Plain):
    """A training of a game; `GET /api/games/{game}/learning` answers with a list of them, the latest first.

    file : name of its network.   age : seconds since its last checkpoint; None if it is complete.
    """

    file: str
    age: float | None
    points: list[LearningPoint]


class Problem(Plain):
    """Body of an answer with a status of 400 or more."""

    error: str
    mend: str | None = None
