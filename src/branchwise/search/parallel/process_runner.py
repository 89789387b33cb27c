"""Running simulations in several processes, for rules that stay in Python: a tree each, as `RootParallel`.

The trees lie in shared memory, so whatever reads or moves their nodes here does so as if threads had built
them. The processes alone run simulations; nothing here changes a tree but between their runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from branchwise.compile.watch import current_limits
from branchwise.core.status import Status
from branchwise.core.tree import Sizes, Tree, new_tree
from branchwise.rules.diagnosis import RULE_ERRORS
from branchwise.rules.trail import Trail
from branchwise.search.composition import Composition
from branchwise.search.drivers.interpreted import InterpretedDriver
from branchwise.search.parallel.process import check_may_start
from branchwise.search.parallel.process_pool import ProcessPool, pickled
from branchwise.search.parallel.runners import shares
from branchwise.search.parallel.shared_memory import SharedArrays
from branchwise.search.search_object import Search


class ProcessRunner:
    """A tree for each process of a pool, each with a fixed share of the simulations, however fast it is.

    Raises `SettingsError` for a state or a selection rule that cannot be sent to other processes, or where
    none can be started, `WorkerError` if one dies.
    """

    def __init__(
        self, pool: ProcessPool, state: Any, composition: Composition, capacity: int, seed: int
    ) -> None:
        check_may_start()
        sent = _pickled_state(state)
        settings = pickled(composition.settings, f"the selection rule {composition.rule.name}")
        # Loads or compiles the kernels, once for all processes, which find them on disk.
        smallest = new_tree(1, kept=composition.kept, dimensions=composition.facts.dimensions)
        InterpretedDriver(state, Search(composition, smallest, seed))
        self._pool = pool
        self._processes = pool.start(type(state))
        self._total = 0
        self._path: list[int] = []
        self._trail = Trail()
        self.moves = 0
        count = len(self._processes)
        self.first_chunk = count
        memories = [_Memory() for _ in range(count)]
        self.searches: Sequence[Search] = [
            Search(composition, _new_tree(composition, capacity, memory), seed, thread)
            for thread, memory in enumerate(memories)
        ]
        self.of_threads = self.searches
        module = type(state).__module__
        file = getattr(sys.modules.get(module), "__file__", None)
        root = (module, file, sent, settings, composition.facts, composition.proofs)
        with pool.whole():
            given = [(*root, seed, thread, capacity, composition.kept) for thread in range(count)]
            pool.ask("open", given, [memory.last for memory in memories])

    @property
    def is_alive(self) -> bool:
        """Whether all processes are there; without one of them its tree cannot be searched on."""
        return all(process.is_alive for process in self._processes)

    def run(self, simulations: int) -> Status:
        """Run `simulations` simulations in all, fewer where a root is solved; returns DONE or a fault."""
        before, self._total = self._total, self._total + simulations
        parts = shares(before, self._total, len(self.searches))
        forced = [int(search.record["forced"]) for search in self.searches]
        end = current_limits().end
        left = None if end is None else end - time.perf_counter()
        try:
            answers = self._pool.ask("run", [(*given, left) for given in zip(parts, forced, strict=True)])
        except RULE_ERRORS as error:
            self._trail = getattr(error, "trail", Trail())
            raise
        self.moves = sum(moves for _, _, moves in answers)
        for status, path, _ in answers:
            if status != Status.DONE:
                self._path = path
                return Status(status)
        return Status.DONE

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree before the fault that `run` reported."""
        return self._path

    def trail(self) -> Trail:
        """Return the trail of the simulation in which the rules raised an exception."""
        return self._trail

    def set_root(self, state: Any) -> None:
        """Begin simulations at `state` from now on."""
        self._total = 0
        with self._pool.whole():
            self._pool.ask("set_root", [(_pickled_state(state),)] * len(self.searches))

    def make_room(self, capacity: int) -> None:
        """Let every tree have `capacity` nodes, if that is more than it may have."""
        if capacity <= self.searches[0].tree.nodes.size:
            return
        memories = [_Memory() for _ in self.searches]
        with self._pool.whole():
            for search, memory in zip(self.searches, memories, strict=True):
                search.make_room(capacity, memory)
            self._pool.ask("use", [(capacity,)] * len(memories), [memory.last for memory in memories])

    def force(self, child: int) -> None:
        """Let every simulation begin with the root's child number `child`; -1: as the selection rule says."""
        for search in self.searches:
            search.record["forced"] = child


class _Memory:
    """What gives a tree arrays that are shared, and knows those given last."""

    last: SharedArrays

    def __call__(self, sizes: Sizes) -> dict[str, NDArray[Any]]:
        self.last = SharedArrays(sizes)
        return self.last.arrays


def _new_tree(composition: Composition, capacity: int, memory: _Memory) -> Tree:
    facts = composition.facts
    return new_tree(capacity, facts.min_return, facts.max_return, composition.kept, memory, facts.dimensions)


def _pickled_state(state: Any) -> bytes:
    return pickled(state, f"a {type(state).__name__} state")
