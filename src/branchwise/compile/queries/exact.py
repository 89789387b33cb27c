"""Listing all reachable states by compiled rules; `compile.queries.graph_values` computes their values.

A fault is reported with the number of its state, so that the caller can examine that state.
"""

from __future__ import annotations

import time
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
    UNFINISHED,
    USED,
    Reached,
    enter,
    enter_all,
    find,
    reach,
)
from branchwise.core.machine.kernel_status import DONE
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.game.rules_class import Game

keep_on_disk()

MOST_STATES = 50_000_000
"""Maximum number of states, which take about 10 GB."""
_FIRST_STATES = 2048
_NO_TIME = -3


class FaultyStateError(Exception):
    """The rules broke their contract, or raised the exception that is the cause."""

    def __init__(self, state: Game) -> None:
        super().__init__("the rules are at fault")
        self.state = state


class TooManyStatesError(Exception):
    """More states can be reached than there is time or memory for.

    states, looked_at : the number found so far, and of those whose steps are listed.
    """

    def __init__(self, states: int, looked_at: int) -> None:
        super().__init__(f"more than {states} states")
        self.states, self.looked_at = states, looked_at


class ExactStates:
    """All states that can be reached from those added, and the steps between them.

    Raises `GameError` if the rules of `game` do not compile.

    >>> from branchwise.games.nim import Nim
    >>> states = ExactStates(Nim)
    >>> states.add(Nim(chips=3)), states.find(Nim(chips=2, mover=1)), states.find(Nim(chips=4))
    (0, 1, -1)
    >>> len(states.graph().players)
    6
    """

    def __init__(self, game: type[Game], values: int | None = None) -> None:
        """Prepare to list states.

        values : number of players, from player 0 on, whose returns the graph has; with 1, those of two
        players must add up to zero. None: as 1, and the graph has no actions.
        """
        refuse(game, "cannot be listed")
        self._game, self._kept, self._keeps_actions = game, values or 1, values is not None
        self._native = compiled_type(game)
        self._make_room(_FIRST_STATES, 4 * _FIRST_STATES)

    def find(self, state: Game, left: int = NO_HORIZON) -> int:
        """Return the number of `state` with `left` decisions before the horizon, or -1."""
        self._states.records[self._used] = state.to_record()
        return int(call(find, self._states, self._reached, left))

    def add(
        self, state: Game, left: int = NO_HORIZON, *, seconds: float = np.inf, most_bytes: float = np.inf
    ) -> int:
        """Add all states that can be reached from `state`, and return the number of it.

        left : decisions before the horizon.   seconds : of processor time, compiling excluded.
        Raises `FaultyStateError` and `TooManyStatesError`, after which this object must not be used.
        """
        self._states.records[self._used] = state.to_record()
        place = int(call(enter, self._states, self._reached, left))
        if seconds < np.inf:
            call(reach, self._states, self._reached, 0)  # compiles it
        deadline = time.thread_time() + seconds
        while True:
            status = run_in_slices(lambda count: self._reach(count, deadline), self._fault)
            if status == DONE:
                return place
            if status not in (NO_ROOM, _NO_TIME):
                raise self._fault()
            size = self._states.records.nbytes + sum(array.nbytes for array in self._reached)
            too_large = 2 * size > most_bytes
            if status == _NO_TIME or self._used > MOST_STATES or too_large:
                raise TooManyStatesError(self._used, int(self._reached.facts[LOOKED]))
            steps = max(len(self._reached.targets), 2 * int(self._reached.facts[STEPS]))
            self._make_room(max(len(self._reached.players), 2 * self._used), steps)

    def graph(self) -> Reached:
        """Return the states added so far and their steps, without room for more; do not change it."""
        reached, states, steps = self._reached, self._used, int(self._reached.facts[STEPS])
        kept = {"left": states, "players": states, "final": states, "first": states + 1}
        kept |= dict.fromkeys(("actions", "targets", "chances", "rewards"), steps)
        return reached._replace(**{name: getattr(reached, name)[:count] for name, count in kept.items()})

    def records(self) -> NDArray[Any]:
        """Return the content of the states added so far."""
        return self._states.records[: self._used]

    def _reach(self, count: int, deadline: float) -> int:
        status = int(call(reach, self._states, self._reached, count))
        late = status == UNFINISHED and time.thread_time() > deadline
        return _NO_TIME if late else status

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
            left=np.empty(states, np.int32),
            players=np.empty(states, np.int8),
            final=np.zeros((states, self._kept)),
            first=np.zeros(states + 1, np.int64),
            actions=np.empty(steps if self._keeps_actions else 0, np.int32),
            targets=np.empty(steps, np.int32),
            chances=np.empty(steps),
            rewards=np.empty((steps if self._native.known_constants["pays"] else 0, self._kept)),
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
