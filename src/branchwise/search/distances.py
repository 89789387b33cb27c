"""How many moves proven games still last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.call import call, keep_on_disk
from branchwise.core.distance import measure
from branchwise.core.tree import USED, Tree

keep_on_disk()


def distances(tree: Tree, min_return: float, max_return: float) -> NDArray[np.int32]:
    """Return [nodes in use] moves to the end of the game, UNKNOWN where nothing is proven or asked for.

    Known are the solved children of the root and what their lines lead to: see `core.distance`.
    """
    used = min(int(tree.counters[USED]), tree.nodes.size)
    found = np.empty(used, np.int32)
    waiting = np.empty(used, np.int32)
    call(measure, tree.nodes, tree.links, (min_return + max_return) / 2, found, waiting)
    return found
