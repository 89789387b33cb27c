"""Scaling returns to numbers between 0 and 1, which selection compares.

A node's value is a sum of *gains*: (return - min_return) / (max_return - min_return), by the game's bounds;
where returns have no bounds, -1 counts as 0, and 1 as 1. A
game with wide bounds rarely uses all of them: in a puzzle that may score from -1000 to 10,000, all moves of a
position have gains between 0.11 and 0.13, and any exploration hides the difference. Such a search stretches
gains when it reads them, so that a player's least return so far counts 0 and the greatest 1. Sums
are not changed, so that nothing has to be recomputed for a return outside that range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from branchwise.core.machine.atomic import lower_field, raise_field
from branchwise.core.machine.kernel import kernel
from branchwise.core.tree.children import next_child
from branchwise.core.tree.node_fields import ROOT, USED

_LEAST_SPAN = 1e-12
"""Gains closer to each other than this differ only by rounding."""


class Scale(NamedTuple):
    """How the gains of one player are stretched: low becomes 0, low + 1 / stretch becomes 1; both float64."""

    low: float
    stretch: float


@kernel
def gain(search, returned):
    """Return a player's return as a gain, by the game's bounds."""
    return (returned - search.no_gain) * search.gain_per_return


@kernel
def as_return(search, gained):
    """Return a gain by the game's bounds as a return."""
    return search.no_gain + gained / search.gain_per_return


@kernel
def scale_for(search, player):
    """Return the `Scale` of the gains of `player`.

    While all gains are equal, they count 1/2.
    """
    if not search.stretches:
        return Scale(0.0, 1.0)
    low, high = search.ranges[player].low, search.ranges[player].high
    if high - low < _LEAST_SPAN:
        return Scale(low - 0.5, 1.0)
    return Scale(low, 1.0 / (high - low))


@kernel
def scaled(search, scale, mean):
    """Return a mean gain scaled for selection, from 0 to 1."""
    if search.stretches:
        return min(max((mean - scale.low) * scale.stretch, 0.0), 1.0)
    return mean


@kernel
def scaled_mean(search, scale, value, visits, share):
    """Return the mean of gains scaled for selection, float32.

    value : their sum, float64.   visits, share : how many, and 1 divided by that, float32.
    """
    if search.stretches:
        value = (value - scale.low * np.float64(visits)) * scale.stretch
        return min(max(np.float32(value) * share, np.float32(0.0)), np.float32(1.0))
    return np.float32(value) * share


@kernel
def lowest_gain(search, player):
    """Return the least gain of `player` so far; 0 if it is unknown."""
    if search.stretches and search.ranges[player].low <= search.ranges[player].high:
        return search.ranges[player].low
    return 0.0


@kernel
def note_range(search):
    """Widen each player's range of gains to include the outcome in search.returns.

    With rewards on the way, `core.backup.rewards` does this for each decision.
    """
    if search.stretches and not search.pays:
        for player in range(search.returns.size):
            hold(search, player, gain(search, search.returns[player]))


@kernel
def recall_ranges(search):
    """Recompute each player's range of gains from the means of the remaining nodes of the tree."""
    nodes = search.nodes
    for player in range(search.num_players):
        search.ranges[player].low = np.inf
        search.ranges[player].high = -np.inf
    for node in range(search.counters[USED]):
        if nodes[node].first > ROOT and nodes[node].player >= 0:
            child = np.int64(nodes[node].first) - 1
            for _ in range(np.int64(nodes[node].count)):
                child = next_child(search, child)
                place = search.place(search, child)
                if nodes[place].visits > 0:
                    hold(search, nodes[node].player, nodes[place].value / nodes[place].visits)


@kernel
def hold(search, player, won):
    """Widen the range of gains of `player` to include `won`."""
    ranges = search.ranges
    if won < ranges[player].low:
        if search.shared:
            lower_field(ranges, player, "low", won)
        else:
            ranges[player].low = won
    if won > ranges[player].high:
        if search.shared:
            raise_field(ranges, player, "high", won)
        else:
            ranges[player].high = won
