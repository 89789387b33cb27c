"""The result of a tournament: ratings, scores of each pairing, and the bracket of a knockout."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from branchwise.arena.match_result import COMPLETE, ContestResult
from branchwise.arena.records.record import BestLine, GameRecord
from branchwise.arena.schedule.knockout import Bracket
from branchwise.arena.schedule.pairings import KNOCKOUT
from branchwise.arena.statistics.interval import LEVEL
from branchwise.arena.statistics.means import Mean, Returns
from branchwise.arena.statistics.payoffs import gaps, payoff_words
from branchwise.arena.statistics.ratings import Ratings, rate
from branchwise.arena.statistics.score import Score
from branchwise.arena.statistics.scoring import order_of, score_of
from branchwise.common.errors import ResultsError, nearest_name

if TYPE_CHECKING:
    from branchwise.arena.store.store import StoredMatch


@dataclass(frozen=True)
class Encounters:
    """One bot's points in the games that another played too: 1 for coming out ahead of it, 0.5 for a tie."""

    points: float
    games: int


@dataclass(frozen=True)
class TournamentResult(ContestResult):
    """The result of a tournament.

    id : number in the store, or None.   bots : as they were given.   format : see `Tournament`.   games : how
    many were to be played.   games_each : of each group or duel.   further_pairs : maximum of extra pairs in
    a duel.   records : the finished games, by number.   ended_by : "games" (all were played) or
    "interrupted".   seconds : of this run.   best : the best line of a one-player game.
    """

    id: int | None
    game: str
    bots: tuple[str, ...]
    format: str
    games: int
    games_each: int
    further_pairs: int
    records: tuple[GameRecord, ...] = field(repr=False)
    ended_by: str = COMPLETE
    seconds: float = 0.0
    best: BestLine | None = None

    @classmethod
    def of_stored(cls, stored: StoredMatch, records: Sequence[GameRecord]) -> TournamentResult:
        """Return the result of a stored tournament; seconds : the sum over its games."""
        of, further = stored.settings, stored.settings["further_pairs"] or 0
        own = {"format": of["format"], "games_each": of["games"], "further_pairs": further}
        result = cls._stored(stored, records, **own)
        bracket = result.bracket()
        return result if bracket is None else replace(result, games=bracket.games)

    @property
    def players(self) -> int:
        """Number of players in one game; 2 before any game has ended."""
        return len(self.records[0].returns) if self.records else 2

    def score(self, bot: str, opponent: str) -> Score:
        """Return the score of `bot` in its games against `opponent`, in pairs.

        Raises `UnknownNameError` for a bot that did not take part, `ResultsError` unless the game is for two.
        """
        one, other = self._index(bot), self._index(opponent)
        self._need_two()
        games = self._by_group.get((min(one, other), max(one, other)), [])
        return score_of(games, one)

    def scores(self) -> dict[tuple[str, str], Score]:
        """Return the score of every two bots that have met, for the one that was named first."""
        self._need_two()
        return {
            (self.bots[one], self.bots[other]): score_of(games, one)
            for (one, other), games in sorted(self._by_group.items())
        }

    def ratings(self, *, anchor: tuple[str, float] | None = None, level: float = LEVEL) -> Ratings:
        """Return the ratings that best explain all games, the strongest first; see `ratings.rate`.

        Raises `ResultsError` if there are no games and for one-player games, `UnknownNameError` for an anchor
        without games.
        """
        self._need_opponents()
        if all(len(record.returns) == 2 for record in self.records):
            return rate(self.scores(), anchor=anchor, level=level)
        orders = (order_of(record, self.bots) for record in self.records)
        return rate(orders=orders, anchor=anchor, level=level)

    def difference(self, bot: str, other: str, level: float = LEVEL) -> Mean:
        """Return how much more `bot` got per game than `other` from the same openings.

        Raises `UnknownNameError` for a bot that did not take part, `ResultsError` if they have played no
        opening in common.
        """
        return self._lead(self._index(bot), self._index(other), level)

    def gaps(self, bot: str, other: str) -> Returns:
        """Return how much more `bot` got per game than `other`, for each opening that both have played.

        Raises what `difference` raises.
        """
        one, two = self._index(bot), self._index(other)
        return gaps(self.records, one, two, together=self._opening_of)

    def cross_table(self) -> dict[tuple[int, int], Encounters]:
        """Return, for every two bots that have met, by number, the first one's points in these games."""
        points: defaultdict[tuple[int, int], float] = defaultdict(float)
        games: defaultdict[tuple[int, int], int] = defaultdict(int)
        for record in self.records:
            seats = zip(record.plan.seating, record.returns, strict=True)
            for (one, mine), (other, theirs) in combinations(seats, 2):
                made = 0.5 if mine == theirs else float(mine > theirs)
                for pair, share in (((one, other), made), ((other, one), 1 - made)):
                    points[pair] += share
                    games[pair] += 1
        return {pair: Encounters(points[pair], games[pair]) for pair in sorted(games)}

    def bracket(self) -> Bracket | None:
        """Return the bracket of a knockout as far as it is known; None for other formats."""
        if self.format != KNOCKOUT:
            return None
        bracket = Bracket(len(self.bots), self.games_each, self.further_pairs)
        for record in self.records:
            bracket.take(record)
        return bracket

    def ranking(self) -> list[int]:
        """Return the bots by number, the best first.

        Bots of a knockout are ordered by how far they came; bots that came equally far, and those of other
        formats, by rating. Bots of one-player games are ordered by mean return. Bots without games, and bots
        that failed in a one-player game, come last, in the order given.
        """
        order = list(range(len(self.bots)))
        if self.records and self.players == 1:
            known = [None if one is None else one.mean for one in self.payoffs()]
            means = [-math.inf if mean is None else mean.mean for mean in known]
            return sorted(order, key=lambda bot: -means[bot])
        if self.records:
            elo = {rating.player: rating.elo for rating in self.ratings()}
            order.sort(key=lambda bot: -elo.get(self.bots[bot], float("-inf")))
        bracket = self.bracket()
        if bracket is not None:
            places = bracket.places()
            order.sort(key=lambda bot: places[bot] or 0)  # bots that are still in it come first
        return order

    def __str__(self) -> str:
        """Describe the tournament, the winner of a knockout, and the ratings."""
        lines = [
            f"{self.format} of {len(self.bots)} bots, {self.game}, "
            f"{len(self.records):,} of {self.games:,} games"
        ]
        bracket = self.bracket()
        if bracket is not None and bracket.champion is not None:
            lines.append(f"won by {self.bots[bracket.champion]}")
        if self.records and self.players > 1:
            lines.append(str(self.ratings()))
        if self.records and self.has_payoffs:
            order, gains = self.ranking(), self.payoffs()
            lines += payoff_words([self.bots[bot] for bot in order], [gains[bot] for bot in order])
        return "\n".join(lines)

    @cached_property
    def _by_group(self) -> dict[tuple[int, ...], list[GameRecord]]:
        """The games of each group of bots."""
        groups: defaultdict[tuple[int, ...], list[GameRecord]] = defaultdict(list)
        for record in self.records:
            groups[tuple(sorted(record.plan.seating))].append(record)
        return dict(groups)

    def _opening_of(self, record: GameRecord) -> int:
        """Return the same number for all games from the same opening."""
        if self.format == KNOCKOUT or len(record.returns) == 1:
            return record.plan.round
        return record.plan.round // max(self.games // self.games_each, 1)

    def _index(self, bot: str) -> int:
        if bot not in self.bots:
            raise nearest_name("bot in the tournament", bot, self.bots)
        return self.bots.index(bot)

    def _need_two(self) -> None:
        if any(len(record.returns) != 2 for record in self.records):
            raise ResultsError(
                f"{self.game} is no game for two, so a bot has no score against another",
                mend="ratings() and cross_table() compare any number",
            )
