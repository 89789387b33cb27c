"""Ratings of any number of players from the games between them, with confidence intervals.

The model is Luce's with ties; see `davidson_luce`. For games of two it is Davidson's. It does not know about
seats, so games should be played in pairs with seats exchanged, or with random seats.

*The scale.* One unit of the natural logarithm of worth is 400 / ln 10 Elo, times the share of games between
equals that are not drawn. Near equality a point of difference is then worth as much score as in `elo`, with
or without draws. BayesElo does the same (https://www.remi-coulom.fr/Bayesian-Elo).

*The prior.* Each player has half a virtual draw, shared among the opponents in proportion to the games with
them, so that a player who won every game has a finite rating. Between two players that is half a game for
either side, as in Jeffreys' prior [Firth93].

*The intervals* are normal ones, from the curvature of the likelihood. For games that were played in pairs the
variance is scaled by the observed variance of the pairs' points [McCullagh89].

[Firth93] Firth, "Bias reduction of maximum likelihood estimates", Biometrika 80, 1993. [McCullagh89]
McCullagh, Nelder, "Generalized Linear Models", 2nd edition, 1989, section 4.5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from branchwise.arena.statistics.davidson_luce import Fit, fit
from branchwise.arena.statistics.elo import EloDifference
from branchwise.arena.statistics.interval import LEVEL, normal_quantile
from branchwise.arena.statistics.rating_data import Order, RatingData, components
from branchwise.arena.statistics.score import Score
from branchwise.common.argument_checks import number
from branchwise.common.errors import ResultsError, nearest_name

VIRTUAL_DRAWS = 0.5


@dataclass(frozen=True)
class Rating:
    """One player's strength.

    elo, low, high : the rating and the ends of its confidence interval, relative to the mean of the player's
    group or to the anchor.   games : played.   score : the share of opponents that the player finished ahead
    of, with ties as half: points per game where two play.   group : number of the group, from 0. Ratings of
    different groups cannot be compared.
    """

    player: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    group: int


class Ratings:
    """The ratings of all players, by group, each from the strongest down; made by `rate`."""

    def __init__(
        self, table: Sequence[Rating], covariance: NDArray[np.float64], draws: float, dispersion: float
    ) -> None:
        self.table = tuple(table)
        self.draws = draws
        """The share of drawn games between two equal players; 0 if no game was drawn."""
        self.dispersion = dispersion
        """Variance of points relative to that of independent games; below 1 where pairs reduce it."""
        self._rows = {rating.player: row for row, rating in enumerate(self.table)}
        self._covariance = covariance  # of Elo, in the order of the table

    def __iter__(self) -> Iterator[Rating]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, player: str) -> Rating:
        """Return one player's rating; raises `UnknownNameError`."""
        return self.table[self._row(player)]

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The players by group. Players of a group have met, directly or through others."""
        numbers = sorted({rating.group for rating in self.table})
        return tuple(tuple(r.player for r in self.table if r.group == number) for number in numbers)

    def difference(self, player: str, opponent: str, level: float = LEVEL) -> EloDifference:
        """Return how much stronger `player` is than `opponent`, with its confidence interval.

        It is narrower than the two separate intervals suggest, because the players' errors are correlated.
        Raises `ResultsError` if they are in different groups, `UnknownNameError` for a player without games.
        """
        value, error = self._difference(player, opponent)
        reach = normal_quantile(level) * error
        return EloDifference(value, value - reach, value + reach)

    def likelihood_of_superiority(self, player: str, opponent: str) -> float:
        """Return the probability, 0 to 1, that `player` is the stronger one; raises as `difference`."""
        value, error = self._difference(player, opponent)
        return NormalDist().cdf(value / error) if error else 0.5

    def _difference(self, player: str, opponent: str) -> tuple[float, float]:
        one, other = self._row(player), self._row(opponent)
        if self.table[one].group != self.table[other].group:
            raise ResultsError(
                f"{player} and {opponent} cannot be compared: they never met, nor did their opponents",
                mend="play games between the groups",
            )
        apart = self._covariance[one, one] + self._covariance[other, other] - 2 * self._covariance[one, other]
        return self.table[one].elo - self.table[other].elo, math.sqrt(max(apart, 0.0))

    def _row(self, player: str) -> int:
        if player not in self._rows:
            raise nearest_name("player with games", player, self._rows)
        return self._rows[player]

    def __str__(self) -> str:
        """Return a table, and say which players cannot be compared."""
        width = max([6, *(len(rating.player) for rating in self.table)])
        lines = [f"{'player':{width}}    elo           95 %   games   score"]
        for group, players in enumerate(self.groups):
            if group:
                lines.append("never met those above:")
            for rating in map(self.__getitem__, players):
                interval = f"[{rating.low:+.0f}, {rating.high:+.0f}]"
                lines.append(
                    f"{rating.player:{width}}  {rating.elo:+5.0f}  {interval:>13}  {rating.games:6,}"
                    f"  {100 * rating.score:4.1f} %"
                )
        return "\n".join(lines)


def rate(
    scores: Mapping[tuple[str, str], Score] | None = None,
    orders: Iterable[Order] = (),
    *,
    virtual_draws: float = VIRTUAL_DRAWS,
    anchor: tuple[str, float] | None = None,
    level: float = LEVEL,
) -> Ratings:
    """Return the ratings that best explain results.

    scores : for two players, the score of the first against the second.   orders : how games of any number of
    players ended, the best first and ties grouped: `[["a"], ["b", "c"]]`. Players who tie for last place are
    not compared with each other.   virtual_draws : of each player, 0 to 100; see the head of the module.
    anchor : a player and the rating to give it; other groups have mean 0.   level : of the intervals. Players
    without games have no rating.

    Raises `ResultsError` if there are no games, for a player who plays itself, and for more than 12 players
    in one game. Without virtual draws it also raises if a player, or a set of players against all others, won
    or lost every game.

    >>> print(rate({
    ...     ("strong", "middle"): Score.from_counts(wins=60, draws=20, losses=20),
    ...     ("middle", "weak"): Score.from_counts(wins=70, draws=10, losses=20),
    ... }))
    player    elo           95 %   games   score
    strong   +161   [+110, +212]     100  70.0 %
    middle    +15     [-18, +48]     200  52.5 %
    weak     -176   [-229, -123]     100  25.0 %
    """
    number("virtual_draws", virtual_draws, 0.0, 100.0)
    reach = normal_quantile(level)
    results = RatingData(scores or {}, orders)
    groups = components(len(results.names), results.met)
    if not virtual_draws:
        results.need_beatable(groups)
    found = fit(len(results.names), results.choices, results.likeness(virtual_draws), groups)
    draws = _drawn(found)
    dispersion = _dispersion(results, found, len(groups))
    elo, covariance = _on_the_elo_scale(found, draws)
    covariance *= dispersion
    if anchor is not None:
        _anchored(elo, covariance, results.names, anchor, groups)

    errors = np.sqrt(np.maximum(covariance.diagonal(), 0.0))
    order = [player for group in groups for player in sorted(group, key=lambda player: -elo[player])]
    home = {player: at for at, group in enumerate(groups) for player in group}
    table = [
        Rating(
            results.names[player],
            float(elo[player]),
            float(elo[player] - reach * errors[player]),
            float(elo[player] + reach * errors[player]),
            results.games[player],
            results.share[player],
            home[player],
        )
        for player in order
    ]
    return Ratings(table, covariance[np.ix_(order, order)], draws, dispersion)


def _dispersion(results: RatingData, found: Fit, groups: int) -> float:
    """Return the variance of points relative to that of independent games; 1 if no games are in pairs.

    Compares the squared deviations of the pairs' points from their expectation under the ratings with those
    expected of independent games. One virtual pair is added to the former, two virtual pairs of independent
    games to the latter.
    """
    squares, independent, pairs = 1.0, 0.0, 0
    for first, second, score in results.duels:
        mean, variance = _expected(found, first, second)
        squares += sum(count * (at / 2 - 2 * mean) ** 2 for at, count in enumerate(score.pairs))
        independent += 2 * variance * sum(score.pairs)
        pairs += sum(score.pairs)
    if not pairs:
        return 1.0
    free = max(pairs - (len(results.names) - groups), 0) / pairs
    return 1 + 2 * pairs / results.total * (squares / (independent * free + 1) - 1)


def _drawn(found: Fit) -> float:
    """Return the share of drawn games between two equal players."""
    return 1 / (1 + 2 * math.exp(-found.etas[2])) if 2 in found.etas else 0.0


def _expected(found: Fit, first: int, second: int) -> tuple[float, float]:
    """Return the mean points of a game and their variance, for the first of two players."""
    ahead = math.exp((found.theta[first] - found.theta[second]) / 2)
    draw = math.exp(found.etas[2]) if 2 in found.etas else 0.0
    total = ahead + 1 / ahead + draw
    mean = (ahead + draw / 2) / total
    return mean, (ahead + draw / 4) / total - mean**2


def _on_the_elo_scale(found: Fit, draws: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ratings and their covariance, including the uncertainty of the share of draws."""
    players = len(found.theta)
    scale = (1 - draws) * 400 / math.log(10)
    change = np.zeros((players, len(found.covariance)))
    change[:, :players] = scale * np.eye(players)
    if 2 in found.etas:
        change[:, players + sorted(found.etas).index(2)] = -draws * scale * found.theta
    return scale * found.theta, change @ found.covariance @ change.T


def _anchored(
    elo: NDArray[np.float64],
    covariance: NDArray[np.float64],
    names: Sequence[str],
    anchor: tuple[str, float],
    groups: Sequence[Sequence[int]],
) -> None:
    """Shift one player's group so that the player has the given rating, with no error; modified in place."""
    name, rating = anchor
    number("anchor", rating, -100_000.0, 100_000.0)
    if name not in names:
        raise nearest_name("player with games", name, names)
    fixed = names.index(name)
    group = next(group for group in groups if fixed in group)
    elo[group] += rating - elo[fixed]
    change = np.eye(len(names))
    change[group, fixed] -= 1
    covariance[:] = change @ covariance @ change.T
