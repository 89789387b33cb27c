"""The distribution of an action's returns: standard deviation, quantiles, worst and best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from branchwise.common.argument_checks import number

if TYPE_CHECKING:
    from branchwise.search.composition.search_object import Search

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Spread:
    """Distribution of an action's returns over its simulations, for the player to move at the root.

    The returns include the search's exploration, so they vary more than those of best play. With rewards on
    the way a return is their discounted sum.
    count : number of returns, from 1.   deviation : standard deviation.   worst, best : the extremes.

    >>> import branchwise as bw
    >>> from branchwise.games.pig import Pig
    >>> result = bw.MCTS(seed=1, spread=True).search(Pig.configured(target=20)(), simulations=2000)
    >>> spread = result.children[0].spread
    >>> spread.count > 1000, spread.worst, spread.quantile(0.9)
    (True, -1.0, 1.0)
    """

    count: int
    deviation: float
    worst: float
    best: float
    _samples: tuple[float, ...] = field(repr=False)
    """Some of the returns, in ascending order."""
    _weights: tuple[float, ...] = field(repr=False)
    """How many returns each of them represents."""

    def quantile(self, share: float) -> float:
        """Return the least number that is not exceeded in a `share` of the simulations, 0 to 1.

        Exact for at most 1,024 returns, fewer in games of more than 2,048 actions; beyond that, the quantile
        of a uniform sample of that size. Raises `SettingsError` for a share out of range.
        """
        number("share", share, 0.0, 1.0)
        if share == 0.0:
            return self.worst
        if share == 1.0:
            return self.best
        passed = np.cumsum(self._weights)
        return self._samples[int(np.searchsorted(passed, share * passed[-1] * (1 - 1e-12)))]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values that JSON can hold."""
        return {
            "count": self.count,
            "deviation": self.deviation,
            "worst": self.worst,
            "best": self.best,
            "quantiles": {f"{share:g}": self.quantile(share) for share in _QUANTILES},
        }


def spread_of(searches: Sequence[Search], action: int) -> Spread | None:
    """Return the spread of an action at the root over all threads and trees; None without returns."""
    count, mean, deviations = 0, 0.0, 0.0
    worst, best = math.inf, -math.inf
    samples, weights = [], []
    for search in searches:
        scratch = search.scratch
        if not scratch.spreads.size or not scratch.spreads[action]["count"]:
            continue
        found = scratch.spreads[action]
        size = scratch.samples.size // scratch.spreads.size
        more = int(found["count"])
        some = scratch.samples[action * size : action * size + min(more, size)]
        samples.append(some.copy())
        weights.append(np.full(some.size, more / some.size))
        away = float(found["average"]) - mean
        deviations += float(found["deviations"]) + away**2 * count * more / (count + more)
        mean += away * more / (count + more)
        count += more
        worst, best = min(worst, float(found["worst"])), max(best, float(found["best"]))
    if not count:
        return None
    values = np.concatenate(samples)
    order = np.argsort(values, kind="stable")
    return Spread(
        count,
        math.sqrt(deviations / count),
        worst,
        best,
        tuple(values[order].tolist()),
        tuple(np.concatenate(weights)[order].tolist()),
    )
