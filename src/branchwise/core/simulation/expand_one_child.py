"""Expanding a leaf by one child, for games in which children are added on their first visit.

The root gets all of its children at once, so that results list every move. With proofs, a new leaf also gets
the children at which the game is over.

See `core.tree.children`; the other way to expand is in `core.simulation.expand`.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.core.backup.prove import check_sum, prove_upwards, settle
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import (
    CLAIMED_BY_OTHER,
    DONE,
    RETURN_OUT_OF_BOUNDS,
    SCORE_IS_NO_NUMBER,
    TREE_FULL,
)
from branchwise.core.numbers.random_streams import MOVES, ORDER_STREAM, draw_below, next_counter
from branchwise.core.simulation.expand import check_rules
from branchwise.core.simulation.playout import check_bounds
from branchwise.core.simulation.select import NO_SCORE, UNTRIED
from branchwise.core.simulation.simulate import step
from branchwise.core.simulation.steering import guided_place
from branchwise.core.tree.children import (
    NO_ROOM,
    add_child,
    claim,
    clear_flags,
    has_room,
    list_untried,
    release,
    set_flags,
)
from branchwise.core.tree.node_fields import IN_BLOCKS, PARTIAL, ROOT, UNEXPANDED


@text
def expand_by_one(search, state, depth):
    """Add a child to the leaf at `depth`, and play its action; returns a status.

    state : the leaf's, modified in place.
    """
    player = state.current_player()
    if search.has_chance and player == CHANCE:
        return search.expand_chance(search, state, depth)
    count = state.fill_legal_actions(search.actions)
    if search.barred.size > 0:
        count = search.leave_out(search, depth, player, count)
    untried = search.begin_growth(search, depth, player, count)
    if untried < 0:
        return -untried
    left = untried
    if untried == count:
        left = search.find_ends(search, state, depth, player, untried)
        if left < 0:
            search.give_up_growth(search, depth)
            return -left
    action = search.enter(search, depth, left, left < untried)
    if action < 0:
        return -action
    search.move(search, state, depth + 1, action)
    return DONE


@phase(int64, int64, int64)
def begin_growth(search, depth, player, count):
    """Claim the leaf at `depth`; returns how many of its actions have no child, or a negative status.

    player : the player to move at the leaf.   count : number of its legal actions, the first of
    search.actions; those without a child become the first of them.
    """
    node = np.int64(search.levels[depth].node)
    status = check_rules(search, player, search.actions, count)
    if status != DONE:
        return np.int64(-status)
    if not claim(search, node):
        return np.int64(-CLAIMED_BY_OTHER)
    if search.nodes[node].first == UNEXPANDED:
        if node == ROOT and not has_room(search, count):
            release(search, node)
            return np.int64(-TREE_FULL)
        search.nodes[node].player = player
        set_flags(search, node, PARTIAL | IN_BLOCKS)
    return list_untried(search, node, count)


@phase(int64)
def give_up_growth(search, depth):
    """Release the unchanged leaf, after a fault."""
    release(search, np.int64(search.levels[depth].node))


# --- children at which the game is over -------------------------------------------------------------------


@text
def find_no_ends(search, state, depth, player, untried):
    """Do not examine children; returns `untried`."""
    return untried


@text
def find_ends(search, state, depth, player, untried):
    """Add the leaf's children at which the game is over; returns how many are left, or a negative status.

    search.actions[:untried] are legal; those left become the first. The state behind `state` and
    search.returns are modified.
    """
    trial = state.at(1)
    search.streams[MOVES] += np.uint64(untried)
    i = 0
    while i < untried:
        trial.copy_from(state)
        search.apply(search, trial, state.listed(search.actions, i))
        if trial.is_terminal():
            search.value_of_try(search, trial, True)
            status = search.add_end(search, depth, player, i, untried)
            if status != DONE:
                return -status
            untried -= 1
        else:
            i += 1
    return untried


@phase(int64, int64, int64, int64)
def add_end(search, depth, player, place, untried):
    """Add a child to the leaf whose game is over with search.returns; returns a status.

    Its action is search.actions[place], which the last of search.actions[:untried] replaces.
    """
    status = check_bounds(search, RETURN_OUT_OF_BOUNDS)
    if status == DONE:
        status = check_sum(search)
    if status != DONE:
        return status
    child = add_child(search, np.int64(search.levels[depth].node), search.actions[place])
    if child == NO_ROOM:
        return TREE_FULL
    search.nodes[child].player = TERMINAL
    settle(search, child, search.returns[player])
    search.actions[place] = search.actions[untried - 1]
    return DONE


# --- the child to go on from ------------------------------------------------------------------------------


@phase(int64, int64, boolean)
def enter_one(search, depth, untried, found):
    """Step from the leaf into a new child, at random; returns the action, or a negative status.

    search.actions[:untried] have no child yet: the root gets all of them. If ends were `found`, it may be
    that no other child is worth a visit; the step is then into the best existing child.
    """
    node = np.int64(search.levels[depth].node)
    child = np.int64(UNTRIED)
    if node == ROOT:
        for place in range(untried):
            if child != NO_ROOM:
                child = add_random(search, node, place, untried)
        untried = 0 if child != NO_ROOM else 1
    if untried == 0:
        clear_flags(search, node, PARTIAL)
    if found:
        prove_upwards(search, depth)
    if child != NO_ROOM and (found or untried == 0):
        child = search.choose(search, node, depth)
    if child == UNTRIED:
        child = _add_next(search, node, depth, untried)
        if child != NO_ROOM:
            search.follow_new(search, np.int64(search.nodes[node].player), child, depth)
            if untried == 1:
                clear_flags(search, node, PARTIAL)
    release(search, node)
    if child == NO_ROOM:
        return np.int64(-TREE_FULL)
    if child == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    step(search, node, child, depth)
    search.depth[0] = depth + 1
    return np.int64(search.nodes[child].action)


@kernel
def _add_next(search, node, depth, untried):
    """Add a child for the action that search.guide wants, if it is untried, or else for a random one."""
    place = guided_place(search, depth, untried)
    if place < 0:
        return add_random(search, node, 0, untried)
    actions = search.actions
    actions[0], actions[place] = actions[place], actions[0]
    return add_child(search, node, actions[0])


@kernel
def add_random(search, node, place, untried):
    """Add a child for one of search.actions[place:untried], drawn at random; returns it, or NO_ROOM.

    The action changes places with search.actions[place].
    """
    chosen = place + draw_below(next_counter(search.streams, ORDER_STREAM), untried - place)
    actions = search.actions
    actions[place], actions[chosen] = actions[chosen], actions[place]
    return add_child(search, node, actions[place])
