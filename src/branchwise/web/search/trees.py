"""The part of a search tree that a page shows.

The cost depends on the nodes shown, not on the size of the tree; all nodes of a level are read at once. The
search may continue meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwise.web.protocol.action_codes import sent
from branchwise.web.protocol.messages import Branch, Tree, TreeNode
from branchwise.web.search.line_messages import Lines, Path
from branchwise.web.search.result_messages import finite

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
    mirrored: bool,
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
        mirrored=mirrored,
        nodes=_ShownTree(result, lines, branches).nodes,
    )


class _ShownTree:
    def __init__(self, result: SearchResult, lines: Lines, branches: list[Branch]) -> None:
        import numpy as np

        self._reader: Any = result.live_tree.reader
        self._lines = lines
        self._np = np
        self._on_line = set(self._reader.line(0))
        self._tops: dict[Path, int] = {}
        for branch in branches:
            path = tuple(branch.path)
            self._tops[path] = max(branch.top, self._tops.get(path, 0))
            for n in range(len(path)):
                self._tops.setdefault(path[:n], 0)
        self._above = {path[:-1] for path in self._tops if path}
        self.nodes = [root_told(result.live_tree)]
        level = [(0, 0)]  # indices in `nodes` and in the tree
        while level and len(self.nodes) < MOST_NODES:
            level = self._show_below([at for at in level if tuple(self.nodes[at[0]].path) in self._tops])

    def _show_below(self, level: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Show the requested children of a level's nodes; return their indices in `nodes` and in the tree."""
        if not level:
            return []
        np, reader = self._np, self._reader
        children, owners = reader.children(np.array([index for _, index in level]))
        if not children.size:
            return []
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
        if not chosen:
            return []
        return self._show(children[np.array(chosen)], parents)

    def _show(self, indices: Any, parents: list[int]) -> list[tuple[int, int]]:
        below = nodes_below(self._reader, self._lines, self._on_line, self.nodes, indices, parents)
        first = len(self.nodes)
        self.nodes += below
        return [(first + number, index) for number, index in enumerate(indices.tolist())]


def root_told(tree: SearchTree) -> TreeNode:
    """Return the root's entry; none of its children are shown yet.

    Its value is the mean of its children's values, weighted by visits: the mean return of the player to move.
    """
    root = tree.root
    lower, upper = root.bounds
    return TreeNode(
        path=[],
        parent=-1,
        text="",
        mover=None,
        player=root.player,
        visits=root.visits,
        share=1.0,
        value=_mean_below(tree),
        lower=finite(lower),
        upper=finite(upper),
        proven=root.proven,
        prior=None,
        terminal=False,
        on_line=True,
        num_children=root.num_children,
        more=root.num_children,
    )


def _mean_below(tree: SearchTree) -> float | None:
    import numpy as np

    reader = tree.reader
    children, _ = reader.children(np.zeros(1, np.int64))
    visits, values = reader.visits(children), reader.values(children)
    seen = visits > 0
    return float(np.average(values[seen], weights=visits[seen])) if seen.any() else None


def nodes_below(
    reader: Any, lines: Lines, on_line: set[int], nodes: list[TreeNode], indices: Any, parents: list[int]
) -> list[TreeNode]:
    """Return the entries of the nodes at `indices`, int64 [M]; parents : index of each parent in `nodes`.

    reader : reader of the tree.   on_line : indices on the principal variation. Does not check whether a node
    with one visit ends the game, unless it is proven; other nodes are expanded on their second visit.
    """
    columns = zip(
        indices.tolist(),
        parents,
        map(sent, reader.moves(indices.tolist())),
        reader.visits(indices).tolist(),
        reader.values(indices).tolist(),
        reader.column("lower", indices).tolist(),
        reader.column("upper", indices).tolist(),
        reader.column("player", indices).tolist(),
        reader.column("count", indices).tolist(),
        (reader.first(indices) >= 0).tolist(),
        [None] * len(parents) if reader.priors is None else reader.priors[indices].tolist(),
        strict=True,
    )
    told = []
    for index, row, action, visits, value, lower, upper, player, count, expanded, prior in columns:
        above = nodes[row]
        before = tuple(above.path)
        path = (*before, action)
        proven = lower if lower >= upper else None
        over = not expanded and (proven is not None or (visits > 1 and lines.is_over(path)))
        told.append(
            TreeNode(
                path=list(path),
                parent=row,
                text=lines.text(before, action),
                mover=None if above.player is None else reader.mover_into(index, above.mover, above.player),
                player=player if expanded else None,
                visits=visits,
                share=visits / max(above.visits, 1),
                value=None if value != value else value,
                lower=finite(lower),
                upper=finite(upper),
                proven=proven,
                prior=prior,
                terminal=over,
                on_line=index in on_line,
                num_children=count if expanded else 0,
                more=count if expanded else 0,
            )
        )
    return told
