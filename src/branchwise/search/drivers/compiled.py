"""Running compiled simulations for a `Game`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from branchwise.compile.call import call, keep_on_disk
from branchwise.compile.job import Job
from branchwise.compile.native import NativeRecords
from branchwise.compile.progress import compiling_now
from branchwise.compile.rules import compiled_type
from branchwise.compile.watch import current_limits
from branchwise.core.random import PLAYOUT_STREAM
from branchwise.core.simulate import run_simulations
from branchwise.core.status import Status
from branchwise.game import Game
from branchwise.rules.trail import Trail, path_of_nodes
from branchwise.rules.vetting import vet
from branchwise.search.drivers.interpreted import InterpretedDriver, UncompiledSearch
from branchwise.search.drivers.late_code import STATES, job_for_code
from branchwise.search.search_object import Search

if TYPE_CHECKING:
    from branchwise.search.root_source import RootSource

keep_on_disk()

_LOOK_AGAIN = 0.01
_SHARE_OF_COMPILER = 2.0
"""Seconds that the compiler gets after each second of interpreted simulations."""


class CompiledDriver:
    """Runs simulations from one root state in the compiled loop."""

    first_chunk = 64
    """Simulations of the first call, when the speed is not yet known."""

    def __init__(self, state: Game, search: Search, source: RootSource | None = None) -> None:
        vet(type(state))
        native = compiled_type(type(state))
        self.search = search
        self._source = source
        self._root = NativeRecords(native, 1 if source is None else source.size)
        self.states = NativeRecords(native, STATES)
        self._job: Job | None = None
        self.set_root(state)
        if search.composition.settings.begins_at_once:
            compiles = search.composition.settings.compiled == "meanwhile"
            self._job = job_for_code(native, search, may_compile=compiles)
        if self._job is None:
            self._run_compiled(0)  # loads or compiles the code, so that no budget pays for it
        else:
            self.first_chunk = InterpretedDriver.first_chunk
            self._interpreted = InterpretedDriver(state, search, UncompiledSearch)
            _wait_while_loading(self._job)

    def set_root(self, state: Game) -> None:
        """Start simulations from `state` from now on."""
        if self._source is None:
            self._root.records[0] = state.to_record()
            self.search.record["viewer"] = state.current_player()
        else:
            if self._source.records is not None:
                self._root.records[: len(self._source.states)] = self._source.records
            else:
                for place, root in enumerate(self._source.states):
                    self._root.records[place] = root.to_record()
            self.search.record["viewer"] = self._source.viewer
        if self._job is not None:
            self._interpreted.set_root(state)

    def run(self, simulations: int) -> Status:
        """Run `simulations` simulations; returns DONE or the fault of the rules that ended them."""
        if self._job is not None:
            return self._run_meanwhile(simulations, self._job)
        return self._run_compiled(simulations)

    def _run_compiled(self, simulations: int) -> Status:
        return Status(call(run_simulations, self.search.native, self._root, self.states, simulations))

    def _run_meanwhile(self, simulations: int, job: Job) -> Status:
        """Run simulations interpreted until the compiled code is ready.

        The compiler, a thread of this process, gets most of the time.
        """
        for number in range(simulations):
            is_over = job.wait(0)
            if is_over and not job.found_nothing:
                job.result()
                self._interpreted.leave()
                self._job = None
                return self._run_compiled(simulations - number)
            before = time.thread_time()
            status = self._interpreted.run(1)
            if status is not Status.DONE or current_limits().was_asked:
                return status
            if not is_over and not job.holds_back:
                job.wait(_SHARE_OF_COMPILER * (time.thread_time() - before))
        return Status.DONE

    def trail(self) -> Trail:
        """Return the trail of the simulation in which the rules raised an exception."""
        if self._job is not None:
            return self._interpreted.trail()
        search = self.search
        scratch, nodes = search.scratch, search.tree.nodes
        plain = search.composition.policy.policy == "uniform" and not search.composition.policy.urgent
        return Trail(
            leaf=self.path_to_fault(),
            path=path_of_nodes(nodes, search.visit.levels["node"][:-1].tolist())[:: search.levels_a_move],
            stream=int(scratch.streams[PLAYOUT_STREAM]) if plain else None,
        )

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree before the fault that `run` reported."""
        return self.search.path_to_fault()


def _wait_while_loading(job: Job) -> None:
    """Wait for code that is loaded from disk; return at once if anything is being compiled first."""
    while not (job.wait(_LOOK_AGAIN) or job.is_compiling or compiling_now() is not None):
        pass
