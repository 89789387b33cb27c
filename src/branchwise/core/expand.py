"""Expanding a leaf: all its children are added at once, in random order, none of them visited yet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from branchwise.core.kernel import kernel
from branchwise.core.random import ORDER_STREAM, advanced, draw_below
from branchwise.core.status import (
    ACTION_OUT_OF_RANGE,
    DONE,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    TOO_MANY_ACTIONS,
    TREE_FULL,
)
from branchwise.core.tree import MAX_CHILDREN, REFUSED, UNEXPANDED, USED


class Bounds(NamedTuple):
    """What the game says of itself: see `branchwise.game.Game`."""

    num_players: int
    num_actions: int
    min_return: float
    max_return: float


@kernel
def add_children(tree, node, player, bounds, actions, count, streams):
    """Give the leaf `node` one child for each of actions[:count], shuffled; returns a status.

    player : who is to move at the node.   actions : int32 [A], modified in place (shuffled).
    streams : uint64, see `core.random`, modified in place. No node changes unless DONE.
    """
    if count < 1:
        return NO_LEGAL_ACTION
    if count > actions.size or count > MAX_CHILDREN:
        return TOO_MANY_ACTIONS
    if player < 0 or player >= bounds.num_players:
        return PLAYER_OUT_OF_RANGE
    for i in range(count):
        if actions[i] < 0 or actions[i] >= bounds.num_actions:
            return ACTION_OUT_OF_RANGE
    first = tree.counters[USED]
    if first + count > tree.nodes.size:
        tree.counters[REFUSED] += 1
        return TREE_FULL
    counter = streams[ORDER_STREAM]
    for i in range(count):
        counter = advanced(counter)
        chosen = i + draw_below(counter, count - i)
        action = actions[chosen]
        actions[chosen] = actions[i]
        actions[i] = action
        child = tree.nodes[first + i]
        child.value = 0.0
        child.visits = 0
        child.first = UNEXPANDED
        child.action = action
        child.count = 0
        child.player = -1
        child.flags = 0
        child.lower = bounds.min_return
        child.upper = bounds.max_return
    streams[ORDER_STREAM] = counter
    tree.nodes[node].player = player
    tree.nodes[node].count = np.uint16(count)
    tree.nodes[node].first = np.int32(first)
    tree.counters[USED] = first + count
    return DONE
