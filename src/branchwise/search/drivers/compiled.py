"""Running compiled simulations for a `Game`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from branchwise.compile.code.compile_thread import Job
from branchwise.compile.code.progress import compiling_now
from branchwise.compile.stopping.time_limits import current_limits
from branchwise.core.machine.kernel_status import Status
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM
from branchwise.game.rules_class import Game
from branchwise.rules.checking.before_compiling import vet
from branchwise.rules.checking.fault_replay import Trail, path_of_nodes
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.background_compiling import job_for_code
from branchwise.search.drivers.compiled_loop import CompiledLoop
from branchwise.search.drivers.form_comparison import compare_forms
from branchwise.search.drivers.interpreted import InterpretedDriver, UncompiledSearch
from branchwise.search.drivers.simulation_runner import Runner

if TYPE_CHECKING:
    from branchwise.search.drivers.root_source import RootSource

_LOOK_AGAIN = 0.01
_SHARE_OF_COMPILER = 2.0
"""Seconds that the compiler gets after each second of interpreted simulations."""


class CompiledDriver(Runner):
    """Runs simulations from one root state in the compiled loop."""

    first_chunk = 64
    """Simulations of the first call, when the speed is not yet known."""

    def __init__(self, state: Game, search: Search, source: RootSource | None = None) -> None:
        vet(type(state))
        super().__init__([search])
        self._state = state
        self._source = source
        self.loop = CompiledLoop(state, search, source)
        self._job: Job | None = None
        self._in_python: int | None = 0
        """Simulations in plain Python that built the tree; None if they do not tell all about it."""
        if search.composition.settings.begins_at_once:
            compiles = search.composition.settings.compiled == "meanwhile"
            self._job = job_for_code(self.loop.native, search, may_compile=compiles)
        if self._job is None:
            self.loop.run(0)  # loads or compiles the code, so that no budget pays for it
            compare_forms(self.loop, state, search, source)
        else:
            self.first_chunk = InterpretedDriver.first_chunk
            self._interpreted = InterpretedDriver(state, search, UncompiledSearch)
            _wait_while_loading(self._job)

    def set_root(self, state: Game) -> None:
        """Start simulations from `state` from now on."""
        self._state = state
        self._in_python = None
        self.loop.set_root(state)
        if self._job is not None:
            self._interpreted.set_root(state)

    def run(self, simulations: int) -> Status:
        """Run `simulations` simulations; returns DONE or the fault of the rules that ended them."""
        if self._job is not None:
            return self._run_meanwhile(simulations, self._job)
        return self.loop.run(simulations)

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
                compare_forms(self.loop, self._state, self.search, self._source, self._in_python or 0)
                return self.loop.run(simulations - number)
            if self._in_python is not None:
                self._in_python = None if self.search.record["guided"] else self._in_python + 1
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


def _wait_while_loading(job: Job) -> None:
    """Wait for code that is loaded from disk; return at once if anything is being compiled first."""
    while not (job.wait(_LOOK_AGAIN) or job.is_compiling or compiling_now() is not None):
        pass
