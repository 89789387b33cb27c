"""Recording the distribution of returns of each action at the root, not only their mean."""

from __future__ import annotations

import math

import numpy as np

from branchwise.core.machine.kernel import kernel
from branchwise.core.numbers.random_streams import draw_below
from branchwise.core.tree.node_fields import ROOT

SPREAD = np.dtype(
    [
        ("count", np.int64),  # returns
        ("average", np.float64),
        ("deviations", np.float64),  # sum of squared deviations from the average
        ("worst", np.float64),
        ("best", np.float64),
    ],
    align=True,
)
"""Returns of an action at the root, of the player who chooses it."""

MOST_SAMPLES = 1024
_FEWEST_SAMPLES = 16
_ROOM = 2**21

MOST_ACTIONS = _ROOM // _FEWEST_SAMPLES
"""Maximum number of distinct actions."""

_STEP = np.uint64(0x9E3779B97F4A7C15)


def samples_each(num_actions: int) -> int:
    """Return how many single returns are kept for each action."""
    return min(MOST_SAMPLES, _ROOM // num_actions)


@kernel
def note_return(search, depth):
    """Add the return of a simulation to its action at the root; its path goes down to `depth`.

    The stored returns are a uniform sample of all: algorithm R of Vitter, "Random sampling with a reservoir",
    1985, with random numbers derived from the count. Deviations use Welford's recurrence.
    """
    if depth < 1:
        return
    action = np.int64(search.levels[1].action)
    value = search.returns[search.nodes[ROOT].player]
    spread = search.spreads[action]
    if spread.count == 0:
        spread.average = spread.deviations = 0.0
        spread.worst = math.inf
        spread.best = -math.inf
    size = search.samples.size // search.spreads.size
    place = spread.count
    spread.count += 1
    if place >= size:
        place = draw_below(np.uint64(place) * _STEP + np.uint64(action), min(spread.count, 2**31 - 1))
    if place < size:
        search.samples[action * size + place] = value
    before = value - spread.average
    spread.average += before / spread.count
    spread.deviations += before * (value - spread.average)
    spread.worst = min(spread.worst, value)
    spread.best = max(spread.best, value)
