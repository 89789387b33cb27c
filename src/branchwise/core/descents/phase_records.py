"""Recording the details of each phase of a simulation, for tracing."""

from __future__ import annotations

import numpy as np

from branchwise.core.backup.backup import outcome_at
from branchwise.core.backup.rewards import add_reward
from branchwise.core.descents.drawn_outcomes import outcome_limit
from branchwise.core.descents.open_loop import score_openly
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.simulation.select import Notes, compare
from branchwise.core.tree.children import next_child
from branchwise.core.tree.return_scaling import scale_for


@entry_kernel
def survey_children(search, level, seen, scores, fates, stretching):
    """Record how selection scores the children of search.levels[level]; see `core.select.Notes`."""
    compare(search, np.int64(search.levels[level].node), level, Notes(seen, scores, fates, stretching))


@entry_kernel
def survey_legal(search, node, legal, seen, scores, stretching):
    """Record how selection in an open loop scores the children of `node` that are legal in this simulation.

    legal : uint8 [children].   seen, scores, stretching : as in `core.select.Notes`; NaN for children that
    are not legal, and for unvisited children, which are selected before all others.
    """
    scale = scale_for(search, search.nodes[node].player)
    stretching[0], stretching[1] = scale.low, scale.stretch
    child = np.int64(search.nodes[node].first) - 1
    for place in range(legal.size):
        child = next_child(search, child)
        scores[place] = np.float32(np.nan)
        seen[place] = np.float32(np.nan)
        if legal[place] and search.visits(search, child) > 0:
            found = search.look(search, scale, node, child, np.int64(-1), np.float32(0.0))
            scores[place] = score_openly(search, child, found)
            for k in range(len(found)):
                seen[place, k] = found[k]


@entry_kernel
def limit_of_outcomes(search, node):
    """Return how many children `node` may have now; see `core.descents.drawn_outcomes.outcome_limit`."""
    return outcome_limit(search, node)


@entry_kernel
def credited_returns(search, depth, returned, rests):
    """Write the return that `back_up` credited to each level of the path to `returned`, float64 [depth + 1].

    rests : float64 [depth + 1], the return after the move to each level, for its mover; without rewards on
    the way it equals `returned`, apart from corrections.
    search.returns : as before `back_up`; modified in place.
    """
    for level in range(depth, 0, -1):
        mover = search.levels[level].mover
        node = np.int64(search.levels[level].node)
        in_graph = search.pays and search.keeps_edge_rewards
        if in_graph and level == depth:  # nodes of a graph hold what comes after the moves to them
            outcome_at(search, node, mover)
        rests[level] = search.returns[mover]
        if search.pays:
            add_reward(search, level)
        if not in_graph:
            outcome_at(search, node, mover)
        returned[level] = search.returns[mover]
