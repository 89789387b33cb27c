"""The search tree: one array of nodes, and one more for each statistic that a search asks for.

The layout is declared here and nowhere else. Children of a node are contiguous:
nodes[first : first + count], in the order in which they are to be tried. States are not stored; a
simulation copies the root's state and plays the actions on its way down.

What simulations return is counted as gains, from 0 to 1: (return - min_return) / (max_return - min_return).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.memory import aligned_empty

ROOT = 0
UNEXPANDED = -1
CLAIMED = -2  # some thread is about to expand the node
MAX_CHILDREN = 65_535

BOUNDED_BELOW = 1  # flag: some child has bounds tighter than the game's

USED = 0  # counter of the nodes taken, from the front of the array
REFUSED = 1  # counter of the expansions that found no room
NUM_COUNTERS = 2

NODE = np.dtype(
    [
        ("value", np.float64),  # sum of gains of the player who moved into the node; 0 at the root
        ("visits", np.int32),  # simulations through the node
        ("first", np.int32),  # index of the first child, or UNEXPANDED or CLAIMED
        ("action", np.int32),  # the action that leads here from the parent; -1 at the root
        ("count", np.uint16),  # children
        ("player", np.int8),  # who is to move here, known once the node is expanded
        ("flags", np.uint8),  # BOUNDED_BELOW or 0
        ("lower", np.float32),  # proven bounds of the return under best play, for the player who moved into
        ("upper", np.float32),  # the node; for the player to move at the root. Equal: the node is solved
    ],
    align=True,
)

RANGE = np.dtype([("low", np.float64), ("high", np.float64)], align=True)
"""The least and the greatest gain that a player was seen to get; low above high: none yet."""

MAX_PLAYERS = 127

AMAF = np.dtype([("value", np.float64), ("visits", np.int64)], align=True)
"""Gains of simulations in which the child's action was played by the same player here or later."""


class Tree(NamedTuple):
    """A tree with room for N nodes. Arrays marked N or 0 are empty unless the search keeps them."""

    nodes: NDArray[Any]  # [N] of NODE
    counters: NDArray[np.int64]  # [NUM_COUNTERS] see USED, REFUSED
    ranges: NDArray[Any]  # [MAX_PLAYERS] of RANGE, by player, where gains are stretched; see `core.scaling`
    priors: NDArray[np.float32]  # [N or 0] probability of the action before any visit
    heuristics: NDArray[np.float32]  # [N or 0] the game's evaluation, as a gain of who moved into the node
    minimax: NDArray[np.float32]  # [N or 0] evaluations passed up by best play, for the same player
    squares: NDArray[np.float64]  # [N or 0] sum of squared gains
    amaf: NDArray[Any]  # [N or 0] of AMAF
    links: NDArray[np.int32]  # [N or 0] the node that stands for the same state, often the node itself
    own: NDArray[np.float64]  # [N or 0] sum of gains of simulations that ended at the node
    edge_visits: NDArray[np.int32]  # [N or 0] simulations through this edge; nodes.visits is of all edges
    keys: NDArray[np.uint64]  # [N or 0] hash of the state, 0 where no other can link to the node
    table: NDArray[np.int32]  # [T or 0] hash table, by key, of nodes plus 1; 0: empty; T a power of 2


STATISTICS = ("priors", "heuristics", "minimax", "squares", "amaf", "graph")
"""What a search may keep besides the nodes; "graph" stands for links and what follows it."""

_KEPT_TYPES: dict[str, np.dtype[Any]] = {
    "priors": np.dtype(np.float32),
    "heuristics": np.dtype(np.float32),
    "minimax": np.dtype(np.float32),
    "squares": np.dtype(np.float64),
    "amaf": AMAF,
}
_GRAPH_TYPES: dict[str, np.dtype[Any]] = {
    "links": np.dtype(np.int32),
    "own": np.dtype(np.float64),
    "edge_visits": np.dtype(np.int32),
    "keys": np.dtype(np.uint64),
}
_SLOT = np.dtype(np.int32)
OF_ANY_TREE = ("counters", "ranges")
"""Arrays whose length does not depend on the tree's capacity."""

Sizes = Mapping[str, tuple[int, np.dtype[Any]]]
Memory = Callable[[Sizes], dict[str, NDArray[Any]]]


def node_bytes(kept: Collection[str]) -> int:
    """Return the memory that a node takes, with the statistics that are `kept`."""
    size = NODE.itemsize + sum(_KEPT_TYPES[name].itemsize for name in kept if name != "graph")
    if "graph" in kept:
        size += sum(dtype.itemsize for dtype in _GRAPH_TYPES.values()) + 4 * _SLOT.itemsize
    return size


def array_sizes(capacity: int, kept: Collection[str]) -> Sizes:
    """Return how many items of which type each array has, by name, in a tree for `capacity` nodes."""
    in_graph = "graph" in kept
    slots = 2 << (capacity - 1).bit_length() if in_graph else 0  # 2 to 4 for each node
    return {
        "nodes": (capacity, NODE),
        "counters": (NUM_COUNTERS, np.dtype(np.int64)),
        "ranges": (MAX_PLAYERS, RANGE),
        **{name: (capacity if name in kept else 0, dtype) for name, dtype in _KEPT_TYPES.items()},
        **{name: (capacity if in_graph else 0, dtype) for name, dtype in _GRAPH_TYPES.items()},
        "table": (slots, _SLOT),
    }


def own_memory(sizes: Sizes) -> dict[str, NDArray[Any]]:
    """Return arrays of these sizes in this process's memory; all that has to be 0 is the table."""
    arrays = {name: aligned_empty(*size) for name, size in sizes.items() if name != "table"}
    return {**arrays, "table": np.zeros(*sizes["table"])}


def new_tree(
    capacity: int,
    min_return: float = -1.0,
    max_return: float = 1.0,
    kept: Collection[str] = (),
    memory: Memory = own_memory,
) -> Tree:
    """Return a tree of one unvisited root, with room for `capacity` nodes.

    memory : what gives its arrays; it is taken from the operating system only as the tree grows into it.
    """
    tree = Tree(**memory(array_sizes(capacity, kept)))
    _plant(tree, min_return, max_return)
    return tree


def reset(tree: Tree, min_return: float, max_return: float) -> None:
    """Leave nothing but an unvisited root."""
    tree.table.fill(0)
    _plant(tree, min_return, max_return)


def _plant(tree: Tree, min_return: float, max_return: float) -> None:
    tree.nodes[ROOT] = (0.0, 0, UNEXPANDED, -1, 0, -1, 0, min_return, max_return)
    tree.counters[:] = 0
    tree.counters[USED] = 1
    tree.ranges["low"], tree.ranges["high"] = np.inf, -np.inf
    for name in ("heuristics", "minimax", "squares", "amaf", "links", "own", "edge_visits", "keys"):
        getattr(tree, name)[:1] = 0
    tree.priors[:1] = 1.0


def enlarged(tree: Tree, capacity: int, memory: Memory = own_memory) -> Tree:
    """Return the same tree with room for `capacity` nodes, at least as many as it has.

    memory : as in `new_tree`. The hash table of a graph is left empty: see `core.graph.enter_all`.
    """
    kept = [name for name in _KEPT_TYPES if getattr(tree, name).size]
    larger = new_tree(capacity, kept=[*kept, "graph"] if tree.links.size else kept, memory=memory)
    used = int(tree.counters[USED])
    for name, array in tree._asdict().items():
        if name not in (*OF_ANY_TREE, "table") and array.size:
            getattr(larger, name)[:used] = array[:used]
    for name in OF_ANY_TREE:
        getattr(larger, name)[:] = getattr(tree, name)
    return larger
