"""Statistics of moves, regardless of the position: how often they won, and which moves they answered.

The moves of a simulation, in the tree and in the playout, are recorded as they are played, and credited when
it ends. Each thread has its own tables.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.core.atomic import add_to_field
from branchwise.core.kernel import kernel, phase, text
from branchwise.core.rewards import factor_at
from branchwise.core.scaling import gain, scale_for, scaled
from branchwise.core.tree import NO_ACTION
from branchwise.players import NO_PLAYER

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_S40 = np.uint64(40)
NO_REPLY = -1


@text
def note_nothing(search, place, player, action):
    """Keep no record of moves."""


@phase(int64, int64, int64)
def note_move(search, place, player, action):
    """Record move number `place` of the simulation, from 0."""
    search.moves[place] = action
    search.movers[place] = player
    search.num_moves[0] = place + 1


@text
def note_no_outcome(search, place, outcome):
    """Keep no record of outcomes of chance."""


@phase(int64, int64)
def note_outcome(search, place, outcome):
    """Record that move number `place` of the simulation was an outcome of chance."""
    note_gap(search, place)


@kernel
def note_gap(search, place):
    """Record that move number `place` of the simulation is not to be credited."""
    search.moves[place] = NO_ACTION
    search.movers[place] = NO_PLAYER
    search.num_moves[0] = place + 1


@kernel
def slot_of(search, player, action):
    """Return the index of a player's action in tables by player and action, int64."""
    return np.int64(player) * search.num_actions + np.int64(action)


@kernel
def pair_of(search, player, before, action):
    """Return the index of the statistics of `action` after `before`; some pairs share an index."""
    key = (slot_of(search, player, action) * (search.num_actions + 1)) + np.int64(before) + 1
    return np.int64((np.uint64(key) * _SPREAD) >> _S40) & np.int64(search.pairs.size - 1)


@kernel
def learn_nothing(search, depth):
    """Credit no moves."""


@kernel
def learn(search, depth):
    """Credit the outcome of the simulation, in search.returns, to its moves in all tables.

    depth : of the leaf, which is the number of moves played in the tree.
    """
    if search.keeps_amaf:
        _credit_amaf(search, depth)
    if search.learns_moves:
        if search.pays:
            _begin_sum(search)
            for level in range(depth, 0, -1):
                _add_reward(search, level)
        _credit_moves(search)


@kernel
def _begin_sum(search):
    """Set search.paid to the rewards still to come at the leaf."""
    for player in range(search.num_players):
        search.paid[player] = search.returns[player]


@kernel
def _add_reward(search, level):
    """Add to search.paid, which has all rewards after the move to `level`, the rewards of that move."""
    factor = factor_at(search, search.levels[level].node)
    for player in range(search.num_players):
        reward = search.rewards[level * search.num_players + player]
        search.paid[player] = reward + factor * search.paid[player]


@kernel
def _gain_of(search, player):
    """Return the gain of `player` in the simulation; with rewards, from search.paid."""
    return gain(search, search.paid[player] if search.pays else search.returns[player])


@kernel
def _credit_moves(search):
    """Credit moves in the tables by player and action that the search keeps.

    History: Finnsson, Bjornsson, "Simulation-based approach to general game playing", 2008. Pairs: Tak,
    Winands, Bjornsson, "N-grams and the last-good-reply policy applied in general game playing", 2012.
    Replies: Baier, Drake, "The power of forgetting", 2010.
    """
    before = np.int64(NO_ACTION)
    for i in range(search.num_moves[0]):
        player = np.int64(search.movers[i])
        action = np.int64(search.moves[i])
        if (search.has_chance or search.draws_chance) and player < 0:
            before = np.int64(NO_ACTION)
            continue
        won = _gain_of(search, player)
        liked = scaled(search, scale_for(search, player), won)
        if search.history.size > 0:
            tally = search.history[slot_of(search, player, action)]
            tally.value += won
            tally.visits += 1
        if search.pairs.size > 0:
            tally = search.pairs[pair_of(search, player, before, action)]
            tally.value += won
            tally.visits += 1
        if search.replies.size > 0 and before != NO_ACTION:
            slot = slot_of(search, player, before)
            if liked > 0.5:
                search.replies[slot] = action
            elif liked < 0.5 and search.replies[slot] == action:
                search.replies[slot] = NO_REPLY
        before = action


@kernel
def _credit_amaf(search, depth):
    """Credit every child of nodes on the path whose action its player made there or later in the simulation.

    "All moves as first": Gelly, Silver, "Combining online and offline knowledge in UCT", 2007.
    """
    stamp = search.number[0] + 1
    search.number[0] = stamp
    if search.pays:
        _begin_sum(search)
    for i in range(search.num_moves[0] - 1, -1, -1):
        if search.pays and i < depth:
            _add_reward(search, i + 1)
        if (search.has_chance or search.draws_chance) and search.movers[i] < 0:
            continue
        search.seen[slot_of(search, search.movers[i], search.moves[i])] = stamp
        if i > depth:
            continue
        node = search.nodes[search.levels[i].node]
        if node.first < 0:
            continue
        won = _gain_of(search, node.player)
        first = np.int64(node.first)
        for child in range(first, first + np.int64(node.count)):
            if search.seen[slot_of(search, node.player, search.nodes[child].action)] == stamp:
                if search.shared:
                    add_to_field(search.amaf, child, "value", won)
                    add_to_field(search.amaf, child, "visits", 1)
                else:
                    search.amaf[child].value += won
                    search.amaf[child].visits += 1
