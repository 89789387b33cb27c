"""Edges and cells of joint nodes, and the histories that identify nodes; see `core.descents.joint_moves`."""

from __future__ import annotations

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.core.machine.kernel import kernel
from branchwise.core.simulation.expand_one_child import add_random
from branchwise.core.tree.children import NO_ROOM, add_child, next_child, set_flags, take, write_child
from branchwise.core.tree.node_fields import IN_BLOCKS, REFUSED, UNEXPANDED

CELL = -1
"""In place of a level's edge: the level's node is a cell."""

OF_ACTION = np.uint64(0x9E3779B97F4A7C15)
OF_JOINT = np.uint64(0xC2B2AE3D27D4EB4F)
OF_OUTCOME = np.uint64(0x165667B19E3779F9)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)


@kernel
def extend(search, number, factor):
    """Add a move to the history of the path, search.watched[0]; returns the new history, never 0."""
    total = search.watched[0] + np.uint64(number + 2) * factor
    total = (total ^ (total >> _HALF)) * _MIX
    total = max(total ^ (total >> _HALF), np.uint64(1))
    search.watched[0] = total
    return total


@kernel
def joint_key(search):
    """Return the key of the first cell of the joint move in search.joint; the path's history grows by it."""
    key = np.uint64(0)
    for player in range(search.num_players):
        key = extend(search, search.joint[player], OF_JOINT)
    return key


@kernel
def step_to(search, level, node, edge, action, mover):
    """Write a level of the path, without rewards."""
    place = search.levels[level]
    place.node = node
    place.edge = edge
    place.action = action
    place.mover = mover
    if search.pays:
        for player in range(search.num_players):
            search.rewards[level * search.num_players + player] = 0.0
    search.depth[0] = level


@kernel
def list_edges(search, node, player):
    """List the edges of a player at `node`, for `edge_of`; returns how many there are."""
    start = np.int64(player) * search.actions.size
    known = 0
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if search.choosers[child] == player and known < search.actions.size:
            search.members[start + known] = child
            known += 1
    return known


@kernel
def edge_of(search, player, number):
    """Return an edge of those that `list_edges` has listed for a player last."""
    return np.int64(search.members[np.int64(player) * search.actions.size + number])


@kernel
def add_edges(search, node, player, count):
    """Add an edge for each of search.actions[:count] that has none yet, in random order.

    Returns whether there was memory for all of them.
    """
    for i in range(count):
        search.marks[search.actions[i]] = 1
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if search.choosers[child] == player:
            search.marks[search.nodes[child].action] = 0
    untried = 0
    for i in range(count):
        action = search.actions[i]
        if search.marks[action] == 1:
            search.actions[i] = search.actions[untried]
            search.actions[untried] = action
            untried += 1
        search.marks[action] = 0
    for place in range(untried):
        if search.counters[REFUSED] > 0:
            return False
        child = add_random(search, node, place, untried)
        if child == NO_ROOM:
            return False
        search.choosers[child] = player
        search.nodes[child].player = CHANCE  # it is no decision
    return True


@kernel
def add_cells(search, edge):
    """Add a chain of cells, one a player, below `edge`; returns the first, or NO_ROOM."""
    nodes = search.nodes
    if search.counters[REFUSED] > 0:
        return np.int64(NO_ROOM)
    if nodes[edge].first == UNEXPANDED:
        set_flags(search, edge, IN_BLOCKS)
    first = add_child(search, edge, np.int32(search.joint[0]))
    cell = first
    for player in range(search.num_players):
        if cell == NO_ROOM:
            return np.int64(NO_ROOM)
        search.choosers[cell] = player
        nodes[cell].player = CHANCE
        if player + 1 < search.num_players:
            following = take(search, 1)
            if following != NO_ROOM:
                write_child(search, following, np.int32(search.joint[player + 1]))
                nodes[cell].first = np.int32(following)
                nodes[cell].count = np.uint16(1)
            cell = following
    return first
