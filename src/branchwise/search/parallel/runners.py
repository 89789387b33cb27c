"""Running the simulations of one root: in one thread, or in several in one of three ways.

Source of the three ways: Chaslot, Winands, van den Herik, "Parallel Monte-Carlo tree search", 2008. Kernels
release the interpreter's lock, so threads run side by side.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import Any

import numpy as np

from branchwise.common.errors import RuleLeftError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.stopping.time_limits import current_limits
from branchwise.core.machine.kernel_status import Status
from branchwise.core.machine.leader_and_helpers import ANSWERS, FINISHED, GENERATION, HELPERS
from branchwise.core.simulation.leaf_parallel import STATUSES, help_with_playouts
from branchwise.core.tree.node_fields import PARTIAL, ROOT
from branchwise.rules.checking.fault_replay import Trail
from branchwise.search.drivers.compiled import CompiledDriver
from branchwise.search.drivers.interrupts import HeldInterrupts
from branchwise.search.drivers.simulation_runner import Runner

keep_on_disk()

_BATCH_SECONDS = 0.002
_LEAF = 3
"""Offset from the leader's state to the leaf that helpers play out."""


class _Threads(Runner):
    """Several drivers, each run by a thread of its own."""

    first_chunk = 256

    def __init__(self, drivers: Sequence[CompiledDriver]) -> None:
        super().__init__([driver.search for driver in drivers])
        self._drivers = drivers
        self._pool = ThreadPoolExecutor(len(drivers), thread_name_prefix="branchwise")
        self._stopped = threading.Event()
        self._faulty: CompiledDriver | None = None

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree before the fault that `run` reported."""
        return [] if self._faulty is None else self._faulty.path_to_fault()

    def trail(self) -> Trail:
        """Return the trail of the simulation in which the rules raised an exception."""
        return Trail() if self._faulty is None else self._faulty.trail()

    def set_root(self, state: Any) -> None:
        """Start simulations from `state` from now on."""
        for driver in self._drivers:
            driver.set_root(state)

    def _run_all(self, tasks: Sequence[Callable[[], Status]]) -> Status:
        """Run the tasks at once, one a thread; returns DONE or the fault of the first that failed.

        Raises an exception of any of the threads, and Ctrl-C, once all threads have stopped.
        """
        self._stopped.clear()
        limits = current_limits()

        def end() -> None:
            self._stopped.set()
            limits.ask()

        try:
            with HeldInterrupts(end):
                futures = [self._pool.submit(copy_context().run, task) for task in tasks]
                wait(futures)
        except KeyboardInterrupt as interrupt:
            left = next((e for f in futures if isinstance(e := f.exception(), RuleLeftError)), None)
            if left is not None:
                interrupt.__context__ = left  # says more than that the search had to end
            raise
        failed = first_failed(futures)
        if failed is None:
            return Status.DONE
        self._faulty = self._drivers[failed]
        return futures[failed].result()


def first_failed(futures: Sequence[Future[Status]]) -> int | None:
    """Return the number of the first task that raised an exception, or else of the first with a fault."""
    raised = [number for number, future in enumerate(futures) if future.exception() is not None]
    if raised:
        return raised[0]
    faulty = (number for number, future in enumerate(futures) if future.result() is not Status.DONE)
    return next(faulty, None)


class TreeParallel(_Threads):
    """Several threads in one tree; each runs as many simulations as its speed allows."""

    def __init__(self, drivers: Sequence[CompiledDriver]) -> None:
        super().__init__(drivers)
        self.searches = [drivers[0].search]
        self._lock = threading.Lock()
        self._left = 0
        self._batch = 64

    def make_room(self, capacity: int) -> None:
        """Enlarge the tree to `capacity` nodes, if it has room for fewer."""
        tree = self._drivers[0].search.make_room(capacity)
        for driver in self._drivers[1:]:
            driver.search.use(tree)

    def set_root(self, state: Any) -> None:
        super().set_root(state)
        for driver in self._drivers:
            driver.search.forget_places()

    def run(self, simulations: int) -> Status:
        """Run simulations, fewer if the root is solved; returns DONE or the fault that ended them."""
        lead = self._drivers[0]
        root = lead.search.tree.nodes[ROOT]
        if root["first"] < 0 or root["flags"] & PARTIAL:  # threads can only diverge at a root with children
            status = lead.run(1)
            simulations -= 1
            if status is not Status.DONE:
                self._faulty = lead
                return status
        self._left = simulations
        return self._run_all([partial(self._work, driver) for driver in self._drivers])

    def _work(self, driver: CompiledDriver) -> Status:
        """Take simulations from the common stock until none is left."""
        status = Status.DONE
        limits = current_limits()
        while status is Status.DONE and not self._stopped.is_set() and not limits.asked:
            with self._lock:
                batch = min(self._batch, self._left)
                self._left -= batch
            if batch == 0:
                break
            before = time.perf_counter()
            try:
                status = driver.run(batch)
            except BaseException:
                self._stopped.set()
                raise
            spent = time.perf_counter() - before
            if batch == self._batch and spent < _BATCH_SECONDS / 2:
                self._batch = min(2 * self._batch, 2**20)
            elif spent > 2 * _BATCH_SECONDS:
                self._batch = max(1, batch // 2)
        if status is not Status.DONE:
            self._stopped.set()
        return status


class RootParallel(_Threads):
    """A tree for each thread, each with a fixed share of the simulations whatever its speed."""

    def __init__(self, drivers: Sequence[CompiledDriver]) -> None:
        super().__init__(drivers)
        self._total = 0

    def set_root(self, state: Any) -> None:
        super().set_root(state)
        self._total = 0  # the first tree, which may be empty now, has its share first

    def run(self, simulations: int) -> Status:
        """Run `simulations` simulations in all, fewer where a root is solved; returns DONE or a fault."""
        before, self._total = self._total, self._total + simulations
        pairs = zip(self._drivers, shares(before, self._total, len(self._drivers)), strict=True)
        return self._run_all([partial(driver.run, share) for driver, share in pairs])


def shares(before: int, after: int, count: int) -> list[int]:
    """Return how many simulations each of `count` threads runs to bring their total from `before` to `after`.

    >>> shares(0, 5, 2), shares(5, 6, 2)
    ([3, 2], [0, 1])
    """
    return [_share(after, thread, count) - _share(before, thread, count) for thread in range(count)]


def _share(total: int, thread: int, count: int) -> int:
    """Return how many of the first `total` simulations `thread` runs."""
    return total // count + (thread < total % count)


class LeafParallel(_Threads):
    """One thread searches; at each leaf the others add playouts."""

    def __init__(self, drivers: Sequence[CompiledDriver]) -> None:
        super().__init__(drivers)
        self.searches = [drivers[0].search]
        helpers = len(drivers) - 1
        lead = drivers[0].search
        self._mailbox = np.zeros(STATUSES + helpers, np.int64)
        self._outcomes = np.zeros(helpers * lead.visit.returns.size)
        for driver in drivers:
            driver.search.share(mailbox=self._mailbox, outcomes=self._outcomes)
        self._mailbox[HELPERS] = helpers
        self._leaf = drivers[0].loop.states.part(_LEAF)
        self._states = [driver.loop.states for driver in drivers[1:]]
        self._mailbox[FINISHED] = 1
        for number, _ in enumerate(self._states):
            self._help(number)  # loads or compiles the code

    def run(self, simulations: int) -> Status:
        """Run simulations, fewer if the root is solved; returns DONE or the fault that ended them."""
        self._mailbox[FINISHED] = 0
        self._mailbox[ANSWERS] = self._mailbox[GENERATION] * self._mailbox[HELPERS]
        helpers = [partial(self._help, number) for number in range(len(self._states))]
        return self._run_all([partial(self._lead, simulations), *helpers])

    def trail(self) -> Trail:
        known = super().trail()
        known.leaf = self._drivers[0].path_to_fault()  # helpers play out the leader's leaf
        return known

    def _lead(self, simulations: int) -> Status:
        try:
            return self._drivers[0].run(simulations)
        finally:
            self._mailbox[FINISHED] = 1

    def _help(self, number: int) -> Status:
        search = self._drivers[number + 1].search
        try:
            call(help_with_playouts, search.native, self._leaf, self._states[number], number)
        except BaseException:
            self._mailbox[FINISHED] = 1  # so that the leader does not wait for an answer
            raise
        return Status.DONE
