"""Steering a search: actions that nodes near the root do without, and a line that simulations begin with.

Both are numbers that can change between simulations, so a search that is steered runs the code of any other.
Where neither is used, that costs a comparison for each simulation.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.core.machine.kernel import kernel, phase, rarely_run
from branchwise.core.tree.children import NO_ROOM, next_child, set_flags
from branchwise.core.tree.node_fields import BARRED


@rarely_run
@phase(int64, int64, int64)
def leave_out(search, depth, player, count):
    """Drop the actions that are left out at `depth` from search.actions[:count]; returns how many stay.

    search.barred : int32 [P A], by player and action: at depths below this number it is left out. If no
    action would stay, all do. Otherwise the path's node at `depth` is marked as lacking some of its children.
    player : the player to move there.
    """
    left = 0
    if 0 <= player < search.num_players and count <= search.actions.size:
        for i in range(count):
            action = search.actions[i]
            if not _is_barred(search, depth, player, action):
                search.actions[i] = search.actions[left]
                search.actions[left] = action
                left += 1
    if left == 0 or left == count:
        return np.int64(count)
    set_flags(search, np.int64(search.levels[depth].node), BARRED)
    return np.int64(left)


@kernel
def _is_barred(search, depth, player, action):
    if action < 0 or action >= search.num_actions:
        return False
    return search.barred[player * search.num_actions + action] > depth


@kernel
def guided_child(search, node, depth):
    """Return the child of `node`, the path's at `depth`, to which search.guide leads; NO_ROOM for none."""
    if search.guided <= depth:
        return np.int64(NO_ROOM)
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if search.nodes[child].action == search.guide[depth]:
            return child
    return np.int64(NO_ROOM)


@kernel
def guided_place(search, depth, untried):
    """Return the place in search.actions[:untried] of the action of search.guide at `depth`, or -1."""
    if search.guided > depth:
        for place in range(untried):
            if search.actions[place] == search.guide[depth]:
                return np.int64(place)
    return np.int64(-1)
