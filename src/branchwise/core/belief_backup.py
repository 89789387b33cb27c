"""Backup of other means than plain ones in a search from a belief; see `core.belief_search`.

A decision's value becomes the power mean of its actions', or that of the most visited one, as in
`core.backup.revise`. An action's value stays a mean over what was observed after it, so it changes by what
the values of these observations change.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.backup import add_outcome, power_mean
from branchwise.core.kernel import kernel
from branchwise.core.rewards import gain_with_reward


@kernel
def add_and_revise_observed(search, depth):
    """Do the same as `backup.add_outcome`, then pass values up from the children."""
    add_outcome(search, depth)
    nodes = search.nodes
    change = 0.0
    for level in range(depth, 0, -1):
        node = np.int64(search.levels[level].node)
        if level & 1 == 1:  # an action's
            nodes[node].value += change
            continue
        change = 0.0
        if nodes[node].first < 0:
            continue
        value = power_mean(search, node, search.levels[level].mover)
        if value > -np.inf:
            if search.pays:
                value = gain_with_reward(search, level, value)
            revised = value * nodes[node].visits
            change = revised - nodes[node].value
            nodes[node].value = revised
