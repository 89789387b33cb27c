"""Mean returns of any size, with confidence intervals.

The interval is Student's, of results that belong together taken as one: games from the same opening. A sum of
squares that happens to be small, or even 0, would make it too narrow; so one virtual result is added, half of
it at either end of the results that were seen. That hardly matters where there are many, and it keeps the
interval of returns that are mostly equal from vanishing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from branchwise.arena.statistics.interval import LEVEL, student_quantile
from branchwise.errors import ResultsError


@dataclass(frozen=True)
class Mean:
    """A mean and the ends of its confidence interval.

    games : that it is the mean of.   low, high : None where there are too few results for an interval, which
    takes two that do not belong together.

    >>> print(mean_of([[3.0], [5.0], [4.0], [6.0]]))
    4.5 [2.4, 6.6]
    """

    games: int
    mean: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        """Show the mean and its interval with as many decimals as the interval is worth."""
        return f"{self.shown} {self.interval}".rstrip()

    @property
    def shown(self) -> str:
        """The mean as it is shown."""
        return self._written(self.mean)

    @property
    def interval(self) -> str:
        """The interval as it is shown; '' where there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"[{self._written(self.low)}, {self._written(self.high)}]"

    def _written(self, number: float) -> str:
        reach = 0.0 if self.low is None or self.high is None else (self.high - self.low) / 2
        if not 0 < reach < math.inf:
            return f"{number:g}"
        decimals = min(max(1 - math.floor(math.log10(reach)), 0), 9)
        return f"{round(number, decimals) + 0.0:.{decimals}f}"


def mean_of(
    groups: Iterable[Sequence[float]], ends: tuple[float, float] | None = None, level: float = LEVEL
) -> Mean:
    """Return the mean of results.

    groups : the results, those that belong together as one group.   ends : of the results that there may be,
    looked at where all of these are equal; None: nothing is known of others. Raises `ResultsError` without
    results.

    >>> mean_of([[1.0]] * 9).interval, mean_of([[1.0]] * 9, ends=(0.0, 1.0)).interval
    ('[1, 1]', '[0.82, 1.18]')
    """
    found = [list(group) for group in groups if len(group)]
    games = sum(len(group) for group in found)
    if not games:
        raise ResultsError("no games have been played, and a mean takes at least one")
    mean = math.fsum(value for group in found for value in group) / games
    if len(found) < 2:
        return Mean(games, mean)
    means = [math.fsum(group) / len(group) for group in found]
    low, high = min(means), max(means)
    if low == high and ends is not None:
        low, high = ends
    size = games / len(found)
    squares = math.fsum((len(group) * (at - mean)) ** 2 for group, at in zip(found, means, strict=True))
    squares += size**2 * ((low - mean) ** 2 + (high - mean) ** 2) / 2
    reach = student_quantile(level, len(found) - 1) * math.sqrt(squares) / games
    return Mean(games, mean, mean - reach, mean + reach)
