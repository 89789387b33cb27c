"""The compiled search: select, expand, play out, back up, for a state whose rules are compiled.

State transitions are interleaved with selection, one action at a time, and every simulation starts from a
copy of `root`. So a chance player (the action drawn, not selected), step rewards (collected on the way) and
a root state that is sampled anew each time fit in without a second loop or tree; see
`docs/decisions/0004-one-loop.md`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.backup import add_returns
from branchwise.core.expand import add_children
from branchwise.core.kernel import entry_kernel, kernel
from branchwise.core.playout import play_out, read_returns
from branchwise.core.prove import check_sum, prove_upwards, root_is_solved, settle
from branchwise.core.select import best_ucb1_child
from branchwise.core.status import DONE, TREE_FULL
from branchwise.core.tree import ROOT, UNEXPANDED


class Settings(NamedTuple):
    """How a search is run."""

    c: float  # weight of exploration, in units of the returns
    first_play: float  # score of a child without visits, in units of the returns; may be infinite
    max_depth: int  # nodes this deep are not expanded; at least 1
    decisive: bool  # whether playouts take a win in one move where there is one
    proofs: bool  # whether bounds are kept: see `core.prove`


class Scratch(NamedTuple):
    """Memory that kernels write to and nobody else reads, but for the path after a fault."""

    path: NDArray[np.int32]  # [max_depth + 2] nodes from the root to the leaf of the current simulation
    depth: NDArray[np.int64]  # [1] the leaf's place in the path
    actions: NDArray[np.int32]  # [A] legal actions; A is the number of distinct actions
    returns: NDArray[np.float64]  # [P] outcome of the current simulation, one a player


@entry_kernel
def run_simulations(tree, root, state, settings, bounds, scratch, streams, simulations):
    """Run `simulations` simulations from `root`, fewer if the root is solved; returns a status.

    DONE, or the fault that ended them. A full tree is no fault: leaves are then played out without being
    expanded.
    tree, state, scratch, streams : modified in place.   root, state : states of the same game; behind
    `state` there is room for another.
    """
    nodes = tree.nodes
    path = scratch.path
    for _ in range(simulations):
        if settings.proofs and root_is_solved(nodes):
            return DONE
        state.copy_from(root)
        node = ROOT
        depth = 0
        path[0] = ROOT
        while nodes[node].first != UNEXPANDED:
            node = best_ucb1_child(nodes, node, settings.c, settings.first_play)
            state.apply_action(nodes[node].action)
            depth += 1
            path[depth] = node
        over = state.is_terminal()
        if not over and (nodes[node].visits > 0 or node == ROOT) and depth < settings.max_depth:
            count = state.fill_legal_actions(scratch.actions)
            player = state.current_player()
            status = add_children(tree, node, player, bounds, scratch.actions, count, streams)
            if status == DONE:
                if settings.proofs:
                    status = _look_one_move_ahead(nodes, path, depth, state, bounds, scratch.returns)
                node = best_ucb1_child(nodes, node, settings.c, settings.first_play)
                state.apply_action(nodes[node].action)
                depth += 1
                path[depth] = node
                over = state.is_terminal()
            if status != DONE and status != TREE_FULL:
                scratch.depth[0] = depth
                return status
        status = DONE
        if not over:
            status = play_out(state, settings.decisive, scratch.actions, scratch.returns, streams)
        if status == DONE:
            status = read_returns(state, bounds, scratch.returns)
        if status == DONE and settings.proofs:
            status = check_sum(scratch.returns, bounds)
        if status != DONE:
            scratch.depth[0] = depth
            return status
        if settings.proofs and over and depth > 0:
            settle(nodes, node, scratch.returns[nodes[path[depth - 1]].player])
            prove_upwards(nodes, path, depth - 1, bounds)
        add_returns(nodes, path, depth, scratch.returns, bounds, settings.proofs)
    return DONE


@kernel
def _look_one_move_ahead(nodes, path, depth, state, bounds, returns):
    """Settle those new children of path[depth], the node of `state`, at which the game is over.

    The state behind `state` and `returns` are scratch. Returns a status.
    """
    node = nodes[path[depth]]
    trial = state.at(1)
    found = False
    for child in range(np.int64(node.first), np.int64(node.first) + np.int64(node.count)):
        trial.copy_from(state)
        trial.apply_action(nodes[child].action)
        if trial.is_terminal():
            status = read_returns(trial, bounds, returns)
            if status == DONE:
                status = check_sum(returns, bounds)
            if status != DONE:
                return status
            settle(nodes, child, returns[node.player])
            found = True
    if found:
        prove_upwards(nodes, path, depth, bounds)
    return DONE
