"""The compiled search: select, expand, play out, back up, for a state whose rules are compiled."""

from __future__ import annotations

from branchwise.core.backup import add_returns
from branchwise.core.expand import add_children
from branchwise.core.kernel import entry_kernel, kernel
from branchwise.core.playout import play_uniformly, read_returns
from branchwise.core.select import best_ucb1_child
from branchwise.core.status import DONE, TREE_FULL
from branchwise.core.tree import ROOT, UNEXPANDED


@entry_kernel
def run_simulations(tree, root, state, settings, scratch, streams, simulations):
    nodes = tree.nodes
    status = DONE
    for _ in range(simulations):
        # Select
        state.copy_from(root)
        node = ROOT
        depth = 0
        scratch.path[0] = ROOT
        while nodes[node].first != UNEXPANDED and depth < settings.max_depth:
            node = best_ucb1_child(nodes, node, settings.c, settings.first_play)
            state.apply_action(nodes[node].action)
            depth += 1
            scratch.path[depth] = node
        # Expand
        if nodes[node].visits >= 1 and depth < settings.max_depth and not state.is_terminal():
            count = state.fill_legal_actions(scratch.actions)
            status = add_children(tree, node, state.current_player(), state.num_players, state.num_actions, scratch.actions, count, streams)
            if status == DONE:
                node = nodes[node].first
                state.apply_action(nodes[node].action)
                depth += 1
                scratch.path[depth] = node
            elif status != TREE_FULL:
                return status
        # Playout
        status = play_uniformly(state, state.max_game_length, scratch.actions, streams)
        if status != DONE:
            return status
        status = read_returns(state, state.min_return, state.max_return, scratch.returns)
        if status != DONE:
            return status
        # Backup
        add_returns(nodes, scratch.path, depth, scratch.returns)
    return DONE
