"""Proving values: bounds that hold under best play, passed up the tree from finished games.

A node's bounds are for the player who moved into it, like its value. The player to move at a node can have
the best lower bound among its children, and no more than the best upper bound; for the other of two players
in a game of constant sum the same numbers count from the other end. So bounds are exact for two players,
with any number of different returns, for one player, and across a player's successive turns. Among three
and more, what one player's best choice leaves to another is not known: bounds end there, and stay sound.
Sources: Winands, Bjornsson, Saito, "Monte-Carlo tree search solver", 2008; Cazenave, Saffidine, "Score
bounded Monte-Carlo tree search", 2010.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.kernel import kernel
from branchwise.core.status import DONE, NOT_CONSTANT_SUM
from branchwise.core.tree import BOUNDED_BELOW, ROOT

_TOLERANCE = 1e-6


@kernel
def check_sum(returns, bounds):
    """Return DONE, or NOT_CONSTANT_SUM if two players' returns do not add up as in every other game."""
    if returns.size == 2:
        total = bounds.min_return + bounds.max_return
        if abs(returns[0] + returns[1] - total) > _TOLERANCE * (bounds.max_return - bounds.min_return):
            return NOT_CONSTANT_SUM
    return DONE


@kernel
def settle(nodes, node, value):
    """Note that the game is over at `node`; value : the return of the player who moved into it."""
    nodes[node].lower = np.float32(value)
    nodes[node].upper = np.float32(value)


@kernel
def prove_upwards(nodes, path, depth, bounds):
    """Tighten the bounds of path[depth] from its children, and so on up while anything changes."""
    for level in range(depth, -1, -1):
        node = nodes[path[level]]
        lower = np.float32(bounds.min_return)
        upper = lower
        for child in range(np.int64(node.first), np.int64(node.first) + np.int64(node.count)):
            lower = max(lower, nodes[child].lower)
            upper = max(upper, nodes[child].upper)
        node.flags |= BOUNDED_BELOW
        player = node.player
        mover = player if level == 0 else nodes[path[level - 1]].player
        if mover != player:
            if bounds.num_players != 2:
                return
            total = np.float32(bounds.min_return + bounds.max_return)
            lower, upper = total - upper, total - lower
        if lower == node.lower and upper == node.upper:
            return
        node.lower = lower
        node.upper = upper


@kernel
def root_is_solved(nodes):
    """Whether nothing is left to find out."""
    return nodes[ROOT].lower >= nodes[ROOT].upper
