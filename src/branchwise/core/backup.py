"""Adding the outcome of one simulation to every node on its path."""

from __future__ import annotations

from branchwise.core.kernel import kernel


@kernel
def add_returns(nodes, path, depth, returns, bounds, proofs):
    """Count one more visit at path[0..depth]; credit each node to the player who moved into it.

    path : int32, path[0] the root; each node's player is the one recorded when it was expanded, so extra
    turns, passes and any number of players are covered.   returns : float64 [P], one a player.
    proofs : correct the outcome at every node to what is proven of it: a player who has a proven draw does
    not go on to lose, whatever the playout of another move came to. `returns` is then modified in place, for
    both of two players.
    """
    for level in range(depth, 0, -1):
        mover = nodes[path[level - 1]].player
        node = nodes[path[level]]
        value = returns[mover]
        if proofs and (value < node.lower or value > node.upper):
            value = min(max(value, node.lower), node.upper)
            returns[mover] = value
            if returns.size == 2:
                returns[1 - mover] = bounds.min_return + bounds.max_return - value
        node.visits += 1
        node.value += value
    nodes[path[0]].visits += 1
