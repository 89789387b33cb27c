"""Reading lines of best play from a tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.call import call, keep_on_disk
from branchwise.core.line import NEEDS_DISTANCES, TOO_LONG, trace_lines
from branchwise.core.tree import Tree

keep_on_disk()

_LENGTH = 64
_NO_DISTANCES = np.empty(0, np.int32)


def lines(
    tree: Tree,
    scale: tuple[float, float],
    nodes: NDArray[np.int64],
    measured: Callable[[], NDArray[np.int32]],
) -> list[list[int]]:
    """Return the line of best play below each of the nodes, as indices of nodes.

    scale : the least return, and the difference to the greatest.   measured : gives the moves to the end of
    the game, which take longer to find out than all else; called if they are needed.
    """
    starts = np.ascontiguousarray(nodes, np.int64)
    length, distances = _LENGTH, _NO_DISTANCES
    while True:
        found = np.empty((starts.size, length), np.int64)
        lengths = np.zeros(starts.size, np.int64)
        status = call(
            trace_lines,
            tree.nodes,
            tree.links,
            tree.edge_visits,
            np.array(scale, np.float64),
            distances,
            starts,
            found,
            lengths,
        )
        if status == TOO_LONG:
            length *= 4
        elif status == NEEDS_DISTANCES:
            distances = measured()
        else:
            return [row[:n] for row, n in zip(found.tolist(), lengths.tolist(), strict=True)]
