"""Exact values of small games of chance that may return to a state, by value iteration.

All reachable states are listed first. Then values are computed repeatedly, each from those of its successors:
the best for the player to move, the mean for chance. Two iterations run side by side, from the least return
upwards and from the greatest downwards. They bound the value, so their distance is its error; if play can go
on for ever at no loss to any player, they never meet.
Sources: Shapley, "Stochastic games", 1953; Haddad, Monmege, "Interval iteration algorithm for MDPs and
IMDPs", 2018.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.rules.facts.facts import GameFacts, action_text, copied
from branchwise.testing.compiled_values import CompiledStates, has_rules_to_compile
from branchwise.testing.state_interface import State, UnsolvableError, table_key
from branchwise.testing.successors import (
    action_values,
    discount_after,
    endless,
    final_return,
    for_player,
    mover,
    solvable_facts,
    steps,
)

MOST_STATES = 2_000_000
"""Maximum number of states to solve in plain Python."""
_FEW_STATES = 2_000
"""States to list in plain Python before compiling the rules; they take a fraction of a second."""
_TERMINAL = -4
_SWEEPS_BETWEEN = 64
"""Sweeps between two checks of the distance of the bounds."""

_MOST_SWEEPS = 1_000_000
_SLOW = 1e-4
"""Required change of a sweep, as a share of the tolerance, if neither bounds nor a discount are known."""

_Sweep = Callable[[NDArray[np.float64], np.ufunc | None], None]


def value_iteration(state: State, tolerance: float = 1e-9, *, compiled: bool | None = None) -> Values:
    """Return the values of all states reachable from `state`, each within `tolerance`.

    state : of a zero-sum game for two or of a game for one player, with OpenSpiel's methods; unchanged.
    States must be equal by content.   tolerance : of returns as the game gives them. Where rewards are paid
    on the way and no bounds are known, values are computed from 0 until they hardly change; with a discount
    below 1 they are then within `tolerance`, too.
    compiled : True solves with compiled rules, a million states in a few seconds; only for a `Game`. False
    solves in plain Python. By default a game with few states is solved in plain Python, and a larger one
    compiled if its rules compile.
    Raises `UnsolvableError` for a finished game, for more than two players, for returns that do not add up to
    zero, for a horizon, for more than 50 million states (two million in plain Python), and if endless play
    leaves values undetermined.

    >>> from branchwise.games.pig import Pig
    >>> game = Pig.configured(target=10, sides=2)
    >>> values = value_iteration(game(), tolerance=1e-6)
    >>> round(values.value(game()), 5)          # the first player wins .53299 of the games
    0.06597
    >>> {name: round(value, 3) for name, value in values.by_name(game()).items()}
    {'roll': 0.066, 'hold': -0.066}
    """
    facts = solvable_facts(state)
    if table_key(state) is None:
        raise UnsolvableError(
            f"states of {facts.name} are not equal by content", mend="give their class __eq__ and __hash__"
        )
    if facts.horizon:
        raise UnsolvableError(
            f"values of {facts.name} depend on how many decisions are left before its horizon",
            mend="Expectimax takes a horizon",
        )
    if compiled:
        return _solved(CompiledStates(state, facts), state, facts, tolerance)
    few = compiled is None and has_rules_to_compile(state)
    try:
        graph = _Graph(state, facts, _FEW_STATES if few else MOST_STATES)
    except _TooManyError:
        try:
            states = CompiledStates(state, facts)
        except GameError:
            graph = _Graph(state, facts, MOST_STATES)
        else:
            return _solved(states, state, facts, tolerance)
    values = graph.iterate(tolerance)
    return Values(facts, len(values), partial(_value_in, graph.places, values))


def _solved(states: CompiledStates, start: State, facts: GameFacts, tolerance: float) -> Values:
    slow = 1.0 if facts.is_bounded else _share_of_tolerance(facts)
    states.solve(start, tolerance=tolerance * slow)
    return Values(facts, len(states), states.value)


def _value_in(places: dict[Hashable, int], values: NDArray[np.float64], state: State) -> float | None:
    place = places.get(cast(Hashable, state))
    return None if place is None else float(values[place])


def _share_of_tolerance(facts: GameFacts) -> float:
    """Return the required change of a sweep, as a share of the tolerance, if no bounds are known."""
    return 1.0 - facts.discount if facts.discount < 1.0 else _SLOW


class Values:
    """The values of the states of a game for the player to move; where chance is to move, for player 0."""

    def __init__(self, facts: GameFacts, count: int, look_up: Callable[[State], float | None]) -> None:
        self._facts = facts
        self._count = count
        self._look_up = look_up

    def __len__(self) -> int:
        """Return the number of states."""
        return self._count

    def value(self, state: State) -> float:
        """Return the value of `state`, which must be reachable and not over."""
        solvable_facts(state)
        return for_player(mover(state, self._facts), self._first_players(state))

    def action_values(self, state: State) -> dict[int, float]:
        """Return the value of each legal action, or outcome, of `state` for the player to move.

        Its reward is part of it.
        """
        solvable_facts(state)
        return action_values(state, self._facts, self._first_players)

    def by_name(self, state: State) -> dict[str, float]:
        """Return the same as `action_values`, by the names of the actions."""
        return {action_text(state, action): value for action, value in self.action_values(state).items()}

    def _first_players(self, state: State) -> float:
        value = self._look_up(state)
        if value is None:
            raise UnsolvableError(
                f"this {self._facts.name} state cannot be reached from the one that was solved",
                mend="begin value_iteration at an earlier state",
            )
        return value


class _TooManyError(Exception):
    """Too many states to solve in plain Python."""


class _Graph:
    """The reachable states, in the order in which they were found, and the steps between them.

    Steps of a state are contiguous; states without steps are over.
    """

    def __init__(self, start: State, facts: GameFacts, most: int) -> None:
        """List the states; raises `_TooManyError` for more than `most`, if that is less than MOST_STATES."""
        self.facts = facts
        self._most = most
        self.places: dict[Hashable, int] = {}
        self._states: list[State] = []
        self._place(copied(start))
        players: list[int] = []
        first: list[int] = []
        targets: list[int] = []
        chances: list[float] = []
        rewards: list[float] = []
        factors: list[float] = []
        final: list[float] = []
        for state in self._states:  # which grows
            first.append(len(targets))
            if state.is_terminal():
                players.append(_TERMINAL)
                final.append(final_return(state, facts))
                continue
            players.append(mover(state, facts))
            final.append(0.0)
            for step in steps(state, facts):
                targets.append(self._place(step.after))
                chances.append(step.chance)
                rewards.append(step.reward)
                factors.append(discount_after(step.after, facts))
        self._players = np.array(players)
        self._first = np.array(first)
        self._targets = np.array(targets)
        self._chances = np.array(chances)
        self._rewards = np.array(rewards)
        self._factors = np.array(factors)
        self._final = np.array(final)

    def _place(self, state: State) -> int:
        """Return the index of `state`, a new one if it was not seen before."""
        key: Any = table_key(state)
        place = self.places.setdefault(key, len(self._states))
        if place == len(self._states):
            if place == self._most < MOST_STATES:
                raise _TooManyError
            if place == MOST_STATES:
                raise UnsolvableError(f"{self.facts.name} has more than {MOST_STATES:,} reachable states")
            self._states.append(state)
        return place

    def iterate(self, tolerance: float) -> NDArray[np.float64]:
        """Return player 0's value of each state within `tolerance`; see `value_iteration`."""
        if not self.facts.is_bounded:
            return self._iterate_upwards(tolerance)
        over = self._players == _TERMINAL
        low = np.where(over, self._final, self.facts.min_return)
        high = np.where(over, self._final, self.facts.max_return)
        groups = self._groups()
        while True:
            before = low.copy(), high.copy()
            for _ in range(_SWEEPS_BETWEEN):
                for sweep in groups:
                    sweep(low, np.maximum)
                    sweep(high, np.minimum)
            apart = float(np.max(high - low))
            if apart <= 2.0 * tolerance:
                return (low + high) / 2.0
            if np.array_equal(before[0], low) and np.array_equal(before[1], high):
                raise endless(self.facts, apart)

    def _iterate_upwards(self, tolerance: float) -> NDArray[np.float64]:
        """Return the values to which sweeps from 0 converge, if no bounds are known."""
        values = np.where(self._players == _TERMINAL, self._final, 0.0)
        groups = self._groups()
        slow = _share_of_tolerance(self.facts)
        for _ in range(_MOST_SWEEPS):
            before = values.copy()
            for sweep in groups:
                sweep(values, None)
            if not np.isfinite(values).all() or float(np.max(np.abs(values - before))) <= tolerance * slow:
                break
        else:
            raise endless(self.facts)
        return values

    def _groups(self) -> list[_Sweep]:
        """Return a function that updates all values in place."""
        return [
            self._group(self._players == 0, np.maximum, None),
            self._group(self._players == 1, np.minimum, None),
            self._group(self._players == CHANCE, np.add, self._chances),
        ]

    def _group(
        self, chosen: NDArray[np.bool_], combine: np.ufunc, weights: NDArray[np.float64] | None
    ) -> _Sweep:
        """Return a function that updates the values of the `chosen` states in place.

        It takes the values, and `maximum` if they may only rise, `minimum` if they may only fall, so that
        rounding cannot keep them from converging; None: both.
        """
        states = np.flatnonzero(chosen)
        counts = np.diff(self._first, append=len(self._targets))[states]
        starts = np.cumsum(counts) - counts
        steps = np.arange(counts.sum()) + np.repeat(self._first[states] - starts, counts)
        targets = self._targets[steps]
        rewards, factors = self._rewards[steps], self._factors[steps]
        shares = None if weights is None else weights[steps]

        def sweep(values: NDArray[np.float64], monotone: np.ufunc | None) -> None:
            if states.size:
                ahead = rewards + factors * values[targets]
                found = combine.reduceat(ahead if shares is None else ahead * shares, starts)
                values[states] = found if monotone is None else monotone(values[states], found)

        return sweep
