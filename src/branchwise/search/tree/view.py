"""Viewing a search tree: nodes as objects, made on demand, and the tree as text, pictures and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import BranchwiseError, SettingsError
from branchwise.common.players import CHANCE, NO_PLAYER, SIMULTANEOUS, named
from branchwise.core.tree.child_indices import Indices, num_nodes
from branchwise.core.tree.node_fields import ROOT, Tree, dimensions_of, enlarged
from branchwise.game.kinds.continuous_actions import as_action
from branchwise.pictures.simulation_report import Move, Sibling
from branchwise.pictures.tree.tree import TreeDrawing
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.tree.drawing import Position, Start, draw, positions, reach
from branchwise.search.tree.node_reader import NO_NODE, Filter, Reader, Scale, node_arrays

if TYPE_CHECKING:
    from branchwise.search.composition.search_object import Search

Moves = Sequence[int | str] | str


class Shown(TypedDict, total=False):
    """Filters of the nodes to draw; see `SearchTree`. Defaults are those of `SearchTree.drawing`."""

    top: int | None
    min_visits: int
    depth: int | None
    line: bool
    along: Moves


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """One node of a search tree, from `SearchTree`.

    index : its place in the tree; 0 is the root.   mover : the player who moved into it, None at the root.
    Values, bounds and proofs are for that player.

    >>> import branchwise as bw
    >>> from branchwise.games.nim import Nim
    >>> root = bw.MCTS(seed=1).search(Nim(), simulations=1000).tree.root
    >>> root.visits, root.player, root.num_children
    (1000, 0, 3)
    >>> best = root.top(1)[0]
    >>> best.mover, best.player, best.is_expanded
    (0, 1, True)
    """

    _reader: Reader
    index: int
    mover: int | None = None

    @property
    def visits(self) -> int:
        """Simulations through the node."""
        return self._reader.visits_of(self.index)

    @property
    def value(self) -> float | None:
        """Mean return of the mover; None without visits, and at the root, which has no mover."""
        return self._reader.value_of(self.index)

    @property
    def action(self) -> Any:
        """The action that leads here, a number or a continuous action's vector; None at the root."""
        return None if self.index == ROOT else self._reader.move_of(self.index)

    @property
    def player(self) -> int | None:
        """The player to move; None until the node is expanded."""
        return int(self._reader.record(self.index)["player"]) if self.is_expanded else None

    @property
    def is_expanded(self) -> bool:
        return self._reader.first_of(self.index) != NO_NODE

    @property
    def bounds(self) -> tuple[float, float]:
        """Proven bounds of the value under best play, for the mover; at the root for the player to move."""
        return self._reader.bounds_of(self.index)

    @property
    def proven(self) -> float | None:
        """The value under best play, for the same player; None until it is known."""
        lower, upper = self.bounds
        return lower if lower >= upper else None

    @property
    def moves_to_end(self) -> int | None:
        """Moves to the end of a proven game, including the move that leads to this node.

        Winners hurry and losers delay. None if nothing is proven, and off the lines below the root's
        children.
        """
        if self.index == ROOT or self.proven is None:
            return None
        moves = self._reader.moves_to_end(self.index)
        return None if moves is None else moves + 1

    @property
    def prior(self) -> float | None:
        """Prior probability of the action; None at the root, and if the search keeps no priors."""
        priors = self._reader.priors
        return None if priors is None or self.index == ROOT else float(priors[self.index])

    @property
    def num_children(self) -> int:
        return int(self._reader.record(self.index)["count"]) if self.is_expanded else 0

    @property
    def children(self) -> list[Node]:
        """The children, the best first; empty until the node is expanded.

        By visits, then value. A child that is proven to have the best possible value comes before all others,
        and one that is proven to be worse than another comes after them. A proven value is preferred to
        visits only if it is better than the value of the most visited unproven child.
        """
        return self.top(self.num_children)

    def top(self, count: int) -> list[Node]:
        """Return the first `count` of the children, or all if there are fewer."""
        player = self.player
        if player is None:
            return []
        return [
            Node(self._reader, child, self._reader.mover_into(child, self.mover, player))
            for child in self._reader.ranked(self.index)[:count].tolist()
        ]

    def best_child(self) -> Node | None:
        """Return the best child; None if no child was visited or proven."""
        known = (node for node in self.top(1) if self._reader.is_known(node.index))
        return next(known, None)

    def line(self) -> Iterator[Node]:
        """Yield the principal variation below this node: the best child, its best child, and so on."""
        above = self
        for index in self._reader.line(self.index):
            assert above.player is not None
            above = Node(self._reader, index, self._reader.mover_into(index, above.mover, above.player))
            yield above

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self.index == other.index and self._reader.tree.nodes is other._reader.tree.nodes

    def __hash__(self) -> int:
        return hash((self.index, id(self._reader.tree.nodes)))

    def __repr__(self) -> str:
        value = "none" if self.value is None else f"{self.value:+.3f}"
        return f"<branchwise.Node action={self.action} visits={self.visits} value={value}>"


class Lease:
    """Permission to read the planner's tree, which ends when `MCTS.advance` moves its nodes."""

    def __init__(self) -> None:
        self.valid = True


@dataclass(frozen=True, eq=False, repr=False)
class SearchTree:
    """The tree of a search, with methods to inspect, draw, tabulate and save it.

    state : the root's, which names the moves; None if there is none.
    facts, seed, simulations, seconds : of the game and the search, if known.

    Every form takes the same filters: `top`, the most children of a node, best first; `min_visits`; `depth`,
    in moves from the start node; `line`, only the principal variation, to its end; and `along`, the moves
    from the root to the start node. None: no limit. By default walks and tables show every node, drawings
    top=4, min_visits=1, depth=3. Numbers outside their ranges raise `SettingsError`, moves that are not in
    the tree `ActionError`.

    >>> import branchwise as bw
    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> result = bw.MCTS(seed=1).search(TicTacToe.from_actions(["a1", "b2"]), simulations=2000)
    >>> [(depth, node.mover) for depth, node in result.tree.walk(top=1, depth=2)]
    [(0, None), (1, 0), (2, 1)]
    >>> sorted(result.tree.to_table(depth=1))[:4]
    ['action', 'depth', 'index', 'lower']
    """

    _tree: Tree
    state: Any = None
    facts: GameFacts | None = None
    seed: int | None = None
    simulations: int | None = None
    seconds: float | None = None
    lease: Lease | None = None
    search: Search | None = None
    """The search that built the tree, if known."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle only the nodes in use, as an independent tree without its search."""
        nodes = enlarged(self._reader.tree, self._reader.used)
        return SearchTree, (nodes, self.state, self.facts, self.seed, self.simulations, self.seconds)

    def as_value(self) -> SearchTree:
        """Return a view of the same tree that does not change: its reader copies the nodes in time."""
        return replace(self, _tree=self._reader.tree, lease=None)

    @property
    def root(self) -> Node:
        return Node(self._reader, ROOT)

    def __len__(self) -> int:
        """Number of nodes, including unvisited ones."""
        return num_nodes(self._reader.tree)

    @property
    def reader(self) -> Reader:
        """Reads many nodes at once; see `search.tree.node_reader`."""
        return self._reader

    @property
    def num_bytes(self) -> int:
        """Memory of the nodes, in bytes."""
        tree = self._reader.tree
        each = sum(array[:1].nbytes for array in node_arrays(tree).values())
        return self._reader.used * (each + dimensions_of(tree) * tree.vectors.itemsize)

    def find(self, moves: Moves) -> Node:
        """Return the node after `moves` from the root, numbers or texts. Raises `ActionError` if it is not
        there.

        >>> import branchwise as bw
        >>> from branchwise.games.tic_tac_toe import TicTacToe
        >>> tree = bw.MCTS(seed=1).search(TicTacToe(), simulations=2000).tree
        >>> tree.find(["b2", "a1"]) == tree.find([4, 6])
        True
        """
        start = self._start(moves)
        return Node(self._reader, start.node, start.mover)

    def scores(self, moves: Moves = ()) -> tuple[Sibling, ...]:
        """Return how the selection rule scores the children of the node after `moves`.

        Children are in the order of their first visits; an unexpanded node has none. Outcomes of chance have
        no score, but a probability if the rules list them. In an open loop all moves of the player who chose
        last are scored, though they may not all be legal at once. Raises `ActionError` for moves that are not
        in the tree, `SettingsError` for a tree that was copied or read from a file.

        >>> import branchwise as bw
        >>> from branchwise.games.nim import Nim
        >>> tree = bw.MCTS(seed=1).search(Nim(), simulations=100).tree
        >>> best = max(tree.scores(), key=lambda child: child.score)
        >>> best.score == best.value + best.exploration
        True
        """
        from branchwise.search.tree.score_terms import Survey

        if self.search is None or self._reader.is_copy:
            raise SettingsError(
                "this tree comes from a file or is a copy: the scores of its search are not known",
                mend="ask the tree of the search's own result, before the search goes on",
            )
        start = self._start(moves)
        if not Node(self._reader, start.node).is_expanded:
            return ()
        survey = Survey.beside(self.search)
        player = int(self._reader.record(start.node)["player"])
        children = survey.children(start.node)
        choosers = None if player == CHANCE else self._reader.choosers
        if choosers is not None:
            survey.look_openly(start.node, [int(choosers[child]) == player for child in children])
        elif player != CHANCE:
            survey.look_at(start.path)
        siblings = []
        for index, child in enumerate(children):
            action = self._reader.move_of(child)
            chooser = player if choosers is None else int(choosers[child])
            move = Move(chooser, action, start.position.text(action))
            siblings.append(
                survey.outcome(child, move) if player == CHANCE else survey.sibling(index, child, move)
            )
        return tuple(siblings)

    def walk(
        self,
        *,
        top: int | None = None,
        min_visits: int = 0,
        depth: int | None = None,
        line: bool = False,
        along: Moves = (),
    ) -> Iterator[tuple[int, Node]]:
        """Yield (depth, node) lazily, each node before its children, the best child first."""
        start = self._start(along)
        path: list[Node] = []
        for walked in self._reader.walk(start.node, Filter(top, min_visits, depth, line)):
            mover = start.mover
            if walked.depth:
                above = path[walked.depth - 1]
                assert above.player is not None
                mover = self._reader.mover_into(walked.node, above.mover, above.player)
            node = Node(self._reader, walked.node, mover)
            path[walked.depth :] = [node]
            yield walked.depth, node

    def to_text(self, *, width: int = 100, plain: bool = False, **shown: Unpack[Shown]) -> str:
        """Return the tree as text, a line per node, with a bar for its share of its parent's visits.

        width : columns, from 40.   plain : draw in ASCII.
        """
        from branchwise.pictures.tree.text import tree_text

        return tree_text(self.drawing(**shown), width, plain=plain)

    def to_dot(self, **shown: Unpack[Shown]) -> str:
        """Return the tree in DOT, Graphviz's language."""
        from branchwise.pictures.tree.dot import tree_dot

        return tree_dot(self.drawing(**shown))

    def to_svg(self, **shown: Unpack[Shown]) -> str:
        """Return an SVG picture of the tree: areas show visits, colours values, line widths shares.

        If the search keeps priors, line widths show them instead. A node's element has the attributes
        `data-node`, its index, and `data-action`. Raises `SettingsError` for more than 5,000 nodes.
        """
        from branchwise.pictures.tree.svg import tree_svg

        return tree_svg(self.drawing(**shown))

    def to_html(self, **shown: Unpack[Shown]) -> str:
        """Return a self-contained HTML page with the picture."""
        from branchwise.pictures.tree.svg import tree_page

        return tree_page(self.drawing(**shown))

    def _repr_html_(self) -> str:
        from branchwise.pictures.tree.svg import tree_div

        return tree_div(self.drawing(top=3))

    def to_dict(self, **shown: Unpack[Shown]) -> dict[str, Any]:
        """Return the tree as plain values, ready for JSON; "parent" is an index like "index".

        A missing bound is None. "reward" is the mover's, for the move to the node, and is included in the
        node's value; None if returns come only at the end, and in an open loop, where it differs between
        simulations.
        """
        nodes = self.drawing(**shown).nodes
        return {
            "game": self.facts.name if self.facts else None,
            "seed": self.seed,
            "simulations": self.simulations,
            "seconds": self.seconds,
            "tree_nodes": len(self),
            "nodes": [
                {
                    "index": node.index,
                    "parent": nodes[node.parent].index if node.parent >= 0 else None,
                    "depth": node.depth,
                    "action": as_action(node.action),
                    "move": node.text or None,
                    "mover": node.mover,
                    "player": node.player,
                    "visits": node.visits,
                    "value": node.value,
                    "lower": _finite(node.bounds[0]),
                    "upper": _finite(node.bounds[1]),
                    "proven": node.proven,
                    "prior": node.prior,
                    "by_chance": node.by_chance,
                    "probability": node.probability,
                    "reward": node.reward,
                    "terminal": node.terminal,
                    "line": node.on_line,
                    "more": node.more,
                }
                for node in nodes
            ],
        }

    def to_table(
        self,
        *,
        top: int | None = None,
        min_visits: int = 0,
        depth: int | None = None,
        line: bool = False,
        along: Moves = (),
        moves: bool = False,
    ) -> dict[str, NDArray[Any]]:
        """Return the nodes as columns, for `pandas.DataFrame` or `polars.DataFrame`, in order of index.

        Columns of M entries: index, parent (index of; -1 for the first), depth (moves from the first), action
        (-1 at the root; continuous actions are numbered among their siblings here, and action_0, action_1 ...
        hold their numbers), mover and player (who moved into it and who is to move; -3 if there is none or
        it is unknown), visits, value (for the mover; nan without visits and at the root), lower and upper
        (proven bounds, for the mover), prior if the search keeps priors, and, in games of chance,
        probability (of an outcome; nan for an action).
        moves : also return the column move, the text of the action, and, if rewards are paid on the way, the
        column reward (the mover's, for the move; nan if unknown); slower, because the moves are replayed.

        >>> import branchwise as bw
        >>> from branchwise.games.nim import Nim
        >>> table = bw.MCTS(seed=1).search(Nim(), simulations=500).tree.to_table(depth=1)
        >>> table["parent"], table["visits"].sum() - table["visits"][0] >= 499
        (array([-1,  0,  0,  0]), np.True_)
        """
        start, reader, wanted = self._start(along), self._reader, Filter(top, min_visits, depth, line)
        nodes, parents, depths = reader.select(start.node, wanted)
        expanded = reader.first(nodes) != NO_NODE
        movers = reader.column("player", np.maximum(parents, ROOT))
        if reader.choosers is not None:
            movers = reader.choosers[nodes].astype(movers.dtype)
        movers[parents < ROOT] = NO_PLAYER if start.mover is None else start.mover
        self._credit_outcomes(nodes, parents, movers)
        table: dict[str, NDArray[Any]] = {
            "index": nodes,
            "parent": parents,
            "depth": depths,
            "action": np.where(nodes == ROOT, -1, reader.actions(nodes)),
            "mover": movers,
            "player": np.where(expanded, reader.column("player", nodes), NO_PLAYER).astype(np.int8),
            "visits": reader.visits(nodes),
            "value": reader.values(nodes),
            "lower": reader.column("lower", nodes),
            "upper": reader.column("upper", nodes),
        }
        for place in range(dimensions_of(reader.tree)):
            vectors = reader.tree.vectors[nodes * dimensions_of(reader.tree) + place]
            table[f"action_{place}"] = np.where(nodes == ROOT, np.nan, vectors)
        if reader.priors is not None:
            table["prior"] = reader.priors[nodes]
        if reader.probabilities is not None:
            chances = reader.probabilities[nodes]
            table["probability"] = np.where(chances > 0.0, chances, np.nan)
        if moves:
            walk = list(reader.walk(start.node, wanted))
            reached = {
                walked.node: found for walked, found in zip(walk, positions(reader, start, walk), strict=True)
            }
            table["move"] = np.array([reached[node][0] for node in nodes.tolist()])
            if self.facts is not None and self.facts.pays:
                table["reward"] = np.array(
                    [
                        self._reward(reached[node][1], node, mover)
                        for node, mover in zip(nodes.tolist(), movers.tolist(), strict=True)
                    ]
                )
        return table

    def _reward(self, position: Position, node: int, mover: int) -> float:
        """Return the mover's reward for the move to a node; nan if unknown."""
        reward = None if node == ROOT or mover < 0 else position.reward(mover, self.facts)
        return math.nan if reward is None else reward

    def _credit_outcomes(self, nodes: Indices, parents: Indices, movers: NDArray[np.int8]) -> None:
        """Replace chance in `movers` by the player who moved before it; arrays are [M], ordered by index."""
        for row in np.flatnonzero((movers == CHANCE) & (parents >= ROOT)).tolist():
            above = int(np.searchsorted(nodes, parents[row]))
            movers[row] = NO_PLAYER if parents[above] < ROOT else movers[above]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the whole tree to a file for `branchwise.load_tree`; an existing file is replaced.

        The file also has the facts, the root's state if it is a `Game`, seed, simulations and seconds. Raises
        `OSError`, and leaves no file, if it cannot be written.
        """
        from branchwise.search.tree.tree_file import Contents, write_tree

        contents = Contents(self._tree, self.state, self.facts, self.seed, self.simulations, self.seconds)
        write_tree(contents, path)

    def drawing(
        self,
        *,
        top: int | None = 4,
        min_visits: int = 1,
        depth: int | None = 3,
        line: bool = False,
        along: Moves = (),
    ) -> TreeDrawing:
        """Return the data for text, DOT, SVG, HTML and dict; see `branchwise.pictures.tree.tree`."""
        start = self._start(along)
        wanted = Filter(top, min_visits, depth, line)
        return draw(self._reader, start, wanted, self._title(start), self.facts)

    def _title(self, start: Start) -> str:
        """Return one line: the game, the moves played, the player to move, and the figures of the search."""
        node = Node(self._reader, start.node, start.mover)
        parts = [f"{node.visits:,} visits"]
        if node.player is not None:
            is_joint = node.player == SIMULTANEOUS
            parts.insert(0, "all players move" if is_joint else f"{named(node.player)} to move")
        if not start.moves:
            parts.append(f"{len(self):,} nodes")
        if node.proven is not None:
            whose = node.player if node.mover is None else node.mover
            parts.append(f"proven {node.proven:+g} for player {whose}")
        name = self.facts.name if self.facts else "tree"
        after = f" after {' '.join(start.moves)}" if start.moves else ""
        return f"{name}{after}: {', '.join(parts)}"

    @property
    def _reader(self) -> Reader:
        if self.lease is not None and not self.lease.valid:
            raise BranchwiseError(
                "this tree can no longer be read: advance() has moved its nodes",
                mend="look at a tree, or save it, before the planner advances",
            )
        return self._new_reader

    @cached_property
    def _new_reader(self) -> Reader:
        scale = Scale() if self.facts is None else Scale.of(self.facts)
        return Reader(self._tree, scale)

    def _start(self, along: Moves) -> Start:
        reader = self._reader
        position = Position(self.state, is_open=reader.choosers is not None, is_drawn=reader.is_drawn)
        return reach(reader, position, along)

    def __repr__(self) -> str:
        name = self.facts.name if self.facts else "tree"
        return f"<branchwise.SearchTree {name}: {len(self):,} nodes, {self.root.visits:,} visits>"


def _finite(bound: float) -> float | None:
    """Return a bound, or None if it is infinite."""
    return bound if math.isfinite(bound) else None
