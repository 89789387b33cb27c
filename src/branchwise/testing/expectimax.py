"""Exact values of small games of chance that cannot return to a state, by expectimax.

The player to move takes the best value, chance the mean. Every state is solved once and remembered.
Source: Michie, "Game-playing and game-learning automata", 1966.
"""

from __future__ import annotations

from branchwise.rules.facts.facts import GameFacts
from branchwise.testing.state_interface import State
from branchwise.testing.state_tables import ExactValues, StateTable


def expectimax(state: State) -> float:
    """Return the expected return of the player to move at `state` if all play perfectly.

    Raises `UnsolvableError`; see `Expectimax`.

    >>> from branchwise.games.nim import Nim
    >>> [expectimax(Nim(chips=chips)) for chips in range(1, 6)]     # a game without chance will do, too
    [1.0, 1.0, 1.0, -1.0, 1.0]
    """
    return Expectimax().value(state)


def expectimax_actions(state: State) -> dict[int, float]:
    """Return the expected return of the player to move after each legal action.

    Raises `UnsolvableError`; see `Expectimax`.

    >>> from branchwise.games.nim import Nim
    >>> expectimax_actions(Nim(chips=6))
    {0: -1.0, 1: 1.0, 2: -1.0}
    """
    return Expectimax().action_values(state)


class Expectimax(ExactValues):
    """Solves many positions of one game, and remembers their values.

    Takes states of a zero-sum game for two, or of a game for one player, with OpenSpiel's methods; they are
    not modified. States are remembered if they compare by content. Where chance is to move, values are player
    0's. With rewards on the way a value is the sum of future rewards up to the horizon.

    Raises `UnsolvableError` for a finished game, for more than two players, for returns or rewards that do
    not add up to zero, and for a game that returns to a state, which `value_iteration` can solve.

    compiled : True solves with compiled rules, only for states of a `Game`; False in plain Python. By default
    a game with few states is solved in plain Python, and a larger one compiled if its rules compile.
    """

    def __init__(self, *, compiled: bool | None = None) -> None:
        self._compiled = compiled
        self._tables: dict[type, StateTable] = {}
        """By the class of states."""

    @property
    def states(self) -> int:
        """Number of remembered states."""
        return sum(map(len, self._tables.values()))

    def _first_players(self, state: State, facts: GameFacts, left: int) -> float:
        kind = type(state)
        if kind not in self._tables:
            self._tables[kind] = StateTable(state, facts, self._compiled)
        table = self._tables[kind]
        value = table.value(state, left)
        try:
            return table.solve(state, left, cycles=False) if value is None else value
        except BaseException:
            del self._tables[kind]
            raise
