"""A simulation in two halves, so that several leaves can be evaluated together, outside the search.

`descend` selects a path and plays its moves. An evaluator, such as a network, then values the leaves of
several simulations at once. `complete` adds a leaf's children and backs up. Each simulation has its own
`Visit`; until it is complete, it counts as a loss on its path, so that others choose other paths
(`core.simulation.repeat_choice`: virtual loss).
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64

from branchwise.common.players import CHANCE
from branchwise.core.backup.prove import prove_upwards
from branchwise.core.machine.kernel import entry_kernel, kernel, phase, text
from branchwise.core.machine.kernel_status import CLAIMED_BY_OTHER, DONE, STAYED, TREE_FULL
from branchwise.core.simulation.expand import publish, rank
from branchwise.core.simulation.repeat_choice import take_loss_back
from branchwise.core.tree.node_fields import ROOT


@entry_kernel
def begin_simulation(search, root, state):
    """Run the first half of a simulation; see `descend`."""
    return search.descend(search, root, state)


@entry_kernel
def end_simulation(search, state, depth, over):
    """Run the second half of a simulation; see `complete`."""
    return search.complete(search, state, depth, over)


@text
def descend(search, root, state):
    """Select a path to a leaf and play its moves; returns 2 * its depth, + 1 if the game is over there.

    A negative result is the negative of a status. Where chance moves at the leaf, its outcomes are added and
    one is drawn, until a player is to move: evaluators never see a state before a roll of dice, except where
    the tree is full or may not grow deeper.
    state : modified in place, followed by room for another one.
    """
    leaf = search.select(search)
    if leaf < 0:
        return leaf
    depth = leaf >> 1
    state.copy_from(root)
    search.follow(search, state, depth)
    over = search.ends(search, state, depth)
    if search.has_chance:
        while not over and depth < search.max_depth and state.current_player() == CHANCE:
            status = search.expand_chance(search, state, depth)
            if status == TREE_FULL:
                break
            if status != DONE:
                return -status
            depth += 1
            over = search.ends(search, state, depth)
    search.count_at_root(search)
    return 2 * depth + (1 if over else 0)


@text
def complete(search, state, depth, over):
    """Add the children of the leaf at `depth`, and back up its value; returns a status.

    over : whether the game is over there. If not, search.evaluation contains the leaf's value for each player
    and, if the search keeps priors, search.weights the prior weight of each action.
    state : the leaf's; the one behind it is modified.
    """
    status = DONE
    if over:
        state.write_returns(search.returns)
    else:
        player = state.current_player()
        if player == CHANCE:
            if search.pays:
                search.note_chance(search, depth)
        elif depth < search.max_depth and search.may_grow(search, depth):
            status = search.expand(search, state, depth)
            if status == STAYED or status == TREE_FULL or status == CLAIMED_BY_OTHER:
                status = DONE
        search.take_evaluation(search)
    if status == DONE:
        status = search.back_up(search, depth, over)
    return status


@phase()
def count_at_root(search):
    """Count a simulation in progress at the root, too, if others may begin before it ends."""
    if search.shared:
        search.nodes[ROOT].visits += 1


@phase()
def count_nothing(search):
    """Count nothing: simulations of a thread are counted when they have ended."""


@phase(int64)
def may_grow(search, depth):
    """Whether the path's node at `depth` has no children yet; other simulations may have added them."""
    return search.nodes[search.levels[depth].node].first < 0


@phase(int64, int64, boolean)
def stay(search, depth, first, found):
    """Attach the leaf's new children, which begin at `first`, to the tree; returns -STAYED.

    found : whether bounds of the children are known.
    """
    publish(search, np.int64(search.levels[depth].node), first)
    if (found and search.proofs) or search.keeps_graph:
        prove_upwards(search, depth)
    return np.int64(-STAYED)


@phase()
def take_evaluation(search):
    """Use search.evaluation as the outcome of the simulation."""
    for player in range(search.num_players):
        search.returns[player] = search.evaluation[player]


@phase(int64, int64)
def rank_by_weights(search, first, count):
    """Set the new children's priors from search.weights; returns a status, see `expand.rank`."""
    for child in range(first, first + count):
        search.priors[child] = search.weights[search.nodes[child].action]
    return rank(search, first, count)


@text
def weigh_by_evaluator(search, state, first, count):
    """Set the children's priors from search.weights; returns a status."""
    return search.rank_by_weights(search, first, count)


@phase(int64, int64)
def take_back(search, depth):
    """Undo a simulation in progress, with a path down to `depth`."""
    _forget_path(search, depth)


@kernel
def _forget_path(search, depth):
    for level in range(depth):
        take_loss_back(search, np.int64(search.levels[level + 1].node), level)
    if search.shared:
        search.nodes[ROOT].visits -= 1
