"""Threads in one tree: choosing a child once for several simulations.

A thread that chooses a child with n visits commits itself to follow it min(n / 64, 16) times in a row, where
that is at least 2. The visits are added to the node at once, as virtual losses, and the gains when the last
of them has come back: so the line of memory that holds a busy node goes to and fro between the processors'
cores once for many simulations, which is what two threads in one tree lose their time by. Near the leaves,
where each visit tells much, every simulation chooses anew.

Commitments are kept in a small table, one for a node that happens to share its slot with others: what is
driven out is settled, that is, visits that were not used are taken back. `settle_all` ends every batch of
simulations, so that a tree at rest holds no virtual loss.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.atomic import add_to_field, add_to_item, peek_field
from branchwise.core.kernel import kernel
from branchwise.core.select import NO_SCORE, best_child

COMMITMENT = np.dtype(
    [
        ("node", np.int64),  # at which the child was chosen; -1: none
        ("child", np.int64),
        ("left", np.int64),  # simulations that are still to follow
        ("value", np.float64),  # gains, not yet added to the child's
        ("squares", np.float64),  # squared gains, the same
    ],
    align=True,
)

NUM_COMMITMENTS = 256  # a power of 2
_MOST = 16
_VISITS_EACH = 6  # as a power of 2


@kernel
def choose_alone(search, node, depth):
    """Return the child to follow from `node`, the path's at `depth`, or NO_SCORE, for one thread."""
    return best_child(search, node, depth)


@kernel
def choose_among_threads(search, node, depth):
    """The same, and let other threads see the visit.

    Until the outcome is known, it counts as a loss of whoever moved into the child: its gain is 0 ("virtual
    loss": Chaslot, Winands, van den Herik, "Parallel Monte-Carlo tree search", 2008).
    """
    nodes = search.nodes
    slot = np.int64(node) & (NUM_COMMITMENTS - 1)
    kept = search.commitments[slot]
    if kept.node == node:
        child = kept.child
        if kept.left > 0 and peek_field(nodes, child, "lower") < peek_field(nodes, child, "upper"):
            kept.left -= 1
            return child
        _settle(search, slot)
    child = best_child(search, node, depth)
    if child == NO_SCORE:
        return child
    times = min(np.int64(peek_field(nodes, child, "visits")) >> _VISITS_EACH, _MOST)
    if times < 2:
        add_to_field(nodes, child, "visits", 1)
        return child
    _settle(search, slot)
    add_to_field(nodes, child, "visits", times)
    kept.node = node
    kept.child = child
    kept.left = times - 1
    return child


@kernel
def credit_alone(search, node, child, won):
    """Count a simulation through `child`, chosen at `node`, and add its gain."""
    search.nodes[child].visits += 1
    search.nodes[child].value += won
    if search.keeps_squares:
        search.squares[child] += won * won


@kernel
def credit_among_threads(search, node, child, won):
    """Add the gain of a simulation that `choose_among_threads` has counted already."""
    slot = np.int64(node) & (NUM_COMMITMENTS - 1)
    kept = search.commitments[slot]
    if kept.node == node and kept.child == child:
        kept.value += won
        if search.keeps_squares:
            kept.squares += won * won
        if kept.left == 0:
            _settle(search, slot)
    elif won != 0.0:
        add_to_field(search.nodes, child, "value", won)
        if search.keeps_squares:
            add_to_item(search.squares, child, won * won)


@kernel
def settle_all(search):
    """Add what commitments have gained so far to the tree and take unused visits back."""
    for slot in range(NUM_COMMITMENTS):
        _settle(search, slot)


@kernel
def _settle(search, slot):
    kept = search.commitments[slot]
    if kept.node < 0:
        return
    if kept.left > 0:
        add_to_field(search.nodes, kept.child, "visits", -kept.left)
    if kept.value != 0.0:
        add_to_field(search.nodes, kept.child, "value", kept.value)
        if search.keeps_squares:
            add_to_item(search.squares, kept.child, kept.squares)
    kept.node = -1
    kept.left = 0
    kept.value = 0.0
    kept.squares = 0.0
