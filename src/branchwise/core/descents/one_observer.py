"""Nodes known by what one observer saw: information-set search, and the text of a search from a belief.

Each simulation begins in a state of its own (`core.descents.sampled_roots`) and plays it along. A move takes
two levels of the tree: an edge for the move, and below it a node for everything that the observer saw of the
move and of the chance that followed. Nodes are found in a hash table by what the observer knows, which grows
with each event as in `rules.knowledge.information`, and by whose turn it is. So a node stands for an
information state of the observer.

The observer's own legal actions follow from what is known. Another player chooses among the moves that are
legal in this simulation's state, by the statistics of a node that stands for what the observer knows: so the
choice depends on what the observer does not know only through the state that was dealt. Moves that look the
same to the observer lead to the same node. How often a move could have been chosen replaces its parent's
visits, see `core.descents.open_loop`. Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search",
2012; there, SO-ISMCTS tells apart all moves, and SO-ISMCTS + POM draws at random among those that look the
same.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from branchwise.common.players import CHANCE
from branchwise.core.descents.drawn_outcomes import step_to_outcome
from branchwise.core.descents.open_loop import choose_legal, enter_chosen
from branchwise.core.descents.sampled_roots import NOTHING
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import (
    DEAL_DIFFERS,
    DONE,
    SCORE_IS_NO_NUMBER,
    TREE_FULL,
)
from branchwise.core.numbers.logarithms import log_of
from branchwise.core.simulation.expand import check_rules
from branchwise.core.simulation.expand_one_child import add_random
from branchwise.core.simulation.select import NO_SCORE, best_of_player, leading, parent_of
from branchwise.core.simulation.steering import guided_child
from branchwise.core.tree.children import NO_ROOM, add_child, next_child, set_flags
from branchwise.core.tree.node_fields import IN_BLOCKS, REFUSED, ROOT, UNEXPANDED
from branchwise.core.tree.node_table import find_known
from branchwise.core.tree.return_scaling import scale_for

_LEGAL, _HAS_EDGE = 1, 2
"""Marks of an action at the current node."""

KNOWN, VIEW, FIRST = 0, 1, 2
"""Places in search.watched: hashes of all that the observer saw since the root, of what is seen now, and of
what was seen at the root in the first simulation."""

_OWN = np.uint64(0x9E3779B97F4A7C15)
_SEEN = np.uint64(0xC2B2AE3D27D4EB4F)
_VIEW = np.uint64(0x165667B19E3779F9)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)


@text
def start_in_drawn_root(search, root, state):
    """Begin in a root state drawn for this simulation; returns a status."""
    status = search.draw_root(search, root, state)
    if status == DONE:
        status = search.begin_watching(search, state)
    return status


@text
def advance_by_observing(search, root, state, depth, player, chosen):
    """Play what was chosen, and step to the node for what was seen; returns as `open_loop.advance`."""
    action = chosen >> 1
    search.move_and_watch(search, state, depth, player, action)
    passed = search.pass_chance(search, state, depth)
    if passed < 0:
        return passed
    if state.is_terminal():
        return 2 * depth
    return search.enter_observation(search, root, state, depth, action)


# --- what the observer sees -------------------------------------------------------------------------------


@text
def begin_watching(search, state):
    """Begin with what the observer sees at the root; returns a status."""
    return search.note_start(search, search.view_of(search, state))


@text
def view_of(search, state):
    """Return a hash of what the observer sees of a state, uint64."""
    return state.view_key(search.viewer, search.masks)


@phase(uint64)
def note_start(search, view):
    """Begin with what was known at the root; view : a hash of what the observer sees there.

    Returns DONE, or DEAL_DIFFERS if it is not the same in all simulations.
    """
    key = search.keys[ROOT]  # not 0 if the root was a node of a larger tree
    search.watched[KNOWN] = key - np.uint64(search.viewer + 1) if key != 0 else np.uint64(0)
    search.watched[VIEW] = view
    if search.watched[FIRST] == 0:
        search.watched[FIRST] = max(view, np.uint64(1))
    return DONE if search.watched[FIRST] == max(view, np.uint64(1)) else DEAL_DIFFERS


@text
def move_and_watch(search, state, depth, player, action):
    """Apply an action, which leads to the path's node at `depth`, and record what the observer saw of it."""
    if player == search.viewer:
        search.move(search, state, depth, action)
        search.note_event(search, action, NOTHING, search.view_of(search, state))
    else:
        told = state.seen_of(action, search.viewer)
        search.move(search, state, depth, action)
        search.note_event(search, NOTHING, told, search.view_of(search, state))


@text
def play_outcome_and_watch(search, state, depth, outcome):
    """Apply an outcome of chance, and record what the observer saw of it; see `open_loop.play_outcome`."""
    told = state.seen_of(outcome, search.viewer)
    search.apply(search, state, outcome)
    if search.pays:
        search.add_paid_to_path(search, depth)
    search.note_event(search, NOTHING, told, search.view_of(search, state))


@phase(int64, int64, uint64)
def note_event(search, action, told, view):
    """Add an event to what the observer knows.

    action : the observer's own, or NOTHING.   told : what was seen of another's action, or NOTHING; for a
    planner, what `observe` gave.   view : a hash of what the observer sees now.
    """
    search.watched[KNOWN] = known_after(search.watched[KNOWN], search.watched[VIEW], action, told, view)
    search.watched[VIEW] = view


@kernel
def known_after(known, before, action, told, view):
    """Return what is known after an event, uint64; before, view : hashes of what is seen before and after.

    A move of which nothing was seen is no event.
    """
    if action == NOTHING and told == NOTHING and view == before:
        return known
    changed = view if view != before else np.uint64(0)
    total = known + np.uint64(action + 1) * _OWN + np.uint64(told + 1) * _SEEN + changed * _VIEW
    total = (total ^ (total >> _HALF)) * _MIX
    return total ^ (total >> _HALF)


# --- the node for what was seen ---------------------------------------------------------------------------


@text
def enter_turn(search, root, state, depth, action):
    """Step from the path's edge at `depth` to the node for what the observer knows now; see `enter_seen`."""
    return search.enter_seen(search, depth, state.current_player())


@phase(int64, int64)
def enter_seen(search, depth, turn):
    """Step from the path's edge at `depth` to the node for what the observer knows now.

    turn : the player to move. Returns 2 * the depth there, + 1 if it is a new node. Without
    memory for it, the path ends at the edge.
    """
    nodes = search.nodes
    edge = np.int64(search.levels[depth].node)
    nodes[edge].player = CHANCE
    key = max(search.watched[KNOWN] + np.uint64(turn + 1), np.uint64(1))
    node = np.int64(nodes[edge].first)
    is_new = False
    if node < 0 or search.keys[node] != key:  # most moves lead to one node, which needs no look-up
        place = find_known(search, key)
        node = np.int64(search.table[place]) - 1
        is_new = node < 0
        if is_new:
            if search.counters[REFUSED] > 0:
                return np.int64(2 * depth + 1)
            if nodes[edge].first == UNEXPANDED:
                set_flags(search, edge, IN_BLOCKS)
            node = add_child(search, edge, np.int32(nodes[edge].count))
            if node == NO_ROOM:
                return np.int64(2 * depth + 1)
            search.keys[node] = key
            search.choosers[node] = search.levels[depth].mover
            search.table[place] = node + 1
    step_to_outcome(search, node, depth)
    return np.int64(2 * (depth + 1) + is_new)


# --- choosing ---------------------------------------------------------------------------------------------


@text
def decide_as_a_player(search, state, depth, player):
    """Choose among the legal actions at the path's node at `depth`; returns as `open_loop.choose_legal`."""
    count = state.fill_legal_actions(search.actions)
    if search.steers and depth == 0 and search.barred.size > 0:  # deeper, nothing is left out
        count = search.leave_out(search, depth, player, count)
    if player == search.viewer:
        return search.choose_own(search, depth, player, count)
    return search.choose_other(search, depth, player, count)


@phase(int64, int64, int64)
def choose_own(search, depth, player, count):
    """The same as `open_loop.choose_legal`, for the observer, whose legal actions follow from what is seen.

    So once all have children, all are available, as often as the path's node at `depth` is visited.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    if nodes[node].first >= 0 and nodes[node].count == count:
        child = np.int64(NO_ROOM)
        if search.steers and node == ROOT:  # where the line of such a search ends
            child = guided_child(search, node, depth)
        if child == NO_ROOM:
            child = best_of_player(search, node, nodes[node].player)
        if child == NO_SCORE:
            return np.int64(-SCORE_IS_NO_NUMBER)
        action = np.int64(nodes[child].action)
        for i in range(count):
            if search.actions[i] == action:
                return enter_chosen(search, node, child, depth)
    return choose_legal(search, depth, player, count)


@phase(int64, int64, int64)
def choose_other(search, depth, player, count):
    """The same for another player; only moves that are legal in this simulation's state are available."""
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    status = check_rules(search, player, search.actions, count)
    if status != DONE:
        return np.int64(-status)
    if nodes[node].first == UNEXPANDED:
        if nodes[node].visits == 0:
            return np.int64(-TREE_FULL)
        set_flags(search, node, IN_BLOCKS)
    nodes[node].player = player
    known = _list_edges(search, node, count)
    untried = count - known
    child = np.int64(NO_ROOM)
    if untried > 0 and search.counters[REFUSED] == 0:
        child = add_random(search, node, 0, untried)
        if child != NO_ROOM:
            search.available[child] = 1
            search.choosers[child] = player
    if child == NO_ROOM:
        child = _best_edge(search, node, known)
    return enter_chosen(search, node, child, depth)


@kernel
def _list_edges(search, node, count):
    """Write the edges of `node` for search.actions[:count] to search.members; returns their number.

    Each counts as available. Actions without an edge become the first of search.actions.
    """
    for i in range(count):
        search.marks[np.uint64(search.actions[i])] = _LEGAL
    known = np.int64(0)
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        action = np.uint64(search.nodes[np.uint64(child)].action)
        if search.marks[action] == _LEGAL:
            search.marks[action] = _HAS_EDGE
            search.members[np.uint64(known)] = child
            search.available[np.uint64(child)] += 1
            known += 1
    untried = 0
    for i in range(count):
        action = search.actions[i]
        if search.marks[np.uint64(action)] == _LEGAL:
            search.actions[i] = search.actions[untried]
            search.actions[untried] = action
            untried += 1
        search.marks[np.uint64(action)] = 0
    return known


@kernel
def _best_edge(search, node, count):
    """Return the edge with the highest score among search.members[:count]; NO_ROOM for none, or NO_SCORE."""
    scale = scale_for(search, search.nodes[node].player)
    best = np.int64(NO_ROOM)
    best_score = np.float32(-np.inf)
    for i in range(count):
        edge = np.int64(search.members[i])
        if search.visits(search, edge) == 0:
            return edge
        seen = search.look(search, scale, node, edge, np.int64(-1), np.float32(0.0))
        available = np.int64(search.available[np.uint64(edge)])
        parent = parent_of(search, np.float32(available), log_of(available))
        score = np.float32(search.score(seen, parent, search))
        if score != score:
            return np.int64(NO_SCORE)
        best, best_score = leading(search, best, best_score, edge, score)
    return best
