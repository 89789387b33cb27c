"""Confidence intervals of mean scores from 0 to 1, and the quantiles for other intervals.

Wilson's interval [Wilson27] asks which true means would make the observed one likely. It stays within 0 to 1,
has a positive width even at 0 and 1, and holds with few games. Games that are not plain wins and losses are
converted to the number of decisive, independent games with as much information: the effective sample size of
survey statistics [Korn98], [Dean15].

[Wilson27] "Probable inference, the law of succession, and statistical inference", JASA 22, 1927. [Korn98]
Korn, Graubard, "Confidence intervals for proportions with small expected number of positive counts estimated
from survey data", Survey Methodology 24, 1998. [Dean15] Dean, Pagano, "Evaluating confidence interval methods
for binomial proportions in clustered surveys", J. of Survey Statistics and Methodology 3, 2015. [Hill70]
Hill, "Algorithm 396: Student's t-quantiles", Communications of the ACM 13, 1970.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from branchwise.common.argument_checks import number

LEVEL = 0.95
"""Default share of intervals that contain the true value."""


def normal_quantile(level: float) -> float:
    """Return the half-width, in standard errors, of an interval with coverage `level`.

    level : above 0, at most 0.999999.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    number("level", level, 0.0, 0.999999, above=True)
    return NormalDist().inv_cdf(0.5 + level / 2)


def student_quantile(level: float, freedom: int) -> float:
    """Return the half-width, in estimated standard errors, of an interval with coverage `level` [Hill70].

    freedom : degrees of freedom, at least 1: the number of independent results minus one.

    >>> round(student_quantile(0.95, 4), 3), round(student_quantile(0.95, 1000), 3)
    (2.776, 1.962)
    """
    normal = normal_quantile(level)
    n, tails = freedom, 1.0 - level
    if n == 1:
        return 1.0 / math.tan(tails * math.pi / 2)
    if n == 2:
        return math.sqrt(2.0 / (tails * (2.0 - tails)) - 2.0)
    a = 1.0 / (n - 0.5)
    b = 48.0 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * n
    y = (d * tails) ** (2.0 / n)
    if y > 0.05 + a:
        x, y = -normal, normal**2
        if n < 5:
            c += 0.3 * (n - 4.5) * (x + 0.6)
        c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
        y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
        y = math.expm1(a * y**2)
    else:
        y = ((1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)) * y - 1) * (
            n + 1
        ) / (n + 2) + 1 / y
    return math.sqrt(n * y)


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
    """Return the variance of a score, relative to that of plain wins and losses with the same mean.

    counts : how often each score was seen, from 0 to 1 in equal steps. The result is above 0 and at most 1;
    for wins and losses alone it is 1. One virtual result is added, half of it at either end, so that results
    that happen to be equal do not count as certain: with n of them the result is 1 / (n + 1) or more.

    >>> design_effect((30, 0, 70)), round(design_effect((20, 60, 20)), 3), round(design_effect((0, 9, 0)), 3)
    (1.0, 0.406, 0.1)
    """
    last = len(counts) - 1
    weights = [count + (0.5 if at in (0, last) else 0.0) for at, count in enumerate(counts)]
    total = sum(weights)
    mean = sum(at * weight for at, weight in enumerate(weights)) / last / total
    below = sum(at * (last - at) * weight for at, weight in enumerate(weights)) / last**2 / total
    return 1.0 - below / (mean * (1.0 - mean))
