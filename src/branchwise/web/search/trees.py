"""The part of a search tree that a page shows.

The cost depends on the nodes shown, not on the size of the tree; all nodes of a level are read at once. The
search may continue meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwise.web.protocol.action_codes import sent
from branchwise.web.protocol.messages import Branch, Tree, TreeNode, finite
from branchwise.web.search.line_messages import Lines, Path

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult
    from branchwise.search.tree.view import SearchTree

MOST_NODES = 2000
"""Maximum number sent at a time."""


def tree_told(
    result: SearchResult,
    lines: Lines,
    branches: list[Branch],
    *,
    ply: int,
    answers: int | None = None,
) -> Tree:
    """Return the nodes shown for the branches, level by level, with siblings best first.

    A branch, and every node on the path to one, is shown whatever its rank among its siblings. Branches that
    are not in the tree are left out.
    """
    return Tree(
        id=answers,
        ply=ply,
        nodes_in_all=len(result.live_tree),
        nodes=_ShownTree(result, lines, branches).nodes,
    )


class ShownNodes:
    """Nodes of a tree as they are sent, level by level; at first only the root.

    nodes : those so far.   level : of the last level, the indices in `nodes` and in the tree.   reader : of
    the tree.
    """

    def __init__(self, tree: SearchTree, lines: Lines) -> None:
        self.reader: Any = tree.reader
        self.nodes = [_root_told(tree)]
        self.level = [(0, 0)]
        self._lines = lines
        self._on_line = set(self.reader.line(0))

    def add(self, indices: Any, parents: list[int]) -> None:
        """Add a level, the nodes at `indices`, int64 [M]; parents : index of each parent in `nodes`.

        Does not check whether a node with one visit ends the game, unless it is proven; other nodes are
        expanded on their second visit.
        """
        reader, first = self.reader, len(self.nodes)
        columns = zip(
            indices.tolist(),
            parents,
            map(sent, reader.moves(indices.tolist())),
            reader.visits(indices).tolist(),
            _values(reader, indices),
            reader.column("lower", indices).tolist(),
            reader.column("upper", indices).tolist(),
            reader.column("player", indices).tolist(),
            reader.column("count", indices).tolist(),
            (reader.first(indices) >= 0).tolist(),
            [None] * len(parents) if reader.priors is None else reader.priors[indices].tolist(),
            strict=True,
        )
        for index, row, action, visits, value, lower, upper, player, count, expanded, prior in columns:
            above, mover = self.nodes[row], None
            if above.player is not None:
                mover = reader.mover_into(index, above.mover, above.player)
            before = tuple(above.path)
            path = (*before, action)
            proven = lower if lower >= upper else None
            over = not expanded and (proven is not None or (visits > 1 and self._lines.is_over(path)))
            self.nodes.append(
                TreeNode(
                    path=list(path),
                    parent=row,
                    text=self._lines.text(before, action),
                    mover=mover,
                    player=player if expanded else None,
                    visits=visits,
                    share=visits / max(above.visits, 1),
                    value=finite(value),
                    lower=finite(lower),
                    upper=finite(upper),
                    proven=proven,
                    prior=prior,
                    terminal=over,
                    on_line=index in self._on_line,
                    num_children=count if expanded else 0,
                    more=count if expanded else 0,
                )
            )
        self.level = [(first + number, index) for number, index in enumerate(indices.tolist())]


class _ShownTree(ShownNodes):
    def __init__(self, result: SearchResult, lines: Lines, branches: list[Branch]) -> None:
        super().__init__(result.live_tree, lines)
        self._tops: dict[Path, int] = {}
        for branch in branches:
            path = tuple(branch.path)
            self._tops[path] = max(branch.top, self._tops.get(path, 0))
            for n in range(len(path)):
                self._tops.setdefault(path[:n], 0)
        self._above = {path[:-1] for path in self._tops if path}
        while self.level and len(self.nodes) < MOST_NODES:
            self._show_below([at for at in self.level if tuple(self.nodes[at[0]].path) in self._tops])

    def _show_below(self, level: list[tuple[int, int]]) -> None:
        """Show the requested children of nodes of a level, as the next level."""
        import numpy as np

        reader, self.level = self.reader, []
        if not level:
            return
        children, owners = reader.children(np.array([index for _, index in level]))
        if not children.size:
            return
        children = reader.best_first(children, owners)
        moves = [sent(action) for action in reader.moves(children.tolist())] if self._above else []
        starts = np.searchsorted(owners, np.arange(len(level) + 1)).tolist()
        chosen: list[int] = []
        parents: list[int] = []
        for number, (row, _) in enumerate(level):
            node, first, last = self.nodes[row], starts[number], starts[number + 1]
            path = tuple(node.path)
            room = max(MOST_NODES - len(self.nodes) - len(chosen), 0)
            shown = min(self._tops[path], last - first, room)
            wanted = list(range(first, first + shown))
            if path in self._above:
                tail = moves[first + shown : last]
                wanted += [first + shown + n for n, a in enumerate(tail) if (*path, a) in self._tops][:room]
            node.more = (last - first) - len(wanted)
            chosen += wanted
            parents += [row] * len(wanted)
        if chosen:
            self.add(children[np.array(chosen)], parents)


def _root_told(tree: SearchTree) -> TreeNode:
    """Return the root's entry, with the value of its best child; none of its children are shown yet."""
    import numpy as np

    root, reader = tree.root, tree.reader
    best = reader.best_first(*reader.children(np.zeros(1, np.int64)))[:1]
    lower, upper = root.bounds
    return TreeNode(
        path=[],
        parent=-1,
        text="",
        mover=None,
        player=root.player,
        visits=root.visits,
        share=1.0,
        value=finite(*_values(reader, best)) if best.size else None,
        lower=finite(lower),
        upper=finite(upper),
        proven=root.proven,
        prior=None,
        terminal=False,
        on_line=True,
        num_children=root.num_children,
        more=root.num_children,
    )


def _values(reader: Any, indices: Any) -> list[float]:
    """Return the proven value, or the mean return, of the nodes at `indices`, as `Child.value`."""
    lower, values = reader.column("lower", indices), reader.values(indices)
    proven = lower >= reader.column("upper", indices)
    values[proven] = lower[proven]
    return values.tolist()  # type: ignore[no-any-return]
