"""Exact values with compiled rules, for the solvers of games with chance; errors as in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from branchwise.common.errors import SettingsError
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts
from branchwise.testing.state_interface import State, UnsolvableError
from branchwise.testing.successors import endless, final_return, steps

if TYPE_CHECKING:
    from branchwise.compile.queries.exact import FaultyStateError

NO_HORIZON = -1


class CycleError(Exception):
    """Play can return to a state."""


def has_rules_to_compile(state: State) -> bool:
    """Whether `state` is of a `Game` whose states are equal by all their fields."""
    kind = type(state)
    return isinstance(state, Game) and kind.__eq__ is Game.__eq__ and kind.__hash__ is Game.__hash__


class CompiledStates:
    """All states reachable from the solved ones, with player 0's values.

    Raises `SettingsError` for states of another kind, and `GameError` for rules that do not compile.
    """

    def __init__(self, state: State, facts: GameFacts) -> None:
        if not has_rules_to_compile(state):
            raise SettingsError(
                f"a {type(state).__name__} cannot be solved compiled",
                mend="only a Game with the equality that every Game has can; leave out compiled=True",
            )
        from branchwise.compile.queries.exact import ExactStates  # Numba takes half a second to load

        self._facts = facts
        self._states = ExactStates(type(cast(Game, state)))

    def __len__(self) -> int:
        return len(self._states)

    def value(self, state: State, left: int = NO_HORIZON) -> float | None:
        """Return the value of `state` with `left` decisions before the horizon; None if it is unknown."""
        return self._states.value(cast(Game, state), left)

    def solve(
        self, state: State, left: int = NO_HORIZON, *, tolerance: float = 0.0, cycles: bool = True
    ) -> None:
        """Compute the values of `state` and of all states reachable from it.

        tolerance : maximum error of a value, or its change in one sweep if values have no bounds.   cycles :
        False raises `CycleError` if play can return to a state.   After an error all values are lost.
        """
        from branchwise.compile.queries import exact

        facts = self._facts
        bounds = (facts.min_return, facts.max_return) if facts.is_bounded else None
        try:
            self._states.add(cast(Game, state), left)
            self._states.settle(facts.discount, bounds, tolerance, cycles=cycles)
        except exact.CycleError as error:
            raise CycleError from error
        except exact.FaultyStateError as fault:
            raise self._explained(fault) from fault.__cause__
        except exact.TooManyStatesError:
            raise UnsolvableError(
                f"{facts.name} has more than {exact.MOST_STATES:,} reachable states"
            ) from None
        except exact.NotSettledError as error:
            raise endless(facts, error.apart) from None

    def _explained(self, fault: FaultyStateError) -> Exception:
        """Return the error of the rules in plain Python at the state where compiled rules failed."""
        try:
            if fault.state.is_terminal():
                final_return(fault.state, self._facts)
            else:
                list(steps(fault.state, self._facts))
        except Exception as error:
            return error
        return UnsolvableError(
            f"the rules of {self._facts.name} are at fault where they are compiled, and not in plain Python",
            after=repr(fault.state),
            mend="check the rules: branchwise check",
        )
