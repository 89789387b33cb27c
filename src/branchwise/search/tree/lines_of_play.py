"""Reading lines of best play from a tree: from each node to its first child in order of merit.

All lines are followed at once, move by move. This compiles nothing.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


class Readable(Protocol):
    """What is read of a tree; see `search.tree.node_reader.Reader`."""

    def first(self, nodes: Indices) -> Indices: ...
    def children(self, nodes: Indices) -> tuple[Indices, Indices]: ...
    def visits(self, nodes: Indices) -> NDArray[Any]: ...
    def column(self, name: str, nodes: Indices) -> NDArray[Any]: ...
    def best_first(self, children: Indices, owners: Indices) -> Indices: ...


def lines(reader: Readable, nodes: Indices) -> list[list[int]]:
    """Return the line of best play below each of the nodes, as indices of nodes.

    A line ends before a child that was neither visited nor proven, and before a node whose children it has
    already met.
    """
    found: list[list[int]] = [[] for _ in range(nodes.size)]
    numbers, ends = np.arange(nodes.size), nodes
    opened: list[NDArray[np.int64]] = []  # by level: the first child of the node that each line has opened
    while True:
        first = reader.first(ends)
        goes_on = first > 0
        for before in opened:  # in a graph, and in a tree from a file, nodes can share their children
            goes_on &= before[numbers] != first
        level = np.zeros(nodes.size, np.int64)
        level[numbers] = first
        opened.append(level)
        numbers, ends = numbers[goes_on], ends[goes_on]
        if not numbers.size:
            return found
        children, owners = reader.children(ends)
        begins = np.flatnonzero(np.diff(owners, prepend=-1))
        best = reader.best_first(children, owners)[begins]
        known = (reader.visits(best) > 0) | (reader.column("lower", best) >= reader.column("upper", best))
        numbers, ends = numbers[owners[begins]][known], best[known]
        for number, child in zip(numbers.tolist(), ends.tolist(), strict=True):
            found[number].append(child)
