"""Reading many nodes of a search tree at once: children, their order, and filters.

Only this module and `tree.file` read the tree's arrays; it knows no game and draws nothing. Its cost depends
on the number of nodes read, not on the size of the tree. Each list of children is opened once, so that
reading ends even if several nodes share their children. Layout: `core.tree.node_fields`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import whole_number
from branchwise.common.players import CHANCE, credited
from branchwise.core.tree.child_indices import Indices, children_of
from branchwise.core.tree.distance_to_end import UNKNOWN
from branchwise.core.tree.node_fields import (
    MAX_CHILDREN,
    OF_ANY_TREE,
    OF_MOVES,
    ROOT,
    USED,
    Tree,
    dimensions_of,
    enlarged,
)
from branchwise.game.kinds.continuous_actions import frozen
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.tree.child_order import as_well_known, best_first, urgency
from branchwise.search.tree.lines_of_play import lines
from branchwise.search.tree.moves_to_end import distances

NO_NODE = -1

_MOST = 2**31 - 1


@dataclass(frozen=True)
class Filter:
    """Selects the nodes to show below a start node.

    top : at most this many children of a node, the best.   min_visits : only nodes with at least this many
    visits; the principal variation is always shown.   depth : only nodes at most this many moves away.
    line : only the principal variation, to its end, whatever the other filters are. Raises `SettingsError`
    for a number outside its range.
    """

    top: int | None = None
    min_visits: int = 0
    depth: int | None = None
    line: bool = False

    def __post_init__(self) -> None:
        whole_number("top", self.top, 1, MAX_CHILDREN, optional=True)
        whole_number("min_visits", self.min_visits, 0, _MOST)
        whole_number("depth", self.depth, 0, _MOST, optional=True)

    @property
    def deepest(self) -> int | None:
        """Maximum depth of a node, in moves; None: no limit."""
        return None if self.line else self.depth


class WalkedNode(NamedTuple):
    """A node met on a walk, its depth in moves from the start, and the node from which it was reached."""

    depth: int
    node: int
    parent: int


class Scale(NamedTuple):
    """Converts NODE["value"] to returns: the mean return of v visits is zero + unit * value / v.

    middle : proven returns above it are best reached early, those below it late.   discount : per decision.
    """

    zero: float = 0.0
    unit: float = 1.0
    middle: float = 0.5
    discount: float = 1.0

    @classmethod
    def of(cls, facts: GameFacts) -> Scale:
        """Return the scale of a game."""
        return cls(facts.no_gain, facts.span, facts.middle, facts.discount)

    def mean(self, sums: Any, visits: Any) -> Any:
        return (self.zero * visits + self.unit * sums) / visits


def node_arrays(tree: Tree) -> dict[str, NDArray[Any]]:
    """Return, by name, the arrays of a tree with one entry per node, except those that it does not keep.

    Vectors, with several numbers per node, are not among them: see `Reader.moves`.
    """
    capacity = len(tree.nodes)
    apart = (*OF_ANY_TREE, *OF_MOVES, "vectors")
    named = {name: array for name, array in tree.arrays().items() if name not in apart}
    return {name: array for name, array in named.items() if array.shape[:1] == (capacity,)}


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads the nodes of a tree; M nodes are given by an int64 array of M indices.

    If the search shares nodes among equal states, `links` leads from a node to the node with its value,
    bounds and children, and `edge_visits` counts visits by the edge to it; otherwise both are None.
    """

    tree: Tree
    scale: Scale = field(default_factory=Scale)
    priors: NDArray[np.float32] | None = field(init=False)
    links: NDArray[np.int32] | None = field(init=False)
    edge_rewards: NDArray[np.float64] | None = field(init=False)
    choosers: NDArray[np.int8] | None = field(init=False)
    keys: NDArray[np.uint64] | None = field(init=False)
    available: NDArray[np.int32] | None = field(init=False)
    edge_visits: NDArray[np.int32] | None = field(init=False)
    probabilities: NDArray[np.float64] | None = field(init=False)
    is_copy: bool = field(init=False, default=False)
    """Whether the nodes were copied because the search continued."""

    def __post_init__(self) -> None:
        kept = node_arrays(self.tree)
        for name in (
            "priors",
            "links",
            "edge_visits",
            "edge_rewards",
            "choosers",
            "keys",
            "available",
            "probabilities",
        ):
            object.__setattr__(self, name, kept.get(name))

    def read(self) -> None:
        """Copy the nodes in use, because the tree is about to change."""
        object.__setattr__(self, "tree", enlarged(self.tree, self.used))
        object.__setattr__(self, "is_copy", True)
        self.__post_init__()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle only the nodes in use: most of a tree's memory is room to grow."""
        return Reader, (enlarged(self.tree, self.used), self.scale)

    @property
    def is_drawn(self) -> bool:
        """Whether each move is followed by nodes for what came of it, or for what was seen of it."""
        return self.choosers is not None and self.keys is not None

    @property
    def used(self) -> int:
        """Number of nodes in use."""
        return int(self.tree.counters[USED])

    # --- one node -----------------------------------------------------------------------------------

    def record(self, node: int) -> Any:
        """Return the NODE record of a node; for its action and visits see `action_of` and `visits_of`."""
        return self.tree.nodes[node if self.links is None else self.links[node]]

    def action_of(self, node: int) -> int:
        """Return the action that leads to a node; a continuous one as its number among its siblings."""
        return int(self.tree.nodes[node]["action"])

    def move_of(self, node: int) -> Any:
        """Return the same, but a continuous action as a vector. A drawn outcome is given by its number."""
        return self.moves([node])[0]

    def moves(self, nodes: Iterable[int]) -> list[Any]:
        """Return `move_of` of some nodes."""
        nodes = list(nodes)
        numbers: list[int] = self.tree.nodes["action"][nodes].tolist()
        size = dimensions_of(self.tree)
        if not size:
            return numbers
        vectors = self.tree.vectors.reshape(-1, size)[nodes]
        return [
            number if np.isnan(vector[0]) else frozen(vector.copy())
            for number, vector in zip(numbers, vectors, strict=True)
        ]

    def mover_into(self, child: int, mover: int | None, player: int) -> int | None:
        """Return the player who moved into `child`; mover, player : who moved into its parent, and who moves
        there.

        In an open loop chance can decide which player moves there.
        """
        return credited(mover, player) if self.choosers is None else int(self.choosers[child])

    def visits_of(self, node: int) -> int:
        """Return the simulations through a node by the move that leads to it."""
        if self.edge_visits is None or node == ROOT:
            return int(self.tree.nodes[node]["visits"])
        return int(self.edge_visits[node])

    def value_of(self, node: int) -> float | None:
        """Return a node's mean return for its mover; None without visits and at the root."""
        record = self.record(node)
        if node == ROOT or not record["visits"]:
            return None
        return float(self.values(np.array([node]))[0])

    def first_of(self, node: int) -> int:
        """Return the first child, or NO_NODE."""
        first = int(self.record(node)["first"])
        return first if first > ROOT else NO_NODE

    def is_known(self, node: int) -> bool:
        """Whether a node was visited or proven."""
        record = self.record(node)
        return bool(self.visits_of(node) or record["lower"] >= record["upper"])

    def bounds_of(self, node: int) -> tuple[float, float]:
        """Return the proven bounds of a node, for the player who moved into it."""
        lower, upper = (self.column(name, np.array([node]))[0] for name in ("lower", "upper"))
        return float(lower), float(upper)

    # --- many nodes ---------------------------------------------------------------------------------

    def records(self, nodes: Indices) -> Any:
        """Return [M] of `record`."""
        return self.tree.nodes[nodes if self.links is None else self.links[nodes]]

    def column(self, name: str, nodes: Indices) -> NDArray[Any]:
        """Return [M] of one field of NODE, other than action and visits."""
        stored = nodes if self.links is None else self.links[nodes]
        found: NDArray[Any] = self.tree.nodes[name][stored]
        return self._behind_edges(nodes, found) if name in ("lower", "upper") else found

    def _behind_edges(self, nodes: Indices, worth: NDArray[Any]) -> NDArray[Any]:
        """Return [M] values of the moves that lead to the nodes; worth : [M] values of the nodes alone.

        In a graph several moves can lead to one node, so its value does not include their rewards; see
        `core.backup.transpositions`.
        """
        if self.edge_rewards is None:
            return worth
        assert self.links is not None
        factor = np.where(self.tree.nodes["player"][self.links[nodes]] == CHANCE, 1.0, self.scale.discount)
        with np.errstate(invalid="ignore"):
            rest = np.where(factor > 0.0, factor * worth, 0.0)
        found: NDArray[Any] = np.where(nodes == ROOT, worth, self.edge_rewards[nodes] + rest)
        return found.astype(worth.dtype)

    def actions(self, nodes: Indices) -> NDArray[np.int32]:
        """Return [M] actions that lead to the nodes."""
        found: NDArray[np.int32] = self.tree.nodes["action"][nodes]
        return found

    def visits(self, nodes: Indices) -> NDArray[np.int32]:
        """Return [M] of `visits_of`."""
        if self.edge_visits is None:
            return self.column("visits", nodes)
        return np.where(nodes == ROOT, self.tree.nodes["visits"][ROOT], self.edge_visits[nodes])

    def values(self, nodes: Indices) -> NDArray[np.float64]:
        """Return [M] of `value_of`, nan for None."""
        visits = self.column("visits", nodes)
        found: NDArray[np.float64] = self.scale.mean(self.column("value", nodes), np.maximum(visits, 1))
        found = self._behind_edges(nodes, found)
        found[(visits == 0) | (nodes == ROOT)] = np.nan
        return found

    def first(self, nodes: Indices) -> Indices:
        """Return [M] of `first_of`."""
        found = self.column("first", nodes).astype(np.int64)
        return np.where(found > ROOT, found, NO_NODE)

    def children(self, parents: Indices) -> tuple[Indices, Indices]:
        """Return the children of all `parents` in turn, and for each its parent's index in `parents`."""
        return children_of(self.tree.nodes, self.records(parents))

    def best_first(self, children: Indices, owners: Indices) -> Indices:
        """Return the result of `children`, those of each parent in the order of `Node.children`."""
        value = self.values(children)
        value[np.isnan(value)] = -np.inf
        lower, upper = self.column("lower", children), self.column("upper", children)

        def hurry(places: Indices) -> NDArray[np.int64]:
            return self._urgency(children[places], upper[places])

        visits: NDArray[Any] = self.visits(children)
        if dimensions_of(self.tree):
            visits = as_well_known(owners, visits)
        return children[best_first(owners, (visits, value), value, lower, upper, hurry)]

    def _urgency(self, children: Indices, value: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return [M] sort keys of proven children; see `search.tree.child_order`."""
        stored = children if self.links is None else self.links[children].astype(np.int64)
        known = stored < self._distances.size
        moves = np.where(known, self._distances[np.where(known, stored, 0)], 0).astype(np.int64)
        return urgency(np.maximum(moves - 1, 0), value, self.scale.middle)

    @cached_property
    def _distances(self) -> NDArray[np.int32]:
        if self.edge_rewards is not None:
            return np.zeros(self.used, np.int32)
        return distances(self.tree, self.scale.middle)

    def moves_to_end(self, node: int) -> int | None:
        """Return how many moves a proven game lasts after the node; None if it is not proven."""
        stored = node if self.links is None else int(self.links[node])
        moves = int(self._distances[stored]) if stored < self._distances.size else UNKNOWN
        return None if moves == UNKNOWN else moves - 1

    def ranked(self, node: int) -> Indices:
        """Return the children of one node, best first."""
        return self.best_first(*self.children(np.array([node])))

    def line(self, node: int) -> list[int]:
        """Return the principal variation below `node`: best children that were visited or proven."""
        return self.lines(np.array([node]))[0]

    def lines(self, nodes: Indices) -> list[list[int]]:
        """Return the principal variation below each of the nodes."""
        return lines(self, nodes)

    def walk(self, start: int, wanted: Filter, line: Sequence[int] | None = None) -> Iterator[WalkedNode]:
        """Yield the nodes from `start` down, each before its children and these best first.

        line : the principal variation below `start`, if the caller has it.
        """
        if line is None:
            line = self._line_for(start, wanted)
        opened: set[int] = set()
        waiting = [WalkedNode(0, start, NO_NODE)]
        while waiting:
            walked = waiting.pop()
            yield walked
            first = self.first_of(walked.node)
            if walked.depth == wanted.deepest or first == NO_NODE or first in opened:
                continue
            opened.add(first)
            heir = line[walked.depth] if walked.depth < len(line) else NO_NODE
            shown, _ = self._chosen(np.array([walked.node]), wanted, heir, ordered=True)
            waiting += [WalkedNode(walked.depth + 1, child, walked.node) for child in shown[::-1].tolist()]

    def select(self, start: int, wanted: Filter) -> tuple[Indices, Indices, NDArray[np.int32]]:
        """Return all nodes that `walk` gives, in the order of their indices: [M] nodes, parents, depths."""
        line = self._line_for(start, wanted)
        opened = np.zeros(len(self.tree.nodes), np.bool_)  # the tree may grow while it is read
        level = np.array([start])
        levels, parents = [level], [np.array([NO_NODE])]
        while level.size and len(levels) - 1 != wanted.deepest:
            heir = line[len(levels) - 1] if len(levels) <= len(line) else NO_NODE
            opening = self._unopened(level, opened)
            level, owners = self._chosen(opening, wanted, heir, ordered=False)
            levels.append(level)
            parents.append(opening[owners])
        nodes = np.concatenate(levels)
        depths = np.repeat(np.arange(len(levels), dtype=np.int32), [level.size for level in levels])
        order = np.argsort(nodes, kind="stable")
        return nodes[order], np.concatenate(parents)[order], depths[order]

    def _line_for(self, start: int, wanted: Filter) -> list[int]:
        """Return the principal variation if `wanted` needs it, otherwise an empty list."""
        return self.line(start) if wanted.line or wanted.min_visits else []

    def _chosen(
        self, parents: Indices, wanted: Filter, heir: int, *, ordered: bool
    ) -> tuple[Indices, Indices]:
        """Return the wanted ones of the `children`; heir : the child on the principal variation, if any.

        ordered : whether to return them best first; otherwise in any order.
        """
        if wanted.line:
            shown = np.array([heir] if heir != NO_NODE and parents.size else [], np.int64)
            return shown, np.zeros(shown.size, np.int64)
        children, owners = self.children(parents)
        if ordered or wanted.top is not None:
            children = self.best_first(children, owners)
        kept = np.ones(children.size, np.bool_)
        if wanted.top is not None:
            kept &= np.arange(owners.size) - np.searchsorted(owners, owners) < wanted.top
        if wanted.min_visits:
            kept &= (self.visits(children) >= wanted.min_visits) | (children == heir)
        return children[kept], owners[kept]

    def _unopened(self, nodes: Indices, opened: NDArray[np.bool_]) -> Indices:
        """Return the expanded ones of `nodes`, one for each list of children, and mark them in `opened`.

        opened : [N], by first child, modified in place.
        """
        first = self.first(nodes)
        expanded = first != NO_NODE
        nodes, first = nodes[expanded], first[expanded]
        _, once = np.unique(first, return_index=True)
        once.sort()
        fresh: Indices = nodes[once][~opened[first[once]]]
        opened[first] = True
        return fresh
