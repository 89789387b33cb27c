"""Computing exact values by compiled rules: lists all reachable states, then computes their values.

A fault is reported with the number of its state, so that the caller can examine that state.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_slices import run_in_slices
from branchwise.core.exact.reachable_states import (
    LOOKED,
    NO_HORIZON,
    NO_ROOM,
    STEPS,
    USED,
    Reached,
    enter,
    enter_all,
    find,
    reach,
)
from branchwise.core.exact.state_values import Groups, Values, group, settle
from branchwise.core.machine.kernel_status import DONE
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.game.rules_class import Game

keep_on_disk()

MOST_STATES = 50_000_000
"""Maximum number of states, which take about 10 GB."""
_FIRST_STATES = 1024


class FaultyStateError(Exception):
    """The rules broke their contract, or raised the exception that is the cause."""

    def __init__(self, state: Game) -> None:
        super().__init__("the rules are at fault")
        self.state = state


class TooManyStatesError(Exception):
    """More than MOST_STATES states can be reached."""


class NotSettledError(Exception):
    """Values in a group of states that can reach one another did not converge."""

    def __init__(self, apart: float) -> None:
        super().__init__("play can go on for ever")
        self.apart = apart
        """Gap between the bounds of a value; infinite without bounds."""


class CycleError(Exception):
    """Play can return to a state."""


class ExactStates:
    """All states that can be reached from those added, with player 0's values.

    Raises `GameError` if the rules of `game` do not compile.

    >>> from branchwise.games.nim import Nim
    >>> states = ExactStates(Nim)
    >>> states.add(Nim(chips=3))
    >>> states.settle(discount=1.0, bounds=(-1.0, 1.0), tolerance=0.0)
    >>> len(states), states.value(Nim(chips=3)), states.value(Nim(chips=2, mover=1))
    (6, 1.0, -1.0)
    """

    def __init__(self, game: type[Game]) -> None:
        refuse(game, "cannot be listed")
        self._game = game
        self._native = compiled_type(game)
        self._values = np.empty(0)
        self._make_room(_FIRST_STATES, 4 * _FIRST_STATES)
        call(reach, self._states, self._reached, 0)

    def __len__(self) -> int:
        return len(self._values)

    def value(self, state: Game, left: int = NO_HORIZON) -> float | None:
        """Return player 0's value of `state` with `left` decisions before the horizon; None if unknown."""
        self._states.records[self._used] = state.to_record()
        place = int(call(find, self._states, self._reached, left))
        return float(self._values[place]) if 0 <= place < len(self._values) else None

    def add(self, state: Game, left: int = NO_HORIZON) -> None:
        """Add all states that can be reached from `state`, with `left` decisions before the horizon.

        Raises `FaultyStateError` and `TooManyStatesError`, after which this object must not be used.
        """
        self._states.records[self._used] = state.to_record()
        call(enter, self._states, self._reached, left)
        while True:
            status = run_in_slices(
                lambda count: int(call(reach, self._states, self._reached, count)), self._fault
            )
            if status == DONE:
                return
            if status != NO_ROOM:
                raise self._fault()
            if self._used > MOST_STATES:
                raise TooManyStatesError
            steps = max(len(self._reached.targets), 2 * int(self._reached.facts[STEPS]))
            self._make_room(2 * self._used, steps)

    def settle(
        self, discount: float, bounds: tuple[float, float] | None, tolerance: float, *, cycles: bool = True
    ) -> None:
        """Compute the values of the states added since the last call.

        bounds : of future returns; None if there are none, and then a value has converged when a sweep
        changes it by at most `tolerance`.   cycles : False raises `CycleError` if play can return to a state.
        Raises `NotSettledError`.
        """
        known, used = len(self._values), self._used
        groups = _groups(known, used)
        run_in_slices(lambda steps: int(call(group, self._reached, groups, steps)))
        if groups.facts[-1] > 0 and not cycles:
            raise CycleError
        low = np.zeros(used) if bounds is None else np.full(used, bounds[0])
        high = np.zeros(0) if bounds is None else np.full(used, bounds[1])
        low[:known] = self._values
        high[:known] = self._values[: len(high)]
        values = Values(np.zeros(2, np.int64), low, high)
        args = self._reached, groups, values, discount, tolerance
        if run_in_slices(lambda count: int(call(settle, *args, count))) != DONE:
            raise NotSettledError(np.inf if bounds is None else float(np.max(high - low)))
        self._values = low if bounds is None else (low + high) / 2.0

    @property
    def _used(self) -> int:
        return int(self._reached.facts[USED])

    def _fault(self, _cause: Exception | None = None) -> FaultyStateError:
        place = int(self._reached.facts[LOOKED])
        return FaultyStateError(self._game.from_record(self._states.records[place]))

    def _make_room(self, states: int, steps: int) -> None:
        """Move everything to larger arrays, with room for `states` and `steps`."""
        game = self._game
        choices = max(game.num_actions, game.num_outcomes)
        states += choices + 1
        steps += choices
        old, records = getattr(self, "_reached", None), getattr(self, "_states", None)
        self._states = NativeRecords(self._native, states)
        empty = Reached(
            facts=np.zeros(3, np.int64),
            table=np.zeros(1 << (2 * states).bit_length(), np.int32),
            left=np.zeros(states, np.int32),
            players=np.zeros(states, np.int8),
            final=np.zeros(states),
            first=np.zeros(states + 1, np.int64),
            targets=np.zeros(steps, np.int32),
            chances=np.zeros(steps),
            rewards=np.zeros(steps if self._native.known_constants["pays"] else 0),
            moves=np.zeros(choices, np.int32),
            odds=np.zeros(choices),
            numbers=np.zeros(game.num_players),
        )
        self._reached = empty
        if old is not None and records is not None:
            self._states.records[: len(records.records)] = records.records
            for name, array in old._asdict().items():
                if name != "table":
                    getattr(empty, name)[: len(array)] = array
            call(enter_all, self._states, empty)


def _groups(known: int, used: int) -> Groups:
    """Return groups of `used` states, of which the first `known` already have values."""

    def numbers(kind: Any, more: int = 0) -> NDArray[Any]:
        return np.zeros(used + more, kind)

    groups = Groups(
        facts=np.zeros(7, np.int64),
        number=numbers(np.int32),
        low=numbers(np.int32),
        placed=numbers(np.bool_),
        path=numbers(np.int32),
        step=numbers(np.int64),
        waiting=numbers(np.int32),
        order=numbers(np.int32),
        start=numbers(np.int32, 1),
    )
    groups.number[:known] = 1
    groups.placed[:known] = True
    groups.facts[0] = known
    return groups
