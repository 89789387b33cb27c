"""The compiled search: select, expand, play out, back up, for a state whose rules are compiled.

State transitions are interleaved with selection, one action at a time, and every simulation starts from a
copy of `root`. So a chance player (the action drawn, not selected), step rewards (collected on the way) and
a root state that is sampled anew each time fit in without a second loop or tree; see
`docs/decisions/0004-one-loop.md`.
"""

from __future__ import annotations

from branchwise.core.atomic import add_to_field
from branchwise.core.commit import settle_all
from branchwise.core.expand import expand
from branchwise.core.halting import asked
from branchwise.core.kernel import entry_kernel, kernel
from branchwise.core.playout import read_returns
from branchwise.core.prove import check_sum, prove_upwards, root_is_solved, settle
from branchwise.core.requests import END_BATCH
from branchwise.core.select import NO_SCORE
from branchwise.core.status import CLAIMED_BY_OTHER, DONE, SCORE_IS_NO_NUMBER, TREE_FULL
from branchwise.core.tree import ROOT

_COUNTED_AT_ONCE = 64
"""Simulations that a thread counts at the root at once, where all threads meet."""


@entry_kernel
def run_simulations(search, root, state, simulations):
    """Run `simulations` simulations from `root`, fewer if the root is solved or this thread is asked to end.

    Returns a status.

    DONE, or the fault that ended them. A full tree is no fault: leaves are then played out without being
    expanded.
    search : its tree and scratch are modified in place.   root, state : states of the same game; `state`
    is modified in place, and there is room for three more behind it.
    """
    status = DONE
    uncounted = 0
    for _ in range(simulations):
        if search.proofs and root_is_solved(search):
            break
        status = _simulate(search, root, state)
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
    return status


@kernel
def _simulate(search, root, state):
    nodes = search.nodes
    path = search.path
    state.copy_from(root)
    node = ROOT
    depth = 0
    path[0] = ROOT
    while nodes[node].first >= 0 and depth < search.max_depth:  # a graph's nodes may be reached deeper
        child = search.choose(search, node, depth)
        if child == NO_SCORE:
            search.depth[0] = depth
            return SCORE_IS_NO_NUMBER
        node = _step(search, state, node, child, depth)
        depth += 1
    over = state.is_terminal()
    search.depth[0] = depth
    if (
        not over
        and (nodes[node].visits > search.counted_on_entry or node == ROOT)
        and depth < search.max_depth
    ):
        status = expand(search, state, node, depth)
        if status == DONE:
            child = search.choose(search, node, depth)
            if child == NO_SCORE:
                return SCORE_IS_NO_NUMBER
            node = _step(search, state, node, child, depth)
            depth += 1
            search.depth[0] = depth
            over = state.is_terminal()
        elif status != TREE_FULL and status != CLAIMED_BY_OTHER:
            return status
    if over:
        status = read_returns(search, state)
        if status == DONE:
            search.learn(search, depth)
    else:
        status = search.play_out(search, state, depth)
    if status == DONE and search.proofs and (over or not search.cuts_off):
        status = check_sum(search)
    if status != DONE:
        return status
    if search.proofs and over and depth > 0:
        settle(search, node, search.returns[nodes[path[depth - 1]].player])
        prove_upwards(search, depth - 1)
    search.back_up(search, depth)
    return DONE


@kernel
def _step(search, state, node, child, depth):
    """Play the action of `child`, the next node of the path; returns the node that stands for it."""
    action = search.nodes[child].action
    search.note_move(search, depth, search.nodes[node].player, action)
    state.apply_action(action)
    place = search.place(search, child)
    search.path[depth + 1] = place
    if search.keeps_graph:
        search.edges[depth + 1] = child
    return place
