"""What a search leaves out, and what it visits before anything else; see `MCTS.search`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import ActionError, SettingsError
from branchwise.common.players import CHANCE
from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import REFUSED, ROOT, Tree
from branchwise.rules.facts.facts import GameFacts, action_text, copied, legal_action, legal_actions
from branchwise.search.settings.budget import MAX_SIMULATIONS
from branchwise.search.settings.settings import MAX_DEPTH, Settings

if TYPE_CHECKING:
    from branchwise.search.session.search_session import Session

Moves = Sequence[int | str] | str | int
"""A line of moves: actions or their texts, in one text or one by one."""

Line = tuple[int, ...]


@dataclass(frozen=True)
class Course:
    """Actions that a search leaves out, and lines that it visits first.

    barred : int32 [P A], by player and action: how many levels of the tree do without it, from the root on;
    empty if none does.   lines : visits that each line of actions gets before selection goes on alone.
    """

    barred: NDArray[np.int32]
    lines: Mapping[Line, int]

    @property
    def restricts(self) -> bool:
        """Whether any action is left out."""
        return self.barred.size > 0

    @property
    def steers(self) -> bool:
        """Whether the search is any other than without it."""
        return self.restricts or bool(self.lines)

    def restricts_like(self, other: Course) -> bool:
        """Whether both leave out the same."""
        return np.array_equal(self.barred, other.barred)


FREELY = Course(np.zeros(0, np.int32), {})


@dataclass(frozen=True)
class Wishes:
    """The arguments `among`, `avoid` and `at_least` of a search, as they were given."""

    among: Iterable[int | str] | str | int | None = None
    avoid: Mapping[tuple[int, int | str], int] | None = None
    at_least: Mapping[Moves, int] | None = None

    def course(self, root: Any, facts: GameFacts, settings: Settings, *, one_state: bool = True) -> Course:
        """Return what they mean at `root`: a state, or what an observer knows of it.

        one_state : whether all simulations begin in the same state, and know all of it. Raises `ActionError`
        for an illegal move, and `SettingsError` for what this search cannot do.
        """
        if self.among is None and not self.avoid and not self.at_least:
            return FREELY
        given = "at_least" if self.at_least else "avoid" if self.avoid else "among"
        avoid = _by_key(
            "avoid", self.avoid, '{(0, "d1"): 1}, the player and the action with a number of moves'
        )
        at_least = _by_key("at_least", self.at_least, '{("d1", "e1"): 1000}, lines with their visits')
        if facts.joint or facts.dimensions or root.current_player() == CHANCE:
            why = "chance is to move" if not facts.joint else f"players of {facts.name} move at once"
            why = f"actions of {facts.name} are continuous" if facts.dimensions else why
            raise SettingsError(f"{given} needs a player to choose among listed actions, and {why}")
        is_plain = one_state and not facts.num_outcomes and not facts.simulates
        barred = self._barred(root, facts, avoid, is_plain and not settings.transpositions)
        lines: dict[Line, int] = {}
        if at_least and (settings.halving or settings.rollout or settings.early_stop):
            what = "rollout" if settings.rollout else "halving or early_stop"
            raise SettingsError(f"at_least cannot be combined with {what}", mend="leave them out")
        for moves, least in at_least.items():
            whole_number("at_least", least, 1, MAX_SIMULATIONS)
            line = _line(root, moves, barred, facts)
            if len(line) > 1 and not is_plain:
                raise SettingsError(
                    f"something is drawn or hidden in {facts.name}, so a line is a single move there",
                    mend="name one move of the player to move",
                )
            if len(line) > (settings.max_depth or MAX_DEPTH):
                raise SettingsError(f"a line of at_least is longer than max_depth = {settings.max_depth}")
            lines[line] = max(least, lines.get(line, 0))
        return Course(barred, lines)

    def _barred(
        self, root: Any, facts: GameFacts, avoid: Mapping[Any, Any], may_go_deep: bool
    ) -> NDArray[np.int32]:
        """Return `Course.barred`; may_go_deep : whether nodes below the root can do without actions."""
        depths = np.zeros((facts.num_players, facts.num_actions), np.int32)
        player = int(root.current_player())
        legal = legal_actions(root)
        for key, depth in avoid.items():
            if not isinstance(key, tuple) or len(key) != 2:
                raise SettingsError(
                    f"avoid has {key!r}, which is no pair", mend='name player and action: {(0, "d1"): 1}'
                )
            mover, move = key
            whole_number("the player of avoid", mover, 0, facts.num_players - 1)
            whole_number("the depth of avoid", depth, 1, MAX_DEPTH)
            if depth > 1 and not may_go_deep:
                raise SettingsError(
                    "below the root no action can be avoided with transpositions, or where something is "
                    f"drawn or hidden, in {facts.name}",
                    mend="give a depth of 1",
                )
            action = legal_action(root, move) if isinstance(move, str) else move
            whole_number("an action of avoid", action, 0, facts.num_actions - 1)
            depths[mover, action] = depth
        if self.among is not None:
            kept = {legal_action(root, move) for move in _words(self.among)}
            for action in set(legal) - kept:
                depths[player, action] = max(1, depths[player, action])
        if all(depths[player, action] for action in legal):
            raise SettingsError("no legal move is left to search", mend="leave at least one")
        return depths.reshape(-1) if depths.any() else FREELY.barred


def _by_key(name: str, given: Any, example: str) -> Mapping[Any, Any]:
    """Return what is given as `name`, which must be a mapping or None."""
    if given and not isinstance(given, Mapping):
        raise SettingsError(f"{name} is a {type(given).__name__}, not a dict", mend=f"write {name}={example}")
    return given or {}


def _words(moves: Moves | Iterable[int | str]) -> list[Any]:
    """Return moves one by one; a single one, and several in one text, are moves, too."""
    if isinstance(moves, str):
        return moves.split()
    return list(moves) if isinstance(moves, Iterable) else [moves]


def _line(root: Any, moves: Moves, barred: NDArray[np.int32], facts: GameFacts) -> Line:
    """Return a line of moves as actions; raises `ActionError` if it cannot be played, or is left out."""
    line: list[int] = []
    state = root
    for depth, word in enumerate(_words(moves)):
        if line:
            state = copied(state)
            state.apply_action(line[-1])
        if depth and (state.is_terminal() or state.current_player() == CHANCE):
            what = "chance moves" if not state.is_terminal() else "the game is over"
            raise ActionError(f'at_least: {what} before "{word}", move {depth + 1} of a line')
        action = int(legal_action(state, word))
        if barred.size and barred[int(state.current_player()) * facts.num_actions + action] > depth:
            raise SettingsError(f'at_least wants "{action_text(state, action)}", which is left out')
        line.append(action)
    if not line:
        raise SettingsError("at_least has a line without moves", mend="name at least one")
    return tuple(line)


class Guide:
    """Lets simulations begin with the lines of a course, one after another, until each has its visits.

    A line whose end is proven, or for which the tree has no room, gets no more.
    """

    def __init__(self, session: Session, lines: Mapping[Line, int]) -> None:
        self._session = session
        self._lines = dict(lines)

    def choose(self, size: int, done: int, elapsed: float) -> int:
        """Let the next simulations begin with the first line that lacks visits; see `run.Steering`."""
        runner = self._session.runner
        while self._lines:
            line, least = next(iter(self._lines.items()))
            missing = least - sum(_visits(tree, line) for tree in self._session.trees)
            if missing > 0:
                runner.guide(line)
                return int(min(size, missing))
            del self._lines[line]
        runner.guide(())
        return size


def _visits(tree: Tree, line: Line) -> float:
    """Return the visits of the node at the end of a line; infinite if it needs or can have no more."""
    nodes, graph = tree.nodes, tree.links.size > 0
    place, visits = ROOT, 0
    for action in line:
        children = children_of_one(nodes, place)
        found = children[nodes["action"][children] == action]
        if not found.size:
            return math.inf if tree.counters[REFUSED] else 0
        child = int(found[0])
        place = int(tree.links[child]) if graph else child
        visits = int(tree.edge_visits[child] if graph else nodes[place]["visits"])
    return math.inf if nodes[place]["lower"] >= nodes[place]["upper"] else visits


FREE = Wishes()
"""Nothing is left out, and no line comes first."""
