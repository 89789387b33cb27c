"""The only text of a simulation: select, expand, evaluate, back up.

Where an evaluator judges several leaves at once, `core.simulation.batch` composes the same phases in two
halves.

It runs compiled together with the rules of a `Game`. For any other state object, and where each phase is
watched, the interpreter runs the same text: see `search.drivers`. So the path is selected first, by one call
that knows only the tree, and its moves are played afterwards.

Statuses say what happened; a phase that returns something else returns a negative status instead.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.core.backup.paranoid import oppose, oppose_rewards
from branchwise.core.backup.prove import check_sum, prove_upwards, root_is_solved, settle
from branchwise.core.backup.rewards import check_rewards, with_reward
from branchwise.core.machine.atomic import add_to_field
from branchwise.core.machine.kernel import entry_kernel, kernel, phase, rarely_run, text
from branchwise.core.machine.kernel_status import (
    CLAIMED_BY_OTHER,
    DONE,
    RETURN_OUT_OF_BOUNDS,
    ROOT_IS_SOLVED,
    SCORE_IS_NO_NUMBER,
    TREE_FULL,
)
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import MOVES
from branchwise.core.simulation.chance import draw_outcome, step_into_outcome
from branchwise.core.simulation.expand import publish
from branchwise.core.simulation.playout import check_bounds
from branchwise.core.simulation.repeat_choice import settle_all
from branchwise.core.simulation.select import NO_SCORE, UNTRIED
from branchwise.core.simulation.steering import guided_child
from branchwise.core.tree.children import NO_ROOM, can_grow
from branchwise.core.tree.node_fields import ROOT

_COUNTED_AT_ONCE = 64
"""Simulations that a thread counts at the root at once, where all threads meet."""


@entry_kernel
def run_simulations(search, root, state, simulations):
    """Run `simulations` simulations, fewer if the root is solved or this thread is asked to end.

    Returns DONE, or the fault that ended them. A full tree is no fault: leaves are then evaluated without
    being expanded.
    search : its tree and scratch are modified in place.   root, state : states of the same game; `state`
    is modified in place, and there is room for three more behind it.
    """
    status = DONE
    uncounted = 0
    for _ in range(simulations):
        status = search.simulate(search, root, state)
        if status != DONE:
            break
        if search.shared:
            uncounted += 1
            if uncounted == _COUNTED_AT_ONCE:
                add_to_field(search.nodes, ROOT, "visits", uncounted)
                uncounted = 0
        if asked(END_BATCH):
            break
    if search.shared:
        add_to_field(search.nodes, ROOT, "visits", uncounted)
        settle_all(search)
    return DONE if status == ROOT_IS_SOLVED else status


@text
def simulate(search, root, state):
    """Run one simulation; returns a status, ROOT_IS_SOLVED if there is nothing left to find out."""
    leaf = search.select(search)
    if leaf < 0:
        return -leaf
    depth = leaf >> 1
    state.copy_from(root)
    search.follow(search, state, depth)
    over = search.ends(search, state, depth)
    if leaf & 1 and not over:
        status = search.expand(search, state, depth)
        if status == DONE:
            depth += 1
            over = search.ends(search, state, depth)
        elif status != TREE_FULL and status != CLAIMED_BY_OTHER:
            return status
    status = search.evaluate(search, state, depth, over)
    if status == DONE:
        status = search.back_up(search, depth, over)
    return status


# --- select -----------------------------------------------------------------------------------------------


@phase()
def select(search):
    """Select a path from the root to a leaf; returns 2 * its depth, + 1 if the leaf is to be expanded.

    The path is recorded in search.levels.
    """
    nodes = search.nodes
    node = ROOT
    depth = 0
    search.levels[0].node = ROOT
    search.depth[0] = 0
    if search.proofs and root_is_solved(search):
        return -ROOT_IS_SOLVED
    if nodes[ROOT].first >= 0 and can_grow(search, ROOT):
        return 1
    if search.guided > 0:
        node, depth = _follow_guide(search)
        if depth < search.guided and nodes[node].first >= 0 and can_grow(search, node):
            search.depth[0] = depth  # the line goes on with an action that has no child yet
            return 2 * depth + 1
    anchor = node
    steps = 0
    # A graph's nodes may be reached deeper.
    while nodes[np.uint64(node)].first >= 0 and depth < search.max_depth:
        if search.has_chance and nodes[node].player == CHANCE:
            node = step_into_outcome(search, node, draw_outcome(search, node, depth), depth)
            depth += 1
            anchor = node
            steps = 0
            continue
        child = search.choose(search, node, depth)
        if child == UNTRIED:
            search.depth[0] = depth
            return 2 * depth + 1
        if child == NO_SCORE:
            search.depth[0] = depth
            return -SCORE_IS_NO_NUMBER
        node = step(search, node, child, depth)
        depth += 1
        if search.keeps_graph:
            if node == anchor:  # the same choices would lead here again and again
                search.depth[0] = depth
                return 2 * depth
            steps += 1
            if steps & (steps - 1) == 0:  # so cycles of any length are found (Brent, 1980)
                anchor = node
    search.depth[0] = depth
    ripe = (nodes[node].visits > search.counted_on_entry or node == ROOT) and depth < search.max_depth
    return 2 * depth + np.int64(ripe)


@rarely_run
@kernel
def _follow_guide(search):
    """Step along search.guide as far as the tree reaches; returns the node there and its depth."""
    node = ROOT
    depth = 0
    while depth < search.max_depth and search.nodes[node].first >= 0:
        child = guided_child(search, node, depth)
        if child == NO_ROOM or (search.has_chance and search.nodes[node].player == CHANCE):
            break
        search.follow_new(search, np.int64(search.nodes[node].player), child, depth)
        node = step(search, node, child, depth)
        depth += 1
    return node, depth


@kernel
def step(search, node, child, depth):
    """Append `child` to the path after `node`; returns the node that stands for it."""
    action = search.nodes[np.uint64(child)].action
    mover = search.nodes[np.uint64(node)].player
    search.note_move(search, depth, mover, action)
    place = search.place(search, child)
    level = search.levels[np.uint64(depth + 1)]
    level.node = place
    level.edge = child
    level.action = action
    level.mover = mover
    return place


# --- expand -----------------------------------------------------------------------------------------------


@text
def expand(search, state, depth):
    """Add the children of the leaf at `depth`, and play the action of the one to visit.

    Returns a status. state : the leaf's, modified in place.
    """
    player = state.current_player()
    if search.has_chance and player == CHANCE:
        return search.expand_chance(search, state, depth)
    count = state.fill_legal_actions(search.actions)
    if search.barred.size > 0:
        count = search.leave_out(search, depth, player, count)
    first = search.grow(search, depth, player, count)
    if first < 0:
        return -first
    found = False
    status = search.weigh(search, state, first, count)
    if status == DONE:
        status, found = search.look_ahead(search, state, search.actions, player, first, count)
    if status != DONE:
        search.give_up(search, depth, first)
        return status
    action = search.enter(search, depth, first, found)
    if action < 0:
        return -action
    search.move(search, state, depth + 1, action)
    return DONE


@phase(int64, int64)
def give_up(search, depth, first):
    """Leave the new children of the leaf as they are, after a fault."""
    publish(search, np.int64(search.levels[depth].node), first)


@phase(int64, int64, boolean)
def enter(search, depth, first, found):
    """Step from the leaf, whose children begin at `first`, into its best child; returns the action.

    found : whether bounds of the children are known.
    """
    node = np.int64(search.levels[depth].node)
    publish(search, node, first)
    if (found and search.proofs) or search.keeps_graph:
        prove_upwards(search, depth)
    child = search.choose(search, node, depth)
    if child == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    step(search, node, child, depth)
    search.depth[0] = depth + 1
    return np.int64(search.nodes[child].action)


# --- evaluate ---------------------------------------------------------------------------------------------


@text
def evaluate(search, state, depth, over):
    """Evaluate the state at the end of the path; returns a status.

    Search.returns has it, one number a player. state : modified in place.
    """
    if not over:
        if search.pays and search.has_chance and state.current_player() == CHANCE:
            search.note_chance(search, depth)
        if search.has_horizon:
            search.note_left(search, depth)
        return search.play_out(search, state, depth)
    state.write_returns(search.returns)
    return search.accept(search, depth, False)


# --- back up ----------------------------------------------------------------------------------------------


@phase(int64, boolean)
def back_up(search, depth, over):
    """Add search.returns to the nodes of the path down to `depth`; returns a status.

    over : whether the game is over there, so that the returns are its proven value.
    """
    returns = search.returns
    search.streams[MOVES] += np.uint64(depth)
    status = check_bounds(search, RETURN_OUT_OF_BOUNDS)
    if search.is_paranoid:
        oppose(search)
    if status == DONE and search.pays:
        status = check_rewards(search, depth)
        if search.is_paranoid:
            oppose_rewards(search, depth)
    if status == DONE and search.checks_sum and (over or not search.cuts_off):
        status = check_sum(search)
    if status != DONE:
        return status
    is_one_state = not search.is_open and not search.has_horizon and (not search.is_drawn or depth & 1 == 0)
    is_one_state = is_one_state and not search.is_joint
    if over and depth > 0 and is_one_state:
        search.nodes[search.levels[depth].node].player = TERMINAL
    if search.proofs and over and depth > 0:
        leaf = search.levels[depth]
        value = returns[leaf.mover]
        if search.pays and not search.keeps_edge_rewards:
            value = with_reward(search, depth, value)
        settle(search, np.int64(leaf.node), value)
        prove_upwards(search, depth - 1)
    search.add_outcome(search, depth)
    return status
