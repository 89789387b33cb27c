"""Nodes known by what one observer saw: information-set search, and planning in what is partly observed.

Each simulation begins in a state of its own (`core.roots`) and plays it along. A move takes two levels of the
tree: an edge for the move, and below it a node for everything that the observer saw of the move and of the
chance that followed. Nodes are found in a hash table by what the observer knows, which grows with each event
as in `rules.information`, and by whose turn it is. So a node stands for an information state of the observer.

The observer's own moves are told apart by their actions. Those of others are told apart as far as the
observer can: legal moves that look the same in this simulation's state share an edge. The edge is chosen by
the selection rule, for the player who moves; the move within it is drawn at random. Cowling, Powley,
Whitehouse, "Information set Monte Carlo tree search", 2012, SO-ISMCTS and SO-ISMCTS + POM; so others choose
by statistics of nodes that the observer knows, and the state that was dealt says only what is legal.

How often an edge could have been chosen replaces its parent's visits, see `core.open_loop`.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint64

from branchwise.core.children import LARGEST_BLOCK, NO_ROOM, add_child, next_child, set_flags
from branchwise.core.drawn_outcomes import find_slot, step_to_outcome
from branchwise.core.expand import check_rules
from branchwise.core.kernel import kernel, phase, text
from branchwise.core.open_loop import score_openly
from branchwise.core.random import ORDER_STREAM, advanced, draw_below, mixed
from branchwise.core.roots import NOTHING
from branchwise.core.scaling import scale_for
from branchwise.core.select import NO_SCORE
from branchwise.core.status import BAD_OUTCOME, DONE, NEVER_ENDS, SCORE_IS_NO_NUMBER, TREE_FULL
from branchwise.core.tree import IN_BLOCKS, REFUSED, ROOT, UNEXPANDED, USED
from branchwise.players import CHANCE, TERMINAL

KNOWN, VIEW = 0, 1
"""Places in search.watched: a hash of all that the observer saw since the root, and of what is seen now."""

_OWN = np.uint64(0x9E3779B97F4A7C15)
_SEEN = np.uint64(0xC2B2AE3D27D4EB4F)
_VIEW = np.uint64(0x165667B19E3779F9)
_TURNS = 8
"""Added to the player to move, so that TERMINAL becomes a positive number."""


@text
def simulate_by_observing(search, root, state):
    """Run one simulation; returns a status."""
    search.begin_path(search)
    status = search.draw_root(search, root, state)
    if status != DONE:
        return status
    search.begin_watching(search, state)
    depth = 0
    over = state.is_terminal()
    while depth < search.max_depth and not over:
        player = state.current_player()
        chosen = search.decide(search, state, depth, player)
        if chosen < 0:
            if chosen != -TREE_FULL:
                return -chosen
            break
        depth += 1
        search.move_and_watch(search, state, depth, player, chosen >> 1)
        status = search.pass_chance(search, state, depth)
        if status != DONE:
            return status
        turn = TERMINAL if state.is_terminal() else state.current_player()
        reached = search.enter_seen(search, depth, turn)
        depth = reached >> 1
        over = search.ends(search, state, depth)
        if reached & 1:
            break
    status = search.evaluate(search, state, depth, over)
    if status == DONE:
        status = search.back_up(search, depth, over)
    return status


# --- what the observer sees -------------------------------------------------------------------------------


@text
def begin_watching(search, state):
    """Begin with what the observer sees at the root."""
    search.note_start(search, search.view_of(search, state))


@text
def view_of(search, state):
    """Return a hash of what the observer sees of a state, uint64."""
    return state.view_key(search.viewer, search.masks)


@phase(uint64)
def note_start(search, view):
    """Forget what was seen; view : a hash of what the observer sees at the root."""
    search.watched[KNOWN] = 0
    search.watched[VIEW] = view


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
def pass_chance_and_watch(search, state, depth):
    """Draw outcomes of chance until a player is to move, or the game is over; returns a status.

    Their rewards are added to those of the move to the path's node at `depth`.
    """
    if not search.draws_chance:
        return DONE
    passed = 0
    while not state.is_terminal() and state.current_player() == CHANCE:
        if passed >= state.max_game_length:
            return NEVER_ENDS
        outcome = search.draw_chance(search, state)
        if outcome < 0 or outcome >= search.num_outcomes:
            return BAD_OUTCOME
        told = state.seen_of(outcome, search.viewer)
        search.apply(search, state, outcome)
        if search.pays:
            search.add_paid_to_path(search, depth)
        search.note_event(search, NOTHING, told, search.view_of(search, state))
        passed += 1
    return DONE


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
    """Return what is known after an event, uint64; before, view : hashes of what is seen before and after."""
    if action != NOTHING:
        known = mixed((known ^ _OWN) + np.uint64(action + 1))
    if told != NOTHING:
        known = mixed((known ^ _SEEN) + np.uint64(told + 1))
    if view != before:
        known = mixed((known ^ _VIEW) + view)
    return known


# --- the node for what was seen ---------------------------------------------------------------------------


@phase(int64, int64)
def enter_seen(search, depth, turn):
    """Step from the path's edge at `depth` to the node for what the observer knows now.

    turn : the player to move, or TERMINAL. Returns 2 * the depth there, + 1 if it is a new node. Without
    memory for it, the path ends at the edge.
    """
    nodes = search.nodes
    edge = np.int64(search.levels[depth].node)
    nodes[edge].player = CHANCE
    key = max(mixed(search.watched[KNOWN] + np.uint64(turn + _TURNS)), np.uint64(1))
    place = find_slot(search, key)
    node = np.int64(search.table[place]) - 1
    is_new = node < 0
    if is_new:
        if search.counters[REFUSED] > 0 or search.counters[USED] + LARGEST_BLOCK + 1 > nodes.size:
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


# --- moves of others, as the observer sees them -----------------------------------------------------------


@text
def decide_by_action(search, state, depth, player):
    """Choose among the legal actions at the path's node at `depth`; returns as `open_loop.choose_legal`."""
    return search.choose_legal(search, depth, player, state.fill_legal_actions(search.actions))


@text
def decide_as_seen(search, state, depth, player):
    """The same; moves of others that look the same to the observer count as one.

    The state behind `state` is modified.
    """
    count = state.fill_legal_actions(search.actions)
    if player == search.viewer:
        return search.choose_legal(search, depth, player, count)
    status = search.check_listed(search, player, count)
    if status != DONE:
        return -status
    trial = state.at(1)
    for i in range(count):
        action = state.listed(search.actions, i)
        told = state.seen_of(action, search.viewer)
        trial.copy_from(state)
        search.apply(search, trial, action)
        search.note_look(search, i, told, search.view_of(search, trial))
    return search.choose_look(search, depth, player, count)


@phase(int64, int64)
def check_listed(search, player, count):
    """Return DONE, or the fault in the player to move or in the first `count` of search.actions."""
    return check_rules(search, player, search.actions, count)


@phase(int64, int64, uint64)
def note_look(search, place, told, view):
    """Record what the observer would see of search.actions[place] of another player."""
    search.looks[place] = known_after(np.uint64(0), search.watched[VIEW], NOTHING, told, view)


@phase(int64, int64, int64)
def choose_look(search, depth, player, count):
    """Choose an edge among the looks of search.actions[:count], and one of its actions at random.

    Returns 2 * the action, -TREE_FULL if the path's node at `depth` is to be evaluated, or another negative
    status.   player : another player, who is to move.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    if nodes[node].first == UNEXPANDED:
        if nodes[node].visits == 0 and node != ROOT:
            return np.int64(-TREE_FULL)
        set_flags(search, node, IN_BLOCKS)
    nodes[node].player = player
    best, untried = _best_look(search, node, count)
    if untried > 0 and search.counters[REFUSED] == 0:
        place = count - untried + _drawn_below(search, untried)
        edge = add_child(search, node, search.actions[place])
        if edge != NO_ROOM:
            search.keys[edge] = search.looks[place]
            search.available[edge] = 1
            search.choosers[edge] = player
            return _step_by(search, edge, depth, np.int64(search.actions[place]))
    if best == NO_ROOM:
        return np.int64(-TREE_FULL)
    if best == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    return _step_by(search, best, depth, _action_of(search, best, count - untried))


@kernel
def _step_by(search, edge, depth, action):
    """Append `edge` to the path after its node at `depth`, by one of its actions; returns 2 * the action."""
    mover = search.nodes[search.levels[depth].node].player
    search.note_move(search, depth, mover, action)
    level = search.levels[depth + 1]
    level.node = edge
    level.edge = edge
    level.action = action
    level.mover = mover
    search.depth[0] = depth + 1
    return 2 * action


@kernel
def _best_look(search, node, count):
    """Return the best edge of `node` among the looks of search.actions[:count], and how many have none.

    These become the last of search.actions[:count]. The edge is NO_ROOM if there is none. Each edge that is
    found counts as available.
    """
    scale = scale_for(search, search.nodes[node].player)
    actions, looks = search.actions, search.looks
    best = np.int64(NO_ROOM)
    best_score = np.float32(-np.inf)
    known = np.int64(0)
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        before = known
        for i in range(before, count):
            if looks[i] == search.keys[child]:
                looks[i], looks[known] = looks[known], looks[i]
                actions[i], actions[known] = actions[known], actions[i]
                known += 1
        if known == before:
            continue
        search.available[child] += 1
        score = np.float32(np.inf)
        if search.visits(search, child) > 0:
            seen = search.look(search, scale, node, child, np.int64(-1), np.float32(0.0))
            score = score_openly(search, child, seen)
        if not score <= best_score:
            if score != score:
                return np.int64(NO_SCORE), count - known
            best_score = score
            best = child
    return best, count - known


@kernel
def _action_of(search, edge, count):
    """Return a random one of search.actions[:count] that look as `edge` does."""
    matching = 0
    for i in range(count):
        matching += np.int64(search.looks[i] == search.keys[edge])
    left = _drawn_below(search, matching) if matching > 1 else np.int64(0)
    action = np.int64(0)
    for i in range(count):
        if search.looks[i] == search.keys[edge]:
            if left == 0:
                action = np.int64(search.actions[i])
            left -= 1
    return action


@kernel
def _drawn_below(search, bound):
    counter = advanced(search.streams[ORDER_STREAM])
    search.streams[ORDER_STREAM] = counter
    return draw_below(counter, bound)
