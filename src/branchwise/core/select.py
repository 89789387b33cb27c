"""Selecting a child during descent.

Scores the children of one node and returns the best. Reads the tree, changes nothing, knows no game.
Layout: `core.tree`. UCB1: Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of the multiarmed bandit
problem", 2002; in trees: Kocsis, Szepesvari, "Bandit based Monte-Carlo planning", 2006.

Scores are 32-bit: dividing and taking roots is most of the work of a search in a large tree, and costs
half as much as in 64 bits. Sums of returns stay 64-bit.
"""

from __future__ import annotations

import math

import numpy as np

from branchwise.core.kernel import kernel
from branchwise.core.tree import BOUNDED_BELOW

_ONE = np.float32(1.0)
_LEAST = np.float32(-np.inf)


@kernel
def best_ucb1_child(nodes, node, c, first_play):
    """Return the child of `node` that maximises UCB1, int64.

        value / n + c sqrt(ln N / n),    N the visits of the node, n those of the child

    node : an expanded node (not checked).   c : float64, in units of the returns.
    first_play : float64, the score of a child without visits; infinite: take the first such child.
    Ties go to the lowest index; expansion has put the children in random order. A child that is solved, or
    that cannot be better than a sibling is proven to be, is not worth a visit; only where nothing else is
    left, the best of these is returned.
    """
    first = np.int64(nodes[node].first)
    last = first + np.int64(nodes[node].count)
    urgent = math.isinf(first_play)
    bounded = nodes[node].flags & BOUNDED_BELOW != 0
    safe = _LEAST
    best = first
    if bounded:
        for child in range(first, last):
            if nodes[child].lower > safe:
                safe = nodes[child].lower
                best = child
    spread = np.float32(c * c * math.log(nodes[node].visits))
    best_score = _LEAST
    for child in range(first, last):
        if bounded and (nodes[child].upper <= safe or nodes[child].lower >= nodes[child].upper):
            continue
        n = nodes[child].visits
        if n > 0:
            share = _ONE / np.float32(n)
            score = np.float32(nodes[child].value) * share + math.sqrt(spread * share)
        elif urgent:
            return child
        else:
            score = np.float32(first_play)
        if score > best_score:
            best_score = score
            best = child
    return best
