"""Reading lines of best play from a tree: from each node to the child that comes first.

All lines are followed at once, one move after another. Nothing is compiled for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from branchwise.core.child_indices import children_of

if TYPE_CHECKING:
    from branchwise.search.tree.reader import Reader

Numbers = NDArray[np.int64]


def lines(reader: Reader, nodes: Numbers) -> list[list[int]]:
    """Return the line of best play below each of the nodes, as indices of nodes.

    A line ends before a child that was neither visited nor proven, and where it would open the same children
    twice.
    """
    found: list[list[int]] = [[] for _ in range(nodes.size)]
    numbers = np.arange(nodes.size)
    ends = reader.records(nodes)
    opened: list[Numbers] = []  # by level: the first child of what each line has opened
    while True:
        first = ends["first"].astype(np.int64)
        goes_on = first > 0
        for before in opened:  # in a graph, and in a tree from a file, nodes may share their children
            goes_on &= before[numbers] != first
        level = np.zeros(nodes.size, np.int64)
        level[numbers] = first
        opened.append(level)
        if not goes_on.all():
            numbers, first, ends = numbers[goes_on], first[goes_on], ends[goes_on]
        if not numbers.size:
            return found
        children = _Children(reader, ends)
        places = children.first_of_each()
        numbers, ends = numbers[children.owners[places]], children.records[places]
        for number, child in zip(numbers.tolist(), children.nodes[places].tolist(), strict=True):
            found[number].append(child)


class _Children:
    """The children of several nodes, one after the other; `owners` tells whose they are, `begins` where."""

    def __init__(self, reader: Reader, parents: Any) -> None:
        counts = parents["count"]
        self.reader = reader
        self.begins = counts.cumsum(dtype=np.int64) - counts
        self.nodes, self.owners = children_of(reader.tree.nodes, parents)
        self.records = reader.records(self.nodes)
        self.visits: Any = self.records["visits"] if reader.links is None else reader.visits(self.nodes)

    def first_of_each(self) -> Numbers:
        """Return the places of those that `Reader.best_first` puts first, less the unknown among them."""
        lower, upper = self.records["lower"], self.records["upper"]
        if upper.min() <= lower.max():
            return self._first_with_bounds()
        most = np.maximum(np.maximum.reduceat(self.visits, self.begins), 1)
        places: Numbers = (self.visits == most[self.owners]).nonzero()[0]
        owners = self.owners[places]
        if (owners[1:] == owners[:-1]).any():  # some are visited as often as others
            places = places[np.lexsort((-self._values()[places], owners))]
            places = self._without_seconds(places)
        return places

    def _first_with_bounds(self) -> Numbers:
        """Return the same where something is proven, or worse than another's bound.

        How far away the ends of proven games are, which takes longer to find out than all else, is only
        asked where it decides.
        """
        lower, upper, values = self.records["lower"], self.records["upper"], self._values()
        order = np.lexsort((-values, -self.visits, self.owners))
        safe = np.maximum.reduceat(lower, self.begins)
        floor = safe[self.owners]
        proven = lower >= upper
        sure = proven & (lower == floor)
        leader = self._first_in(order[(~proven & (upper > floor))[order]])
        heir = self._first_in(order[sure[order]])
        led = (leader >= 0) & (values[leader] >= safe)
        middle = self.reader.scale.zero + self.reader.scale.unit / 2
        urgent = ~led & (np.add.reduceat(sure, self.begins, dtype=np.int64) > 1) & (safe != middle)
        if urgent.any():
            places = order[(sure & urgent[self.owners])[order]]
            hurry = self.reader.hurry(self.nodes[places], upper[places])
            heir[urgent] = self._without_seconds(places[np.lexsort((hurry, self.owners[places]))])
        first: Numbers = np.where(led | (heir < 0), leader, heir)
        known: Numbers = first[(self.visits[first] > 0) | proven[first]]
        return known

    def _values(self) -> NDArray[np.float64]:
        """Return each node's mean return for the player who moved into it; -inf without visits."""
        visits = self.records["visits"]
        mean = self.reader.scale.mean(self.records["value"], np.maximum(visits, 1))
        return np.where(visits == 0, -np.inf, mean)

    def _first_in(self, places: Numbers) -> Numbers:
        """Return for each parent the first of `places` that holds a child of its, or -1."""
        found = np.full(self.begins.size, -1)
        found[self.owners[places[::-1]]] = places[::-1]  # of several, the last to be set comes first
        return found

    def _without_seconds(self, places: Numbers) -> Numbers:
        """Return the first place of each parent, of places in the order of parents."""
        owners = self.owners[places]
        kept = np.ones(places.size, np.bool_)
        kept[1:] = owners[1:] != owners[:-1]
        return places[kept]
