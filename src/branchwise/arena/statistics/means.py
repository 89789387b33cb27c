"""Mean returns of any size, with confidence intervals.

The interval is Student's. Results that belong together, such as games from the same opening, count as one. If
the sum of squares happened to be small, or even 0, the interval would be too narrow. So one virtual result is
added, half of it at either end of the observed range. It hardly matters with many results, and it keeps the
interval from vanishing where returns are mostly equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from branchwise.arena.statistics.interval import LEVEL, student_quantile
from branchwise.common.errors import ResultsError


@dataclass(frozen=True)
class Mean:
    """A mean and the ends of its confidence interval.

    games : how many the mean is taken over.
    low, high : None if they are unknown: with fewer than two independent results, or with equal ones and
    unknown bounds.

    >>> print(mean_of([[3.0], [5.0], [4.0], [6.0]]))
    4.5 [2.4, 6.6]
    """

    games: int
    mean: float
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        """Return the mean and its interval, with as many decimals as the width of the interval justifies."""
        return f"{self.shown} {self.interval}".rstrip()

    @property
    def shown(self) -> str:
        """The mean as text."""
        return self._written(self.mean)

    @property
    def interval(self) -> str:
        """The interval as text; '' if there is none."""
        if self.low is None or self.high is None:
            return ""
        return f"[{self._written(self.low)}, {self._written(self.high)}]"

    def _written(self, number: float) -> str:
        reach = 0.0 if self.low is None or self.high is None else (self.high - self.low) / 2
        if not 0 < reach < math.inf:
            return f"{number:g}"
        decimals = min(max(1 - math.floor(math.log10(reach)), 0), 9)
        return f"{round(number, decimals) + 0.0:.{decimals}f}"


@dataclass(frozen=True)
class Returns:
    """The returns of independent games of one bot. They can be added.

    ends : the least and the greatest possible return; None: not known.
    failed : number of further games in which the bot failed. No return measures a fault, so a bot that failed
    has no mean, and comes after all others.

    >>> both = Returns((1.0, 4.0)) + Returns((1.0,))
    >>> both.games, both.mean, both.best
    (3, 2.0, 4.0)
    """

    values: tuple[float, ...] = ()
    ends: tuple[float, float] | None = None
    failed: int = 0

    def __add__(self, other: Returns) -> Returns:
        return Returns(self.values + other.values, self.ends or other.ends, self.failed + other.failed)

    @property
    def games(self) -> int:
        return len(self.values) + self.failed

    @property
    def mean(self) -> float:
        """The mean, -inf for a bot that failed; raises `ResultsError` without games."""
        return -math.inf if self.failed else self.interval().mean

    @property
    def best(self) -> float:
        """The greatest return; -inf without games."""
        return max(self.values, default=-math.inf)

    def interval(self, level: float = LEVEL) -> Mean:
        """Return the mean with its confidence interval.

        Raises `ResultsError` without games, and for a bot that failed.
        """
        if self.failed:
            raise ResultsError(
                f"a bot failed in {self.failed:,} of {self.games:,} games, and no return measures a fault",
                mend="faults() has the games and the reasons",
            )
        return mean_of(([value] for value in self.values), self.ends, level)

    @property
    def known(self) -> Mean | None:
        """The mean with its confidence interval; None without games, and for a bot that failed."""
        return self.interval() if self.games and not self.failed else None


def mean_of(
    groups: Iterable[Sequence[float]], ends: tuple[float, float] | None = None, level: float = LEVEL
) -> Mean:
    """Return the mean of results.

    groups : the results; those that belong together form one group.   ends : the least and the greatest
    possible result, used where all results are equal; None: not known. Raises `ResultsError` without results.

    >>> mean_of([[1.0]] * 9).interval, mean_of([[1.0]] * 9, ends=(0.0, 1.0)).interval
    ('', '[0.82, 1.18]')
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
    if low == high:
        return Mean(games, mean)
    size = games / len(found)
    squares = math.fsum((len(group) * (at - mean)) ** 2 for group, at in zip(found, means, strict=True))
    squares += size**2 * ((low - mean) ** 2 + (high - mean) ** 2) / 2
    reach = student_quantile(level, len(found) - 1) * math.sqrt(squares) / games
    return Mean(games, mean, mean - reach, mean + reach)
