"""Backup in a search from a belief; see `core.beliefs.belief_search`.

Levels of a path are in turn an action and what was observed after it. The reward is the action's, and what
comes after the observation is discounted.

Where values are other means than plain ones, a decision's value becomes the power mean of its actions', or
that of the most visited one, as in `core.backup.backup.revise`. An action's value stays a mean over what was
observed after it, so it changes by what the values of these observations change.
"""

from __future__ import annotations

import numpy as np

from branchwise.core.backup.backup import power_mean
from branchwise.core.machine.kernel import kernel
from branchwise.core.tree.node_fields import ROOT
from branchwise.core.tree.return_samples import note_return
from branchwise.core.tree.return_scaling import as_return, gain, hold, note_range


@kernel
def add_outcome_of_planner(search, depth):
    """Add a visit to each node of the path down to `depth`, and the sum of the rewards after it.

    search.returns, the sum of the rewards after the path, becomes that of the whole simulation.
    """
    note_range(search)
    value = search.returns[0]
    for level in range(depth, 0, -1):
        if search.pays:
            if level & 1 == 0 or level == depth:
                value *= search.discount
            if level & 1 == 1:
                value += search.rewards[level]
            if search.stretches:
                hold(search, 0, gain(search, value))
        search.credit(search, level, gain(search, value))
    search.returns[0] = value
    if search.keeps_spread:
        note_return(search, depth)
    search.nodes[ROOT].visits += 1


@kernel
def add_and_revise_observed(search, depth):
    """Do the same, then pass values up from the children."""
    add_outcome_of_planner(search, depth)
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
                value = gain(search, search.discount * as_return(search, value))
            revised = value * nodes[node].visits
            change = revised - nodes[node].value
            nodes[node].value = revised
