"""Expanding a leaf: all its children are added at once, in random order, none of them visited yet.

Where the search asks for it, each new child is looked at: whether the game is over there, what the game's
evaluation says, which node stands for the same state already.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.atomic import add_to_item, publish_field, swap_field_if
from branchwise.core.kernel import kernel
from branchwise.core.playout import read_evaluation, read_returns
from branchwise.core.prove import check_sum, prove_upwards, settle
from branchwise.core.random import ORDER_STREAM, advanced, draw_below
from branchwise.core.scaling import gain
from branchwise.core.status import (
    ACTION_OUT_OF_RANGE,
    BAD_PRIOR,
    CLAIMED_BY_OTHER,
    DONE,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    TOO_MANY_ACTIONS,
    TREE_FULL,
)
from branchwise.core.tree import CLAIMED, MAX_CHILDREN, REFUSED, UNEXPANDED, USED


@kernel
def claim(search, node, player, actions, count):
    """Check what the rules gave for `node` and take memory for its children; returns a status and a place.

    player : who is to move at the node.   actions : int32 [A], the first `count` of them legal. The place
    is the index of the first child. No node changes unless DONE; `publish` has to follow.
    """
    nodes = search.nodes
    if count < 1:
        return NO_LEGAL_ACTION, np.int64(0)
    if count > actions.size or count > MAX_CHILDREN:
        return TOO_MANY_ACTIONS, np.int64(0)
    if player < 0 or player >= search.num_players:
        return PLAYER_OUT_OF_RANGE, np.int64(0)
    for i in range(count):
        if actions[i] < 0 or actions[i] >= search.num_actions:
            return ACTION_OUT_OF_RANGE, np.int64(0)
    if search.shared:
        if not swap_field_if(nodes, node, "first", UNEXPANDED, CLAIMED):
            return CLAIMED_BY_OTHER, np.int64(0)
        first = add_to_item(search.counters, USED, count)
        if first + count > nodes.size:
            add_to_item(search.counters, USED, -count)
            add_to_item(search.counters, REFUSED, 1)
            publish_field(nodes, node, "first", UNEXPANDED)
            return TREE_FULL, np.int64(0)
        return DONE, first
    first = search.counters[USED]
    if first + count > nodes.size:
        search.counters[REFUSED] += 1
        return TREE_FULL, np.int64(0)
    search.counters[USED] = first + count
    return DONE, first


@kernel
def write_children(search, node, player, first, count):
    """Write the new children of `node`, shuffled, and who is to move there.

    search.actions (shuffled the same way) and search.streams are modified in place.
    """
    nodes = search.nodes
    actions = search.actions
    counter = search.streams[ORDER_STREAM]
    for i in range(count):
        counter = advanced(counter)
        chosen = i + draw_below(counter, count - i)
        action = actions[chosen]
        actions[chosen] = actions[i]
        actions[i] = action
        index = first + i
        child = nodes[index]
        child.value = 0.0
        child.visits = 0
        child.first = UNEXPANDED
        child.action = action
        child.count = 0
        child.player = -1
        child.flags = 0
        child.lower = search.min_return
        child.upper = search.max_return
        if search.keeps_heuristics:
            search.heuristics[index] = 0.5
            if search.mixes_minimax:
                search.minimax[index] = 0.5
        if search.keeps_squares:
            search.squares[index] = 0.0
        if search.keeps_amaf:
            search.amaf[index].value = 0.0
            search.amaf[index].visits = 0
        if search.keeps_graph:
            search.links[index] = index
            search.edge_visits[index] = 0
            search.own[index] = 0.0
            search.keys[index] = 0
    search.streams[ORDER_STREAM] = counter
    nodes[node].player = player
    nodes[node].count = np.uint16(count)


@kernel
def publish(search, node, first):
    """Let other simulations, and whoever else reads the tree meanwhile, see the children of `node`."""
    publish_field(search.nodes, node, "first", np.int32(first))


@kernel
def take_equal_priors(search, first, count):
    """Give each of the new children the same prior."""
    for child in range(first, first + count):
        search.priors[child] = np.float32(1.0) / np.float32(count)


@kernel
def scale_priors(search, first, count):
    """Make the priors of the new children add up to 1; returns DONE, or BAD_PRIOR where that cannot be."""
    total = 0.0
    for child in range(first, first + count):
        weight = search.priors[child]
        if not 0.0 <= weight < np.inf:
            return BAD_PRIOR
        total += weight
    if not 0.0 < total < np.inf:
        return BAD_PRIOR
    for child in range(first, first + count):
        search.priors[child] = np.float32(search.priors[child] / total)
    return DONE


@kernel
def sort_by_prior(search, first, count):
    """Order the new children by prior, the highest first; equal ones keep their random order."""
    nodes = search.nodes
    for i in range(1, count):
        prior = search.priors[first + i]
        action = nodes[first + i].action
        j = i - 1
        while j >= 0 and search.priors[first + j] < prior:
            search.priors[first + j + 1] = search.priors[first + j]
            nodes[first + j + 1].action = nodes[first + j].action
            j -= 1
        search.priors[first + j + 1] = prior
        nodes[first + j + 1].action = action
    for i in range(count):
        search.actions[i] = nodes[first + i].action


# --- what compiled rules say of the children --------------------------------------------------------------


@kernel
def weigh_by_rules(search, state, first, count):
    """Take the children's priors from the game's own `prior(action)`; returns a status."""
    for child in range(first, first + count):
        search.priors[child] = state.prior(search.nodes[child].action)
    return scale_priors(search, first, count)


@kernel
def weigh_equally(search, state, first, count):
    """Take all of the children for equally good before any visit; returns a status."""
    take_equal_priors(search, first, count)
    return DONE


@kernel
def weigh_nothing(search, state, first, count):
    """Keep no priors; returns a status."""
    return DONE


@kernel
def look_ahead(search, state, node, first, count):
    """Look at each new child of `node`, whose state `state` is; returns a status and what `settle` saw.

    Settles the children at which the game is over, evaluates the others if the search keeps heuristics,
    and links all of them if it keeps a graph. The state behind `state` and search.returns are modified.
    """
    returns = search.returns
    player = search.nodes[node].player
    trial = state.at(1)
    found = False
    for child in range(first, first + count):
        trial.copy_from(state)
        trial.apply_action(search.nodes[child].action)
        over = trial.is_terminal()
        if over:
            status = read_returns(search, trial)
            if status == DONE and search.proofs:
                status = check_sum(search)
            if status != DONE:
                return status, found
            if search.proofs:
                settle(search, child, returns[player])
                found = True
        elif search.keeps_heuristics:
            status = read_evaluation(search, trial)
            if status != DONE:
                return status, found
        if search.keeps_heuristics:
            note_heuristic(search, child, returns[player])
        if search.keeps_graph and not over:
            search.link(search, child, player, trial)
    return DONE, found


@kernel
def look_at_nothing(search, state, node, first, count):
    """Know nothing of new children before they are visited; returns a status and False."""
    return DONE, False


@kernel
def note_heuristic(search, child, value):
    """Note what `child` is worth by the game's evaluation; value : for the player who moves into it."""
    search.heuristics[child] = np.float32(gain(search, value))
    if search.mixes_minimax:
        search.minimax[child] = search.heuristics[child]


@kernel
def expand(search, state, node, depth):
    """Give the leaf `node`, at search.path[depth], whose state `state` is, its children; returns a status."""
    count = state.fill_legal_actions(search.actions)
    player = state.current_player()
    status, first = claim(search, node, player, search.actions, count)
    if status != DONE:
        return status
    write_children(search, node, player, first, count)
    status = search.weigh(search, state, first, count)
    if status == DONE and search.sorts_children:
        sort_by_prior(search, first, count)
    found = False
    if status == DONE:
        status, found = search.look_ahead(search, state, node, first, count)
    publish(search, node, first)
    if status == DONE and (found or search.keeps_graph):
        prove_upwards(search, depth)
    return status
