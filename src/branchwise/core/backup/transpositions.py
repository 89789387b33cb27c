"""Transpositions: equal states share a node, so that the tree becomes a graph.

Each child is still an edge with its own visits. It links to the node of its state: the first node with that
state, found by a 64-bit hash of the state's content. Nodes are shared only if the same player moved into
them. Values are recomputed from the children, so that all paths share what one of them has learnt: Wu,
"Monte-Carlo graph search from first principles", KataGo documentation, 2023.

A node's value is the sum of its own playouts' gains and, over its edges, of the edge's visits times the value
of the node behind it; with another backup than the mean, it is the power mean of the latter. Every backup
recomputes bounds from the children.
"""

from __future__ import annotations

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.core.backup.backup import outcome_at, power_mean, within_proof
from branchwise.core.backup.prove import prove
from branchwise.core.backup.rewards import add_reward, factor_at
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.numbers.logarithms import inverse
from branchwise.core.tree.node_fields import ROOT, USED
from branchwise.core.tree.node_table import enter_known, enter_outcomes, slot_of
from branchwise.core.tree.return_samples import note_return
from branchwise.core.tree.return_scaling import as_return, gain, note_range, scaled


@kernel
def place_in_graph(search, child):
    """Return the node that holds the value, bounds and children of `child`."""
    return np.int64(search.links[child])


@kernel
def visits_of_edge(search, child):
    """Return the simulations through the edge to `child`."""
    return search.edge_visits[child]


@kernel
def mean_behind_edge(search, scale, child):
    """Return visits of the edge to `child`, 1 / visits, and the scaled mean gain of the node behind it."""
    visits = np.float32(search.edge_visits[child])
    behind = search.nodes[search.links[child]]
    mean = behind.value / max(behind.visits, 1)
    if search.pays:
        mean = gain(search, behind_edge(search, child, as_return(search, mean)))
    mean = scaled(search, scale, mean)
    return visits, inverse(search.edge_visits[child]), np.float32(mean)


@kernel
def behind_edge(search, child, value):
    """Return the value of the move along the edge to `child`, including its reward.

    value : that of the node behind the edge; both are for the player who chooses the move.
    """
    factor = factor_at(search, np.int64(search.links[child]))
    reward = search.edge_rewards[child]
    return reward + factor * value if factor > 0.0 else reward


@kernel
def find(search, child, key):
    """Link `child` to the node with the same key, or enter it in the table; return whether it was linked."""
    slot = slot_of(search.table, search.keys, key, search.table.size)
    other = np.int64(search.table[slot]) - 1
    if other < 0:
        search.table[slot] = child + 1
        return False
    search.links[child] = other
    return True


@kernel
def add_in_graph(search, depth):
    """Count a simulation at every edge and node of its path, and update their values and bounds.

    The leaf's value comes from its playouts. Except in games of two players with a constant sum, values at
    nodes where the mover changes are means of the simulations' returns.
    """
    nodes = search.nodes
    note_range(search)
    for level in range(depth, -1, -1):
        place = np.int64(search.levels[level].node)
        nodes[place].visits += 1
        if level > 0:
            search.edge_visits[search.levels[level].edge] += 1
        if level == depth:
            if level > 0:
                won = outcome_at(search, place, search.levels[level].mover)
                search.own[place] += won
                nodes[place].value += won
            if nodes[place].first < 0:
                if search.pays and level > 0:
                    add_reward(search, level)
                continue
        if search.proofs:
            prove(search, level)
        if level > 0:
            _recompute(search, level)
            if search.pays:
                add_reward(search, level)
    if search.keeps_spread:
        note_return(search, depth)


@kernel
def _recompute(search, level):
    nodes = search.nodes
    place = np.int64(search.levels[level].node)
    player = nodes[place].player
    mover = search.levels[level].mover
    if search.has_chance and player == CHANCE:
        _recompute_chance(search, place)
        return
    if mover != player and not search.opposed:
        nodes[place].value += outcome_at(search, place, mover)
        return
    if search.averages_by_power:
        value = power_mean(search, place, mover)
        if value > -np.inf:
            nodes[place].value = within_proof(search, place, value) * nodes[place].visits
        return
    first = np.int64(nodes[place].first)
    total = 0.0
    visits = 0
    for child in range(first, first + np.int64(nodes[place].count)):
        n = search.edge_visits[child]
        if n > 0:
            total += n * gain_by_edge(search, child)
            visits += n
    nodes[place].value = search.own[place] + (total if mover == player else visits - total)


@kernel
def gain_by_edge(search, child):
    """The same as `_gain_behind`, after updating a node of chance behind the edge."""
    behind = np.int64(search.links[child])
    if search.has_chance and search.nodes[behind].player == CHANCE:
        _recompute_chance(search, behind)
    return _gain_behind(search, child)


@kernel
def _gain_behind(search, child):
    """Return the mean gain along the edge to a visited `child`, for the player who chooses it."""
    behind = search.nodes[np.int64(search.links[child])]
    if behind.lower >= behind.upper:
        mean = gain(search, behind.lower)
    else:
        mean = behind.value / behind.visits
    if search.pays:
        mean = gain(search, behind_edge(search, child, as_return(search, mean)))
    return mean


@kernel
def _recompute_chance(search, place):
    """Set the value of a node of chance to the mean of its outcomes, weighted by their probabilities.

    Values of outcomes may have changed since the last visit. Outcomes that were never drawn are left out.
    """
    nodes = search.nodes
    first = np.int64(nodes[place].first)
    if first < 0:
        return
    total = 0.0
    drawn = 0.0
    for child in range(first, first + np.int64(nodes[place].count)):
        if search.edge_visits[child] > 0:
            total += search.probabilities[child] * _gain_behind(search, child)
            drawn += search.probabilities[child]
    if drawn > 0.0:
        nodes[place].value = nodes[place].visits * (total / drawn)


@entry_kernel
def enter_all(search):
    """Refill the hash table with all nodes that have a key; in a graph no node links to the root."""
    if search.is_observed:
        enter_known(search)
        return
    if search.is_drawn:
        enter_outcomes(search)
        return
    search.table[:] = 0
    search.keys[ROOT] = 0
    search.links[ROOT] = ROOT
    for node in range(1, search.counters[USED]):
        if search.links[node] == node and search.keys[node] != 0:
            slot = slot_of(search.table, search.keys, search.keys[node], search.table.size)
            search.table[slot] = node + 1
