"""Exact values of small games of chance that cannot return to a state, by expectimax.

The player to move takes the best value, chance the mean. Every state is solved once and remembered.
Source: Michie, "Game-playing and game-learning automata", 1966.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.rules.facts.facts import GameFacts, copied
from branchwise.testing.compiled_values import NO_HORIZON, CompiledStates, CycleError, has_rules_to_compile
from branchwise.testing.state_interface import State, UnsolvableError, table_key
from branchwise.testing.successors import (
    Step,
    action_values,
    discount_after,
    final_return,
    for_player,
    mover,
    solvable_facts,
    steps,
)

_FEW_STATES = 5_000
"""States to remember in plain Python before compiling the rules; they take a fraction of a second."""


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


class Expectimax:
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
        self._known: dict[tuple[Hashable, int], float | None] = {}
        """Player 0's values, by state and decisions left; None while a state is being solved."""
        self._tables: dict[type, CompiledStates | None] = {}
        """The same with compiled rules, for larger games; None if the rules do not compile."""

    @property
    def states(self) -> int:
        """Number of remembered states."""
        return len(self._known) + sum(len(table) for table in self._tables.values() if table is not None)

    def value(self, state: State) -> float:
        """Return the value of `state` for the player to move."""
        facts = solvable_facts(state)
        return for_player(mover(state, facts), self._first_players(copied(state), facts, _left(facts)))

    def action_values(self, state: State) -> dict[int, float]:
        """Return the value of each legal action, or outcome, of `state` for the player to move.

        Its reward is part of it.
        """
        facts = solvable_facts(state)
        left = self._left_after(state, facts, _left(facts))
        return action_values(state, facts, lambda after: self._first_players(after, facts, left))

    def _first_players(self, state: State, facts: GameFacts, left: int) -> float:
        """Return player 0's value of `state` with `left` decisions before the horizon."""
        kind = type(state)
        if kind not in self._tables:
            if not self._compiled:
                try:
                    return self._look_guarded(state, facts, left)
                except _TooManyError:
                    pass
            self._tables[kind] = self._new_table(state, facts)
        table = self._tables[kind]
        if table is None:
            return self._look_guarded(state, facts, left)
        value = table.value(state, left)
        return self._solved(table, state, facts, left) if value is None else value

    def _new_table(self, state: State, facts: GameFacts) -> CompiledStates | None:
        try:
            table = CompiledStates(state, facts)
        except GameError:
            if self._compiled:
                raise
            return None
        kind = type(state)
        self._known = {key: value for key, value in self._known.items() if not isinstance(key[0], kind)}
        return table

    def _solved(self, table: CompiledStates, state: State, facts: GameFacts, left: int) -> float:
        try:
            table.solve(state, left, cycles=False)
        except BaseException as error:
            del self._tables[type(state)]
            if isinstance(error, CycleError):
                raise _returns_to_a_state(facts) from None
            raise
        value = table.value(state, left)
        assert value is not None
        return value

    def _look_guarded(self, state: State, facts: GameFacts, left: int) -> float:
        """Return player 0's value; raises `_TooManyError` if compiled rules should take over."""
        try:
            return self._look(state, facts, left)
        except RecursionError:
            self._forget_half_done()
            if self._may_compile(state):
                raise _TooManyError from None
            raise UnsolvableError(
                f"a line of play of {facts.name} is too long for expectimax, or has no end",
                mend="value_iteration takes games with long or endless lines",
            ) from None
        except BaseException:
            self._forget_half_done()
            raise

    def _may_compile(self, state: State) -> bool:
        return self._compiled is None and type(state) not in self._tables and has_rules_to_compile(state)

    def _forget_half_done(self) -> None:
        self._known = {key: value for key, value in self._known.items() if value is not None}

    def _look(self, state: State, facts: GameFacts, left: int) -> float:
        """Return the value of the future for player 0; left : decisions before the horizon, negative: all."""
        if state.is_terminal():
            return final_return(state, facts)
        if left == 0 and mover(state, facts) != CHANCE:
            return 0.0
        key = table_key(state)
        if key is None:
            return self._best(state, facts, left)
        if (key, left) in self._known:
            value = self._known[key, left]
            if value is None:
                raise _returns_to_a_state(facts)
            return value
        if len(self._known) >= _FEW_STATES and self._may_compile(state):
            raise _TooManyError
        self._known[key, left] = None
        value = self._known[key, left] = self._best(state, facts, left)
        return value

    def _best(self, state: State, facts: GameFacts, left: int) -> float:
        player = mover(state, facts)
        left = self._left_after(state, facts, left)
        values = [step.chance * self._worth(step, facts, left) for step in steps(state, facts)]
        if player == CHANCE:
            return math.fsum(values)
        return max(values) if player == 0 else min(values)

    def _worth(self, step: Step, facts: GameFacts, left: int) -> float:
        """Return player 0's reward for a step, and the value after it."""
        return step.reward + discount_after(step.after, facts) * self._look(step.after, facts, left)

    @staticmethod
    def _left_after(state: State, facts: GameFacts, left: int) -> int:
        """Return how many decisions are left after one step from `state`."""
        return left if left < 0 or mover(state, facts) == CHANCE else left - 1


class _TooManyError(Exception):
    """Too many states, or too long lines, for plain Python."""


def _left(facts: GameFacts) -> int:
    """Return the number of decisions before the horizon at the state to be solved."""
    return facts.horizon or NO_HORIZON


def _returns_to_a_state(facts: GameFacts) -> UnsolvableError:
    return UnsolvableError(
        f"{facts.name} can return to a state, so that expectimax would never end",
        mend="value_iteration takes such games",
    )
