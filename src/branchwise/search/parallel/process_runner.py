"""Running simulations in several processes, for rules in plain Python: a tree each, as in `RootParallel`.

The trees are in shared memory, so that code here reads and moves their nodes as if threads had built them.
Only the processes run simulations; code here changes a tree only between their runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from branchwise.compile.stopping.time_limits import current_limits
from branchwise.core.machine.kernel_status import Status
from branchwise.core.tree.node_fields import Memory, Sizes, Tree, new_tree, own_memory
from branchwise.rules.checking.diagnosis import RULE_ERRORS
from branchwise.rules.checking.fault_replay import Trail
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.interpreted import InterpretedDriver
from branchwise.search.drivers.simulation_runner import Runner
from branchwise.search.parallel.process import check_may_start
from branchwise.search.parallel.process_pool import ProcessPool, pickled
from branchwise.search.parallel.runners import shares
from branchwise.search.parallel.shared_memory import SharedArrays


class ProcessRunner(Runner):
    """Runs a tree in each process of a pool, each with a fixed share of the simulations whatever its speed.

    arrays : as in `Search`.

    Raises `SettingsError` for a state or a selection rule that cannot be sent to another process, or where
    no process can be started; `WorkerError` if one dies.
    """

    def __init__(
        self,
        pool: ProcessPool,
        state: Any,
        composition: Composition,
        capacity: int,
        seed: int,
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        check_may_start()
        sent = _pickled_state(state)
        settings = pickled(composition.settings, f"the selection rule {composition.rule.name}")
        # Loads or compiles the kernels once; all processes find them on disk.
        smallest = _new_tree(composition, 1, own_memory)
        InterpretedDriver(state, Search(composition, smallest, seed))
        self._pool = pool
        self._processes = pool.start(type(state))
        self._total = 0
        self._line: tuple[int, ...] = ()
        self._path: list[int] = []
        self._trail = Trail()
        self._moves = 0
        count = len(self._processes)
        self.first_chunk = count
        memories = [_Memory() for _ in range(count)]
        super().__init__(
            [
                Search(composition, _new_tree(composition, capacity, memory), seed, thread)
                for thread, memory in enumerate(memories)
            ]
        )
        module = type(state).__module__
        file = getattr(sys.modules.get(module), "__file__", None)
        root = (module, file, sent, settings, composition.facts, composition.proofs)
        with pool.whole():
            given = [(*root, seed, thread, capacity, composition.kept, arrays) for thread in range(count)]
            pool.ask("open", given, [memory.last for memory in memories])

    @property
    def is_alive(self) -> bool:
        """Whether all processes are alive; the tree of a dead one cannot be searched further."""
        return all(process.is_alive for process in self._processes)

    @property
    def moves(self) -> int:
        """Moves that all processes have played so far, as they told after their last simulations."""
        return self._moves

    def run(self, simulations: int) -> Status:
        """Run `simulations` simulations in all, fewer where a root is solved; returns DONE or a fault."""
        before, self._total = self._total, self._total + simulations
        parts = shares(before, self._total, len(self.searches))
        end = current_limits().end
        left = None if end is None else end - time.perf_counter()
        try:
            answers = self._pool.ask("run", [(part, self._line, left) for part in parts])
        except RULE_ERRORS as error:
            self._trail = getattr(error, "trail", Trail())
            raise
        self._moves = sum(moves for _, _, moves in answers)
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
        """Start simulations from `state` from now on."""
        self._total = 0
        with self._pool.whole():
            self._pool.ask("set_root", [(_pickled_state(state),)] * len(self.searches))

    def make_room(self, capacity: int) -> None:
        """Enlarge every tree to `capacity` nodes, if it has room for fewer."""
        if capacity <= self.searches[0].tree.nodes.size:
            return
        memories = [_Memory() for _ in self.searches]
        with self._pool.whole():
            for search, memory in zip(self.searches, memories, strict=True):
                search.make_room(capacity, memory)
            self._pool.ask("use", [(capacity,)] * len(memories), [memory.last for memory in memories])

    def guide(self, line: Sequence[int]) -> None:
        """Make every simulation begin with these actions, as far as the tree reaches; by none: freely."""
        self._line = tuple(line)


class _Memory:
    """Allocates shared arrays for a tree, and keeps the last ones."""

    last: SharedArrays

    def __call__(self, sizes: Sizes) -> dict[str, NDArray[Any]]:
        self.last = SharedArrays(sizes)
        return self.last.arrays


def _new_tree(composition: Composition, capacity: int, memory: Memory) -> Tree:
    facts = composition.facts
    bounds, widths = (facts.min_return, facts.max_return), (facts.dimensions, facts.num_moves)
    return new_tree(capacity, *bounds, composition.kept, memory, *widths)


def _pickled_state(state: Any) -> bytes:
    return pickled(state, f"a {type(state).__name__} state")
