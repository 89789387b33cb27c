"""Reusing a well-visited choice for several simulations.

A child that is chosen with n visits is followed min(n / 64, repeat) times in a row, if that is at least 2,
before its parent's children are scored again. In a large tree, a search spends most of its time scoring the
children of well-visited nodes, where one more visit changes nothing. Near the leaves each visit matters, and
every simulation chooses anew. A child that is solved meanwhile is dropped at once.

Threads that share a tree add all these visits to the child at once, as virtual losses, and the gains when the
last simulation is back. Two threads in one tree lose most time when the cache line of a busy node moves
between cores; now it moves once for many simulations. A choice is then reused min(n / 16, 4 * repeat) times.

Commitments are kept in a small hash table in which several nodes share a slot. A commitment that is replaced
by another is settled: its unused visits are taken back. `settle_all` ends every batch of a thread's
simulations, so that a shared tree at rest contains no virtual loss.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.machine.atomic import add_to_field, add_to_item, peek_field
from branchwise.core.machine.kernel import inlined_kernel, kernel
from branchwise.core.simulation.select import best_child
from branchwise.core.tree.return_scaling import lowest_gain

COMMITMENT = np.dtype(
    [
        ("node", np.int64),  # parent of the child; -1: empty slot
        ("child", np.int64),
        ("left", np.int64),  # simulations still to follow
        ("value", np.float64),  # gains above virtual losses, not yet added to the child's
        ("squares", np.float64),  # squared gains, the same
        ("loss", np.float64),  # gain of a visit with an unknown outcome
    ],
    align=True,
)

NUM_COMMITMENTS = 256  # a power of 2
_VISITS_EACH = 6  # as a power of 2
_SHARED_VISITS_EACH = 4  # the same where threads share the tree
SHARED_REPEAT = 4
"""Factor by which a choice is reused longer if threads share the tree."""


@kernel
def choose_anew(search, node, depth):
    """Return the child to follow from `node`, the path's at `depth`, after scoring the children anew.

    Returns NO_SCORE without a valid score, and UNTRIED if the best action has no child yet.
    """
    return best_child(search, node, depth)


@inlined_kernel
def choose_again(search, node, depth):
    """Return the child to follow: the last choice while it may be reused, or a new one."""
    kept = search.commitments[np.int64(node) & (NUM_COMMITMENTS - 1)]
    if kept.node == node and kept.left > 0:
        place = np.uint64(search.place(search, kept.child))
        if search.nodes[place].lower < search.nodes[place].upper:
            kept.left -= 1
            return kept.child
    return _choose_and_keep(search, node, depth)


@kernel
def _choose_and_keep(search, node, depth):
    """Return a new choice, and keep it for the next simulations if its child has many visits."""
    child = best_child(search, node, depth)
    if child >= 0:
        times = min(np.int64(search.visits(search, child)) >> _VISITS_EACH, search.repeat)
        if times >= 2:
            kept = search.commitments[np.int64(node) & (NUM_COMMITMENTS - 1)]
            kept.node = node
            kept.child = child
            kept.left = times - 1
    return child


@kernel
def choose_among_threads(search, node, depth):
    """The same, and show the visit to other threads.

    Until the outcome is known, the visit counts as a loss of the player who moved into the child: its gain is
    this player's least known gain, or 0 with the game's bounds ("virtual loss": Chaslot, Winands, van den
    Herik, "Parallel Monte-Carlo tree search", 2008).
    """
    nodes = search.nodes
    slot = np.int64(node) & (NUM_COMMITMENTS - 1)
    kept = search.commitments[slot]
    if kept.node == node:
        child = kept.child
        if kept.left > 0 and peek_field(nodes, child, "lower") < peek_field(nodes, child, "upper"):
            kept.left -= 1
            if search.stretches:
                search.losses[depth] = kept.loss
            return child
        _settle(search, slot)
    child = best_child(search, node, depth)
    if child < 0:
        return child
    loss = lowest_gain(search, nodes[node].player)
    if search.stretches:
        search.losses[depth] = loss
    times = min(np.int64(peek_field(nodes, child, "visits")) >> _SHARED_VISITS_EACH, search.repeat)
    if times < 2:
        _count_losses(search, child, 1, loss)
        return child
    _settle(search, slot)
    _count_losses(search, child, times, loss)
    kept.node = node
    kept.loss = loss
    kept.child = child
    kept.left = times - 1
    return child


@kernel
def follow_alone(search, mover, child, depth):
    """Follow a child that was not chosen by its score; mover : the player whose value it has."""


@kernel
def follow_among_threads(search, mover, child, depth):
    """The same, and show the visit to other threads."""
    loss = lowest_gain(search, mover)
    if search.stretches:
        search.losses[depth] = loss
    _count_losses(search, child, 1, loss)


@kernel
def take_loss_back(search, child, depth):
    """Forget the visit of `child` that was counted when the path at `depth` went on to it."""
    if search.shared:
        _count_losses(search, child, -1, search.losses[depth] if search.stretches else 0.0)


@kernel
def _count_losses(search, child, visits, loss):
    """Count visits with unknown outcomes, each with the gain `loss`; a negative number takes visits back."""
    add_to_field(search.nodes, child, "visits", visits)
    if search.stretches and loss != 0.0:
        add_to_field(search.nodes, child, "value", visits * loss)
        if search.keeps_squares:
            add_to_item(search.squares, child, visits * loss * loss)


@kernel
def credit_alone(search, level, won):
    """Count a simulation through search.levels[level] and add its gain."""
    child = np.uint64(search.levels[level].node)
    search.nodes[child].visits += 1
    search.nodes[child].value += won
    if search.keeps_squares:
        search.squares[child] += won * won


@kernel
def credit_among_threads(search, level, won):
    """Add the gain of a simulation through search.levels[level] already counted by `choose_among_threads`."""
    node = search.levels[level - 1].node
    child = search.levels[level].node
    loss = search.losses[level - 1] if search.stretches else 0.0
    gained = won - loss
    gained_squares = won * won - loss * loss
    slot = np.int64(node) & (NUM_COMMITMENTS - 1)
    kept = search.commitments[slot]
    if kept.node == node and kept.child == child:
        kept.value += gained
        if search.keeps_squares:
            kept.squares += gained_squares
        if kept.left == 0:
            _settle(search, slot)
    elif gained != 0.0:
        add_to_field(search.nodes, child, "value", gained)
        if search.keeps_squares:
            add_to_item(search.squares, child, gained_squares)


@kernel
def settle_all(search):
    """Add the gains of all commitments to the tree and take unused visits back."""
    for slot in range(NUM_COMMITMENTS):
        _settle(search, slot)


@kernel
def _settle(search, slot):
    kept = search.commitments[slot]
    if kept.node < 0:
        return
    if kept.left > 0:
        _count_losses(search, kept.child, -kept.left, kept.loss)
    if kept.value != 0.0:
        add_to_field(search.nodes, kept.child, "value", kept.value)
        if search.keeps_squares:
            add_to_item(search.squares, kept.child, kept.squares)
    kept.node = -1
    kept.left = 0
    kept.value = 0.0
    kept.squares = 0.0
