"""Nodes at which all players move at once.

Each simulation plays its state along. At a joint node every player chooses on their own, by statistics of
their own actions alone, their *marginal*: its children are an edge for each action of each player. What the
chosen actions lead to is found in a hash table by the whole history: a *cell* for each player, which has that
player's mean return of the joint action. The last player's cell is the node from which play goes on; outcomes
of chance, drawn as they come, lead to further nodes. Where a single player moves, the node has an edge for
each action, as in other trees. The path has a level for each of these, so that the backup credits every edge
and every cell with the return of its own player.

How players choose is one of three methods (`choose_by_score`, `choose_by_regrets`, `choose_by_weights`):

- Decoupled UCT scores the actions of each player as if the player were alone. Its choices are deterministic,
  and it need not converge to an equilibrium: Shafiei, Sturtevant, Schaeffer, "Comparing UCT versus CFR in
  simultaneous games", 2009.
- Regret matching plays actions in proportion to their positive regrets, which follow from the cells: Lanctot,
  Lisy, Winands, "Monte Carlo tree search in simultaneous move games with applications to Goofspiel", 2013.
- Exp3 plays by exponential weights of estimated gains: Auer, Cesa-Bianchi, Freund, Schapire, "The
  nonstochastic multiarmed bandit problem", 2002.

The last two converge to an equilibrium of zero-sum games of two players in the mean of their strategies,
which is kept in search.strategies: Lisy, Kovarik, Lanctot, Bosansky, "Convergence of Monte Carlo tree search
in simultaneous move games", 2013.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.common.players import CHANCE, SIMULTANEOUS, TERMINAL
from branchwise.core.descents.joint_nodes import (
    CELL,
    OF_ACTION,
    OF_OUTCOME,
    add_cells,
    add_edges,
    extend,
    joint_key,
    list_edges,
    step_to,
)
from branchwise.core.machine.kernel import phase, text
from branchwise.core.machine.kernel_status import (
    DONE,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    SCORE_IS_NO_NUMBER,
    TREE_FULL,
)
from branchwise.core.simulation.expand import check_rules
from branchwise.core.simulation.select import NO_SCORE, best_of_player
from branchwise.core.tree.children import NO_ROOM, add_child, set_flags
from branchwise.core.tree.node_fields import IN_BLOCKS, NO_ACTION, REFUSED, ROOT, UNEXPANDED
from branchwise.core.tree.node_table import find_known


@text
def simulate_jointly(search, root, state):
    """Run one simulation; returns a status."""
    search.begin_history(search)
    state.copy_from(root)
    depth = 0
    moves = 0
    over = False
    is_stored = True
    player = state.current_player()
    search.note_turn(search, depth, player)
    while moves < search.max_depth and not over:
        if player == SIMULTANEOUS:
            reached = search.choose_together(search, state, depth)
            if reached >= 0:
                reached = search.enter_cells(search, depth, reached)
        else:
            reached = search.choose_alone(search, state, depth, player)
        if reached < 0:
            if reached != -TREE_FULL:
                return -reached
            search.end_path(search, depth)
            break
        is_new = reached & 1
        depth = reached >> 1
        moves += 1
        if player == SIMULTANEOUS:
            search.move_together(search, state, depth)
        else:
            search.move_alone(search, state, depth)
        drawn = search.pass_chance(search, state, depth)
        if drawn < 0:
            return -drawn
        if state.is_terminal():
            over = True
            if drawn == 0:
                search.note_turn(search, depth, TERMINAL)
            break
        player = state.current_player()
        if drawn > 0:
            reached = search.enter_drawn(search, depth)
            if reached < 0:
                is_stored = False
                break
            is_new = reached & 1
            depth = reached >> 1
        search.note_turn(search, depth, player)
        over = search.ends(search, state, depth)
        if is_new:
            break
    status = search.evaluate(search, state, depth, over)
    if status == DONE:
        if search.pays and not is_stored:
            search.discount_once(search)
        status = search.back_up(search, depth, over)
    return status


# --- the history ------------------------------------------------------------------------------------------


@phase()
def begin_history(search):
    """Begin a path at the root."""
    search.levels[0].node = ROOT
    search.depth[0] = 0
    search.watched[0] = 0


@phase(int64, int64)
def note_turn(search, depth, turn):
    """Record whose turn it is at the path's node at `depth`, and the history that leads there."""
    node = np.int64(search.levels[depth].node)
    search.nodes[node].player = turn
    if node != ROOT:
        search.keys[node] = search.watched[0]


@phase(int64)
def end_path(search, depth):
    """Let the path end at `depth`, for lack of memory."""
    search.depth[0] = depth


# --- joint moves ------------------------------------------------------------------------------------------


@text
def choose_together(search, state, depth):
    """Choose an action for each player at the path's node at `depth`, a joint one.

    Returns the depth after an edge for each player with a choice, or a negative status.
    """
    reached = depth
    for player in range(search.num_players):
        count = state.fill_actions_of(player, search.actions)
        reached = search.choose_for(search, depth, reached, player, count)
        if reached < 0:
            break
    return reached


@phase(int64, int64, int64, int64)
def choose_for(search, depth, reached, player, count):
    """Choose one player's action at the path's node at `depth`; returns the path's new end, or a negative
    status.

    reached : the path's end so far.   count : the player's legal actions, the first of search.actions; their
    order changes. search.joint gets the chosen action.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    search.joint[player] = NO_ACTION
    if count == 0:
        if player == search.num_players - 1 and reached == depth:
            return np.int64(-NO_LEGAL_ACTION)
        return reached
    status = check_rules(search, player, search.actions, count)
    if status != DONE:
        return np.int64(-status)
    if nodes[node].first == UNEXPANDED:
        set_flags(search, node, IN_BLOCKS)
    known = list_edges(search, node, player)
    if known < count and not add_edges(search, node, player, count):
        return np.int64(-TREE_FULL)
    child = search.choose_edge(search, node, player, count)
    if child == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    action = np.int64(nodes[child].action)
    search.joint[player] = action
    step_to(search, reached + 1, child, child, action, player)
    return reached + 1


@phase(int64, int64)
def enter_cells(search, depth, reached):
    """Step from the edges of a joint move, which end at `reached`, through the cells of its actions.

    depth : of the joint node on the path. Returns 2 * the depth of the last cell, + 1 if the cells are new,
    or
    -TREE_FULL without memory for them.
    """
    nodes = search.nodes
    before = search.watched[0]
    key = joint_key(search)
    place = find_known(search, key)
    cell = np.int64(search.table[place]) - 1
    is_new = cell < 0
    if is_new:
        cell = add_cells(search, np.int64(search.levels[reached].node))
        if cell == NO_ROOM:
            search.watched[0] = before
            return np.int64(-TREE_FULL)
        search.keys[cell] = key
        search.table[place] = cell + 1
    for player in range(search.num_players):
        step_to(search, reached + 1 + player, cell, CELL, search.joint[player], player)
        cell = np.int64(nodes[cell].first)
    extend(search, NO_ACTION, OF_ACTION)  # the last cell has another history than the first
    return np.int64(2 * (reached + search.num_players) + is_new)


@text
def move_together(search, state, depth):
    """Apply the joint action in search.joint, which leads to the path's node at `depth`."""
    state.apply_together(search.joint)


@text
def move_together_for_rewards(search, state, depth):
    """The same, and record its rewards."""
    state.apply_together_for_rewards(search.joint, search.rewards, depth * search.num_players)


# --- moves of a single player, and chance -----------------------------------------------------------------


@text
def choose_alone(search, state, depth, player):
    """Choose an action of `player`, who moves alone at the path's node at `depth`.

    Returns 2 * the new depth, + 1 on the edge's first visit, or a negative status.
    """
    count = state.fill_actions_of(player, search.actions)
    return search.choose_one(search, depth, player, count)


@text
def nobody_moves_alone(search, state, depth, player):
    """The same in a game without moves of a single player."""
    return -PLAYER_OUT_OF_RANGE


@phase(int64, int64, int64)
def choose_one(search, depth, player, count):
    """Choose one of the first `count` of search.actions for `player`; returns as `choose_alone`."""
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    status = check_rules(search, player, search.actions, count)
    if status != DONE:
        return np.int64(-status)
    if nodes[node].first == UNEXPANDED:
        set_flags(search, node, IN_BLOCKS)
    if np.int64(nodes[node].count) < count and not add_edges(search, node, player, count):
        return np.int64(-TREE_FULL)
    child = best_of_player(search, node, player)
    if child == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    action = np.int64(nodes[child].action)
    is_new = np.int64(nodes[child].visits == 0)
    step_to(search, depth + 1, child, child, action, player)
    extend(search, action, OF_ACTION)
    return np.int64(2 * (depth + 1) + is_new)


@text
def move_alone(search, state, depth):
    """Apply the action that leads to the path's node at `depth`."""
    search.move(search, state, depth, search.action_at(search, depth))


@text
def never_alone(search, state, depth):
    """Do nothing: there are no moves of a single player."""


@phase(int64)
def action_at(search, depth):
    """Return the action that leads to the path's node at `depth`."""
    return np.int64(search.levels[depth].action)


@text
def play_outcome_in_history(search, state, depth, outcome):
    """Apply an outcome of chance and add it to the history; see `core.descents.open_loop.play_outcome`."""
    search.apply(search, state, outcome)
    if search.pays:
        search.add_paid_to_path(search, depth)
    search.note_drawn(search, depth, outcome)


@phase(int64, int64)
def note_drawn(search, depth, outcome):
    """Add an outcome of chance to the history; the path's node at `depth` is a node of chance."""
    search.nodes[np.int64(search.levels[depth].node)].player = CHANCE
    extend(search, outcome, OF_OUTCOME)


@phase(int64)
def enter_drawn(search, depth):
    """Step from the path's node at `depth` to the node for the outcomes of chance that were drawn.

    Returns 2 * the depth there, + 1 if it is new; -TREE_FULL without memory for it.
    """
    nodes = search.nodes
    parent = np.int64(search.levels[depth].node)
    key = search.watched[0]
    place = find_known(search, key)
    node = np.int64(search.table[place]) - 1
    is_new = node < 0
    if is_new:
        if search.counters[REFUSED] > 0:
            return np.int64(-TREE_FULL)
        if nodes[parent].first == UNEXPANDED:
            set_flags(search, parent, IN_BLOCKS)
        node = add_child(search, parent, np.int32(nodes[parent].count))
        if node == NO_ROOM:
            return np.int64(-TREE_FULL)
        search.keys[node] = key
        search.choosers[node] = search.levels[depth].mover
        search.table[place] = node + 1
    action = np.int64(nodes[node].action)
    step_to(search, depth + 1, node, node, action, np.int64(search.levels[depth].mover))
    return np.int64(2 * (depth + 1) + is_new)


@phase()
def discount_once(search):
    """Discount search.returns, because the node after the outcomes of chance is not on the path."""
    for player in range(search.num_players):
        search.returns[player] *= search.discount
