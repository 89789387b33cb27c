"""Adding the outcome of one simulation to every node on its path."""

from __future__ import annotations

from branchwise.core.kernel import kernel
from branchwise.core.prove import within_bounds


@kernel
def add_returns(nodes, path, depth, returns):
    """Count one more visit at path[0..depth]; credit each node to the player who moved into it.

    path : int32, path[0] the root; each node's player is the one recorded when it was expanded, so extra
    turns, passes and any number of players are covered.   returns : float64 [P], one a player.
    """
    for level in range(depth, 0, -1):
        mover = nodes[path[level - 1]].player
        node = nodes[path[level]]
        node.visits += 1
        node.value += returns[mover]
    nodes[path[0]].visits += 1


@kernel
def add_bounded_returns(nodes, path, depth, returns, bounds):
    """The same, with the outcome corrected at every node to what is proven of it.

    A player who has a proven draw does not go on to lose, whatever the playout of another move came to.
    returns : modified in place; of two players' returns both are corrected.
    """
    for level in range(depth, 0, -1):
        mover = nodes[path[level - 1]].player
        node = nodes[path[level]]
        value = within_bounds(node, returns[mover])
        if value != returns[mover]:
            returns[mover] = value
            if returns.size == 2:
                returns[1 - mover] = bounds.min_return + bounds.max_return - value
        node.visits += 1
        node.value += value
    nodes[path[0]].visits += 1
