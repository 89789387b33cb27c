"""Reading a search tree: nodes as objects, made when they are looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from branchwise.core.tree import ROOT, UNEXPANDED, USED, Tree


@dataclass(frozen=True)
class Node:
    """One node of a search tree.

    `value` is the mean return of the player who moved into the node; None without visits and at the root,
    which nobody moved into. `player` is who is to move; None until the node is expanded.
    """

    tree: Tree
    index: int

    @property
    def visits(self) -> int:
        return int(self.tree.nodes[self.index]["visits"])

    @property
    def value(self) -> float | None:
        node = self.tree.nodes[self.index]
        if self.index == ROOT or not node["visits"]:
            return None
        return float(node["value"] / node["visits"])

    @property
    def action(self) -> int | None:
        """The action that leads here; None at the root."""
        return None if self.index == ROOT else int(self.tree.nodes[self.index]["action"])

    @property
    def player(self) -> int | None:
        return int(self.tree.nodes[self.index]["player"]) if self.is_expanded else None

    @property
    def is_expanded(self) -> bool:
        return bool(self.tree.nodes[self.index]["first"] != UNEXPANDED)

    @property
    def bounds(self) -> tuple[float, float]:
        """Proven bounds of the value under best play, for the player who moved into the node.

        At the root they are for the player to move.
        """
        node = self.tree.nodes[self.index]
        return float(node["lower"]), float(node["upper"])

    @property
    def proven(self) -> float | None:
        """The value under best play, for the same player; None while it is not known."""
        lower, upper = self.bounds
        return lower if lower >= upper else None

    @property
    def children(self) -> list[Node]:
        """The children, the one to play first; empty until the node is expanded.

        By visits, then value. A child that is proven to be as good as any can be comes before all others,
        and one proven to be worse than another is after them. A proven value is trusted over visits only
        where it is better than what the most visited open child came to.
        """
        node = self.tree.nodes[self.index]
        if node["first"] == UNEXPANDED:
            return []
        first = int(node["first"])
        found = [Node(self.tree, i) for i in range(first, first + int(node["count"]))]
        found.sort(key=Node._rank, reverse=True)
        safe = max(child.bounds[0] for child in found)
        sure = [child for child in found if child.proven == safe]
        still_open = [child for child in found if child.proven is None and child.bounds[1] > safe]
        worse = [child for child in found if child not in sure and child not in still_open]
        leader = still_open[0].value if still_open else None
        if sure and (leader is None or leader < safe):
            return sure + still_open + worse
        return still_open + sure + worse

    def best_child(self) -> Node | None:
        """Return the child to play, or None if no child was visited or proven."""
        found = self.children
        return found[0] if found and (found[0].visits or found[0].proven is not None) else None

    def line(self) -> Iterator[Node]:
        """Yield the best child, its best child and so on: the principal variation below this node."""
        node = self.best_child()
        while node is not None:
            yield node
            node = node.best_child()

    def _rank(self) -> tuple[int, float]:
        value = self.value
        return self.visits, float("-inf") if value is None else value

    def __repr__(self) -> str:
        value = "none" if self.value is None else f"{self.value:+.3f}"
        return f"<Node action={self.action} visits={self.visits} value={value}>"


@dataclass(frozen=True)
class SearchTree:
    """The tree of a finished search."""

    _tree: Tree = field(repr=False)

    @property
    def root(self) -> Node:
        return Node(self._tree, ROOT)

    def __len__(self) -> int:
        """Number of nodes, the unvisited included."""
        return int(self._tree.counters[USED])

    @property
    def num_bytes(self) -> int:
        """Memory taken by the nodes."""
        return len(self) * self._tree.nodes.itemsize
