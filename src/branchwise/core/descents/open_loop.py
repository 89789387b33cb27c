"""Open loop: a node stands for the decisions that lead to it, whatever the outcomes of chance.

Each simulation plays its own game from the root on, so a node has a different state each time. This allows
transitions that can only be drawn, and chance with too many outcomes to list. The value of a
node is the mean over the outcomes of chance: Perez, Dieskau, Hunermund, Mostaghim, Lucas, "Open loop search
for general video game playing", 2015.

At a node, selection considers only children whose actions are legal this time, and that belong to the
player to move this time, who may depend on chance, too. How often a child could have been
chosen replaces its parent's visits ("availability": Cowling, Powley, Whitehouse, "Information set Monte
Carlo tree search", 2012). An action gets its child when it is first played.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.common.players import CHANCE
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import (
    BAD_OUTCOME,
    DONE,
    NEVER_ENDS,
    SCORE_IS_NO_NUMBER,
    TREE_FULL,
)
from branchwise.core.simulation.expand import check_rules
from branchwise.core.simulation.expand_one_child import add_random
from branchwise.core.simulation.select import NO_SCORE, logarithm, parent_of
from branchwise.core.simulation.simulate import step
from branchwise.core.simulation.steering import guided_child
from branchwise.core.tree.children import NO_ROOM, next_child, set_flags
from branchwise.core.tree.node_fields import IN_BLOCKS, REFUSED, ROOT, UNEXPANDED
from branchwise.core.tree.return_scaling import scale_for

_LEGAL = 1
_HAS_CHILD = 2
"""Marks of an action at the current node."""


@text
def simulate_move_by_move(search, root, state):
    """Run one simulation, in which the state is played along; returns a status."""
    search.begin_path(search)
    status = search.start(search, root, state)
    if status != DONE:
        return status
    depth = 0
    over = search.is_observed and state.is_terminal()
    while depth < search.max_depth and not over:
        player = state.current_player()
        chosen = search.decide(search, state, depth, player)
        if chosen < 0:
            if chosen != -TREE_FULL:
                return -chosen
            break
        reached = search.advance(search, root, state, depth + 1, player, chosen)
        if reached < 0:
            return -reached
        depth = reached >> 1
        over = search.ends(search, state, depth)
        if reached & 1:
            break
    status = search.evaluate(search, state, depth, over)
    if status == DONE:
        status = search.back_up(search, depth, over)
    return status


@text
def start(search, root, state):
    """Begin in the root's state; returns a status."""
    state.copy_from(root)
    return DONE


@text
def decide(search, state, depth, player):
    """Choose among the legal actions at the path's node at `depth`; returns as `choose_legal`."""
    count = state.fill_legal_actions(search.actions)
    if search.barred.size > 0:
        count = search.leave_out(search, depth, player, count)
    return search.choose_legal(search, depth, player, count)


@text
def advance(search, root, state, depth, player, chosen):
    """Play what `decide` chose, which leads to the path's node at `depth`, and what chance does after it.

    Returns 2 * the depth reached, + 1 if the path ends there, or a negative status.
    """
    search.move(search, state, depth, chosen >> 1)
    passed = search.pass_chance(search, state, depth)
    return passed if passed < 0 else 2 * depth + (chosen & 1)


@phase()
def begin_path(search):
    """Begin a path at the root."""
    search.levels[0].node = ROOT
    search.depth[0] = 0


@text
def pass_chance(search, state, depth):
    """Draw outcomes of chance until a player is to move, or the game is over.

    Returns how many, or a negative status. Their rewards are added to those of the move to the path's node
    at `depth`.
    """
    passed = 0
    if search.draws_chance:
        while not state.is_terminal() and state.current_player() == CHANCE:
            if passed >= state.max_game_length:
                return -NEVER_ENDS
            outcome = search.draw_chance(search, state)
            if outcome < 0 or outcome >= search.num_outcomes:
                return -BAD_OUTCOME
            search.play_outcome(search, state, depth, outcome)
            passed += 1
    return passed


@text
def play_outcome(search, state, depth, outcome):
    """Apply an outcome of chance that was drawn after the move to the path's node at `depth`."""
    search.apply(search, state, outcome)
    if search.pays:
        search.add_paid_to_path(search, depth)


@phase(int64)
def add_paid_to_path(search, depth):
    """Add the rewards in search.paid to those of the move to the path's node at `depth`."""
    players = search.num_players
    for player in range(players):
        search.rewards[depth * players + player] += search.paid[player]


@phase(int64, int64, int64)
def choose_legal(search, depth, player, count):
    """Choose among the legal actions at the path's node at `depth`, and step to its child.

    Returns 2 * the action, + 1 if it is the child's first visit; -TREE_FULL if the node itself is to be
    evaluated, on its first visit or for lack of memory; or another negative status.
    player : the player to move.   count : number of legal actions, the first of search.actions; their order
    changes.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    status = check_rules(search, player, search.actions, count)
    if status != DONE:
        return np.int64(-status)
    if nodes[node].first == UNEXPANDED:
        if nodes[node].visits == 0 and node != ROOT:
            return np.int64(-TREE_FULL)
        set_flags(search, node, IN_BLOCKS)
    nodes[node].player = player  # another player may be to move next time
    untried = _mark(search, node, count)
    child = np.int64(NO_ROOM)
    if untried > 0 and search.counters[REFUSED] == 0:
        child = _add(search, node, untried)
    if child == NO_ROOM:
        child = guided_child(search, node, depth)
        if child == NO_ROOM:
            child = best_available(search, node)
    _clear_marks(search, node, untried)
    return enter_chosen(search, node, child, depth)


@kernel
def enter_chosen(search, node, child, depth):
    """Step from the path's node at `depth` to the chosen child; returns as `choose_legal`.

    child : NO_ROOM for none, or NO_SCORE.
    """
    if child == NO_ROOM:
        return np.int64(-TREE_FULL)
    if child == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    step(search, node, child, depth)
    search.depth[0] = depth + 1
    return 2 * np.int64(search.nodes[child].action) + np.int64(search.nodes[child].visits == 0)


@kernel
def _mark(search, node, count):
    """Count each child with a legal action as available; returns how many legal actions have no child.

    These become the first of search.actions.
    """
    for i in range(count):
        search.marks[search.actions[i]] = _LEGAL
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        action = search.nodes[child].action
        if search.marks[action] == _LEGAL and search.choosers[child] == search.nodes[node].player:
            search.marks[action] = _HAS_CHILD
            search.available[child] += 1
    untried = 0
    for i in range(count):
        action = search.actions[i]
        if search.marks[action] == _LEGAL:
            search.actions[i] = search.actions[untried]
            search.actions[untried] = action
            untried += 1
    return np.int64(untried)


@kernel
def _clear_marks(search, node, untried):
    for i in range(untried):
        search.marks[search.actions[i]] = 0
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        search.marks[search.nodes[child].action] = 0


@kernel
def _add(search, node, untried):
    """Add a child for one of the first `untried` of search.actions; returns it, or NO_ROOM.

    The root gets all of them at once, so that results list every move.
    """
    first = add_random(search, node, 0, untried)
    if first == NO_ROOM:
        return first
    _begin(search, node, first)
    if node == ROOT:
        for place in range(1, untried):
            child = add_random(search, node, place, untried)
            if child == NO_ROOM:
                return child
            _begin(search, node, child)
    return first


@kernel
def _begin(search, node, child):
    """Record the player to whom a new child of `node` is available, for the first time."""
    search.available[child] = 1
    search.choosers[child] = search.nodes[node].player


@kernel
def is_available(search, node, child):
    """Whether a child's action is legal, and it belongs to the player to move."""
    is_legal = search.marks[search.nodes[child].action] == _HAS_CHILD
    return is_legal and search.choosers[child] == search.nodes[node].player


@kernel
def best_available(search, node):
    """Return the child with the highest score among those that are available (`search.may_choose`).

    Returns NO_SCORE without a valid score, or NO_ROOM without a child.
    """
    scale = scale_for(search, search.nodes[node].player)
    best = np.int64(NO_ROOM)
    best_score = np.float32(-np.inf)
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if not search.may_choose(search, node, child):
            continue
        if search.visits(search, child) == 0:
            return child
        seen = search.look(search, scale, node, child, np.int64(-1), np.float32(0.0))
        score = score_openly(search, child, seen)
        if not score <= best_score:
            if score != score:
                return np.int64(NO_SCORE)
            best_score = score
            best = child
    return best


@kernel
def score_openly(search, child, seen):
    """Return the score of `child`, float32; seen : its statistics, a `core.select.Child`."""
    available = np.int64(search.available[child])
    return np.float32(
        search.score(seen, parent_of(search, np.float32(available), logarithm(available)), search)
    )
