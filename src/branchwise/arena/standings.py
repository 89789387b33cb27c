"""What came of a tournament: ratings, who made how much against whom, and the bracket of a knockout."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

from branchwise.arena.interval import LEVEL
from branchwise.arena.knockout import Bracket
from branchwise.arena.pairings import KNOCKOUT
from branchwise.arena.ratings import Ratings, rate
from branchwise.arena.record import GameRecord
from branchwise.arena.result import COMPLETE, INTERRUPTED, Tally, tallies_of
from branchwise.arena.score import Score
from branchwise.arena.scoring import order_of, score_of
from branchwise.errors import ResultsError, nearest_name

if TYPE_CHECKING:
    from branchwise.arena.store import StoredMatch


@dataclass(frozen=True)
class Encounters:
    """What one bot made of the games in which another was too: 1 for coming out ahead, 0.5 for a tie."""

    points: float
    games: int


@dataclass(frozen=True)
class TournamentResult:
    """What came of a tournament.

    id : in the store, or None.   bots : as they were given.   format : see `Tournament`.   games : how many
    there were to be.   games_each : of each group or duel.   further_pairs : that a duel may take more.
    records : the games that have ended, by number.   ended_by : "games", all were played, or "interrupted".
    seconds : of this sitting.
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

    @classmethod
    def of_stored(cls, stored: StoredMatch, records: Sequence[GameRecord]) -> TournamentResult:
        """Return what came of a tournament in a store; seconds : that its games took, one by one."""
        settings = stored.settings
        result = cls(
            id=stored.id,
            game=stored.game,
            bots=stored.bots,
            format=settings["format"],
            games=stored.games,
            games_each=settings["games"],
            further_pairs=settings["further_pairs"] or 0,
            records=tuple(records),
            ended_by=stored.ended_by or INTERRUPTED,
            seconds=sum(record.seconds for record in records),
        )
        bracket = result.bracket()
        if bracket is not None:
            object.__setattr__(result, "games", bracket.games)
        return result

    def tallies(self) -> tuple[Tally, ...]:
        """Return what each bot has done."""
        return tallies_of(len(self.bots), self.records)

    def score(self, bot: str, opponent: str) -> Score:
        """Return what one bot made of its games against another, in pairs.

        Raises `UnknownNameError` for a bot that did not take part, `ResultsError` where more than two play.
        """
        one, other = self._place(bot), self._place(opponent)
        self._need_two()
        games = self._by_group.get((min(one, other), max(one, other)), [])
        return score_of(games, one)

    def scores(self) -> dict[tuple[str, str], Score]:
        """Return the score of each two bots that have met, for the one that was named first."""
        self._need_two()
        return {
            (self.bots[one], self.bots[other]): score_of(games, one)
            for (one, other), games in sorted(self._by_group.items())
        }

    def ratings(self, *, anchor: tuple[str, float] | None = None, level: float = LEVEL) -> Ratings:
        """Return the ratings that best explain all games, the strongest first; see `arena.ratings.rate`.

        Raises `ResultsError` without games, `UnknownNameError` for an anchor that has played none.
        """
        if all(len(record.returns) == 2 for record in self.records):
            return rate(self.scores(), anchor=anchor, level=level)
        orders = (order_of(record, self.bots) for record in self.records)
        return rate(orders=orders, anchor=anchor, level=level)

    def cross_table(self) -> dict[tuple[int, int], Encounters]:
        """Return, by the places of two bots that have met, what the first made of these games."""
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
        """Return the duels of a knockout as far as they are known; None for other formats."""
        if self.format != KNOCKOUT:
            return None
        bracket = Bracket(len(self.bots), self.games_each, self.further_pairs)
        for record in self.records:
            bracket.take(record)
        return bracket

    def ranking(self) -> list[int]:
        """Return the bots by their places, the best first.

        In a knockout by how far they came, and among those who came equally far as elsewhere: by rating.
        Those without games come last, in the order given.
        """
        order = list(range(len(self.bots)))
        if self.records:
            elo = {rating.player: rating.elo for rating in self.ratings()}
            order.sort(key=lambda bot: -elo.get(self.bots[bot], float("-inf")))
        bracket = self.bracket()
        if bracket is not None:
            places = bracket.places()
            order.sort(key=lambda bot: places[bot] or 0)  # who is still in it before who is out
        return order

    def faults(self) -> list[GameRecord]:
        """Return the games that were lost by a fault."""
        return [record for record in self.records if record.fault is not None]

    def __str__(self) -> str:
        """Say what was played, who won a knockout, and the ratings."""
        lines = [
            f"{self.format} of {len(self.bots)} bots, {self.game}, "
            f"{len(self.records):,} of {self.games:,} games"
        ]
        bracket = self.bracket()
        if bracket is not None and bracket.champion is not None:
            lines.append(f"won by {self.bots[bracket.champion]}")
        if self.records:
            lines.append(str(self.ratings()))
        return "\n".join(lines)

    @cached_property
    def _by_group(self) -> dict[tuple[int, ...], list[GameRecord]]:
        """The games by who met in them."""
        groups: defaultdict[tuple[int, ...], list[GameRecord]] = defaultdict(list)
        for record in self.records:
            groups[tuple(sorted(record.plan.seating))].append(record)
        return dict(groups)

    def _place(self, bot: str) -> int:
        if bot not in self.bots:
            raise nearest_name("bot in the tournament", bot, self.bots)
        return self.bots.index(bot)

    def _need_two(self) -> None:
        if any(len(record.returns) != 2 for record in self.records):
            raise ResultsError(
                f"{self.game} is no game for two, so a bot has no score against another",
                mend="ratings() and cross_table() compare any number",
            )
