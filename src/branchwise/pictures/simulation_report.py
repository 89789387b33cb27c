"""One simulation of a search, phase by phase: plain values, made by `search.trace.stepping`.

Values, scores and bounds are returns for the player named beside them. A node is identified by its index in
the tree, 0 for the root, and by its line, the moves that lead to it in the game's notation. Outcomes of
chance are moves of player -1, `branchwise.CHANCE`; their values are for the player who moved before.

With rewards on the way, the value of a node includes the reward for the move into it and all later rewards.
In an open loop (`MCTS.open_loop`) a node stands for the decisions that lead to it; the outcomes of chance
between them differ between simulations. In a closed loop with drawn outcomes each move leads to a node of
chance, and each state reached has a node below it. Such outcomes are named "~1", "~2" and so on, in the order
in which they first occurred.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from branchwise.common.players import CHANCE

PHASES = ("selection", "expansion", "playout", "backup")

Bounds = tuple[float, float]
Line = tuple[str, ...]


@dataclass(frozen=True)
class Move:
    """An action of a player, or an outcome of chance, with its text; a continuous action is a vector."""

    player: int
    action: Any
    text: str

    def __eq__(self, other: object) -> bool:
        if type(other) is not Move:
            return NotImplemented
        from branchwise.game.kinds.continuous_actions import (
            same_action,  # with NumPy, which `--help` does without
        )

        mine, theirs = (self.player, self.text), (other.player, other.text)
        return mine == theirs and same_action(self.action, other.action)

    def __hash__(self) -> int:
        from branchwise.game.kinds.continuous_actions import as_plain

        return hash((self.player, as_plain(self.action), self.text))


@dataclass(frozen=True)
class Sibling:
    """One child of a node on the path; numbers are for the player that `Choice.credited` names.

    visits : simulations through it so far.
    value : mean return used by the rule; without visits the value that the rule assumes, or None.
    exploration : its score minus its value, if the rule adds the two; else None.
    score : the number that the rule compares, as a return; None for children left out of the comparison.
    prior : probability of the action before any visit, if the search keeps priors.
    other : other inputs of the rule for the child, by the names of `core.select.Child`; means are returns.
    bounds : proven bounds on its value under best play; once equal, it is solved.
    fate : "chosen"; "lower", it scored lower; "untried", it has not been visited yet; "solved";
    "beaten", its upper bound does not exceed a sibling's lower bound; "left out", by widening; "not drawn",
    another outcome of chance was drawn; "not legal" in this simulation, in an open loop.
    probability : of an outcome of chance; None for an action.
    available : number of simulations in which it could have been chosen, including this one, if chance is
    drawn during the descent, in an open loop or for drawn outcomes; it replaces the node's visits in the
    score. Else None.
    came : for a drawn outcome, how often chance drew it so far, not counting simulations that returned to it.
    Else None.
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
    probability: float | None = None
    available: int | None = None
    came: int | None = None


@dataclass(frozen=True)
class Choice:
    """The choice of a child at one node of the path, or the draw of an outcome where chance is to move.

    player : the player to move, who chooses; -1 for chance.   visits : simulations through the node so far.
    siblings : in the order in which they are tried.   chosen : position of the chosen child among them.
    because : "score", it has the highest; "untried", untried children come first; "proven", all others
    are proven not to be better; "again", a recent choice is reused: `repeat` of `MCTS`; "chance", drawn.
    For drawn outcomes, "chance" is a known outcome, and "new" one drawn for the first time. With "back", a
    new outcome was drawn, but `outcome_widening` allows no more at this number of visits; with "full", the
    tree has no memory for it: the search returns to a known outcome, drawn in proportion to frequencies so
    far.
    In a search by what a player knows, "learnt" is a step to something that the player has not known in any
    simulation before, and "known" one to something that has a node.
    credited : the player whose values the siblings have: `player`, or at chance the one who moved before.
    spread : the returns that count as 0 and 1 in scores, if the search takes these from the returns seen.
    board : the state in this simulation, if chance is drawn during the descent; at chance, before the draw.
    drawn : in that case, the outcomes of chance after the move in an open loop, or those that led to the
    chosen drawn outcome; empty in a simulator.
    limit : maximum number of drawn outcomes with a node at these visits, with `outcome_widening`; else None.
    """

    node: int
    line: Line
    player: int
    visits: int
    siblings: tuple[Sibling, ...]
    chosen: int
    because: str
    credited: int
    spread: Bounds | None = None
    board: str | None = None
    drawn: tuple[Move, ...] = ()
    limit: int | None = None

    @property
    def is_chance(self) -> bool:
        """Whether an outcome of chance was drawn instead of chosen."""
        return self.player == CHANCE

    @property
    def expected_value(self) -> float | None:
        """The mean of the outcomes' values, weighted by probability; None for a choice of a player.

        Also None while some outcome has neither a visit nor a proven value.
        """
        total = 0.0
        for sibling in self.siblings:
            lower, upper = sibling.bounds
            value = lower if lower >= upper else sibling.value
            if sibling.probability is None or value is None:
                return None
            total += sibling.probability * value
        return total


@dataclass(frozen=True)
class Selection:
    """The path from the root to a leaf.

    choices : one for each node of the path above the leaf; none while the root is a leaf.
    leaf, line : the leaf.   visits : simulations through the leaf so far.   board : the leaf's state; for a
    node of chance with drawn outcomes, the state before the draw.
    """

    choices: tuple[Choice, ...]
    leaf: int
    line: Line
    visits: int
    board: str


@dataclass(frozen=True)
class NewChild:
    """A child that was added.

    settled : the return of the player who chose, if the game is over there; with rewards on the way, the
    reward for the move.
    probability : of an outcome of chance; None for an action.
    """

    node: int
    move: Move
    prior: float | None
    settled: float | None
    probability: float | None = None


@dataclass(frozen=True)
class Proof:
    """Bounds of a node that became tighter; player : the player they are for."""

    node: int
    line: Line
    player: int
    before: Bounds
    after: Bounds


@dataclass(frozen=True)
class Expansion:
    """The nodes added to the tree.

    children : all children of the leaf, in the order in which the search tries them; empty if none were
    added. In an open loop a node gets a child for the first visit of an action, the root all at once.
    without : why none were added: "first visit" (a leaf is expanded on its second visit), "game over",
    "horizon" (nothing counts after it), "depth" (the limit), "memory" (full); "" if some were added.
    choice : the choice or draw of the child to continue from, if children were added; None with a network,
    which values the leaf itself.
    outcome : if drawn outcomes have nodes, the draw of a new move's outcome, which is added as well; else
    None.
    proofs : bounds that this expansion proved, from the leaf up.
    node, line : where the playout starts, a child just added or the leaf.   board : its state.
    """

    children: tuple[NewChild, ...]
    without: str
    choice: Choice | None
    proofs: tuple[Proof, ...]
    node: int
    line: Line
    board: str
    outcome: Choice | None = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices and draws from the leaf to `node`: none, `choice`, or `choice` and `outcome`."""
        return tuple(choice for choice in (self.choice, self.outcome) if choice is not None)


@dataclass(frozen=True)
class PlayedGame:
    """One playout.

    returns : one per player; with rewards on the way their sum, discounted from the second decision
    on.   cut_off : whether the returns include the game's evaluation of an unfinished state.
    board : the last state.
    rewards : for each move, one per player; empty if the game pays only at the end.
    at_horizon : whether the playout stopped at the horizon of an unfinished game.
    """

    moves: tuple[Move, ...]
    returns: tuple[float, ...]
    cut_off: bool
    board: str
    rewards: tuple[tuple[float, ...], ...] = ()
    at_horizon: bool = False


@dataclass(frozen=True)
class Playout:
    """The result of the simulation.

    games : the playouts, one unless the search plays several; none if the game was already over.
    returns : the mean of the games, one per player; without rewards of moves in the tree.
    """

    games: tuple[PlayedGame, ...]
    returns: tuple[float, ...]


@dataclass(frozen=True)
class Update:
    """The update of one node.

    player : the player who moved into the node, or before chance did; its values and bounds are for this
    player. None at the root, where bounds are for the player to move.
    by_chance : whether an outcome of chance led to the node.
    returned : the return added to the node, limited by its proven bounds; None at the root.
    value_before, value_after : mean return; None without visits and at the root.
    reward, rest, factor : with rewards on the way, `returned` is reward + factor * rest: the reward for the
    move into the node, and `factor` times the later rewards, where `factor` is the discount, or 1 before
    chance moves. In an open loop the reward includes those of the outcomes after the move. None at the root.
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
    by_chance: bool = False
    reward: float | None = None
    rest: float | None = None
    factor: float = 1.0


@dataclass(frozen=True)
class Backup:
    """The updates of all nodes on the path, from the last node up to the root."""

    updates: tuple[Update, ...]


@dataclass(frozen=True)
class Simulation:
    """One simulation, phase by phase, as `MCTS.steps` yields it.

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

    @property
    def choices(self) -> tuple[Choice, ...]:
        """All choices and draws on the path, from the root down."""
        return (*self.selection.choices, *self.expansion.choices)

    def to_dict(self) -> dict[str, Any]:
        """Return the simulation as plain values for JSON, named like the fields.

        An infinite bound is None.
        """
        told: dict[str, Any] = _finite(asdict(self))
        return told


def _finite(part: Any) -> Any:
    """Return plain values, with None for infinite ones."""
    if isinstance(part, dict):
        return {name: _finite(value) for name, value in part.items()}
    if isinstance(part, tuple | list):
        return type(part)(map(_finite, part))
    if hasattr(part, "tolist"):  # a continuous action
        return part.tolist()
    return None if isinstance(part, float) and not math.isfinite(part) else part
