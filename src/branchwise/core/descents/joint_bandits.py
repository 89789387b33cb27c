"""How players choose at joint nodes, and what they learn from the outcome; see `core.descents.joint_moves`.

Edges of players who draw by strategies keep two statistics. search.regrets: for regret matching the sum of
regrets of the action, for Exp3 the sum of its estimated gains. search.strategies: the sum of the
probabilities with which the strategy plays the action, without the share gamma of uniform play.
"""

from __future__ import annotations

import math

import numpy as np

from branchwise.common.players import SIMULTANEOUS
from branchwise.core.backup.rewards import add_reward
from branchwise.core.descents.joint_nodes import CELL, edge_of, joint_key, list_edges
from branchwise.core.machine.kernel import kernel
from branchwise.core.numbers.random_streams import OUTCOME_STREAM, draw_share, next_counter
from branchwise.core.simulation.select import NO_SCORE, best_of_player
from branchwise.core.tree.node_fields import NO_ACTION, ROOT
from branchwise.core.tree.node_table import find_known
from branchwise.core.tree.return_scaling import gain, note_range, scale_for, scaled


@kernel
def choose_by_score(search, node, player, count):
    """Return the edge of `player` with the highest score, or NO_SCORE: decoupled UCT."""
    return best_of_player(search, node, player)


@kernel
def choose_by_regrets(search, node, player, count):
    """Draw an edge of `player`: in proportion to positive regrets, gamma of the time uniformly.

    Without positive regrets all actions are equally likely. search.strategies sums up the probabilities
    without the uniform share.
    """
    _write_strategy(search, node, player, 0)
    return _draw_edge(search, node, player, count)


@kernel
def choose_by_weights(search, node, player, count):
    """Draw an edge of `player` by Exp3: by weights exp(gamma gain / K), gamma of the time uniformly.

    gain : the estimated sum of gains of the action, in search.regrets.   K : number of actions.
    """
    most, total = _weights(search, node, player, count)
    gamma = np.float64(search.gamma)
    even = 1.0 / count
    known = list_edges(search, node, player)
    for number in range(known):
        edge = edge_of(search, player, number)
        search.mixed[number] = math.exp((search.regrets[edge] - most) * gamma * even) / total
    return _draw_edge(search, node, player, count)


@kernel
def _draw_edge(search, node, player, count):
    """Draw an edge of `player` by the strategy in search.mixed, gamma of the time uniformly.

    The strategy, without the uniform share, is added to search.strategies.
    """
    gamma = np.float64(search.gamma)
    even = 1.0 / count
    aim = draw_share(next_counter(search.streams, OUTCOME_STREAM))
    passed = 0.0
    chosen = np.int64(NO_SCORE)
    found = False
    known = list_edges(search, node, player)
    for number in range(known):
        child = edge_of(search, player, number)
        share = search.mixed[number]
        search.strategies[child] += share
        passed += (1.0 - gamma) * share + gamma * even
        if not found:
            chosen = child  # the last one, if rounding leaves the sum below 1
            found = passed > aim
    return chosen


@kernel
def _weights(search, node, player, count):
    """Return the greatest estimated sum of gains of `player`, and the sum of weights relative to it."""
    known = list_edges(search, node, player)
    most = -np.inf
    for number in range(known):
        edge = edge_of(search, player, number)
        most = max(most, search.regrets[edge])
    total = 0.0
    for number in range(known):
        edge = edge_of(search, player, number)
        total += math.exp((search.regrets[edge] - most) * np.float64(search.gamma) / count)
    return most, total


# --- learning ---------------------------------------------------------------------------------------------


@kernel
def add_jointly(search, depth):
    """Add the outcome to the path down to `depth`, each level for its player; see `backup.add_outcome`.

    Where players draw by strategies, what was chosen is learnt from, once all rewards behind it are added.
    """
    nodes = search.nodes
    levels = search.levels
    note_range(search)
    for level in range(depth, 0, -1):
        if search.pays:
            add_reward(search, level)
        place = levels[level]
        nodes[place.node].visits += 1
        nodes[place.node].value += gain(search, search.returns[place.mover])
        if search.keeps_squares:
            won = gain(search, search.returns[place.mover])
            search.squares[place.node] += won * won
        if search.keeps_strategies and nodes[levels[level - 1].node].player == SIMULTANEOUS:
            search.learn_jointly(search, level - 1, depth)
    nodes[ROOT].visits += 1


@kernel
def _list_joint(search, level, depth):
    """Write the actions of the joint move at search.levels[level] to search.joint; returns its last edge's
    level.

    depth : the path's end.
    """
    search.joint[:] = NO_ACTION
    last = level
    while last < depth and search.levels[last + 1].edge != CELL:
        last += 1
        search.joint[search.levels[last].mover] = search.levels[last].action
    return last


@kernel
def learn_regrets(search, level, depth):
    """Add to the regrets of three or more players at search.levels[level]; search.returns is what followed.

    The regret of an action is its mean gain with the others' chosen actions, minus the gain. A joint action
    that was never played adds nothing.
    """
    node = np.int64(search.levels[level].node)
    last = _list_joint(search, level, depth)
    for place in range(level + 1, last + 1):
        player = np.int64(search.levels[place].mover)
        played = search.joint[player]
        won = gain(search, search.returns[player])
        for number in range(list_edges(search, node, player)):
            edge = edge_of(search, player, number)
            if search.nodes[edge].action != played:
                search.joint[player] = np.int64(search.nodes[edge].action)
                search.regrets[edge] += _mean_of_cell(search, node, player, won) - won
        search.joint[player] = played


@kernel
def learn_regrets_of_two(search, level, depth):
    """Add to the regrets of two players at search.levels[level], in expectation over the other's strategy.

    The regret of an action is its mean gain against the other's strategy, minus the mean gain of the own
    strategy; both follow from the cells. So regrets do not depend on what was drawn, and uniform play does
    not bias them. A joint action that was never played counts as the player's mean at the node.
    """
    node = np.int64(search.levels[level].node)
    size = search.actions.size
    search.joint[:] = NO_ACTION
    for player in range(2):
        _write_strategy(search, node, player, player * size)
    for player in range(2):
        usual = _mean_at(search, node, player)
        mean = 0.0
        known = list_edges(search, node, player)
        for number in range(known):
            search.joint[player] = np.int64(search.nodes[edge_of(search, player, number)].action)
            against = _against(search, node, player, (1 - player) * size, usual)
            search.mixed[2 * size + number] = against
            mean += search.mixed[player * size + number] * against
        search.joint[player] = NO_ACTION
        for number in range(known):
            search.regrets[edge_of(search, player, number)] += search.mixed[2 * size + number] - mean


@kernel
def _write_strategy(search, node, player, start):
    """Write the strategy of `player` at `node`, by regrets, to search.mixed from index `start` on."""
    known = list_edges(search, node, player)
    total = 0.0
    for number in range(known):
        share = max(search.regrets[edge_of(search, player, number)], 0.0)
        search.mixed[start + number] = share
        total += share
    for place in range(start, start + known):
        search.mixed[place] = search.mixed[place] / total if total > 0.0 else 1.0 / known


@kernel
def _against(search, node, player, start, usual):
    """Return the mean gain of `player`, whose action is in search.joint, against the other's strategy.

    start : where the other's strategy begins in search.mixed.   usual : the gain of joint actions that were
    never played.
    """
    other = 1 - player
    found = 0.0
    known = list_edges(search, node, other)
    for number in range(known):
        share = search.mixed[start + number]
        if share > 0.0:
            search.joint[other] = np.int64(search.nodes[edge_of(search, other, number)].action)
            found += share * _mean_of_cell(search, node, player, usual)
    search.joint[other] = NO_ACTION
    if known == 0:
        found = _mean_of_cell(search, node, player, usual)
    return found


@kernel
def _mean_at(search, node, player):
    """Return the mean gain of `player` over all simulations that went on from `node`; 0 without any."""
    value = 0.0
    visits = 0
    for number in range(list_edges(search, node, player)):
        edge = edge_of(search, player, number)
        value += search.nodes[edge].value
        visits += np.int64(search.nodes[edge].visits)
    return value / visits if visits > 0 else 0.0


@kernel
def _mean_of_cell(search, node, player, otherwise):
    """Return the mean gain of `player` after the joint action in search.joint at `node`; `otherwise` if it
    was never played.
    """
    search.watched[0] = np.uint64(0) if node == ROOT else search.keys[node]
    cell = np.int64(search.table[find_known(search, joint_key(search))]) - 1
    if cell < 0:
        return otherwise
    for _ in range(player):
        cell = np.int64(search.nodes[cell].first)
        if cell < 0:
            return otherwise
    if search.nodes[cell].visits == 0:
        return otherwise
    return search.nodes[cell].value / search.nodes[cell].visits


@kernel
def learn_gains(search, level, depth):
    """Add the gain of each chosen action, divided by its probability, to its estimated sum of gains: Exp3."""
    node = np.int64(search.levels[level].node)
    last = _list_joint(search, level, depth)
    for place in range(level + 1, last + 1):
        player = np.int64(search.levels[place].mover)
        child = np.int64(search.levels[place].node)
        count = list_edges(search, node, player)
        most, total = _weights(search, node, player, count)
        gamma = np.float64(search.gamma)
        share = math.exp((search.regrets[child] - most) * gamma / count) / total
        probability = (1.0 - gamma) * share + gamma / count
        won = gain(search, search.returns[player])
        search.regrets[child] += scaled(search, scale_for(search, player), won) / probability
