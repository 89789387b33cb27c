"""The search tree: one array of nodes, statistics alone.

The layout is declared here and nowhere else. Children of a node are contiguous:
nodes[first : first + count], in the order in which they are to be tried. States are not stored; a
simulation copies the root's state and plays the actions on its way down.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = 0
UNEXPANDED = -1
MAX_CHILDREN = 65_535

BOUNDED_BELOW = 1  # flag: some child has bounds tighter than the game's

USED = 0  # counter of the nodes taken, from the front of the array
REFUSED = 1  # counter of the expansions that found no room

NODE = np.dtype(
    [
        ("value", np.float64),  # sum of returns, for the player who moved into the node; 0 at the root
        ("visits", np.int32),  # simulations through the node
        ("first", np.int32),  # index of the first child, or UNEXPANDED
        ("action", np.int32),  # the action that leads here from the parent; -1 at the root
        ("count", np.uint16),  # children
        ("player", np.int8),  # who is to move here, known once the node is expanded
        ("flags", np.uint8),  # BOUNDED_BELOW or 0
        ("lower", np.float32),  # proven bounds of the value under best play, for the player who moved into
        ("upper", np.float32),  # the node; for the player to move at the root. Equal: the node is solved
    ],
    align=True,
)


class Tree(NamedTuple):
    """A tree with room for N nodes."""

    nodes: NDArray[Any]  # [N] of NODE
    counters: NDArray[np.int64]  # [2] see USED, REFUSED


def new_tree(capacity: int, min_return: float = -1.0, max_return: float = 1.0) -> Tree:
    """Return a tree of one unvisited root, with room for `capacity` nodes.

    The memory is taken from the operating system only as the tree grows into it.
    """
    nodes = np.empty(capacity, NODE)
    nodes[ROOT] = (0.0, 0, UNEXPANDED, -1, 0, -1, 0, min_return, max_return)
    return Tree(nodes, np.array([1, 0]))
