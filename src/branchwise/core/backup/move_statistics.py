"""Statistics of moves, regardless of the position: how often they won, and which moves they answered.

The moves of a simulation, in the tree and in the playout, are recorded as they are played, and credited when
it ends. Each thread has its own tables.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.common.players import NO_PLAYER
from branchwise.core.backup.rewards import factor_at
from branchwise.core.machine.atomic import add_to_field, add_to_item, publish_item, read_item, swap_item_if
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.tree.node_fields import NO_ACTION, ROOT, TABLES_USED
from branchwise.core.tree.return_scaling import gain, scale_for, scaled

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_S40 = np.uint64(40)
_PLAYER = np.int64(32)
"""A code is a slot of a move, below this bit, and its player, from this bit on."""
_NO_ROOM = -1
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
    if search.keeps_move_tables:
        _credit_all_moves(search, depth)
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
                _credit_tally(search, search.amaf, child, won)


@kernel
def _credit_tally(search, tallies, place, won):
    """Add a simulation with the gain `won` to the tally at `place`."""
    if search.shared:
        add_to_field(tallies, place, "value", won)
        add_to_field(tallies, place, "visits", 1)
    else:
        tallies[place].value += won
        tallies[place].visits += 1


# --- tables of all moves ----------------------------------------------------------------------------------


@kernel
def _credit_all_moves(search, depth):
    """Credit all moves that were played at a node of the path or later, in the node's table.

    A node gets its table after half of search.reference_visits, the root at once; in Cazenave, "Generalized
    rapid action value estimation", 2015, all nodes have one.
    """
    stamp = search.number[0] + 1
    search.number[0] = stamp
    moves = search.num_players * search.num_actions
    if search.pays:
        _begin_sum(search)
    for player in range(search.num_players):
        search.gains[player] = _gain_of(search, player)
    count = 0
    for i in range(search.num_moves[0] - 1, -1, -1):
        if search.pays and i < depth:
            _add_reward(search, i + 1)
            for player in range(search.num_players):
                search.gains[player] = _gain_of(search, player)
        if (search.has_chance or search.draws_chance) and search.movers[i] < 0:
            continue
        player = np.int64(search.movers[i])
        slot = slot_of(search, player, search.moves[i])
        if search.seen[slot] != stamp:
            search.seen[slot] = stamp
            search.codes[count] = slot | player << _PLAYER
            count += 1
        if i > depth or search.nodes[search.levels[i].node].first < 0:
            continue
        table = _table_of(search, np.int64(search.levels[i].node))
        if table <= 0:
            continue
        for k in range(count):
            code = search.codes[k]
            place = (table - 1) * moves + (code & 0xFFFFFFFF)
            _credit_tally(search, search.all_moves, place, search.gains[code >> _PLAYER])


@kernel
def known_table(search, node):
    """Return the number of the node's table of all moves, int64 from 1; at most 0 if it has none."""
    if search.shared:
        return np.int64(read_item(search.move_tables, node))
    return np.int64(search.move_tables[node])


@kernel
def _table_of(search, node):
    """Return the same as `known_table`, after adding a table if the node is due for one."""
    table = known_table(search, node)
    if table != 0 or (node != ROOT and 2 * np.int64(search.nodes[node].visits) < search.reference_visits):
        return table
    if search.shared:
        if not swap_item_if(search.move_tables, node, 0, _NO_ROOM):
            return np.int64(0)  # another thread is adding it
        table = np.int64(add_to_item(search.tables, TABLES_USED, 1))
    else:
        table = np.int64(search.tables[TABLES_USED])
        search.tables[TABLES_USED] = table + 1
    moves = search.num_players * search.num_actions
    first = table * moves
    if first + moves > search.all_moves.size:
        search.move_tables[node] = _NO_ROOM
        return np.int64(_NO_ROOM)
    for place in range(first, first + moves):
        search.all_moves[place].value = 0.0
        search.all_moves[place].visits = 0
    if search.shared:
        publish_item(search.move_tables, node, table + 1)
    else:
        search.move_tables[node] = table + 1
    return table + 1


@kernel
def keep_tables(search, nodes_left, owners):
    """Keep the tables of the first `nodes_left` nodes only, and number them anew.

    owners : int32, scratch, with at least as many entries as there are tables.
    """
    moves = search.num_players * search.num_actions
    tables = min(search.tables[TABLES_USED], search.all_moves.size // moves)
    for table in range(tables):
        owners[table] = -1
    for node in range(nodes_left):
        table = np.int64(search.move_tables[node])
        if table > 0:
            owners[table - 1] = node
        else:
            search.move_tables[node] = 0  # perhaps there is room now
    left = 0
    for table in range(tables):
        if owners[table] < 0:
            continue
        for k in range(moves if left < table else 0):
            search.all_moves[left * moves + k] = search.all_moves[table * moves + k]
        left += 1
        search.move_tables[owners[table]] = left
    search.tables[TABLES_USED] = left
