"""What one simulation of a search did, phase by phase: plain values, made by `search.stepping`.

Values, scores and bounds are returns, for the player that stands beside them. A node is named by its index
in the tree, 0 being the root, and by its line, the moves that lead to it as people write them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

PHASES = ("selection", "expansion", "playout", "backup")

Bounds = tuple[float, float]
Line = tuple[str, ...]


@dataclass(frozen=True)
class Move:
    """An action that a player plays, and how people write it."""

    player: int
    action: int
    text: str


@dataclass(frozen=True)
class Sibling:
    """One child of a node at which a child is chosen; numbers are for the player who chooses.

    visits : simulations through it so far.
    value : mean return, as the rule sees it; without visits what the rule takes it to be, None for nothing.
    exploration : what its score has above its value, where the rule adds the two; else None.
    score : what the rule compares, in returns; None for a child that it does not compare.
    prior : probability of the action before any visit, where the search keeps any.
    other : what else the rule was told of the child, by the names of `core.select.Child`; means in returns.
    bounds : what its value under best play is proven to lie between; once equal, it is solved.
    fate : "chosen"; "lower", it scored lower; "untried", it waits to be visited a first time; "solved";
    "beaten", no better at best than a sibling is sure to be; "left out", by widening.
    """

    node: int
    move: Move
    visits: int
    value: float | None
    exploration: float | None
    score: float | None
    prior: float | None
    other: dict[str, float]
    bounds: Bounds
    fate: str


@dataclass(frozen=True)
class Choice:
    """How a child was chosen at one node of the path.

    player : who is to move, and so chooses.   visits : simulations through the node so far.
    siblings : in the order in which they are tried.   chosen : place among them.
    because : "score", it has the highest; "untried", untried children come first; "proven", all others
    are proven not to be better; "again", it was chosen lately, also for this simulation: `repeat` of `MCTS`.
    """

    node: int
    line: Line
    player: int
    visits: int
    siblings: tuple[Sibling, ...]
    chosen: int
    because: str


@dataclass(frozen=True)
class Selection:
    """The way from the root to a leaf.

    choices : one for each node that was left on the way; none while the root is a leaf.
    leaf, line : where it ended.   visits : simulations through the leaf so far.   board : the leaf's state.
    """

    choices: tuple[Choice, ...]
    leaf: int
    line: Line
    visits: int
    board: str


@dataclass(frozen=True)
class NewChild:
    """A child that was added; settled : the return of who moves into it, if the game is over there."""

    node: int
    move: Move
    prior: float | None
    settled: float | None


@dataclass(frozen=True)
class Proof:
    """Bounds of a node that became tighter; player : whose they are."""

    node: int
    line: Line
    player: int
    before: Bounds
    after: Bounds


@dataclass(frozen=True)
class Expansion:
    """What was added to the tree.

    children : all children of the leaf, in the order in which they are to be tried; empty if none were added.
    without : why not: "first visit" (a leaf is expanded when it is visited again), "game over", "depth" (the
    greatest allowed), "memory" (full); "" if they were.
    choice : how the child to go on from was chosen, if children were added.
    proofs : what the search then knew for sure, from the leaf up.
    node, line : where the playout starts from, a child just added or the leaf.   board : its state.
    """

    children: tuple[NewChild, ...]
    without: str
    choice: Choice | None
    proofs: tuple[Proof, ...]
    node: int
    line: Line
    board: str


@dataclass(frozen=True)
class PlayedGame:
    """One game played out.

    returns : one a player.   cut_off : whether they are the game's evaluation of a state that is not over.
    board : the state in which it ended.
    """

    moves: tuple[Move, ...]
    returns: tuple[float, ...]
    cut_off: bool
    board: str


@dataclass(frozen=True)
class Playout:
    """What the simulation returned.

    games : those played out, one unless the search plays several; none where the game was over already.
    returns : one a player, the games' mean.
    """

    games: tuple[PlayedGame, ...]
    returns: tuple[float, ...]


@dataclass(frozen=True)
class Update:
    """What one node took in.

    player : who moved into it, for whom its values and bounds are; at the root None, and bounds are for the
    player to move.
    returned : the return it was credited with, as far as what is proven of the node allows it; None at the
    root.   value_before, value_after : mean return; None without visits and at the root.
    """

    node: int
    line: Line
    player: int | None
    returned: float | None
    visits_before: int
    visits_after: int
    value_before: float | None
    value_after: float | None
    bounds_before: Bounds
    bounds_after: Bounds


@dataclass(frozen=True)
class Backup:
    """What became of every node on the path; updates : from the last node up to the root."""

    updates: tuple[Update, ...]


@dataclass(frozen=True)
class Simulation:
    """One simulation, phase by phase, as `MCTS.steps` gives it.

    number : from 1, counting from the start of the search.

    >>> import branchwise as bw
    >>> from branchwise.games.nim import Nim
    >>> *_, last = bw.MCTS(seed=1).steps(Nim(), simulations=4)
    >>> [sibling.fate for sibling in last.selection.choices[0].siblings]
    ['chosen', 'lower', 'lower']
    >>> [update.visits_after for update in last.backup.updates]
    [1, 2, 4]
    """

    number: int
    selection: Selection
    expansion: Expansion
    playout: Playout
    backup: Backup

    def to_dict(self) -> dict[str, Any]:
        """Return the simulation as plain values that JSON can hold; names are those of the fields."""
        return asdict(self)
