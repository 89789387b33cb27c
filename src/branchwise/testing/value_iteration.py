"""Exact values of small games of chance that may return to a state, by value iteration.

All reachable states are listed first, in plain Python or by compiled rules: `testing.state_tables`.
Source: Shapley, "Stochastic games", 1953.
"""

from __future__ import annotations

from branchwise.rules.facts.facts import GameFacts
from branchwise.testing.state_interface import State, UnsolvableError, table_key
from branchwise.testing.state_tables import ExactValues, StateTable
from branchwise.testing.successors import solvable_facts


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
    table = StateTable(state, facts, compiled)
    table.solve(state, tolerance=tolerance)
    return Values(table)


class Values(ExactValues):
    """The values of the states of a game for the player to move; where chance is to move, for player 0."""

    def __init__(self, table: StateTable) -> None:
        self._table = table

    def __len__(self) -> int:
        """Return the number of states."""
        return len(self._table)

    def _first_players(self, state: State, facts: GameFacts, left: int) -> float:
        value = self._table.value(state, left)
        if value is None:
            raise UnsolvableError(
                f"this {facts.name} state cannot be reached from the one that was solved",
                mend="begin value_iteration at an earlier state",
            )
        return value
