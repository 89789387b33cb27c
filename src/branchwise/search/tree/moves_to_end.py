"""Measuring how many moves proven games still last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.core.tree.child_indices import children_of, children_of_one
from branchwise.core.tree.distance_to_end import measure
from branchwise.core.tree.node_fields import ROOT, USED, Tree

keep_on_disk()


def distances(tree: Tree, middle: float) -> NDArray[np.int32]:
    """Return [nodes in use] moves to the end of the game plus 1, 0 where nothing is measured; [1] if none is.

    middle : a player who gets more than this takes the shortest way to the end, any other the longest.

    Measures the solved children of the root and the nodes on their lines. A graph is measured node by node,
    by `core.tree.distance_to_end`; a tree level by level, which compiles nothing. Only what is measured takes
    memory.
    """
    used = min(int(tree.counters[USED]), tree.nodes.size)
    if tree.links.size:
        found = np.zeros(used, np.int32)
        call(measure, tree.nodes, tree.links, middle, found, np.empty(used, np.int32))
        return found
    nodes = tree.nodes
    level = children_of_one(nodes, ROOT) if nodes[ROOT]["first"] >= 0 else np.zeros(0, np.int64)
    level = level[level < used]
    level = level[nodes["lower"][level] >= nodes["upper"][level]]
    found = np.zeros(used if level.size else 1, np.int32)
    _measure_below(nodes, np.float64(middle), level, found)
    return found


def _measure_below(
    nodes: NDArray[np.void], middle: np.float64, level: NDArray[np.int64], found: NDArray[np.int32]
) -> None:
    """Write the distances of solved nodes, and of the nodes on their lines, into `found`."""
    levels = []
    lowers, uppers, firsts = nodes["lower"], nodes["upper"], nodes["first"]
    while level.size:
        inner = level[firsts[level] >= 0]
        found[level] = 1
        if not inner.size:
            break
        parents = nodes[inner]
        begins = parents["count"].cumsum(dtype=np.int64) - parents["count"]
        children, owners = children_of(nodes, parents)
        lower = lowers[children]
        best = np.maximum.reduceat(lower, begins)
        kept = (uppers[children] <= lower) & (lower >= best[owners]) & (children < found.size)
        children, owners = children[kept], owners[kept]
        levels.append((inner, best > middle, children, owners))
        level = children
    for inner, wins, children, owners in reversed(levels):
        if children.size:
            begins = _starts(owners)
            having = owners[begins]
            moves = found[children]
            quickest, slowest = np.minimum.reduceat(moves, begins), np.maximum.reduceat(moves, begins)
            found[inner[having]] = np.where(wins[having], quickest, slowest) + 1


def _starts(owners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where each owner's run begins in `owners`, which ascend and are not empty."""
    is_first = np.empty(owners.size, np.bool_)
    is_first[0] = True
    np.not_equal(owners[1:], owners[:-1], out=is_first[1:])
    return is_first.nonzero()[0]
