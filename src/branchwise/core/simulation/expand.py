"""Expanding a leaf: all children are added at once, unvisited, in random order.

If the search needs it, each new child is examined: whether the game is over there, the game's
evaluation, and whether a node for the same state exists.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64, uint64

from branchwise.common.players import TERMINAL
from branchwise.core.backup.paranoid import oppose, paid_to
from branchwise.core.backup.prove import check_sum, settle
from branchwise.core.backup.rewards import decisions
from branchwise.core.backup.transpositions import find
from branchwise.core.machine.atomic import publish_field, swap_field_if
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import (
    ACTION_OUT_OF_RANGE,
    BAD_PRIOR,
    CLAIMED_BY_OTHER,
    DONE,
    EVALUATION_OUT_OF_BOUNDS,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    TOO_MANY_ACTIONS,
    TREE_FULL,
)
from branchwise.core.numbers.random_streams import MOVES, ORDER_STREAM, advanced, draw_below, mixed
from branchwise.core.simulation.playout import check_bounds
from branchwise.core.tree.children import NO_ROOM, take, write_child
from branchwise.core.tree.node_fields import CLAIMED, MAX_CHILDREN, UNEXPANDED
from branchwise.core.tree.return_scaling import gain


@phase(int64, int64, int64)
def grow(search, depth, player, count):
    """Add the children of the leaf at `depth`; returns the index of the first, or a negative status.

    player : the player to move at the leaf.   count : number of its legal actions, the first of
    search.actions, which are shuffled into the order of the children. Other threads see them once they are
    published.
    """
    node = np.int64(search.levels[depth].node)
    status, first = _claim(search, node, player, search.actions, count)
    if status != DONE:
        return np.int64(-status)
    _write_children(search, node, player, first, count)
    return first


@kernel
def check_rules(search, player, actions, count):
    """Return DONE, or the fault in the rules' player and actions at a leaf: see `_claim`."""
    if count < 1:
        return NO_LEGAL_ACTION
    if count > actions.size or count > MAX_CHILDREN:
        return TOO_MANY_ACTIONS
    if player < 0 or player >= search.num_players:
        return PLAYER_OUT_OF_RANGE
    for i in range(count):
        if actions[i] < 0 or actions[i] >= search.num_actions:
            return ACTION_OUT_OF_RANGE
    return DONE


@kernel
def _claim(search, node, player, actions, count):
    """Check the rules' player and actions at `node` and take memory for its children; returns status and
    place.

    player : the player to move at the node.   actions : int32 [A], the first `count` of them legal. The place
    is the index of the first child. No node changes unless DONE; `publish` must follow.
    """
    nodes = search.nodes
    status = check_rules(search, player, actions, count)
    if status != DONE:
        return status, np.int64(0)
    if search.shared and not swap_field_if(nodes, node, "first", UNEXPANDED, CLAIMED):
        return CLAIMED_BY_OTHER, np.int64(0)
    first = take(search, count)
    if first == NO_ROOM:
        if search.shared:
            publish_field(nodes, node, "first", UNEXPANDED)
        return TREE_FULL, np.int64(0)
    return DONE, first


@kernel
def _write_children(search, node, player, first, count):
    """Write the new children of `node`, shuffled, and the player to move there.

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
        write_child(search, first + i, action)
    search.streams[ORDER_STREAM] = counter
    nodes[node].player = player
    nodes[node].count = np.uint16(count)


@kernel
def publish(search, node, first):
    """Make the children of `node` visible to other threads and to readers of the tree."""
    publish_field(search.nodes, node, "first", np.int32(first))


# --- priors of the children -------------------------------------------------------------------------------


@text
def weigh_nothing(search, state, first, count):
    """Keep no priors; returns a status."""
    return DONE


@text
def weigh_equally(search, state, first, count):
    """Give all children equal priors; returns a status."""
    return search.share_priors(search, first, count)


@phase(int64, int64)
def share_priors(search, first, count):
    """Give the new children the same prior; returns DONE."""
    for child in range(first, first + count):
        search.priors[child] = np.float32(1.0) / np.float32(count)
    return DONE


@text
def weigh_by_rules(search, state, first, count):
    """Take the children's priors from the game's `prior(action)`; returns a status."""
    for i in range(count):
        search.priors[first + i] = state.prior(state.listed(search.actions, i))
    return search.rank(search, first, count)


@phase(int64, int64)
def rank(search, first, count):
    """Scale the priors of the new children to add up to 1; returns DONE, or BAD_PRIOR if that is impossible.

    If the search needs it, the children and search.actions are sorted by prior.
    """
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
    if search.sorts_children:
        _sort_by_prior(search, first, count)
    return DONE


@kernel
def _sort_by_prior(search, first, count):
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


# --- a look at each child ---------------------------------------------------------------------------------


@text
def look_ahead(search, state, actions, player, first, count):
    """Examine each new child of the leaf; returns a status, and whether the game is over at any of them.

    Settles these, evaluates the others if the search keeps heuristics, and links them if it keeps a graph.
    state : the leaf's; the one behind it and search.returns are modified.   actions : of the children.
    player : who moves into them.
    """
    trial = state.at(1)
    found = False
    search.streams[MOVES] += np.uint64(count)
    for i in range(count):
        trial.copy_from(state)
        search.apply(search, trial, state.listed(actions, i))
        over = trial.is_terminal()
        found = found or over
        if search.keeps_edge_rewards:
            search.note_edge(search, player, first + i)
        if over or search.keeps_heuristics:
            search.value_of_try(search, trial, over)
            status = search.see_child(search, player, first + i, over)
            if status != DONE:
                return status, found
        if not over:
            search.relate(search, trial, player, first + i)
    return DONE, found


@phase(int64, int64)
def note_edge(search, player, child):
    """Store the reward, in search.paid, of the move by `player` that leads to the new `child`."""
    search.edge_rewards[child] = paid_to(search, player)


@text
def look_at_nothing(search, state, actions, player, first, count):
    """Do not examine new children; returns a status and False."""
    return DONE, False


@phase(int64, int64, boolean)
def see_child(search, player, child, over):
    """Store the game's return or evaluation of a new child, in search.returns; returns a status.

    player : who moves into it.   over : whether the game is over there, so that these are returns; otherwise
    they are evaluations.
    """
    returns = search.returns
    status = check_bounds(search, RETURN_OUT_OF_BOUNDS if over else EVALUATION_OUT_OF_BOUNDS)
    if status == DONE and search.is_paranoid:
        oppose(search)
    if status == DONE and over:
        search.nodes[child].player = TERMINAL
    if status == DONE and over and search.checks_sum:
        status = check_sum(search)
    if status == DONE:
        if over and search.proofs:
            value = returns[player]
            if search.keeps_edge_rewards:
                value -= search.edge_rewards[child]
            settle(search, np.int64(child), value)
        if search.keeps_heuristics:
            search.heuristics[child] = np.float32(gain(search, returns[player]))
            if search.mixes_minimax:
                search.minimax[child] = search.heuristics[child]
    return status


@text
def relate_nothing(search, state, player, child):
    """Keep a tree, in which each child is a separate node."""


@text
def relate(search, state, player, child):
    """Link the new `child`, into which `player` moves, to the node of an equal state, if there is one."""
    search.link(search, child, state.key(player))


@phase(int64, uint64)
def link(search, child, key):
    """Link the new `child` to the node with the same `key`, uint64, not 0, or enter it under this key.

    With a horizon, equal states have the same value only after equally many decisions.
    """
    if search.has_horizon:
        key = max(mixed(key + np.uint64(decisions(search, search.depth[0] + 1))), np.uint64(1))
    if not find(search, np.int64(child), key):
        search.keys[child] = key
