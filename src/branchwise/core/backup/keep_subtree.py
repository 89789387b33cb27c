"""Keeping the subtree below one child of the root, in place.

The nodes that stay move to the front of the arrays in their present order, so that none is overwritten before
it was moved, and the child's record becomes the root's.
"""

from __future__ import annotations

import numpy as np
from numba import types

from branchwise.core.backup.move_statistics import keep_tables
from branchwise.core.backup.prove import prove
from branchwise.core.backup.transpositions import enter_all
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.tree.node_fields import (
    HAS_BOUNDED_CHILD,
    IN_BLOCKS,
    LINK,
    NO_ACTION,
    REFUSED,
    ROOT,
    USED,
)
from branchwise.core.tree.return_scaling import recall_ranges
from branchwise.core.tree.statistic_kernels import move_statistics

GONE = -1


KEEPING = (types.int64, types.int32[::1], types.int32[::1])
"""Types of the arguments of `keep_below` besides the search."""


@entry_kernel
def keep_below(search, child, places, waiting):
    """Make `child`, an expanded child of the root, the root; returns the number of nodes left.

    Returns 0, and changes nothing, if the old root can be reached from it, as in a graph with cycles.
    places, waiting : int32, one entry for each node; scratch.
    """
    nodes = search.nodes
    child = search.place(search, child)
    _mark(search, child, places, waiting)
    used = search.counters[USED]
    if places[ROOT] != GONE:
        return 0
    left = 1
    for i in range(used):
        if i == child:
            places[i] = ROOT
        elif places[i] != GONE:
            places[i] = left
            left += 1
    mover = nodes[ROOT].player
    _move(search, child, ROOT, places)
    for i in range(used):
        if places[i] > ROOT:
            _move(search, i, np.int64(places[i]), places)
    search.counters[USED] = left
    search.counters[REFUSED] = 0
    if search.keeps_move_tables:
        keep_tables(search, left, waiting)
    _become_root(search, mover)
    if search.keeps_keys:
        enter_all(search)
    if search.stretches:
        recall_ranges(search)
    return left


@kernel
def _mark(search, child, places, waiting):
    """Give every node below `child` a new place, which is not GONE."""
    nodes = search.nodes
    for i in range(search.counters[USED]):
        places[i] = GONE
    places[child] = ROOT
    waiting[0] = child
    count = 1
    while count > 0:
        count -= 1
        node = nodes[waiting[count]]
        if node.first < 0:
            continue
        if search.grows and node.flags & IN_BLOCKS != 0:
            count = _mark_blocks(search, np.int64(node.first), places, waiting, count)
            continue
        for i in range(np.int64(node.first), np.int64(node.first) + np.int64(node.count)):
            if places[i] == GONE:
                places[i] = 1
                if search.place(search, i) == i:
                    waiting[count] = i
                    count += 1
            behind = search.place(search, i)
            if places[behind] == GONE:
                places[behind] = 1
                waiting[count] = behind
                count += 1


@kernel
def _mark_blocks(search, slot, places, waiting, count):
    """Give all slots of the blocks from `slot` on a place; returns how many nodes are waiting now."""
    nodes = search.nodes
    while slot >= 0:
        while nodes[slot].flags & LINK == 0:
            places[slot] = 1
            if nodes[slot].first >= 0:
                waiting[count] = slot
                count += 1
            slot += 1
        places[slot] = 1
        slot = np.int64(nodes[slot].first)
    return count


@kernel
def _move(search, old, new, places):
    nodes = search.nodes
    nodes[new] = nodes[old]
    if nodes[new].first >= 0:
        nodes[new].first = places[nodes[new].first]
    if search.has_box:
        for i in range(search.dimensions):
            search.vectors[new * search.dimensions + i] = search.vectors[old * search.dimensions + i]
    move_statistics(search, old, new, places)


@kernel
def _become_root(search, mover):
    """Convert the root's bounds and value, so far for `mover`, to those of the player to move."""
    root = search.nodes[ROOT]
    root.action = NO_ACTION
    root.value = 0.0
    if search.has_box:
        for i in range(search.dimensions):
            search.vectors[i] = np.nan
    if search.pays:  # the bounds include the reward for the move
        root.lower, root.upper = np.float32(search.min_return), np.float32(search.max_return)
    elif root.player != mover:
        lower, upper = root.lower, root.upper
        if search.num_players == 2 and root.player >= 0 and mover >= 0:
            total = np.float32(search.sum_of_two)
            root.lower, root.upper = total - upper, total - lower
        else:
            root.lower, root.upper = np.float32(search.min_return), np.float32(search.max_return)
    search.levels[0].node = ROOT
    if search.proofs and root.flags & HAS_BOUNDED_CHILD:
        prove(search, 0)
