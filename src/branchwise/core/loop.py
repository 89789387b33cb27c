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
from branchwise.core.kernel import entry_kernel
from branchwise.core.playout import play_decisively, play_uniformly, read_returns
from branchwise.core.select import best_ucb1_child
from branchwise.core.status import DONE, TREE_FULL
from branchwise.core.tree import ROOT, UNEXPANDED


class Settings(NamedTuple):
    """How a search is run."""

    c: float  # weight of exploration, in units of the returns
    first_play: float  # score of a child without visits, in units of the returns; may be infinite
    max_depth: int  # nodes this deep are not expanded; at least 1
    decisive: bool  # whether playouts take a win in one move where there is one


class Scratch(NamedTuple):
    """Memory that kernels write to and nobody else reads, but for the path after a fault."""

    path: NDArray[np.int32]  # [max_depth + 1] nodes from the root to the leaf of the current simulation
    depth: NDArray[np.int64]  # [1] the leaf's place in the path
    actions: NDArray[np.int32]  # [A] legal actions; A is the number of distinct actions
    returns: NDArray[np.float64]  # [P] outcome of the current simulation, one a player


@entry_kernel
def run_simulations(tree, root, state, settings, scratch, streams, simulations):
    """Run `simulations` simulations from `root`; returns a status, DONE or the fault that ended them.

    tree, state, scratch, streams : modified in place.   root, state : states of the same game; behind
    `state` there is room for another.
    A full tree is no fault: leaves are then played out without being expanded.
    """
    nodes = tree.nodes
    path = scratch.path
    for _ in range(simulations):
        state.copy_from(root)
        node = ROOT
        depth = 0
        path[0] = ROOT
        while nodes[node].first != UNEXPANDED:
            node = best_ucb1_child(nodes, node, settings.c, settings.first_play)
            state.apply_action(nodes[node].action)
            depth += 1
            path[depth] = node
        if (
            (nodes[node].visits > 0 or node == ROOT)
            and depth < settings.max_depth
            and not state.is_terminal()
        ):
            count = state.fill_legal_actions(scratch.actions)
            player = state.current_player()
            status = add_children(
                tree, node, player, state.num_players, state.num_actions, scratch.actions, count, streams
            )
            if status == DONE:
                node = np.int64(nodes[node].first)
                state.apply_action(nodes[node].action)
                depth += 1
                path[depth] = node
            elif status != TREE_FULL:
                scratch.depth[0] = depth
                return status
        if settings.decisive:
            trial = state.at(1)
            status = play_decisively(
                state, trial, state.max_game_length, scratch.actions, scratch.returns, streams
            )
        else:
            status = play_uniformly(state, state.max_game_length, scratch.actions, streams)
        if status == DONE:
            status = read_returns(state, state.min_return, state.max_return, scratch.returns)
        if status != DONE:
            scratch.depth[0] = depth
            return status
        add_returns(nodes, path, depth, scratch.returns)
    return DONE
