"""Confidence intervals of a mean score between 0 and 1.

Wilson's interval [Wilson27] asks which true means would make the observed one likely, so it stays within 0 to
1, has a width at 0 and at 1, and holds with few games. For games that are not plain wins and losses it is
taken with the number of decisive, independent games that would tell as much: the effective sample size of
survey statistics [Korn98], [Dean15].

[Wilson27] "Probable inference, the law of succession, and statistical inference", JASA 22, 1927. [Korn98]
Korn, Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated
from survey data", Survey Methodology 24, 1998. [Dean15] Dean, Pagano, "Evaluating confidence interval methods
for binomial proportions in clustered surveys", J. of Survey Statistics and Methodology 3, 2015.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from branchwise.ranges import number

LEVEL = 0.95
"""The share of intervals that hold the true value, unless another is asked for."""


def normal_quantile(level: float) -> float:
    """Return how many standard errors to either side hold the share `level`, above 0 and at most 0.999999.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    number("level", level, 0.0, 0.999999, above=True)
    return NormalDist().inv_cdf(0.5 + level / 2)


def wilson(mean: float, games: float, level: float = LEVEL) -> tuple[float, float]:
    """Return the ends of Wilson's interval around a `mean` from 0 to 1 over `games` independent games.

        (p + z^2 / 2n -+ z sqrt(p (1 - p) / n + z^2 / 4n^2)) / (1 + z^2 / n)

    games : above 0, need not be whole.   level : see `normal_quantile`.

    >>> [round(end, 3) for end in wilson(0.5, 100)], [round(end, 3) for end in wilson(1.0, 10)]
    ([0.404, 0.596], [0.722, 1.0])
    """
    number("mean", mean, 0.0, 1.0)
    number("games", games, 0.0, math.inf, above=True)
    spread = normal_quantile(level) ** 2 / games
    centre = mean + spread / 2
    reach = math.sqrt(spread * (mean * (1 - mean) + spread / 4))
    low = 0.0 if mean == 0 else (centre - reach) / (1 + spread)
    high = 1.0 if mean == 1 else (centre + reach) / (1 + spread)
    return low, high


def design_effect(counts: tuple[int, ...]) -> float:
    """Return the variance of a score on a grid from 0 to 1 over that of a win or loss with the same mean.

    counts : how often each score was seen, from 0 to 1 in equal steps.   Result: above 0, at most 1. For wins
    and losses alone it is 1. One virtual result is added, half of it at either end, so that results which
    happen to be all equal do not pass for certain: with n of them it is 1 / (n + 1) or more.

    >>> design_effect((30, 0, 70)), round(design_effect((20, 60, 20)), 3), round(design_effect((0, 9, 0)), 3)
    (1.0, 0.406, 0.1)
    """
    last = len(counts) - 1
    weights = [count + (0.5 if at in (0, last) else 0.0) for at, count in enumerate(counts)]
    total = sum(weights)
    mean = sum(at * weight for at, weight in enumerate(weights)) / last / total
    below = sum(at * (last - at) * weight for at, weight in enumerate(weights)) / last**2 / total
    return 1.0 - below / (mean * (1.0 - mean))
