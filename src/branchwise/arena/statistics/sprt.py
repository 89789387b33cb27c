"""Stopping a match as soon as its question is answered: the sequential probability ratio test.

After every pair of games the test compares two hypotheses on the difference in strength, H0 and H1. It
accepts one as soon as the results are much likelier under it than under the other [Wald45]. The share of
draws and the correlation within pairs are unknown. So each hypothesis is represented by the distribution that
fits the results best among those that satisfy it: the *generalised* test [VdBergh]. Numbers agree with
fastchess and Fishtest.
[Wald45] Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16, 1945.
[VdBergh] Van den Bergh, "A practical introduction to the GSPRT",
https://www.cantate.be/Fishtest/GSPRT_approximation.pdf, and the sources of `multinomial`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from branchwise.arena.statistics.elo import NORMALIZED_UNIT, score_of_elo
from branchwise.arena.statistics.multinomial import FloatArray, likeliest_with_effect, likeliest_with_mean
from branchwise.arena.statistics.score import Score
from branchwise.common.argument_checks import number, one_of
from branchwise.common.errors import SettingsError

WIDEST = {"logistic": 1000.0, "normalized": 200.0}
"""Maximum distance of the bounds from 0, by model. Beyond 231 normalized Elo the iteration cannot start."""
UNSEEN = 1e-3
"""Used in place of a count of 0, as in fastchess: a score that was never seen is rare, not impossible."""


class Verdict(Enum):
    """The conclusion from the results so far; the value is how it is written."""

    CONTINUE = "continue"
    H0 = "H0 accepted"
    H1 = "H1 accepted"


@dataclass(frozen=True)
class SprtState:
    """The log-likelihood ratio of H1 to H0, the bounds at which the test ends, and the verdict."""

    llr: float
    lower: float
    upper: float
    verdict: Verdict

    def __str__(self) -> str:
        return f"LLR {self.llr:+.2f} ({self.lower:+.2f}, {self.upper:+.2f}): {self.verdict.value}"


@dataclass(frozen=True)
class Sprt:
    """A test of H0, that the difference is `elo0`, against H1, that it is `elo1`.

    elo0, elo1 : rising, from -1000 to 1000, or from -200 to 200 if normalized.   alpha : probability of
    accepting H1 although H0 is true.   beta : probability of accepting H0 although H1 is true; both above 0
    and below 0.5.   model : unit of the bounds: "logistic" Elo, as in `elo.elo_difference`, or "normalized".

    The first verdict other than CONTINUE is the one that counts. If a match plays on after it, or the test is
    looked at only at the end, its error rates are not alpha and beta. Raises `SettingsError` for values
    outside their ranges.

    >>> test = Sprt(elo0=0, elo1=30)
    >>> print(test.state(Score(pairs=(4, 20, 60, 40, 16))))
    LLR +5.69 (-2.94, +2.94): H1 accepted
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    model: str = "logistic"

    def __post_init__(self) -> None:
        widest = WIDEST[one_of("model", self.model, tuple(WIDEST))]
        number("elo0", self.elo0, -widest, widest)
        number("elo1", self.elo1, -widest, widest)
        if self.elo0 >= self.elo1:
            raise SettingsError(
                f"elo0 = {self.elo0:g} is not below elo1 = {self.elo1:g}",
                mend="elo0 is the difference to be ruled out, elo1 the one hoped for",
            )
        for name, share in (("alpha", self.alpha), ("beta", self.beta)):
            number(name, share, 0.0, 0.5, above=True)
            if share == 0.5:
                raise SettingsError(f"{name} = 0.5 is the toss of a coin", mend="below 0.5")

    @property
    def lower(self) -> float:
        """Bound at which H0 is accepted: ln(beta / (1 - alpha))."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """Bound at which H1 is accepted: ln((1 - beta) / alpha)."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, score: Score) -> float:
        """Return the log-likelihood ratio of H1 to H0; 0 without games.

        Pairs and single games have separate distributions, so their ratios add up.
        """
        total = 0.0
        for counts, games in ((score.pairs, 2), (score.singles, 1)):
            if any(counts):
                total += float(self.llr_of_counts(np.array(counts, dtype=np.float64), games))
        return total

    def llr_of_counts(self, counts: FloatArray, games: int) -> FloatArray:
        """Return the log-likelihood ratios of many results at once.

        counts : [..., 2 games + 1], how often each sum of points was seen.   games : played together: 2 for
        pairs, 1 for single games. The result has shape [...].
        """
        seen = np.where(counts > 0, counts, UNSEEN)
        shares = seen / seen.sum(-1, keepdims=True)
        scores = np.linspace(0.0, 1.0, counts.shape[-1])
        under = []
        for elo in (self.elo0, self.elo1):
            if self.model == "logistic":
                under.append(likeliest_with_mean(shares, scores, score_of_elo(elo)))
            else:
                effect = math.sqrt(games) * elo / NORMALIZED_UNIT
                under.append(likeliest_with_effect(shares, scores, 0.5, effect))
        ratios: FloatArray = (seen * np.log(under[1] / under[0])).sum(-1)
        return ratios

    def state(self, score: Score) -> SprtState:
        """Return the state of the test after the games of `score`."""
        llr = self.llr(score)
        verdict = Verdict.CONTINUE
        if llr >= self.upper:
            verdict = Verdict.H1
        elif llr <= self.lower:
            verdict = Verdict.H0
        return SprtState(llr, self.lower, self.upper, verdict)

    def outlook(self, elo: float, variance: float) -> Outlook:
        """Return how the test is likely to go if the true difference is `elo`, in the unit of the bounds.

        variance : of a game, see `Score.variance`; 0.25 without draws, less with draws and pairs.

        The ratio is treated as a Brownian motion between the bounds, with drift d and variance v per game
        ([Wald45], sections 3.4 and 4.2). Overshoot is neglected, so true lengths are somewhat greater:

            d = (s - (s0 + s1) / 2) (s1 - s0) / variance,    v = (s1 - s0)^2 / variance

        >>> ahead = Sprt(0, 30).outlook(elo=30, variance=0.2)
        >>> round(ahead.accepts_h1, 3), round(ahead.games)
        (0.95, 572)
        """
        number("elo", elo, -1000.0, 1000.0)
        number("variance", variance, 0.0, 0.5, above=True)
        low, high, true = (self._expected_score(value, variance) for value in (self.elo0, self.elo1, elo))
        drift = (true - (low + high) / 2) * (high - low) / variance
        spread = (high - low) ** 2 / variance
        bend = 2 * drift / spread
        if abs(bend) < 1e-9:
            return Outlook(-self.lower / (self.upper - self.lower), -self.lower * self.upper / spread)
        near, far = (-self.lower, self.upper) if drift < 0 else (self.upper, -self.lower)
        right = math.expm1(-abs(bend) * far) / math.expm1(-abs(bend) * (near + far))
        wins = right if drift > 0 else 1 - right
        return Outlook(wins, (wins * self.upper + (1 - wins) * self.lower) / drift)

    def _expected_score(self, elo: float, variance: float) -> float:
        if self.model == "logistic":
            return score_of_elo(elo)
        return 0.5 + elo / NORMALIZED_UNIT * math.sqrt(variance)

    def __str__(self) -> str:
        unit = "Elo" if self.model == "logistic" else "normalized Elo"
        return f"H0: {self.elo0:g} {unit}, H1: {self.elo1:g}, alpha {self.alpha:g}, beta {self.beta:g}"


@dataclass(frozen=True)
class Outlook:
    """The expected course of a test: the probability that it accepts H1, and its mean number of games."""

    accepts_h1: float
    games: float
