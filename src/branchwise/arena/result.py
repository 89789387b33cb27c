"""What came of a match, and how it stands while it goes on; all computed from the records of its games."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from branchwise.arena.record import GameRecord

COMPLETE = "games"
"""What ends a match that plays all games of its schedule."""
INTERRUPTED = "interrupted"


@dataclass
class Tally:
    """What one bot has done so far; wins, draws and losses are full points, halves, and none."""

    games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: int = 0

    def add(self, points: float, *, fault: bool) -> None:
        self.games += 1
        self.points += points
        self.wins += points == 1.0
        self.losses += points == 0.0
        self.draws += 0.0 < points < 1.0
        self.faults += fault


@dataclass
class Standing:
    """A match under way.

    games : how many there are to be.   played : those that have ended, earlier sittings' included.
    playing : games that go on.   seconds : since this sitting began.   tallies : by bot.
    """

    bots: tuple[str, ...]
    games: int
    played: int = 0
    playing: int = 0
    tallies: tuple[Tally, ...] = ()
    last: GameRecord | None = None
    _before: int = 0
    _began: float = field(default_factory=time.perf_counter)

    def __post_init__(self) -> None:
        self.tallies = tuple(Tally() for _ in self.bots)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._began

    @property
    def remaining(self) -> float | None:
        """Seconds that the rest should take at the pace so far; None before a game has ended."""
        done = self.played - self._before
        return self.seconds / done * (self.games - self.played) if done else None

    def add(self, record: GameRecord, *, earlier: bool = False) -> None:
        self.played += 1
        self._before += earlier
        self.last = record
        for bot, (tally, points) in enumerate(zip(self.tallies, record.points(), strict=True)):
            tally.add(points, fault=record.bot_at_fault == bot)


@dataclass(frozen=True)
class MatchResult:
    """What came of a match.

    id : in the store, or None.   bots : as they were given.   records : the games that have ended, in the
    order of the schedule.   games : how many there were to be.   ended_by : "games", all were played;
    "interrupted"; or what the judge said.   seconds : of this sitting.
    """

    id: int | None
    game: str
    bots: tuple[str, ...]
    games: int
    records: tuple[GameRecord, ...] = field(repr=False)
    ended_by: str = COMPLETE
    seconds: float = 0.0

    def tallies(self) -> tuple[Tally, ...]:
        """Return what each bot has done."""
        tallies = tuple(Tally() for _ in self.bots)
        for record in self.records:
            for bot, (tally, points) in enumerate(zip(tallies, record.points(), strict=True)):
                tally.add(points, fault=record.bot_at_fault == bot)
        return tallies

    def rounds(self) -> list[tuple[GameRecord, ...]]:
        """Return the games of each complete round: pairs, where two play."""
        rounds: dict[int, list[GameRecord]] = {}
        for record in self.records:
            rounds.setdefault(record.plan.round, []).append(record)
        return [tuple(found) for _, found in sorted(rounds.items()) if len(found) == len(self.bots)]

    def faults(self) -> list[GameRecord]:
        """Return the games that were lost by a fault."""
        return [record for record in self.records if record.fault is not None]
