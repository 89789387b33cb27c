"""Differences of strength in Elo, from scores and back.

    expected score = 1 / (1 + 10^(-difference / 400))

[Elo78], in today's logistic form. The more games are drawn, the less of a difference in strength shows in the
score. *Normalized* Elo corrects for that: it divides by the standard deviation of a game [VdBergh20].

[Elo78] Elo, "The rating of chessplayers, past and present", 1978. [VdBergh20] Van den Bergh, "Normalized
Elo", 2020, https://www.cantate.be/Fishtest/normalized_elo.pdf.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from branchwise.arena.statistics.interval import LEVEL
from branchwise.arena.statistics.score import Score
from branchwise.common.argument_checks import number
from branchwise.common.errors import ResultsError

NORMALIZED_UNIT = 800 / math.log(10)
"""Normalized Elo of a mean score that is one standard deviation of a game above 0.5. Near equality and
without draws, one point of it is one point of Elo."""


def elo_of_score(mean: float) -> float:
    """Return the difference in Elo at which a side is expected to score `mean` per game, 0 to 1.

    Infinite at 0 and 1.

    >>> round(elo_of_score(0.75), 1), elo_of_score(0.5), elo_of_score(1.0)
    (190.8, 0.0, inf)
    """
    number("mean", mean, 0.0, 1.0)
    if mean in (0.0, 1.0):
        return math.copysign(math.inf, mean - 0.5)
    return 400 * math.log10(mean / (1 - mean)) + 0.0


def score_of_elo(elo: float) -> float:
    """Return the expected score per game, 0 to 1, of a side that is `elo` stronger.

    >>> round(score_of_elo(100), 3), score_of_elo(float("-inf"))
    (0.64, 0.0)
    """
    number("elo", elo, -math.inf, math.inf)
    power = 10 ** (-abs(elo) / 400)
    return (1.0 if elo >= 0 else power) / (1 + power)


@dataclass(frozen=True)
class EloDifference:
    """A difference in Elo and the ends of its confidence interval; any of them may be infinite.

    >>> print(EloDifference(70.4, 5.2, 135.7), EloDifference(float("inf"), 165.9, float("inf")), sep="; ")
    +70 [+5, +136]; above +166
    """

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the width of the interval: what other programs print after +/-."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        """Return value and interval, or only the bound if every game was won or lost."""
        if math.isinf(self.value):
            return f"above {self.low:+.0f}" if self.value > 0 else f"below {self.high:+.0f}"
        return f"{self.value:+.0f} [{self.low:+.0f}, {self.high:+.0f}]"


def elo_difference(score: Score, level: float = LEVEL) -> EloDifference:
    """Return how much stronger the side that made `score` is, with the interval of its mean score.

    If all games were won, the value and the upper end are infinite, and only the lower end is informative; if
    all were lost, only the upper end. Raises `ResultsError` without games.

    >>> print(elo_difference(Score.from_counts(wins=55, draws=10, losses=35)))
    +70 [+5, +136]
    >>> print(elo_difference(Score.from_counts(wins=10)))
    above +166
    """
    low, high = score.interval(level)
    return EloDifference(elo_of_score(score.mean), elo_of_score(low), elo_of_score(high))


def normalized_elo(score: Score, level: float = LEVEL) -> EloDifference:
    """Return the difference in normalized Elo: the mean score above a half, in standard deviations of a game.

        (mean - 1/2) / sqrt(variance) * 800 / ln 10

    [VdBergh20], with `Score.variance`. The interval is that of the mean score, in the same unit. Raises
    `ResultsError` if all games or pairs had the same result, because the deviation is then 0.

    >>> print(normalized_elo(Score.from_counts(wins=136, losses=96, draws=111)))
    +50 [+13, +86]
    """
    if score.variance == 0:
        raise ResultsError(
            f"no normalized Elo of {score.tally}: results that are all the same have no deviation",
            mend="play more games",
        )
    unit = NORMALIZED_UNIT / math.sqrt(score.variance)
    low, high = score.interval(level)
    return EloDifference((score.mean - 0.5) * unit, (low - 0.5) * unit, (high - 0.5) * unit)


def likelihood_of_superiority(score: Score) -> float:
    """Return the probability, 0 to 1, that the side that made `score` is stronger; 0.5 without games.

        Phi((mean - 1/2) / (1 / 2 sqrt(n)))

    where n is `Score.effective_games` and Phi the normal distribution function: the probability that equal
    bots would have scored less. It exceeds 0.975 exactly if the 95 % interval of the score lies above 0.5.

    >>> round(likelihood_of_superiority(Score.from_counts(wins=60, losses=40)), 3)
    0.977
    """
    if not score.games:
        return 0.5
    return NormalDist().cdf((score.mean - 0.5) * 2 * math.sqrt(score.effective_games))
