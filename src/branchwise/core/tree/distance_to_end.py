"""The number of moves to the end of the game from nodes with a proven outcome."""

from __future__ import annotations

import numpy as np

from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.tree.node_fields import ROOT

UNKNOWN = 0
_OPEN = -1


@entry_kernel
def measure(nodes, links, middle, distances, waiting):
    """Write the number of moves to the end, plus 1, for the solved nodes that the root's lines of play need.

    nodes, links : of a tree, links empty where no nodes are shared.   distances : int32 [nodes in use], all
    UNKNOWN; only measured nodes are written.   waiting : the same length, scratch.   middle : of the returns.
    Winners hurry and losers delay, as far as the tree knows: a player whose proven best return is above the
    middle takes the shortest way to it, any other player the longest.
    """
    root = nodes[ROOT]
    if root.first < 0:
        return
    for i in range(np.int64(root.first), np.int64(root.first) + np.int64(root.count)):
        place = np.int64(links[i]) if links.size > 0 else np.int64(i)
        if nodes[place].lower >= nodes[place].upper and distances[place] == UNKNOWN:
            _measure_below(nodes, links, middle, place, distances, waiting)


@kernel
def _measure_below(nodes, links, middle, start, distances, waiting):
    """Visit the solved nodes below `start` depth first; a node is measured after its children."""
    distances[start] = _OPEN
    waiting[0] = start
    count = 1
    while count > 0:
        node = np.int64(waiting[count - 1])
        first = np.int64(nodes[node].first)
        if first < 0:
            distances[node] = 1
            count -= 1
            continue
        last = first + np.int64(nodes[node].count)
        best = nodes[first].lower
        for i in range(first, last):
            place = np.int64(links[i]) if links.size > 0 else np.int64(i)
            best = max(best, nodes[place].lower)
        below = count
        found = 0
        for i in range(first, last):
            place = np.int64(links[i]) if links.size > 0 else np.int64(i)
            if nodes[place].lower < nodes[place].upper or nodes[place].lower < best:
                continue
            if place >= distances.size:
                continue
            if distances[place] == UNKNOWN:
                distances[place] = _OPEN
                waiting[count] = place
                count += 1
            elif distances[place] > 0:
                moves = np.int64(distances[place]) + 1
                if found == 0 or (moves < found if best > middle else moves > found):
                    found = moves
        if count == below:
            distances[node] = max(found, 1)
            count -= 1
