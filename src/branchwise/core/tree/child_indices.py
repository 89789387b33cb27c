"""Indices of the children of many nodes: contiguous, or in the blocks of `core.tree.children`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.core.tree.children import FIRST_BLOCK, LARGEST_BLOCK
from branchwise.core.tree.node_fields import IN_BLOCKS, LINK, OF_ANY_TREE, ROOT, SPARE, USED, Tree

Indices = NDArray[np.int64]


def children_of(nodes: NDArray[Any], parents: Any) -> tuple[Indices, Indices]:
    """Return the children of all `parents` in turn, and for each child its parent's position in `parents`.

    nodes : of a tree.   parents : [M] of NODE, read from `nodes`; unexpanded ones have no children.
    """
    first, flags = parents["first"].astype(np.int64), parents["flags"]
    counts = parents["count"] * (first > ROOT)
    ends = counts.cumsum(dtype=np.int64)
    owners = np.arange(first.size).repeat(counts)
    number = np.arange(owners.size)
    found = number + (first - ends + counts)[owners]
    in_blocks = flags & IN_BLOCKS
    if in_blocks.any():
        place = number - (ends - counts)[owners]
        _follow_links(nodes, first, np.where(in_blocks, counts, 0), owners, place, found)
    return found, owners


def _follow_links(
    nodes: NDArray[Any], block: Indices, counts: Indices, owners: Indices, place: Indices, found: Indices
) -> None:
    """Correct the indices in `found` of children in later blocks; block : [M] where first blocks begin."""
    before, size = 0, FIRST_BLOCK
    while True:
        longer = counts > before + size
        if not longer.any():
            return
        block = np.where(longer, nodes["first"][np.where(longer, block + size, ROOT)], block).astype(np.int64)
        before += size
        size = min(2 * size + 1, LARGEST_BLOCK)
        later = longer[owners] & (place >= before)
        found[later] = (block[owners] + place - before)[later]


def children_of_one(nodes: NDArray[Any], node: int) -> Indices:
    """Return the children of one node."""
    record = nodes[node]
    first, count = int(record["first"]), int(record["count"])
    if first > ROOT and not record["flags"] & IN_BLOCKS:
        return np.arange(first, first + count)
    return children_of(nodes, nodes[node : node + 1])[0]


def num_nodes(tree: Tree) -> int:
    """Return the number of nodes in a tree, without the unused slots of blocks."""
    used = int(tree.counters[USED])
    if not tree.nodes[ROOT]["flags"] & IN_BLOCKS:
        return used
    return used - int(np.count_nonzero(tree.nodes["flags"][:used] & (LINK | SPARE)))


def compacted(tree: Tree) -> Tree:
    """Return a tree with the same nodes, with contiguous children."""
    nodes = tree.nodes
    if not nodes[ROOT]["flags"] & IN_BLOCKS:
        return tree
    levels = [np.array([ROOT])]
    while levels[-1].size:
        levels.append(children_of(nodes, nodes[levels[-1]])[0])
    order = np.concatenate(levels)
    kept = nodes[order]
    counts = np.where(kept["first"] > ROOT, kept["count"], 0).astype(np.int64)
    expanded = counts > 0
    kept["first"][expanded] = (1 + counts.cumsum() - counts)[expanded]
    kept["flags"] &= ~np.uint8(IN_BLOCKS)
    counters = tree.counters.copy()
    counters[USED] = order.size
    arrays = {
        name: array[order]
        for name, array in tree.arrays().items()
        if name not in ("nodes", "vectors", "all_moves", *OF_ANY_TREE) and array.size
    }
    if tree.vectors.size:
        arrays["vectors"] = tree.vectors.reshape(len(nodes), -1)[order].reshape(-1)
    return tree.with_arrays(nodes=kept, counters=counters, **arrays)
