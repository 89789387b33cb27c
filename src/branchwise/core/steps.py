"""The phases of one simulation as separate calls, for searches whose rules are not compiled.

Each is made of the kernels that the compiled loop uses, for a driver in Python that plays the moves itself
between the calls. With the same streams and the same rules, both build the same tree.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.backup import outcome_at
from branchwise.core.expand import (
    claim,
    note_heuristic,
    publish,
    scale_priors,
    sort_by_prior,
    take_equal_priors,
    write_children,
)
from branchwise.core.graph import find
from branchwise.core.kernel import entry_kernel, kernel
from branchwise.core.playout import check_bounds, choose
from branchwise.core.prove import check_sum, prove_upwards, root_is_solved, settle
from branchwise.core.random import PLAYOUT_STREAM, advanced, draw_below
from branchwise.core.select import NO_SCORE, survey
from branchwise.core.status import DONE, EVALUATION_OUT_OF_BOUNDS, RETURN_OUT_OF_BOUNDS
from branchwise.core.tree import ROOT

ALL_SOLVED = -(2**62)
WITHOUT_SCORE = ALL_SOLVED + 1


@entry_kernel
def select_path(search):
    """Descend from the root to a leaf; returns its depth, or -1 - depth if it should be expanded.

    Returns ALL_SOLVED if there is nothing left to find out, WITHOUT_SCORE if the selection rule fails.
    search : path and path_actions of its scratch are modified in place.
    """
    if search.proofs and root_is_solved(search):
        return ALL_SOLVED
    node = ROOT
    depth = 0
    search.path[0] = ROOT
    while search.nodes[node].first >= 0 and depth < search.max_depth:
        child = search.choose(search, node, depth)
        if child == NO_SCORE:
            return WITHOUT_SCORE
        node = _step(search, node, child, depth)
        depth += 1
    search.depth[0] = depth
    if (search.nodes[node].visits > 0 or node == ROOT) and depth < search.max_depth:
        return -1 - depth
    return depth


@kernel
def _step(search, node, child, depth):
    action = search.nodes[child].action
    search.note_move(search, depth, search.nodes[node].player, action)
    search.path_actions[depth] = action
    place = search.place(search, child)
    search.path[depth + 1] = place
    if search.keeps_graph:
        search.edges[depth + 1] = child
    return place


@entry_kernel
def grow(search, depth, player, count):
    """Expand the leaf search.path[depth] by the first `count` of search.actions; returns a status.

    player : who is to move at the leaf. The actions are shuffled into the order of the children, and
    priors, where they are kept, are equal.
    """
    node = search.path[depth]
    status, first = claim(search, node, player, search.actions, count)
    if status == DONE:
        write_children(search, node, player, first, count)
        if search.keeps_priors:
            take_equal_priors(search, first, count)
        publish(search, node, first)
    return status


@entry_kernel
def weigh(search, depth):
    """Scale the weights that were written as priors of search.path[depth]'s children; returns a status.

    Where the search wants it so, the children and search.actions are sorted by them.
    """
    node = search.nodes[search.path[depth]]
    first = np.int64(node.first)
    count = np.int64(node.count)
    status = scale_priors(search, first, count)
    if status == DONE and search.sorts_children:
        sort_by_prior(search, first, count)
    return status


@entry_kernel
def see_child(search, depth, number, over):
    """Note what the game says of one child of search.path[depth], in search.returns; returns a status.

    number : the child's place among its siblings.   over : whether the game is over there, so that they
    are its returns; else they are the game's evaluation.
    """
    returns = search.returns
    status = check_bounds(search, RETURN_OUT_OF_BOUNDS if over else EVALUATION_OUT_OF_BOUNDS)
    if status == DONE and over and search.proofs:
        status = check_sum(search)
    if status == DONE:
        node = search.nodes[search.path[depth]]
        child = np.int64(node.first) + number
        if over and search.proofs:
            settle(search, child, returns[node.player])
        if search.keeps_heuristics:
            note_heuristic(search, child, returns[node.player])
    return status


@entry_kernel
def link_child(search, depth, number, key):
    """Link one child of search.path[depth] to the node with the same `key`, uint64, not 0."""
    child = np.int64(search.nodes[search.path[depth]].first) + number
    if not find(search, child, key):
        search.keys[child] = key


@entry_kernel
def step_into(search, depth, settled):
    """Step from search.path[depth], just expanded, into its best child; returns the action, or WITHOUT_SCORE.

    settled : whether bounds of the children are known.
    """
    node = search.path[depth]
    if settled or search.keeps_graph:
        prove_upwards(search, depth)
    child = search.choose(search, node, depth)
    if child == NO_SCORE:
        return WITHOUT_SCORE
    _step(search, node, child, depth)
    search.depth[0] = depth + 1
    return np.int64(search.nodes[child].action)


@entry_kernel
def choose_move(search, player, count, place):
    """Return the move of a playout, one of the first `count` of search.actions, by the search's policy."""
    return choose(search, np.int64(0), player, count, place)


@entry_kernel
def draw(search, bound):
    """Return a number from 0 to bound - 1, drawn from the playouts' stream."""
    streams = search.streams
    counter = advanced(streams[PLAYOUT_STREAM])
    streams[PLAYOUT_STREAM] = counter
    return draw_below(counter, bound)


@entry_kernel
def note(search, place, player, action):
    """Write down the move that the simulation plays as its number `place`."""
    search.note_move(search, place, player, action)


@entry_kernel
def check_outcome(search, evaluated):
    """Check search.returns after a playout, and learn from its moves; returns a status.

    evaluated : whether they are the game's evaluation.
    """
    fault = EVALUATION_OUT_OF_BOUNDS if evaluated else RETURN_OUT_OF_BOUNDS
    status = check_bounds(search, fault)
    if status == DONE:
        search.learn(search, search.depth[0])
    return status


@entry_kernel
def back_up(search, depth, over):
    """Add search.returns to the nodes path[0..depth]; returns a status.

    over : whether the game is over at search.path[depth], so that the returns are its proven value.
    """
    path = search.path
    returns = search.returns
    status = check_bounds(search, RETURN_OUT_OF_BOUNDS)
    if status == DONE and search.proofs and (over or not search.cuts_off):
        status = check_sum(search)
    if status == DONE:
        if search.proofs and over and depth > 0:
            mover = search.nodes[path[depth - 1]].player
            settle(search, np.int64(path[depth]), returns[mover])
            prove_upwards(search, depth - 1)
        search.back_up(search, depth)
    return status


# --- what the phases did, for who wants to be told --------------------------------------------------------


@entry_kernel
def survey_children(search, level, seen, scores, fates, stretching):
    """Write down what selection makes of the children of search.path[level]; see `core.select.survey`."""
    survey(search, np.int64(search.path[level]), level, seen, scores, fates, stretching)


@entry_kernel
def credited_gains(search, depth, gains):
    """Write the gains that `back_up` credited path[1..depth] with into `gains`, float64 [depth + 1].

    search.returns : as before `back_up`; modified in place.
    """
    for level in range(depth, 0, -1):
        mover = search.nodes[search.path[level - 1]].player
        gains[level] = outcome_at(search, np.int64(search.path[level]), mover)
