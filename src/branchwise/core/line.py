"""The line of best play below a node: from each node to the child that comes first."""

from __future__ import annotations

import numpy as np

from branchwise.core.kernel import entry_kernel, kernel

COMPLETE, TOO_LONG, NEEDS_DISTANCES = 0, 1, 2


@entry_kernel
def trace_lines(nodes, links, edge_visits, scale, distances, starts, lines, lengths):
    """Write the lines below `starts`; returns COMPLETE, TOO_LONG or NEEDS_DISTANCES.

    nodes, links, edge_visits : of a tree; the latter two are empty where no nodes are shared.
    scale : float64 [2], the least return, and the difference to the greatest.   distances : int32, moves to
    the end of the game, or empty, as long as none are asked for.   starts : int64 [M].   lines : int64
    [M, L], lengths : int64 [M], modified in place. A line ends before a child that was neither visited nor
    proven, and where it would open the same children twice.
    """
    for i in range(starts.size):
        length = 0
        node = starts[i]
        while True:
            place = np.int64(links[node]) if links.size > 0 else np.int64(node)
            first = np.int64(nodes[place].first)
            if first <= 0:
                break
            if _was_opened(nodes, links, starts[i], lines[i], length, first):
                break
            best = _first_child(nodes, links, edge_visits, scale, distances, place)
            if best < 0:
                return NEEDS_DISTANCES
            behind = np.int64(links[best]) if links.size > 0 else best
            visits = edge_visits[best] if edge_visits.size > 0 else nodes[best].visits
            if visits == 0 and nodes[behind].lower < nodes[behind].upper:
                break
            if length == lines.shape[1]:
                return TOO_LONG
            lines[i, length] = best
            length += 1
            node = best
        lengths[i] = length
    return COMPLETE


@kernel
def _was_opened(nodes, links, start, line, length, first):
    """Return whether a line went through the children that begin at `first` already."""
    for level in range(length):
        node = line[level - 1] if level > 0 else start
        place = np.int64(links[node]) if links.size > 0 else np.int64(node)
        if nodes[place].first == first:
            return True
    return False


@kernel
def _first_child(nodes, links, edge_visits, scale, distances, place):
    """Return the child that `Reader.best_first` puts first, int64, or -1 if that takes distances.

    Of the open children it is the one with most visits, then the highest value; one that is proven to be as
    good as any can be comes before it if it is better than that value.
    """
    first = np.int64(nodes[place].first)
    last = first + np.int64(nodes[place].count)
    floor = -np.inf
    for child in range(first, last):
        behind = np.int64(links[child]) if links.size > 0 else child
        floor = max(floor, np.float64(nodes[behind].lower))
    leader = np.int64(-1)
    leader_visits = np.int64(-1)
    leader_value = -np.inf
    sure = np.int64(-1)
    sure_visits = np.int64(-1)
    sure_value = -np.inf
    sure_count = 0
    for child in range(first, last):
        behind = np.int64(links[child]) if links.size > 0 else child
        node = nodes[behind]
        visits = np.int64(edge_visits[child] if edge_visits.size > 0 else node.visits)
        value = -np.inf
        if node.visits > 0:
            value = scale[0] + scale[1] * node.value / node.visits
        if node.lower < node.upper:
            if node.upper > floor and (
                visits > leader_visits or (visits == leader_visits and value > leader_value)
            ):
                leader, leader_visits, leader_value = child, visits, value
        elif node.lower == floor:
            sure_count += 1
            if visits > sure_visits or (visits == sure_visits and value > sure_value):
                sure, sure_visits, sure_value = child, visits, value
    if sure < 0 or leader_value >= floor:
        return leader if leader >= 0 else first
    if sure_count == 1:
        return sure
    middle = scale[0] + scale[1] / 2
    if floor == middle:
        return sure
    if distances.size == 0:
        return np.int64(-1)
    return _most_urgent(nodes, links, edge_visits, scale, distances, first, last, floor)


@kernel
def _most_urgent(nodes, links, edge_visits, scale, distances, first, last, floor):
    """Return the sure child with the quickest win, or the slowest loss; ties by visits, then value."""
    winning = floor > scale[0] + scale[1] / 2
    best = first
    best_hurry = np.int64(0)
    best_visits = np.int64(-1)
    best_value = -np.inf
    found = False
    for child in range(first, last):
        behind = np.int64(links[child]) if links.size > 0 else child
        node = nodes[behind]
        if node.lower < node.upper or node.lower != floor:
            continue
        moves = np.int64(0)
        if behind < distances.size:
            moves = max(np.int64(distances[behind]), np.int64(0))
        hurry = moves if winning else -moves
        visits = np.int64(edge_visits[child] if edge_visits.size > 0 else node.visits)
        value = -np.inf
        if node.visits > 0:
            value = scale[0] + scale[1] * node.value / node.visits
        better = hurry < best_hurry or (
            hurry == best_hurry and (visits > best_visits or (visits == best_visits and value > best_value))
        )
        if not found or better:
            best, best_hurry, best_visits, best_value = child, hurry, visits, value
            found = True
    return best
