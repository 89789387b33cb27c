"""Classical searches of problems of one player: breadth-first, depth-first, and A*.

They expand states one by one, in plain Python, and are a baseline for sampling searches.
A*: Hart, Nilsson, Raphael, "A formal basis for the heuristic determination of minimum cost paths", 1968.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from operator import ge
from typing import Any

from branchwise.common.errors import GameError, SettingsError
from branchwise.common.players import CHANCE
from branchwise.game.rules_class import Game
from branchwise.optimise.walkers.problem import chance_error, problem_facts
from branchwise.rules.facts.facts import (
    GameFacts,
    apply_legal,
    copied,
    legal_actions,
    reward_of,
)

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class PathResult:
    """Outcome of a classical search from `state`.

    best_score : the sum of the rewards of the best line found, or the return at its end; None without a
    line.   best_line : its actions.
    expanded : number of expanded states.   entered : number of states reached by actions, repetitions
    included.   states : number of distinct states stored.
    history : for each improvement: the seconds and the expanded states until then, the line's score, and the
    states entered until then.
    ended_by : "solved", "complete" (nothing is left to expand), "seconds", "states", or "interrupted".
    is_optimal : whether no line has a higher score, provided that unexplored actions pay like the others.
    """

    state: Any = field(repr=False)
    method: str
    best_score: float | None
    best_line: tuple[int, ...]
    expanded: int
    entered: int
    states: int
    seconds: float
    history: tuple[tuple[float, int, float, int], ...] = field(repr=False)
    ended_by: str
    is_optimal: bool

    def __str__(self) -> str:
        found = "no line found" if self.best_score is None else f"score {self.best_score:g}"
        proven = ", optimal" if self.is_optimal else ""
        return (
            f"{self.method}: {found} in {len(self.best_line)} moves{proven}, {self.expanded:,} states "
            f"expanded in {self.seconds:.2f} s, ended by {self.ended_by}"
        )


def breadth_first(state: Any, *, seconds: float | None = None, max_states: int = 1_000_000) -> PathResult:
    """Return the best line among the shortest ones to each state.

    If all actions so far have cost the same, the first complete line is optimal and ends the search.
    Otherwise the search continues until nothing is left to expand. A longer line to a state may then be
    better, but only the shortest one is considered.
    seconds, max_states : the search ends at the first of these limits.
    """
    search = _Search("breadth-first", state, seconds, max_states)
    search.enters(state, ())
    frontier = deque([(state, 0.0, search.root)])
    costs = set[float]()

    def run() -> str:
        while frontier:
            position, score, node = frontier.popleft()
            if position.is_terminal():
                search.found(score + search.at_end(position), node)
                if search.facts.pays and len(costs) == 1 and max(costs) < 0.0:
                    return "solved"
                continue
            for action, after, paid in search.expand(position):
                costs.add(paid)
                if search.enters(after, ()):
                    frontier.append((after, score + paid, _Node(node, action)))
        return "complete"

    return search.run(run, lambda ended_by: ended_by == "solved")


def depth_first(
    state: Any, *, max_depth: int | None = None, seconds: float | None = None, max_states: int = 1_000_000
) -> PathResult:
    """Return the best line found by depth-first search, which follows each line to its end.

    max_depth : maximum number of actions in a line; None: the horizon, or `max_game_length`. A state is
    expanded again only if its score is higher than before, or fewer actions led there. The search ends when
    nothing is left to expand, or at the first of the limits.
    """
    search = _Search("depth-first", state, seconds, max_states)
    deepest = max_depth or search.facts.horizon or search.facts.max_game_length
    search.enters(state, (0.0, 0))
    cut = False

    def run() -> str:
        nonlocal cut
        path = [(search.expand(state), 0.0, search.root)]
        while path:
            actions, score, node = path[-1]
            step = next(actions, None)
            if step is None:
                path.pop()
                continue
            action, after, paid = step
            total, depth = score + paid, len(path)
            below = _Node(node, action)
            if after.is_terminal():
                search.found(total + search.at_end(after), below)
                continue
            if depth >= deepest:
                cut = True
                continue
            if search.enters(after, (total, -depth)):
                path.append((search.expand(after), total, below))
        return "complete"

    return search.run(run, lambda ended_by: ended_by == "complete" and not cut)


def a_star(state: Any, *, seconds: float | None = None, max_states: int = 1_000_000) -> PathResult:
    """Return a line with the highest sum of rewards, the lowest cost.

    A class's `heuristic(self)` returns a lower bound of the remaining cost, a number from 0. Without it the
    search is Dijkstra's. A heuristic that overestimates may lead to a line that is not optimal;
    `check_heuristic` tests for this. Raises `GameError` for a problem that pays only at the end, and for
    rewards above 0.
    """
    search = _Search("A*", state, seconds, max_states)
    if not search.facts.pays:
        raise GameError(
            f"{search.facts.name} pays at its end alone, and A* needs the cost of each action",
            mend="return rewards from apply_action, or search with breadth_first",
        )
    left = _heuristic(state)
    search.enters(state, (0.0,))
    numbers = count(0, -1)
    frontier = [(left(state), next(numbers), 0.0, state, search.root)]

    def run() -> str:
        while frontier:
            _, _, cost, position, node = heappop(frontier)
            if -cost < search.worth_of(position)[0]:
                continue
            if position.is_terminal():
                search.found(-cost, node)
                return "solved"
            for action, after, paid in search.expand(position):
                if paid > 0.0:
                    raise GameError(
                        f"{search.facts.name} paid {paid:g} for an action, and A* needs rewards of 0 or less",
                        mend="search with depth_first, or subtract a constant from all rewards of a step",
                    )
                total = cost - paid
                if search.enters(after, (-total,)):
                    entry = total + left(after), next(numbers), total, after, _Node(node, action)
                    heappush(frontier, entry)
        return "complete"

    return search.run(run, lambda ended_by: ended_by == "solved")


def check_heuristic(state: Any, *, max_states: int = 20_000) -> int:
    """Raise `GameError` if a heuristic overestimates the cost from a state that can be reached from `state`.

    Examines at most `max_states` states, the nearest first, and returns the number of states with a known
    cost: those from which a line through these states leads to an end.
    """
    search = _Search("check", state, None, max_states)
    left = _heuristic(state)
    places: dict[Hashable, int] = {search.key(state): 0}
    states, before = [state], defaultdict[int, list[tuple[int, float]]](list)
    ends = []
    for at, position in enumerate(states):  # which grows meanwhile
        if position.is_terminal():
            ends.append(at)
        else:
            for _, after, paid in search.expand(position):
                key = search.key(after)
                if key not in places:
                    if len(states) >= max_states:
                        continue
                    places[key] = len(states)
                    states.append(after)
                before[places[key]].append((at, -paid))
    costs = dict.fromkeys(ends, 0.0)
    waiting = [(0.0, end) for end in ends]
    while waiting:
        cost, place = heappop(waiting)
        if cost > costs[place]:
            continue
        guess = left(states[place])
        if guess > cost + _TOLERANCE * max(1.0, cost):
            raise GameError(
                f"{search.facts.name}.heuristic gave {guess:g}, but the remaining cost is at most {cost:g} "
                f"in {states[place]!r}",
                mend="return a lower bound of the remaining cost",
            )
        for source, paid in before[place]:
            if cost + paid < costs.get(source, math.inf):
                costs[source] = cost + paid
                heappush(waiting, (cost + paid, source))
    return len(costs)


@dataclass(frozen=True)
class _Node:
    """The last action of a line, and the line before it."""

    before: _Node | None = None
    action: int = -1

    def line(self) -> tuple[int, ...]:
        actions, node = list[int](), self
        while node.before is not None:
            actions.append(node.action)
            node = node.before
        return tuple(reversed(actions))


class _OutOfBudgetError(Exception):
    """A limit is reached; its text is the limit's name."""


class _Search:
    """Base class of the searches: the rules, the budget, and the best line so far."""

    def __init__(self, method: str, state: Any, seconds: float | None, max_states: int) -> None:
        self.facts = _facts(state, method)
        if (seconds is not None and not seconds > 0.0) or max_states < 1:
            raise SettingsError(
                f"seconds={seconds}, max_states={max_states} is not a valid budget", mend="give more"
            )
        self.method = method
        self.state = state
        self.root = _Node()
        self._worths: dict[Hashable, tuple[float, ...]] = {}
        """What each state stored was worth when it was entered last."""
        self._began = time.perf_counter()
        self._seconds = math.inf if seconds is None else seconds
        self._max_states = max_states
        self._expanded = 0
        self._entered = 0
        self._best: tuple[float, _Node] | None = None
        self._history: list[tuple[float, int, float, int]] = []

    def key(self, state: Any) -> Hashable:
        """Return a key that is equal for equal states."""
        if not isinstance(state, Game):
            return state  # type: ignore[no-any-return]
        return tuple(
            value.tobytes() if hasattr(value, "tobytes") else value for value in vars(state).values()
        )

    def expand(self, state: Any) -> Iterator[tuple[int, Any, float]]:
        """Yield each legal action, the resulting state, and the reward."""
        self._expanded += 1
        if self._expanded % 64 == 0 and time.perf_counter() - self._began > self._seconds:
            raise _OutOfBudgetError("seconds")
        if state.current_player() == CHANCE:
            raise chance_error(self.facts, self.method)
        for action in legal_actions(state):
            after = copied(state)
            given = apply_legal(after, action)
            self._entered += 1
            paid = reward_of(after, given, self.facts)[0] if self.facts.pays else 0.0
            yield action, after, paid

    def enters(self, state: Any, worth: tuple[float, ...]) -> bool:
        """Store a state with what it is worth, unless it was worth as much before, number by number.

        Returns whether it was stored. With nothing to compare, a state is stored once.
        """
        key = self.key(state)
        known = self._worths.get(key)
        if known is not None and all(map(ge, known, worth)):
            return False
        self._worths[key] = worth
        if len(self._worths) > self._max_states:
            raise _OutOfBudgetError("states")
        return True

    def worth_of(self, state: Any) -> tuple[float, ...]:
        """Return what a stored state was worth when it was entered last."""
        return self._worths[self.key(state)]

    def at_end(self, state: Any) -> float:
        """Return the reward at the end of a finished line."""
        return 0.0 if self.facts.pays else float(state.returns()[0])

    def found(self, score: float, node: _Node) -> None:
        """Record a complete line."""
        if self._best is None or score > self._best[0]:
            self._best = score, node
            seconds = time.perf_counter() - self._began
            self._history.append((seconds, self._expanded, score, self._entered))

    def run(self, search: Callable[[], str], proves: Callable[[str], bool]) -> PathResult:
        """Run a search, which returns the reason for its end; proves : whether this makes a line optimal."""
        try:
            ended_by = search()
        except _OutOfBudgetError as limit:
            ended_by = str(limit)
        except KeyboardInterrupt:
            ended_by = "interrupted"
        score, node = (None, self.root) if self._best is None else self._best
        return PathResult(
            state=self.state,
            method=self.method,
            best_score=score,
            best_line=node.line(),
            expanded=self._expanded,
            entered=self._entered,
            states=len(self._worths),
            seconds=time.perf_counter() - self._began,
            history=tuple(self._history),
            ended_by=ended_by,
            is_optimal=proves(ended_by) and self._best is not None,
        )


def _facts(state: Any, method: str) -> GameFacts:
    """Return the facts of a deterministic problem of one player; raises `GameError` for any other."""
    facts = problem_facts(state, method)
    if facts.discount != 1.0:
        raise GameError(
            f"{facts.name} has a discount, and {method} adds up what is paid", mend="leave it out"
        )
    return facts


def _heuristic(state: Any) -> Callable[[Any], float]:
    """Return a function for the heuristic of states like `state`; it returns 0 without one."""
    if not callable(getattr(state, "heuristic", None)):
        return lambda _: 0.0

    def left(position: Any) -> float:
        guess = float(position.heuristic())
        if not guess >= 0.0:
            raise GameError(
                f"{type(position).__name__}.heuristic gave {guess:g}",
                mend="return a lower bound of the remaining cost, a number from 0",
            )
        return guess

    return left
