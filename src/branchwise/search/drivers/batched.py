"""Running simulations in batches, with one call of an evaluator for all leaves of a batch.

`core.simulation.batch` defines a simulation in two halves: compiled with the rules of a `Game`, interpreted
for any other state. Between the halves the evaluator is called once for all leaves of a batch. If paths meet
at a leaf that is already waiting, a batch is smaller than `batch_size`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_limits import RulesInPython, current_limits
from branchwise.core.machine.kernel import PHASES
from branchwise.core.machine.kernel_status import Status
from branchwise.core.simulation.batch import begin_simulation, end_simulation, take_back
from branchwise.core.simulation.search_arrays import visit_words
from branchwise.core.tree.simulation_path import Visit
from branchwise.game.rules_class import Game
from branchwise.rules.checking.before_compiling import vet
from branchwise.rules.checking.fault_replay import Trail
from branchwise.rules.facts.facts import copied
from branchwise.search.composition.evaluator import evaluation_of, no_legal_weight
from branchwise.search.composition.search_object import Search, new_visit
from branchwise.search.drivers.background_compiling import STATES
from branchwise.search.drivers.interpreted import InterpretedSearch
from branchwise.search.drivers.interpreted_states import InterpretedState
from branchwise.search.drivers.interrupts import HeldInterrupts
from branchwise.search.drivers.simulation_runner import Runner

keep_on_disk()

_SECONDS = 0.01
"""Seconds after which the driver returns between two batches, so that limits are checked."""


@dataclass
class Flight:
    """A simulation in progress: its visit, the state at its leaf, and the leaf's depth."""

    visit: Visit
    words: NDArray[np.int64]
    """Its `visit_words`."""
    state: Any
    depth: int = 0

    @property
    def leaf(self) -> int:
        """The leaf's node."""
        return int(self.visit.levels["node"][self.depth])


class Halves(Protocol):
    """The two halves of a simulation, compiled or interpreted."""

    def set_root(self, state: Any) -> None: ...
    def new_state(self) -> Any:
        """Return memory for the state at a leaf."""

    def begin(self, state: Any) -> int:
        """Run the first half; returns the same as `core.simulation.batch.descend`."""

    def end(self, state: Any, depth: int, over: bool) -> int:
        """Run the second half; returns a status."""

    def state_of(self, state: Any) -> Any:
        """Return the state at a leaf as an object that belongs to the caller."""


class _Compiled:
    """The halves for a `Game`."""

    def __init__(self, state: Game, search: Search) -> None:
        vet(type(state))
        self._search = search
        self._game = type(state)
        self._native = compiled_type(type(state))
        self._root = NativeRecords(self._native)
        self.set_root(state)

    def set_root(self, state: Any) -> None:
        self._root.records[0] = state.to_record()

    def new_state(self) -> Any:
        return NativeRecords(self._native, STATES)

    def begin(self, state: Any) -> int:
        return int(call(begin_simulation, self._search.native, self._root, state))

    def end(self, state: Any, depth: int, over: bool) -> int:
        return int(call(end_simulation, self._search.native, state, depth, over))

    def state_of(self, state: Any) -> Any:
        return self._game.from_record(state.records[0])


class _Interpreted:
    """The halves for any other state object."""

    def __init__(self, state: Any, search: Search) -> None:
        self._search = search
        self._texts = InterpretedSearch(search, [])
        self.set_root(state)

    def set_root(self, state: Any) -> None:
        self._root = InterpretedState(state, self._search.composition.facts, [])

    def new_state(self) -> Any:
        return InterpretedState(self._root.state, self._search.composition.facts, [])

    def begin(self, state: Any) -> int:
        self._texts.refresh()
        with RulesInPython():
            return int(self._texts.descend(self._texts, self._root, state))

    def end(self, state: Any, depth: int, over: bool) -> int:
        self._texts.refresh()
        with RulesInPython():
            return int(self._texts.complete(self._texts, state, depth, over))

    def state_of(self, state: Any) -> Any:
        return copied(state.state)


class BatchedDriver(Runner):
    """Simulations from one root state, `batch_size` at a time.

    compiled : whether the rules of `state` are compiled.
    """

    def __init__(self, state: Any, search: Search, *, compiled: bool) -> None:
        settings = search.composition.settings
        assert settings.evaluator is not None
        super().__init__([search])
        self.first_chunk = settings.batch_size
        self.is_batched = settings.batch_size > 1
        self._evaluator: Callable[[list[Any]], Any] = settings.evaluator
        self._halves: Halves = _Compiled(state, search) if compiled else _Interpreted(state, search)
        self._free = [self._new_flight() for _ in range(settings.batch_size)]
        self._flying: list[Flight] = []
        search.record["viewer"] = state.current_player()

    def _new_flight(self) -> Flight:
        visit = new_visit(self.search.composition)
        return Flight(visit, visit_words(visit), self._halves.new_state())

    def set_root(self, state: Any) -> None:
        """Begin simulations at `state` from now on."""
        self.search.record["viewer"] = state.current_player()
        self._halves.set_root(state)

    def run(self, simulations: int) -> Status:
        """Run simulations, fewer if the root is solved; returns DONE or the fault that ended them.

        Batches are full, except for the last of `simulations`. After `_SECONDS` no further batch begins.
        """
        limits = current_limits()
        started = time.perf_counter()
        left = simulations
        while left > 0:
            ended, status = self._run_batch(left)
            left -= ended
            if status is Status.ROOT_IS_SOLVED:
                return Status.DONE
            if status is not Status.DONE:
                return status
            if limits.asked or (self.is_batched and time.perf_counter() - started > _SECONDS):
                break
        return Status.DONE

    def _run_batch(self, most: int) -> tuple[int, Status]:
        """Run at most `most` simulations together; returns how many have ended, and a status."""
        try:
            with HeldInterrupts(current_limits().ask):
                ended, status = self._begin(most)
            flying = self._flying
            if status is not Status.DONE or not flying:
                return ended, status
            states = [self._halves.state_of(flight.state) for flight in flying]
            values, weights = evaluation_of(self._evaluator, states, self.search.composition)
            with HeldInterrupts(current_limits().ask):
                return ended + len(flying), self._end(states, values, weights)
        finally:
            self._take_back()

    def _begin(self, most: int) -> tuple[int, Status]:
        """Begin simulations until a batch is full; returns how many have already ended, and a status.

        A simulation ends here if the game is over at its leaf; at most `batch_size` do.
        """
        ended = 0
        waiting: set[int] = set()
        size = self.search.composition.settings.batch_size
        while self._free and ended < size and len(self._flying) + ended < most:
            flight = self._free.pop()
            self.search.point_to(flight.visit, flight.words)
            found = self._halves.begin(flight.state)
            if found < 0:
                self._free.append(flight)
                status = Status(-found)
                return ended, Status.DONE if status is Status.ROOT_IS_SOLVED and self._flying else status
            flight.depth = found >> 1
            if found & 1:
                self._free.append(flight)
                status = Status(self._halves.end(flight.state, flight.depth, True))
                if status is not Status.DONE:
                    return ended, status
                ended += 1
                continue
            self._flying.append(flight)
            if flight.leaf in waiting:
                self._take_back(1)
                break
            waiting.add(flight.leaf)
        return ended, Status.DONE

    def _end(self, states: Sequence[Any], values: Any, weights: Any) -> Status:
        """End all simulations in progress, in the order in which they began; returns a status."""
        scratch = self.search.scratch
        flying, self._flying = self._flying, []
        for number, flight in enumerate(flying):
            self._free.append(flight)
            self.search.point_to(flight.visit, flight.words)
            scratch.evaluation[:] = values[number]
            scratch.weights[:] = weights[number]
            status = Status(self._halves.end(flight.state, flight.depth, False))
            if status is not Status.DONE:
                self._flying = flying[number + 1 :]
                if status is Status.BAD_PRIOR:
                    raise no_legal_weight(states[number])
                return status
        return Status.DONE

    def _take_back(self, count: int | None = None) -> None:
        """Undo the last `count` simulations in progress, None: all, as if they had not begun."""
        visit = self.search.visit
        while self._flying and count != 0:
            flight = self._flying.pop()
            self._free.append(flight)
            self.search.point_to(flight.visit, flight.words)
            call(PHASES[take_back].entry, self.search.native, flight.depth)
            count = None if count is None else count - 1
        self.search.point_to(visit, visit_words(visit))

    def trail(self) -> Trail:
        """Return the trail of the simulation in which the rules raised an exception."""
        path = self.search.path_to_fault()
        return Trail(leaf=path, path=path, played=[])
