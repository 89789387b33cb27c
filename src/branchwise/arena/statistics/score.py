"""The score of one side in games of two, with pairs counted where games were played in pairs.

Two games from the same opening with seats exchanged carry more information together than two unrelated games:
the advantage that the opening gives to one side cancels out. So pairs are counted by their points (0, 0.5, 1,
1.5 or 2: the *pentanomial*), and their variance is measured instead of derived from wins, draws and losses.
Games without a partner are counted separately.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from branchwise.arena.statistics.interval import LEVEL, design_effect, wilson
from branchwise.common.errors import ResultsError

LOSS, DRAW, WIN = 0.0, 0.5, 1.0
MOST_GAMES = 10**12


@dataclass(frozen=True)
class Score:
    """The results of one side. Scores may be added if they are of one match, or of one bot's matches.

    pairs : number of pairs with 0, 0.5, 1, 1.5 and 2 points.   drawn_pairs : how many of the pairs with 1
    point were two draws; the others are a win and a loss.   singles : number of games without a partner that
    were lost, drawn and won.

    Raises `ResultsError` for counts that are not whole numbers from 0, or not 5, 1 and 3 of them.

    >>> score = Score.from_counts(wins=55, draws=10, losses=35)
    >>> print(score)
    +55 =10 -35, 60.0 % [50.7, 68.6]
    >>> print(score.with_pair(1.0, 0.5).reversed())
    +35 =11 -56, 39.7 % [31.2, 48.9]
    """

    pairs: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    drawn_pairs: int = 0
    singles: tuple[int, int, int] = (0, 0, 0)

    def __post_init__(self) -> None:
        if len(self.pairs) != 5 or len(self.singles) != 3:
            raise ResultsError(
                f"a score has 5 counts of pairs and 3 of single games, not {len(self.pairs)} and"
                f" {len(self.singles)}"
            )
        object.__setattr__(self, "pairs", tuple(_whole(count) for count in self.pairs))
        object.__setattr__(self, "drawn_pairs", _whole(self.drawn_pairs))
        object.__setattr__(self, "singles", tuple(_whole(count) for count in self.singles))
        if self.drawn_pairs > self.pairs[2]:
            raise ResultsError(f"{self.drawn_pairs} drawn pairs among {self.pairs[2]} with one point")

    @classmethod
    def from_counts(cls, wins: int = 0, draws: int = 0, losses: int = 0) -> Self:
        """Return the score of games that are not in pairs."""
        return cls(singles=(losses, draws, wins))

    @classmethod
    def from_results(cls, pairs: Iterable[tuple[float, float]] = (), singles: Iterable[float] = ()) -> Self:
        """Return the score of pairs of games and of single games, each as points: 0, 0.5 or 1.

        >>> Score.from_results(pairs=[(1, 0), (0.5, 0.5), (1, 1)], singles=[0.5])
        Score(pairs=(0, 0, 2, 0, 1), drawn_pairs=1, singles=(0, 1, 0))
        """
        by_points, alone, drawn = [0] * 5, [0] * 3, 0
        for first, second in pairs:
            halves = _halves(first), _halves(second)
            by_points[sum(halves)] += 1
            drawn += halves == (1, 1)
        for points in singles:
            alone[_halves(points)] += 1
        none, half, one, more, two = by_points
        lost, level, won = alone
        return cls(pairs=(none, half, one, more, two), drawn_pairs=drawn, singles=(lost, level, won))

    def with_pair(self, first: float, second: float) -> Self:
        """Return the score with one more pair of games, given the points of each."""
        return self + type(self).from_results(pairs=[(first, second)])

    def with_game(self, points: float) -> Self:
        """Return the score with one more game that has no partner."""
        return self + type(self).from_results(singles=[points])

    def __add__(self, other: Score) -> Self:
        """Return the score of both sets of games together."""
        none, half, one, more, two = (a + b for a, b in zip(self.pairs, other.pairs, strict=True))
        lost, level, won = (a + b for a, b in zip(self.singles, other.singles, strict=True))
        drawn = self.drawn_pairs + other.drawn_pairs
        return replace(
            self, pairs=(none, half, one, more, two), drawn_pairs=drawn, singles=(lost, level, won)
        )

    def reversed(self) -> Self:
        """Return the score of the other side of the same games."""
        none, half, one, more, two = self.pairs
        lost, level, won = self.singles
        return replace(self, pairs=(two, more, one, half, none), singles=(won, level, lost))

    @property
    def wins(self) -> int:
        return self.singles[2] + 2 * self.pairs[4] + self.pairs[3] + self._split_pairs

    @property
    def draws(self) -> int:
        return self.singles[1] + self.pairs[3] + self.pairs[1] + 2 * self.drawn_pairs

    @property
    def losses(self) -> int:
        return self.singles[0] + 2 * self.pairs[0] + self.pairs[1] + self._split_pairs

    @property
    def games(self) -> int:
        return 2 * sum(self.pairs) + sum(self.singles)

    @property
    def points(self) -> float:
        """Points made: 1 for a win, 0.5 for a draw."""
        return self.wins + 0.5 * self.draws

    @property
    def mean(self) -> float:
        """Points per game, from 0 to 1; raises `ResultsError` without games."""
        self.need_games("a mean score")
        return self.points / self.games

    @property
    def variance(self) -> float:
        """Variance of a game's points about the mean, measured from pairs where there are any: 0 to 0.5.

        Games in pairs count with half the variance of a pair's points, so that the mean score of n games has
        a standard error of sqrt(variance / n), paired or not. Sums of squares are divided by their number, as
        in fastchess. If there are games of both kinds, deviations are from their common mean. Raises
        `ResultsError` without games.
        """
        mean = self.mean
        by_pair = sum(count * (at / 2 - 2 * mean) ** 2 for at, count in enumerate(self.pairs))
        by_game = sum(count * (at / 2 - mean) ** 2 for at, count in enumerate(self.singles))
        return (by_pair + by_game) / self.games

    @property
    def effective_games(self) -> float:
        """Number of independent decisive games that would determine the mean score as precisely.

            n = g^2 / (4 p D_p + s D_s)

        for g games, with p pairs and s single games; D are the design effects of `interval.design_effect`.
        Raises `ResultsError` without games.
        """
        self.need_games("a number of effective games")
        paired = 4 * sum(self.pairs) * design_effect(self.pairs)
        single = sum(self.singles) * design_effect(self.singles)
        return self.games**2 / (paired + single)

    def interval(self, level: float = LEVEL) -> tuple[float, float]:
        """Return the ends of the confidence interval of the mean score; 0 to 1 without games.

        Wilson's interval with `effective_games`; see `interval`.

        >>> [round(end, 3) for end in Score(pairs=(4, 8, 20, 12, 6)).interval()]
        [0.463, 0.615]
        """
        return wilson(self.mean, self.effective_games, level) if self.games else (0.0, 1.0)

    def need_games(self, purpose: str) -> None:
        """Raise `ResultsError` if there are no games; `purpose` names what needs them."""
        if not self.games:
            raise ResultsError(f"no games have been played, and {purpose} takes at least one")

    def counts(self) -> dict[str, int]:
        """Return the number of games, and how many were won, drawn and lost, as values for JSON."""
        return {"games": self.games, "wins": self.wins, "draws": self.draws, "losses": self.losses}

    @property
    def tally(self) -> str:
        """Wins, draws and losses, `+55 =10 -35`."""
        return f"+{self.wins:,} ={self.draws:,} -{self.losses:,}"

    def __str__(self) -> str:
        """Wins, draws and losses, the mean score and its 95 % interval in per cent."""
        if not self.games:
            return "no games"
        low, high = self.interval()
        return f"{self.tally}, {100 * self.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"

    @property
    def _split_pairs(self) -> int:
        return self.pairs[2] - self.drawn_pairs


def _whole(count: int) -> int:
    if isinstance(count, bool) or not hasattr(count, "__index__") or not 0 <= int(count) <= MOST_GAMES:
        raise ResultsError(f"{count!r} is no number of games")
    return int(count)


def _halves(points: float) -> int:
    """Return the half points of one game."""
    if points not in (LOSS, DRAW, WIN):
        raise ResultsError(
            f"a game for two does not bring {points!r} points", mend="1 for a win, 0.5 for a draw, 0"
        )
    return round(2 * points)
