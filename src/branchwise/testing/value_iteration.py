"""Exact values of small games of chance that may return to a state, by value iteration.

All reachable states are listed first. Then values are computed again and again, each from those of the
states after it: the best for the player to move, the mean for chance. This is done twice at once, from the
least return upwards and from the greatest downwards. The value lies between the two, so it is known to within
their distance; where play can go on for ever at no loss to anybody, they never meet.
Sources: Shapley, "Stochastic games", 1953; Haddad, Monmege, "Interval iteration algorithm for MDPs and
IMDPs", 2018.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from branchwise.players import CHANCE
from branchwise.rules.facts import GameFacts, action_text, copied
from branchwise.testing.outcomes import final_return, for_player, mover, outcomes, solvable_facts
from branchwise.testing.solver import UnsolvableError
from branchwise.testing.states import State, child, children, table_key

MOST_STATES = 2_000_000
_TERMINAL = -4
_SWEEPS_BETWEEN = 64
"""Sweeps between two looks at how far apart the bounds are."""

_Sweep = Callable[[NDArray[np.float64], np.ufunc], None]


def value_iteration(state: State, tolerance: float = 1e-9) -> Values:
    """Return the values of all states that can be reached from `state`, each within `tolerance`.

    state : of a zero-sum game for two or of a game for one player, with OpenSpiel's methods; unchanged.
    States must be equal by content.   tolerance : of returns as the game gives them.
    Raises `UnsolvableError` for a finished game, for more than two players, for returns that do not add up to
    zero, for more than two million states, and if endless play leaves values open.

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
    graph = _Graph(state, facts)
    return Values(facts, graph.places, graph.iterate(tolerance))


class Values:
    """The values of the states of a game for the player to move; where chance is to move, for player 0."""

    def __init__(self, facts: GameFacts, places: dict[Hashable, int], values: NDArray[np.float64]) -> None:
        self._facts = facts
        self._places = places
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def value(self, state: State) -> float:
        """Return the value of `state`, which must be reachable and not over."""
        solvable_facts(state)
        return for_player(mover(state, self._facts), self._first_players(state))

    def action_values(self, state: State) -> dict[int, float]:
        """Return the value of each legal action, or outcome, of `state` for the player to move."""
        solvable_facts(state)
        player = mover(state, self._facts)
        if player == CHANCE:
            return {face: self._first_players(after) for face, _, after in outcomes(state, self._facts)}
        return {action: for_player(player, self._first_players(after)) for action, after in children(state)}

    def by_name(self, state: State) -> dict[str, float]:
        """Return the same by the names of the actions."""
        return {action_text(state, action): value for action, value in self.action_values(state).items()}

    def _first_players(self, state: State) -> float:
        place = self._places.get(cast(Hashable, state))
        if place is None:
            raise UnsolvableError(
                f"this {self._facts.name} state cannot be reached from the one that was solved",
                mend="begin value_iteration at an earlier state",
            )
        return float(self._values[place])


class _Graph:
    """The reachable states in the order in which they were found, and what leads from each to which.

    Steps of a state are contiguous; states without any are over.
    """

    def __init__(self, start: State, facts: GameFacts) -> None:
        self.facts = facts
        self.places: dict[Hashable, int] = {}
        self._states: list[State] = []
        self._place(copied(start))
        players: list[int] = []
        first: list[int] = []
        targets: list[int] = []
        chances: list[float] = []
        final: list[float] = []
        for state in self._states:  # which grows
            first.append(len(targets))
            if state.is_terminal():
                players.append(_TERMINAL)
                final.append(final_return(state, facts))
                continue
            players.append(mover(state, facts))
            final.append(0.0)
            if players[-1] == CHANCE:
                for _, chance, after in outcomes(state, facts):
                    targets.append(self._place(after))
                    chances.append(chance)
            else:
                for action in state.legal_actions():
                    targets.append(self._place(child(state, action)))
                    chances.append(0.0)
                if len(targets) == first[-1]:
                    raise UnsolvableError(f"{facts.name}.legal_actions gave no action in a state not over")
        self._players = np.array(players)
        self._first = np.array(first)
        self._targets = np.array(targets)
        self._chances = np.array(chances)
        self._final = np.array(final)

    def _place(self, state: State) -> int:
        """Return the place of `state`, a new one if it was not seen before."""
        key: Any = table_key(state)
        place = self.places.setdefault(key, len(self._states))
        if place == len(self._states):
            if place == MOST_STATES:
                raise UnsolvableError(f"{self.facts.name} has more than {MOST_STATES:,} reachable states")
            self._states.append(state)
        return place

    def iterate(self, tolerance: float) -> NDArray[np.float64]:
        """Return player 0's value of each state within `tolerance`."""
        over = self._players == _TERMINAL
        low = np.where(over, self._final, self.facts.min_return)
        high = np.where(over, self._final, self.facts.max_return)
        groups = [
            self._group(self._players == 0, np.maximum, None),
            self._group(self._players == 1, np.minimum, None),
            self._group(self._players == CHANCE, np.add, self._chances),
        ]
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
                raise UnsolvableError(
                    f"the bounds of a value of {self.facts.name} stay {apart:.3g} apart: play can go on for "
                    f"ever, or {tolerance:g} is finer than numbers allow"
                )

    def _group(
        self, chosen: NDArray[np.bool_], combine: np.ufunc, weights: NDArray[np.float64] | None
    ) -> _Sweep:
        """Return what computes the values of the `chosen` states anew, in place.

        It takes values, and whether they may only rise, `maximum`, or only fall, `minimum`: so no rounding
        keeps them from coming to rest.
        """
        states = np.flatnonzero(chosen)
        counts = np.diff(self._first, append=len(self._targets))[states]
        starts = np.cumsum(counts) - counts
        steps = np.arange(counts.sum()) + np.repeat(self._first[states] - starts, counts)
        targets = self._targets[steps]
        shares = None if weights is None else weights[steps]

        def sweep(values: NDArray[np.float64], monotone: np.ufunc) -> None:
            if states.size:
                ahead = values[targets]
                found = combine.reduceat(ahead if shares is None else ahead * shares, starts)
                values[states] = monotone(values[states], found)

        return sweep
