"""The result of a match and its standing during play, both computed from the records of its games."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from branchwise.arena.records.record import BestLine, GameRecord, points
from branchwise.arena.statistics.elo import EloDifference, elo_difference, likelihood_of_superiority
from branchwise.arena.statistics.interval import LEVEL
from branchwise.arena.statistics.means import Mean
from branchwise.arena.statistics.payoffs import Payoff, are_plain, difference, payoff_words, payoffs
from branchwise.arena.statistics.ratings import Ratings, rate
from branchwise.arena.statistics.score import Score
from branchwise.arena.statistics.scoring import distinct, order_of, points_of, score_of
from branchwise.arena.statistics.sprt import Sprt, SprtState
from branchwise.arena.statistics.stopping import first_verdict
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import ResultsError

if TYPE_CHECKING:
    from branchwise.arena.store.store import StoredMatch

COMPLETE = "games"
"""`ended_by` of a match that played all games of its schedule."""
INTERRUPTED = "interrupted"


@dataclass
class Tally:
    """One bot's totals so far. A win is a game with a full point, a loss one with none, a draw one between.

    With three or more players, places say more: a game with one winner is not drawn for all others.
    places : number of games by place, the first at index 0. Who have equal returns share the better place.
    returns : sum of the bot's returns; no mean can be taken of it if the bot failed in a one-player game.
    """

    games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: int = 0
    returns: float = 0.0
    places: list[int] = field(default_factory=list)

    def add(self, points: float, *, fault: bool, gain: float = 0.0, place: int = 1) -> None:
        self.games += 1
        self.places += [0] * (place - len(self.places))
        self.places[place - 1] += 1
        self.returns += gain
        self.points += points
        self.wins += points == 1.0
        self.losses += points == 0.0
        self.draws += 0.0 < points < 1.0
        self.faults += fault


def tallies_of(bots: int, records: Sequence[GameRecord]) -> tuple[Tally, ...]:
    """Return each bot's totals over `records`; bots : how many there are."""
    tallies = tuple(Tally() for _ in range(bots))
    for record in records:
        add_to(tallies, record)
    return tallies


def add_to(tallies: Sequence[Tally], record: GameRecord) -> None:
    """Add a game to the tallies of the bots that played it."""
    for bot, made, gain in zip(record.plan.seating, points(record.returns), record.returns, strict=True):
        place = 1 + sum(other > gain for other in record.returns)
        tallies[bot].add(made, fault=record.bot_at_fault == bot, gain=gain, place=place)


@dataclass
class Standing:
    """A match or a tournament in progress.

    games : how many will be played, or the maximum.   played : how many have ended, earlier runs included.
    playing : how many are in progress.   seconds : since this run began.   tallies : by bot.   test : state
    of the sequential test, if there is one.   players : of the game; 0: as many as there are bots.   best :
    the best line of a one-player game by a bot that has not failed.
    """

    bots: tuple[str, ...]
    games: int
    players: int = 0
    played: int = 0
    playing: int = 0
    tallies: tuple[Tally, ...] = ()
    last: GameRecord | None = None
    test: SprtState | None = None
    best: BestLine | None = None
    _before: int = 0
    _began: float = field(default_factory=time.perf_counter)
    _pairs: Score = field(default_factory=Score)
    _singles: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tallies = tuple(Tally() for _ in self.bots)
        self.players = self.players or len(self.bots)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def remaining(self) -> float | None:
        """Estimated seconds for the remaining games; None before a game has ended."""
        done = self.played - self._before
        return self.seconds / done * (self.games - self.played) if done else None

    @property
    def score(self) -> Score | None:
        """Score of the first of two bots; None unless this is a match of two in a game for two."""
        if not self._is_duel:
            return None
        return self._pairs + Score.from_results(singles=self._singles.values())

    def add(self, record: GameRecord, *, earlier: bool = False) -> None:
        self.played += 1
        self._before += earlier
        self.last = record
        add_to(self.tallies, record)
        if self._is_duel:
            made = points_of(record, 0)
            partner = self._singles.pop(record.plan.round, None)
            if partner is None:
                self._singles[record.plan.round] = made
            else:
                self._pairs = self._pairs.with_pair(partner, made)

    @property
    def _is_duel(self) -> bool:
        return len(self.bots) == self.players == 2


class ContestResult(ABC):
    """What the results of matches and tournaments have in common; they say what their fields are."""

    id: int | None
    game: str
    bots: tuple[str, ...]
    games: int
    records: tuple[GameRecord, ...]
    ended_by: str
    seconds: float
    best: BestLine | None

    @classmethod
    def _stored(cls, stored: StoredMatch, records: Sequence[GameRecord], **own: Any) -> Self:
        """Return the result of what is stored; own : the fields that only this kind of result has."""
        build: Callable[..., Self] = cls
        return build(
            id=stored.id,
            game=stored.game,
            bots=stored.bots,
            games=stored.games,
            records=tuple(records),
            ended_by=stored.ended_by or INTERRUPTED,
            seconds=sum(record.seconds for record in records),
            best=stored.best,
            **own,
        )

    @property
    @abstractmethod
    def players(self) -> int:
        """Number of players in one game."""

    @cached_property
    def counted(self) -> tuple[GameRecord, ...]:
        """The records that count."""
        return self.records

    def tallies(self) -> tuple[Tally, ...]:
        """Return each bot's totals."""
        return tallies_of(len(self.bots), self.counted)

    def payoffs(self, level: float = LEVEL) -> tuple[Payoff | None, ...]:
        """Return each bot's mean return per game, in all and by player; None for a bot without games."""
        return payoffs(self.counted, len(self.bots), together=self._opening_of, level=level)

    def leads(self, order: Sequence[int]) -> list[tuple[int, Mean | None]]:
        """Return by how much the first bot of `order` leads each other in mean return, in a game for one.

        Bots are given by number; those that have played none of its starts are left out. None for a lead that
        is not known, because one of the two failed.
        """
        starts: dict[int, set[int]] = {bot: set() for bot in order}
        for record in self.counted:
            starts[record.plan.seating[0]].add(record.plan.round)
        first, *others = order
        failed = [tally.faults > 0 for tally in self.tallies()]
        return [
            (other, None if failed[first] or failed[other] else self._lead(first, other))
            for other in others
            if starts[first] & starts[other]
        ]

    @property
    def has_payoffs(self) -> bool:
        """Whether returns say more than points. False if all games were won, drawn or lost between two."""
        return not are_plain(self.counted)

    def faults(self) -> list[GameRecord]:
        """Return the games that were lost by a fault."""
        return [record for record in self.records if record.fault is not None]

    def _lead(self, bot: int, other: int, level: float = LEVEL) -> Mean:
        return difference(self.counted, bot, other, together=self._opening_of, level=level)

    def _opening_of(self, record: GameRecord) -> int:
        """Return the same number for all games from the same opening."""
        return record.plan.round

    def _need_opponents(self) -> None:
        """Raise `ResultsError` for a one-player game, which has no ratings."""
        if self.players == 1:
            raise ResultsError(
                f"nobody beats anybody in {self.game}, so there are no ratings",
                mend="payoffs() and difference() compare mean returns",
            )


@dataclass(frozen=True)
class MatchResult(ContestResult):
    """The result of a match.

    id : number in the store, or None.   bots : as they were given.   records : the finished games, in the
    order of the schedule.   games : how many were to be played, or the maximum.   ended_by : "games" (all
    were played), "interrupted", "H0 accepted" or "H1 accepted" (by the test), or the judge's reason.
    seconds : of this run.   sprt : the test that could stop the match, or None.   best : the best line of a
    one-player game, by a bot that failed in none.

    Games that were in progress when a test stopped the match may still have ended. They are among the
    records, but are not counted, because short games would be overrepresented.
    """

    id: int | None
    game: str
    bots: tuple[str, ...]
    games: int
    records: tuple[GameRecord, ...] = field(repr=False)
    ended_by: str = COMPLETE
    seconds: float = 0.0
    sprt: Sprt | None = None
    best: BestLine | None = None

    @classmethod
    def of_stored(cls, stored: StoredMatch, records: Sequence[GameRecord]) -> MatchResult:
        """Return the result of a stored match; seconds : the sum over its games."""
        sprt = stored.settings.get("sprt")
        return cls._stored(stored, records, sprt=None if sprt is None else Sprt(**sprt))

    @property
    def players(self) -> int:
        """Number of players in one game; before any game has ended, the number of bots."""
        return len(self.records[0].returns) if self.records else len(self.bots)

    @cached_property
    def counted(self) -> tuple[GameRecord, ...]:
        """The records that count: all, or those up to the pair that decided the test."""
        return self.records if self._test is None else self.records[: self._test[1]]

    def score(self, bot: int = 0) -> Score:
        """Return the score of bot 0 or bot 1 of a match between two, in pairs of games.

        Raises `ResultsError` unless the game is for two.
        """
        if self.players != 2:
            raise ResultsError(
                f"{self.game} is no game for two, so a bot has no score against the other",
                mend="payoffs() has mean returns" + ("" if self.players == 1 else ", and ratings() compares"),
            )
        whole_number("bot", bot, 0, 1)
        return score_of(self.counted, bot)

    def elo(self, bot: int = 0, level: float = LEVEL) -> EloDifference:
        """Return how much stronger `bot` is than the other of two bots, with its confidence interval.

        Raises `ResultsError` if there are no games, or unless the game is for two.
        """
        return elo_difference(self.score(bot), level)

    def likelihood_of_superiority(self, bot: int = 0) -> float:
        """Return the probability, 0 to 1, that `bot` is the stronger of two bots."""
        return likelihood_of_superiority(self.score(bot))

    def ratings(self, level: float = LEVEL) -> Ratings:
        """Return the ratings of all bots. The second bot of the same name is listed as "name #2".

        Raises `ResultsError` if there are no games, and for one-player games.
        """
        self._need_opponents()
        names = distinct(self.bots)
        if len(names) == 2:
            return rate({(names[0], names[1]): self.score()}, level=level)
        return rate(orders=(order_of(record, names) for record in self.counted), level=level)

    def difference(self, bot: int, other: int, level: float = LEVEL) -> Mean:
        """Return how much more `bot` got per game than `other` from the same openings; both by number.

        Raises `ResultsError` if they have played no opening in common, and in a game for one player if either
        has failed.
        """
        for index in (bot, other):
            whole_number("bot", index, 0, len(self.bots) - 1)
        return self._lead(bot, other, level)

    def sprt_state(self) -> SprtState | None:
        """Return the state in which the sequential test ended, or its latest state; None without a test."""
        return None if self._test is None else self._test[0]

    def rounds(self) -> list[tuple[GameRecord, ...]]:
        """Return the games of each complete round. With two players a round is a pair."""
        rounds: dict[int, list[GameRecord]] = {}
        for record in self.records:
            rounds.setdefault(record.plan.round, []).append(record)
        return [tuple(found) for _, found in sorted(rounds.items()) if len(found) == len(self.bots)]

    def __str__(self) -> str:
        """Describe the match, the first bot's score, the difference in Elo, and the state of the test."""
        heading = f"{' : '.join(self.bots)}, {self.game}, {len(self.records):,} of {self.games:,} games"
        if not self.counted:
            return heading
        lines = [heading]
        if self.players == 2:
            sure = f"{self.likelihood_of_superiority():.1%}"
            lines += [str(self.score()), f"Elo {self.elo()}, likelihood of superiority {sure}"]
        elif self.players > 2:
            lines.append(str(self.ratings()))
        if self.has_payoffs:
            lines += payoff_words(self.bots, self.payoffs())
        if self.sprt is not None:
            lines.append(f"{self.sprt}: {self.sprt_state()}")
        return "\n".join(lines)

    @cached_property
    def _test(self) -> tuple[SprtState, int | None] | None:
        return None if self.sprt is None else first_verdict(self.sprt, self.records)
