"""Finding again where rules raised in a search: the moves that lead there, the rule, and its line.

What rules raise ends a simulation in its middle. The tree tells the moves as far as the simulation had left
it; the moves of the random game after that come from the stream of random numbers, which still stands where
the game began. All of it is played again here in plain Python, where the fault shows with its line.
"""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError, LeaveRule, RuleLeftError
from branchwise.common.players import CHANCE
from branchwise.compile.states.randomness import Randomness
from branchwise.compile.stopping.time_limits import Limits, RulesInPython, left_at
from branchwise.core.numbers.random_streams import NUM_STREAMS, PLAYOUT_STREAM
from branchwise.core.tree.child_indices import children_of_one
from branchwise.game.kinds.continuous_actions import samples_numbers
from branchwise.game.kinds.random_numbers import Draws
from branchwise.rules.facts.facts import apply_legal, copied, draws_what_happens
from branchwise.rules.facts.game_type import pays

_LINES_BESIDE = 1000
_PATIENCE = 0.3
"""Seconds after which a rule that does not return is taken for the fault that is looked for."""


@dataclass
class Trail:
    """What is known of the simulation in which rules raised.

    leaf : actions from the root to where its random game began, if one had begun.   path : actions to where
    it was in the tree, if none had; it may go on too far, as the simulation before did.
    stream : of random numbers, as it was when the game began; None: moves were not drawn uniformly.
    played : moves of the game, where they are known.
    """

    leaf: list[int] = field(default_factory=list)
    path: list[int] = field(default_factory=list)
    stream: int | None = None
    played: list[int] = field(default_factory=list)


@dataclass
class Found:
    """A fault that showed again: after `actions` from the root, in `method`, called with `then` if given."""

    actions: list[int]
    method: str
    then: int | None
    error: Exception


class _FaultFoundError(Exception):
    def __init__(self, found: Found) -> None:
        self.found = found


def path_of_nodes(nodes: NDArray[Any], path: list[int]) -> list[int]:
    """Return the actions along `path`, node by node from the root, as far as each is a child of the last."""
    actions: list[int] = []
    for parent, child in pairwise(path):
        if child not in children_of_one(nodes, parent):
            break
        actions.append(int(nodes[child]["action"]))
    return actions


def find_again(state: Any, trail: Trail, errors: tuple[type[Exception], ...], seconds: float) -> Found | None:
    """Play on from `state` until its rules raise one of `errors`, or do not return; None if they do not.

    state : not changed.   seconds : at most, about.
    """
    return _found(lambda replay: _play_again(replay, state, trail), errors, seconds)


def find_beside(
    state: Any, line: Sequence[int], errors: tuple[type[Exception], ...], seconds: float
) -> Found | None:
    """Play a line of a compiled search, and lines that differ a little, until rules raise one of `errors`.

    Returns None if they do not, and a `GameError` if an action of the line is not legal.
    state : not changed.   seconds : at most, about.
    """
    return _found(lambda replay: _play_beside(replay, state, line), errors, seconds)


def _found(
    play: Callable[[_Replay], None], errors: tuple[type[Exception], ...], seconds: float
) -> Found | None:
    """Return the fault that shows while `play` plays, None if it ends or time is over first."""
    replay = _Replay(errors, time.perf_counter() + seconds)
    try:
        with warnings.catch_warnings(), RulesInPython(Limits(patience=_PATIENCE)):
            # NumPy's numbers give 0 with a warning where compiled rules raise.
            warnings.filterwarnings("error", "divide by zero encountered in scalar", RuntimeWarning)
            play(replay)
    except _FaultFoundError as fault:
        return fault.found
    except (_OutOfTimeError, RuleLeftError):
        return None
    return None


class _OutOfTimeError(Exception):
    pass


class _Replay:
    """Calls rules, and ends with _FaultFoundError when one raises, _OutOfTimeError when time is over."""

    def __init__(self, errors: tuple[type[Exception], ...], end: float) -> None:
        self._errors: tuple[type[Exception], ...] = (*errors, RuntimeWarning)
        self._end = end
        self._random = Draws(0)

    @contextmanager
    def calling(self, actions: list[int], method: str, then: int | None = None) -> Iterator[None]:
        if time.perf_counter() > self._end:
            raise _OutOfTimeError
        try:
            yield
        except self._errors as error:
            raise _FaultFoundError(Found(list(actions), method, then, error)) from None
        except LeaveRule as left:
            raise _FaultFoundError(Found(list(actions), method, then, left_at(left.__traceback__))) from None

    def call(self, state: Any, actions: list[int], method: str, *args: Any) -> Any:
        """Return what a rule gives."""
        drawn = method in ("sample_outcome", "sample_action")
        with self.calling(actions, method, args[0] if args and not drawn else None):
            if method == "apply_action":
                return apply_legal(state, args[0], self._random)
            return getattr(state, method)(*args)

    def look(self, state: Any, actions: list[int]) -> list[int]:
        """Ask the rules all that a search asks of a state; returns the legal actions."""
        if self.call(state, actions, "is_terminal"):
            if not pays(state):
                self.call(state, actions, "returns")
            return []
        by_chance = self.call(state, actions, "current_player") == CHANCE
        if by_chance and draws_what_happens(state):
            return [self.call(state, actions, "sample_outcome", self._random)]
        legal = list(self.call(state, actions, "legal_actions"))
        if hasattr(state, "evaluate"):
            self.call(state, actions, "evaluate")
        if hasattr(state, "prior") and state.current_player() != CHANCE:
            for action in legal:
                self.call(state, actions, "prior", action)
        return legal

    def look_ahead(self, state: Any, actions: list[int]) -> None:
        """The same for a state and all that one move leads to."""
        for action in self.look(state, actions):
            trial = copied(state)
            self.call(trial, actions, "apply_action", action)
            self.look(trial, [*actions, action])

    def play(self, state: Any, actions: list[int], choose: Callable[[list[int]], int | None]) -> None:
        """Play `state` on, modified in place as `actions` is, until the game is over or `choose` ends it."""
        while legal := self.look(state, actions):
            action = choose(legal)
            if action is None:
                return
            self.call(state, actions, "apply_action", action)
            actions.append(action)


def _play_beside(replay: _Replay, state: Any, line: Sequence[int]) -> None:
    """Play a line, and then the same with other actions at one to three places, as far as that is legal."""
    source = random.Random(0)
    for turn in range(1 + _LINES_BESIDE):
        changed = source.sample(range(len(line)), min(turn and 1 + turn % 3, len(line)))
        actions: list[int] = []

        def choose(
            legal: list[int], changed: list[int] = changed, actions: list[int] = actions
        ) -> int | None:
            at = len(actions)
            if at == len(line):
                return None
            if at in changed:
                return source.choice([action for action in legal if action != line[at]] or [line[at]])
            if line[at] in legal:
                return line[at]
            if not changed:
                wrong = GameError(
                    f"compiled rules play action {line[at]}, which is not legal in plain Python",
                    mend="compare both with branchwise check",
                )
                raise _FaultFoundError(Found(list(actions), "legal_actions", None, wrong))
            return None

        replay.play(copied(state), actions, choose)


def _play_again(replay: _Replay, state: Any, trail: Trail) -> None:
    """Play what the trail tells, the likeliest first, and then random games until time is over."""
    leaf = copied(state)
    actions: list[int] = []
    for action in trail.leaf:
        replay.call(leaf, actions, "apply_action", action)
        actions.append(action)
    if trail.played:
        left = iter(trail.played)
        replay.play(copied(leaf), list(actions), lambda legal: next(left, None))
    if trail.stream is not None:
        streams = np.zeros(NUM_STREAMS, np.uint64)
        streams[PLAYOUT_STREAM] = trail.stream
        drawn = Randomness(streams)
        position = copied(leaf)

        def choose(legal: list[int]) -> int:
            if samples_numbers(position) and position.current_player() != CHANCE:
                return int(replay.call(position, actions, "sample_action", drawn))
            return legal[drawn.below(len(legal))]

        replay.play(position, actions := list(actions), choose)
    for path in (trail.path, trail.leaf):
        position, actions = copied(state), []
        replay.look_ahead(position, actions)
        for action in path:
            replay.call(position, actions, "apply_action", action)
            actions.append(action)
            replay.look_ahead(position, actions)
    source = random.Random(0)
    while True:
        replay.play(copied(leaf), list(trail.leaf), source.choice)
        replay.play(copied(state), [], source.choice)
