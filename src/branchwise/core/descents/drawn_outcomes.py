"""Closed loop for chance that can only be sampled: each state reached by an action gets a node.

A node of chance follows each action, and its children are the states reached, each identified by a hash of
its content. Its value is the mean return of simulations through it, so probabilities need not be known.

Often no two outcomes are equal. Then the visits of a node of chance limit how many outcomes get a node.
Beyond the limit a simulation returns to a known outcome, drawn in proportion to its frequency so far:
double progressive widening, Couetoux, Hoock, Sokolovska, Teytaud, Bonnard, "Continuous upper confidence
trees", 2011. It reaches that state again by drawing the same random numbers as the first time, so rules must
draw from nothing else.
"""

from __future__ import annotations

import math

import numpy as np
from numba import int64, uint64

from branchwise.common.players import CHANCE
from branchwise.core.backup.move_statistics import note_gap
from branchwise.core.machine.kernel import entry_kernel, kernel, phase, text
from branchwise.core.machine.kernel_status import OUTCOME_DIFFERS
from branchwise.core.numbers.random_streams import (
    OUTCOME_STREAM,
    PLAYOUT_STREAM,
    draw_below,
    mixed,
    next_counter,
)
from branchwise.core.tree.children import LARGEST_BLOCK, NO_ROOM, add_child, child_at, next_child, set_flags
from branchwise.core.tree.node_fields import IN_BLOCKS, REFUSED, UNEXPANDED, USED
from branchwise.core.tree.node_table import slot_of_outcome

BEGAN, GOES_ON = 0, 1
"""Indices in search.transition: counters of the playouts' stream before a transition, and after it."""

GO_BACK = 0
"""Returned by a transition that must be repeated so that it leads to a known outcome."""
NO_MEMORY = -1
"""Returned in place of the maximum number of children if the tree has no room for another."""


@text
def advance_by_drawing(search, root, state, depth, player, chosen):
    """Play what was chosen and step to the outcome; returns as `core.descents.open_loop.advance`."""
    if search.begin_transition(search, depth):
        state.at(1).copy_from(state)
    search.move(search, state, depth, chosen >> 1)
    passed = search.pass_chance(search, state, depth)
    if passed < 0:
        return passed
    reached = search.end_transition(search, depth, state.key(player))
    if reached == GO_BACK:
        state.copy_from(state.at(1))
        outcome = search.begin_again(search, depth)
        search.move(search, state, depth, chosen >> 1)
        passed = search.pass_chance(search, state, depth)
        if passed < 0:
            return passed
        reached = search.end_again(search, depth, outcome, state.key(player))
    return reached


@phase(int64)
def begin_transition(search, depth):
    """Prepare to draw the transition of the action that led to the path's node at `depth`.

    Returns whether it may have to be drawn again.
    """
    search.transition[BEGAN] = search.streams[PLAYOUT_STREAM]
    node = np.int64(search.levels[depth].node)
    return search.nodes[node].count > 0 and not _takes_another(search, node)


@kernel
def _takes_another(search, node):
    """Whether a new outcome at `node`, a node of chance with children, gets a child."""
    return np.int64(search.nodes[node].count) < outcome_limit(search, node)


@kernel
def outcome_limit(search, node):
    """Return the maximum number of children of `node`, a node of chance, at its visits, int64.

    NO_MEMORY if the tree has no room for another child.
    """
    if search.counters[REFUSED] > 0:
        return np.int64(NO_MEMORY)
    if search.counters[USED] + LARGEST_BLOCK + 1 > search.nodes.size:
        return np.int64(NO_MEMORY)
    if not search.widens_outcomes:
        return np.int64(search.nodes.size)
    visits = np.float32(search.nodes[node].visits)
    return np.int64(math.ceil(search.outcome_widening * visits**search.outcome_widening_power))


@phase(int64)
def begin_again(search, depth):
    """Prepare to repeat a known outcome of the path's node at `depth`; returns the outcome."""
    outcome = drawn_child(search, np.int64(search.levels[depth].node), search.drawn)
    search.transition[GOES_ON] = search.streams[PLAYOUT_STREAM]
    search.streams[PLAYOUT_STREAM] = search.seeds[outcome]
    return outcome


@kernel
def drawn_child(search, node, frequency):
    """Return a child of `node`, a node of chance, drawn in proportion to its frequency so far.

    frequency : by node, that of its outcome; of `node` itself, the sum of its children's.
    """
    left = draw_below(next_counter(search.streams, OUTCOME_STREAM), np.int64(frequency[node]))
    child = np.int64(search.nodes[node].first) - 1
    while left >= 0:
        child = next_child(search, child)
        left -= np.int64(frequency[child])
    return child


@phase(int64, uint64)
def end_transition(search, depth, key):
    """Step to the outcome of the transition from the path's node at `depth`.

    Returns 2 * the depth there, + 1 if it is a new node; or GO_BACK. Without memory for the first outcome,
    the path ends.
    key : that of the state reached, not 0.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    if search.keys[node] == 0:
        search.keys[node] = _key_of_chance(search, depth)
    key = _within(search, node, key)
    place = slot_of_outcome(search, key)
    outcome = np.int64(search.table[place]) - 1
    is_new = outcome < 0
    if is_new:
        if nodes[node].count > 0 and not _takes_another(search, node):
            return np.int64(GO_BACK)
        if nodes[node].first == UNEXPANDED:
            set_flags(search, node, IN_BLOCKS)
        outcome = add_child(search, node, np.int32(nodes[node].count))
        if outcome == NO_ROOM:
            return np.int64(2 * depth + 1)
        search.keys[outcome] = key
        search.seeds[outcome] = search.transition[BEGAN]
        search.choosers[outcome] = search.levels[depth].mover
        for i in range(search.dimensions):
            search.vectors[outcome * search.dimensions + i] = np.nan  # no action leads here
        search.table[place] = outcome + 1
        nodes[node].player = CHANCE
    search.drawn[outcome] += 1
    search.drawn[node] += 1
    step_to_outcome(search, outcome, depth)
    return np.int64(2 * (depth + 1) + is_new)


@phase(int64, int64, uint64)
def end_again(search, depth, outcome, key):
    """Step to the known `outcome` of the path's node at `depth`; returns 2 * the depth there, or -status.

    key : that of the state reached, which must equal the outcome's.
    """
    search.streams[PLAYOUT_STREAM] = search.transition[GOES_ON]
    if search.keys[outcome] != _within(search, np.int64(search.levels[depth].node), key):
        return np.int64(-OUTCOME_DIFFERS)
    step_to_outcome(search, outcome, depth)
    return np.int64(2 * (depth + 1))


@kernel
def _key_of_chance(search, depth):
    """Return the key of the node of chance after the action that led to the path's node at `depth`."""
    parent = np.int64(search.levels[depth - 1].node)
    return _within(search, parent, np.uint64(search.levels[depth].action))


@kernel
def _within(search, node, key):
    """Return a key for `key` under `node`, uint64, never 0."""
    return max(mixed(mixed(search.keys[node]) + key), np.uint64(1))


@kernel
def step_to_outcome(search, outcome, depth):
    """Append `outcome` to the path after its node at `depth`.

    The rewards of the transition count as those of the move, so that none are left for the outcome.
    """
    level = search.levels[depth + 1]
    level.node = outcome
    level.edge = outcome
    level.action = search.nodes[outcome].action
    level.mover = search.levels[depth].mover
    if search.pays:
        players = search.num_players
        for player in range(players):
            search.rewards[(depth + 1) * players + player] = 0.0
    if search.learns_moves:
        note_gap(search, depth)
    search.depth[0] = depth + 1


@entry_kernel
def find_outcome(search, node, key):
    """Return the child of `node`, a node of chance, that stands for the state with `key`; -1 if none does."""
    key = _within(search, node, key)
    for place in range(np.int64(search.nodes[node].count)):
        child = child_at(search, node, place)
        if search.keys[child] == key:
            return child
    return np.int64(-1)


@entry_kernel
def key_of(state, mover):
    """Return the key of a state after a move of `mover`."""
    return state.key(mover)
