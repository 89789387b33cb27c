"""Adding the outcome of one simulation to every node on its path."""

from __future__ import annotations

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.core.backup.rewards import add_reward, gain_with_reward
from branchwise.core.machine.kernel import kernel
from branchwise.core.tree.children import next_child, next_choice
from branchwise.core.tree.node_fields import ROOT
from branchwise.core.tree.return_samples import note_return
from branchwise.core.tree.return_scaling import gain, note_range, scale_for, scaled


@kernel
def add_outcome(search, depth):
    """Add a visit to each node of the path down to `depth`, and the outcome for the player who moved into it.

    Each node's player is the one recorded when it was expanded, so extra turns, passes and any number of
    players are covered. With proofs, the outcome is clipped at every node to its proven bounds: a player with
    a proven draw is not credited with a loss, whatever the playout of another move returned.
    search.returns is then modified, for both of two players.
    """
    nodes = search.nodes
    levels = search.levels
    note_range(search)
    for level in range(depth, 0, -1):
        if search.pays:
            add_reward(search, level)
        reached = levels[np.uint64(level)]
        won = outcome_at(search, np.uint64(reached.node), reached.mover)
        search.credit(search, level, won)
    if search.keeps_spread:
        note_return(search, depth)
    if not search.shared:  # where threads share the tree, `run_simulations` counts
        nodes[ROOT].visits += 1


@kernel
def outcome_at(search, node, mover):
    """Return the gain of `mover`, who moved into `node`, in this simulation, clipped to proven bounds.

    With chance, bounds are of means: clipping single outcomes to them would bias the mean, so only a solved
    node corrects the outcome.
    """
    returns = search.returns
    value = returns[np.uint64(mover)]
    if search.proofs:
        lower, upper = search.nodes[node].lower, search.nodes[node].upper
        known = lower >= upper if search.has_chance else True
        if known and (value < lower or value > upper):
            value = min(max(value, lower), upper)
            returns[mover] = value
            if returns.size == 2:
                returns[1 - mover] = search.sum_of_two - value
    return gain(search, value)


@kernel
def add_and_revise(search, depth):
    """Do the same as `add_outcome`, then pass values and evaluations up from the children; see `revise`."""
    add_outcome(search, depth)
    for level in range(depth - 1, -1, -1):
        if search.nodes[search.levels[level].node].first >= 0:
            revise(search, level)


@kernel
def revise(search, level):
    """Recompute the value and the evaluation of search.levels[level] from its children's.

    The value for the player to move is the power mean of the children's, weighted by visits; with an
    infinite power, it is the value of the most visited child. Dam et al., "Generalized mean estimation in
    Monte-Carlo tree search", 2020. Infinite power is "robust max": Coulom, "Efficient selectivity and backup
    operators in Monte-Carlo tree search", 2006.
    Evaluations are passed up by minimax: Lanctot et al., "Monte Carlo tree search with heuristic
    evaluations using implicit minimax backups", 2014. Where the mover changes, the other of two players gets
    1 - value; with more players, or without a constant sum, nothing is passed on.
    """
    nodes = search.nodes
    node = np.int64(search.levels[level].node)
    player = nodes[node].player
    mover = player if level == 0 else search.levels[level].mover
    if search.has_chance and player == CHANCE:
        _revise_chance(search, level)
        return
    if mover != player and not search.opposed:
        return
    first = np.int64(nodes[node].first)
    count = np.int64(nodes[node].count)
    if search.mixes_minimax:
        best = np.float32(0.0)
        for child in range(first, first + count):
            best = max(best, search.minimax[child])
        best = best if mover == player else np.float32(1.0) - best
        if search.pays and level > 0:
            best = np.float32(gain_with_reward(search, level, np.float64(best)))
        search.minimax[node] = best
    if search.averages_by_power:
        value = power_mean(search, node, mover)
        if value > -np.inf:
            if search.pays and level > 0:
                value = gain_with_reward(search, level, value)
            value = within_proof(search, node, value) if level > 0 else value
            nodes[node].value = value * nodes[node].visits if level > 0 else 0.0


@kernel
def power_mean(search, node, mover):
    """Return the power mean of the values of the children of `node`, weighted by visits; see `revise`.

    It is the gain of `mover`, who moved into the node, after that move; minus infinity if no child was
    visited.
    """
    player = search.nodes[node].player
    scale = scale_for(search, player)
    power = np.float64(search.power)
    total = 0.0
    visits = 0
    most = 0
    robust = 0.0
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_choice(search, child)
        n = search.visits(search, child)
        if n > 0:
            mean = scaled(search, scale, search.gain_by(search, child))
            if n > most or (n == most and mean > robust):
                most = n
                robust = mean
            total += n * mean**power
            visits += n
    if visits == 0:
        return -np.inf
    value = robust
    if power < np.inf:
        value = (total / visits) ** (1.0 / power)
    if search.stretches:
        value = scale.low + value / scale.stretch
    return value if mover == player else 1.0 - value


@kernel
def gain_in_tree(search, child):
    """Return the mean gain at `child`, a visited node, of the player who chooses it."""
    return search.nodes[child].value / search.nodes[child].visits


@kernel
def within_proof(search, node, value):
    """Return the gain `value` clipped to the proven bounds of `node`."""
    if search.proofs:
        return min(max(value, gain(search, search.nodes[node].lower)), gain(search, search.nodes[node].upper))
    return value


@kernel
def _revise_chance(search, level):
    """Set value and evaluation of search.levels[level], a node of chance, to the mean of its outcomes'.

    Unvisited outcomes count as the mean of the others.
    """
    nodes = search.nodes
    node = np.int64(search.levels[level].node)
    evaluation = 0.0
    value = 0.0
    visited = 0.0
    child = np.int64(nodes[node].first) - 1
    for _ in range(np.int64(nodes[node].count)):
        child = next_child(search, child)
        probability = search.probabilities[child]
        if search.mixes_minimax:
            evaluation += probability * search.minimax[child]
        if search.averages_by_power and nodes[child].visits > 0:
            value += probability * (nodes[child].value / nodes[child].visits)
            visited += probability
    if search.mixes_minimax:
        if search.pays and level > 0:
            evaluation = gain_with_reward(search, level, evaluation)
        search.minimax[node] = np.float32(evaluation)
    if search.averages_by_power and visited > 0.0 and level > 0:
        value /= visited
        if search.pays:
            value = gain_with_reward(search, level, value)
        if search.proofs and nodes[node].lower >= nodes[node].upper:
            value = gain(search, nodes[node].lower)
        nodes[node].value = value * nodes[node].visits
