"""The `search` object that kernels take, with its arrays and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.core.backup import move_statistics, transpositions
from branchwise.core.machine.memory import zeros_together
from branchwise.core.numbers.random_streams import MOVES, new_streams
from branchwise.core.simulation.search_arrays import ARRAYS, VISIT_WORDS, Scratch, write_addresses
from branchwise.core.tree.node_fields import REFUSED, Memory, Tree, beginning, enlarged, own_memory
from branchwise.core.tree.simulation_path import Visit
from branchwise.search.composition.composition import Composition


class Search:
    """A `search` object for kernels, with its arrays.

    arrays : those of the scratch memory that are given.
    """

    def __init__(
        self,
        composition: Composition,
        tree: Tree,
        seed: int,
        thread: int = 0,
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.composition = composition
        self.seed = seed
        self.tree = tree
        self.scratch = new_scratch(composition, seed, thread)._replace(**composition.arrays, **(arrays or {}))
        self.visit = new_visit(composition)
        self.native = NativeRecords(composition.native)
        self.record = self.native.records[0]
        self._words = self.native.records.view(np.uint8)[: 16 * len(ARRAYS)].view(np.int64)
        _write_numbers(self.record, composition)
        write_addresses(self._words, self.tree, self.scratch, self.visit)

    def use(self, tree: Tree) -> None:
        """Search in `tree` from now on."""
        self.tree = tree
        write_addresses(self._words, self.tree, self.scratch, self.visit)

    def share(self, **arrays: NDArray[Any]) -> None:
        """Replace arrays of the scratch memory by these, which other threads use too."""
        self.scratch = self.scratch._replace(**arrays)
        write_addresses(self._words, self.tree, self.scratch, self.visit)

    def guide(self, line: Sequence[int]) -> None:
        """Make every simulation begin with these actions, as far as the tree reaches."""
        if len(line) > self.scratch.guide.size:
            self.share(guide=np.zeros(len(line), np.int64))
        self.scratch.guide[: len(line)] = line
        self.record["guided"] = len(line)

    def point_to(self, visit: Visit, words: NDArray[np.int64]) -> None:
        """Let kernels work on this visit from now on; words : its `visit_words`."""
        self.visit = visit
        self._words[VISIT_WORDS] = words

    def make_room(self, capacity: int, memory: Memory = own_memory) -> Tree:
        """Enlarge the tree to `capacity` nodes, if it has room for fewer, and return it."""
        if capacity > self.tree.nodes.size:
            has_room = capacity <= self.tree.whole.nodes.size
            self.use(beginning(self.tree, capacity) if has_room else enlarged(self.tree, capacity, memory))
            self.tree.counters[REFUSED] = 0
            if self.tree.table.size:
                call(transpositions.enter_all, self.native)
        return self.tree

    @property
    def levels_a_move(self) -> int:
        """Levels of the tree from one decision to the next."""
        return 2 if self.composition.is_drawn else 1

    def path_to_fault(self) -> list[int]:
        """Return the actions in the tree of the current or last simulation."""
        along = slice(1, self.visit.depth[0] + 1, self.levels_a_move)
        actions: list[int] = self.visit.levels["action"][along].tolist()
        return actions

    @property
    def moves(self) -> int:
        """Moves that this thread has played; each led to a new state."""
        return int(self.scratch.streams[MOVES])

    def forget_returns(self) -> None:
        """Forget the returns of actions at the root, because the root has changed."""
        self.scratch.spreads["count"] = 0

    def forget_places(self) -> None:
        """Forget all that refers to nodes by index, after they were moved."""
        self.scratch.commitments["node"] = -1


def new_scratch(composition: Composition, seed: int, thread: int) -> Scratch:
    """Allocate the memory of one thread."""
    scratch = Scratch(**_arrays(Scratch._fields, composition.scratch))
    scratch.low[:], scratch.high[:] = composition.facts.low, composition.facts.high
    scratch.streams[:] = new_streams(seed, thread)
    scratch.replies[:] = move_statistics.NO_REPLY
    scratch.commitments["node"] = -1
    return scratch


def new_visit(composition: Composition) -> Visit:
    """Allocate the memory of one simulation."""
    visit = Visit(**_arrays(Visit._fields, composition.visit))
    visit.left[:] = -1
    return visit


def _arrays(names: tuple[str, ...], lengths: Mapping[str, int]) -> dict[str, NDArray[Any]]:
    """Return an array of zeros for each name, of the type in `ARRAYS`; those without a length are empty."""
    return _empty(names) | zeros_together({name: (size, ARRAYS[name]) for name, size in lengths.items()})


@cache
def _empty(names: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    """Return empty arrays: most of a search's are unused."""
    return zeros_together({name: (0, ARRAYS[name]) for name in names})


def _write_numbers(record: Any, composition: Composition) -> None:
    for name, value in composition.numbers.items():
        record[name] = value
