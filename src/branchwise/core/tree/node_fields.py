"""The search tree: an array of nodes, and an array for each further statistic that a search needs.

The layout is declared here and nowhere else. Children of a node are contiguous: nodes[first : first + count],
in the order of their first visits; if they are added one at a time, they are in blocks instead: see
`core.tree.children`. States are not stored; a simulation copies the root's state and plays the actions on its
way down.

Returns are stored as gains, from 0 to 1: (return - min_return) / (max_return - min_return).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import NO_ACTION as NO_ACTION
from branchwise.common.players import NO_PLAYER
from branchwise.core.machine.memory import aligned_empty

ROOT = 0
UNEXPANDED = -1
CLAIMED = -2  # a thread is about to expand the node
MAX_CHILDREN = 65_535

# Flags of a node. Slots of a block that hold no node have one of the last two.
HAS_BOUNDED_CHILD = 1  # some child has bounds tighter than the game's
PARTIAL = 2  # some legal actions have no child yet
IN_BLOCKS = 4  # the children are in blocks
GROWING = 8  # a thread is adding children
LINK = 16  # not a node, but the end of a block: `first` is the next block
SPARE = 32  # not a node, but room for one
BARRED = 64  # some legal actions are left out: see `core.simulation.steering`

USED = 0  # counter of nodes in use, from the front of the array
REFUSED = 1  # counter of the expansions that found no room
NUM_COUNTERS = 2

NODE = np.dtype(
    [
        ("value", np.float64),  # sum of gains of the player who moved into the node; 0 at the root
        ("visits", np.int32),  # simulations through the node
        ("first", np.int32),  # index of the first child, or UNEXPANDED or CLAIMED
        ("action", np.int32),  # the action that leads here from the parent; NO_ACTION at the root
        ("count", np.uint16),  # children
        ("player", np.int8),  # the player to move, or the kind of node: see `branchwise.common.players`
        ("flags", np.uint8),  # HAS_BOUNDED_CHILD to BARRED
        ("lower", np.float32),  # proven bounds of the return under best play, for the player who moved into
        ("upper", np.float32),  # the node; for the player to move at the root. Equal: the node is solved
    ],
    align=True,
)

RANGE = np.dtype([("low", np.float64), ("high", np.float64)], align=True)
"""The least and the greatest gain of a player so far; low above high: none yet."""

MAX_PLAYERS = 127

AMAF = np.dtype([("value", np.float64), ("visits", np.int64)], align=True)
"""Gains of simulations in which a player played an action at a node or later; of a child, its own action."""

TABLES_USED, MOVES_EACH = range(2)
"""Places in `Tree.tables`: how many tables of all moves are in use, and of how many moves each is."""
LEAST_TABLES = 64
"""Tables of all moves that a small tree has room for. In a larger tree they take as much memory as AMAF."""

ITSELF = "index"
"""First entry of a statistic that refers to a node: the node itself."""


class Statistic(NamedTuple):
    """A statistic that a search can keep for each node besides its record, in its own array.

    option : the option of a search that needs it.   first : the entry of a new child; None: set when the
    child is added.   at_root : the entry of a new tree's root.   refers : whether entries are indices of
    nodes.
    """

    option: str
    dtype: np.dtype[Any]
    first: float | str | None = 0
    at_root: float = 0
    refers: bool = False


STATISTICS = {
    # probability of the action before any visit
    "priors": Statistic("priors", np.dtype(np.float32), first=None, at_root=1),
    # probability of the outcome of chance that leads here; 0 for an action
    "probabilities": Statistic("chance", np.dtype(np.float64)),
    # the game's evaluation, as a gain of the player who moved into the node
    "heuristics": Statistic("heuristics", np.dtype(np.float32), first=0.5),
    # evaluations backed up by best play, for the same player
    "minimax": Statistic("minimax", np.dtype(np.float32), first=0.5),
    # sum of squared gains
    "squares": Statistic("squares", np.dtype(np.float64)),
    "amaf": Statistic("amaf", AMAF),
    # number of the node's table of all moves, from 1; 0: it has none yet, below 0: there was no room
    "move_tables": Statistic("move_tables", np.dtype(np.int32)),
    # the node that stands for the same state, often the node itself
    "links": Statistic("graph", np.dtype(np.int32), first=ITSELF, refers=True),
    # sum of gains of simulations that ended at the node
    "own": Statistic("graph", np.dtype(np.float64)),
    # simulations through this edge; nodes.visits counts those of all edges
    "edge_visits": Statistic("graph", np.dtype(np.int32)),
    # reward of the move that leads here, for the player who chooses it
    "edge_rewards": Statistic("edge_rewards", np.dtype(np.float64)),
    # how often the action was legal when its parent was visited
    "available": Statistic("open_loop", np.dtype(np.int32)),
    # the player who chooses the action
    "choosers": Statistic("open_loop", np.dtype(np.int8)),
    # what the strategies of a joint node learn from, and the sum of their probabilities
    "regrets": Statistic("strategies", np.dtype(np.float64)),
    "strategies": Statistic("strategies", np.dtype(np.float64)),
    # hash of the state, 0 if no node can link to this one; with drawn outcomes, also of the path to it
    "keys": Statistic("keys", np.dtype(np.uint64)),
    # how often chance brought the outcome; for a node of chance, all of its outcomes
    "drawn": Statistic("drawn", np.dtype(np.int32)),
    # counter of the random numbers that produce the outcome
    "seeds": Statistic("drawn", np.dtype(np.uint64)),
    # in a search from a belief with weighted particles: the node's last particle, or -1
    "newest": Statistic("particles", np.dtype(np.int32), first=-1, at_root=-1),
    # how often the observation came; for an action, all observations after it
    "frequency": Statistic("particles", np.dtype(np.int32)),
    # where the numbers of the observation begin
    "told_from": Statistic("particles", np.dtype(np.int64)),
}
"""All statistics of nodes, declared once: arrays, memory, kernels and files follow."""

OPTIONS = tuple(dict.fromkeys(statistic.option for statistic in STATISTICS.values()))

_SLOT = np.dtype(np.int32)
TYPES: dict[str, np.dtype[Any]] = {
    "nodes": NODE,
    "counters": np.dtype(np.int64),
    "ranges": RANGE,
    "vectors": np.dtype(np.float64),
    "tables": np.dtype(np.int64),
    "all_moves": AMAF,
    **{name: statistic.dtype for name, statistic in STATISTICS.items()},
    "table": _SLOT,
}
"""Types of the items of a tree's arrays."""


class Tree:
    """A tree with room for N nodes, with its arrays as attributes.

    nodes : [N] of NODE.   counters : int64 [NUM_COUNTERS], see USED, REFUSED.   ranges : [MAX_PLAYERS] of
    RANGE, by player, if gains are stretched; see `core.tree.return_scaling`.   vectors : float64 [N D or 0],
    the continuous actions that lead to the nodes, of D numbers each, NaN for an outcome; see
    `core.descents.continuous_actions`. table : int32 [T or 0], hash table by key; entries are node indices
    plus 1, 0 is empty; T is a power of 2. all_moves : [K M or 0] of AMAF, K tables of the M moves of all
    players.   tables : int64 [2], see TABLES_USED. Each of STATISTICS : [N], or empty if it is not kept.
    """

    names = tuple(TYPES)
    """Names of the arrays, in the order of declaration."""

    nodes: NDArray[Any]
    counters: NDArray[np.int64]
    ranges: NDArray[Any]
    vectors: NDArray[np.float64]
    tables: NDArray[np.int64]
    all_moves: NDArray[Any]
    table: NDArray[np.int32]

    def __init__(self, **arrays: NDArray[Any]) -> None:
        if set(arrays) != set(self.names):
            raise TypeError(f"a tree has the arrays {', '.join(self.names)}")
        vars(self).update(arrays)

    _whole: Tree | None = None

    @property
    def whole(self) -> Tree:
        """The same tree with all the memory that is set aside for it: see `beginning`."""
        return self._whole or self

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> NDArray[Any]: ...

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name."""
        return {name: getattr(self, name) for name in self.names}

    def with_arrays(self, **arrays: NDArray[Any]) -> Tree:
        """Return a tree in which the given arrays replace some of these."""
        return Tree(**{**self.arrays(), **arrays})


OF_ANY_TREE = ("counters", "ranges", "tables")
"""Arrays whose length does not depend on the tree's capacity."""

OF_MOVES = ("tables", "all_moves", "move_tables")
"""Arrays of the tables of all moves, which are not written to files."""

Sizes = Mapping[str, tuple[int, np.dtype[Any]]]
Memory = Callable[[Sizes], dict[str, NDArray[Any]]]


def node_bytes(kept: Collection[str], dimensions: int = 0) -> int:
    """Return the memory of a node in bytes, with the statistics of the options in `kept`."""
    slots = 4 * _SLOT.itemsize if "keys" in kept else 0
    slots += dimensions * TYPES["vectors"].itemsize
    slots += AMAF.itemsize if "move_tables" in kept else 0
    return NODE.itemsize + slots + sum(s.dtype.itemsize for s in STATISTICS.values() if s.option in kept)


def array_sizes(capacity: int, kept: Collection[str], dimensions: int = 0, moves: int = 0) -> Sizes:
    """Return the length and type of each array, by name, of a tree for `capacity` nodes.

    dimensions : of continuous actions; 0 if actions are numbered.   moves : distinct moves of all players,
    at least 1 if tables of them are kept.
    """
    slots = 2 << (capacity - 1).bit_length() if "keys" in kept else 0  # 2 to 4 for each node
    lengths = {"nodes": capacity, "counters": NUM_COUNTERS, "ranges": MAX_PLAYERS, "table": slots}
    lengths["vectors"] = capacity * dimensions
    lengths["tables"] = 2
    lengths["all_moves"] = max(LEAST_TABLES, capacity // moves) * moves if "move_tables" in kept else 0
    lengths |= {name: capacity if s.option in kept else 0 for name, s in STATISTICS.items()}
    return {name: (lengths[name], dtype) for name, dtype in TYPES.items()}


def own_memory(sizes: Sizes) -> dict[str, NDArray[Any]]:
    """Return arrays of these sizes in this process's memory; only the table is zeroed."""
    arrays = {name: aligned_empty(*size) for name, size in sizes.items() if name != "table"}
    return {**arrays, "table": np.zeros(*sizes["table"])}


def new_tree(
    capacity: int,
    min_return: float = -1.0,
    max_return: float = 1.0,
    kept: Collection[str] = (),
    memory: Memory = own_memory,
    dimensions: int = 0,
    moves: int = 0,
) -> Tree:
    """Return a tree of one unvisited root, with room for `capacity` nodes.

    dimensions, moves : as in `array_sizes`.   memory : allocates the arrays; the operating system provides
    the pages only as the tree grows.
    """
    tree = Tree(**memory(array_sizes(capacity, kept, dimensions, moves)))
    tree.tables[MOVES_EACH] = moves
    _plant(tree, min_return, max_return)
    return tree


def reset(tree: Tree, min_return: float, max_return: float) -> None:
    """Empty the tree, except for an unvisited root."""
    tree.table.fill(0)
    _plant(tree, min_return, max_return)


def _plant(tree: Tree, min_return: float, max_return: float) -> None:
    tree.nodes[ROOT] = (0.0, 0, UNEXPANDED, NO_ACTION, 0, NO_PLAYER, 0, min_return, max_return)
    tree.counters[:] = 0
    tree.counters[USED] = 1
    tree.tables[TABLES_USED] = 0
    tree.ranges["low"], tree.ranges["high"] = np.inf, -np.inf
    tree.vectors[: dimensions_of(tree)] = np.nan
    for name, statistic in STATISTICS.items():
        array = getattr(tree, name)
        if array.size:
            array[0] = statistic.at_root


def dimensions_of(tree: Tree) -> int:
    """Return the dimensions of a continuous action; 0 if actions are numbered."""
    return tree.vectors.size // tree.nodes.size


def beginning(tree: Tree, capacity: int) -> Tree:
    """Return the same tree in the same memory, of which it may use `capacity` nodes.

    A hash table is left as it is: see `core.backup.transpositions.enter_all`.
    """
    sizes = array_sizes(capacity, _options(tree), dimensions_of(tree), int(tree.tables[MOVES_EACH]))
    part = Tree(**{name: array[: sizes[name][0]] for name, array in tree.whole.arrays().items()})
    part._whole = tree.whole
    return part


def _options(tree: Tree) -> set[str]:
    return {statistic.option for name, statistic in STATISTICS.items() if getattr(tree, name).size}


def enlarged(tree: Tree, capacity: int, memory: Memory = own_memory) -> Tree:
    """Return the same tree with room for `capacity` nodes, at least as many as are used.

    memory : as in `new_tree`. A hash table is left empty: see `core.backup.transpositions.enter_all`.
    """
    dimensions, moves = dimensions_of(tree), int(tree.tables[MOVES_EACH])
    larger = new_tree(capacity, kept=_options(tree), memory=memory, dimensions=dimensions, moves=moves)
    used = int(tree.counters[USED])
    for name, array in tree.arrays().items():
        if name not in (*OF_ANY_TREE, "table", "vectors", "all_moves") and array.size:
            getattr(larger, name)[:used] = array[:used]
    larger.vectors[: used * dimensions] = tree.vectors[: used * dimensions]
    in_tables = min(int(tree.tables[TABLES_USED]) * moves, tree.all_moves.size)
    if in_tables > larger.all_moves.size:  # a copy with room for no more nodes than are used
        larger = larger.with_arrays(all_moves=tree.all_moves[:in_tables].copy())
    larger.all_moves[:in_tables] = tree.all_moves[:in_tables]
    for name in OF_ANY_TREE:
        getattr(larger, name)[:] = getattr(tree, name)
    return larger
