"""Series of related matches: the cells of a sweep, the rounds of a tuner.

Each match has a key. A table in the store maps keys to matches, so that an interrupted series can be resumed:
matches that are complete are read, not played again.
"""

from __future__ import annotations

import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from branchwise.arena.contest import Contest
from branchwise.arena.contest import R as Played
from branchwise.arena.match import Match
from branchwise.arena.match_result import INTERRUPTED, MatchResult
from branchwise.arena.play.nested_matches import refuse_in_worker
from branchwise.arena.play.pool import warm_workers
from branchwise.arena.runner import Progress
from branchwise.arena.statistics.means import Returns
from branchwise.arena.statistics.score import Score
from branchwise.arena.store.entries import opened_store
from branchwise.arena.store.store import Store
from branchwise.arena.store.trust_seal import need_trust, seal
from branchwise.arena.tournament import Tournament
from branchwise.arena.tournament_result import TournamentResult
from branchwise.common.errors import SettingsError, StoreError

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

_SEAL = "seal"

P = TypeVar("P")
R = TypeVar("R")

COMMANDS = {"tuning": "tune"}
"""The command for each kind of series, where it has another name."""

TABLES = """
CREATE TABLE IF NOT EXISTS series (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,             -- 'sweep', 'tune' or 'tuning'
    begun REAL NOT NULL,            -- seconds since 1970
    settings TEXT NOT NULL          -- JSON: all that decides which matches there are
);
CREATE TABLE IF NOT EXISTS series_matches (
    series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    match INTEGER NOT NULL,
    PRIMARY KEY (series, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS series_numbers (
    series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value REAL NOT NULL,            -- measured on the way, such as a speed
    PRIMARY KEY (series, key)
) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class PlayedMatch:
    """A match of a series; id : number in the store, or None.   score : of its first bot.

    faults : number of games lost by a fault of either bot.   complete : whether all games have been played.
    returns : of the bot in a game for one player, which has no score.
    """

    id: int | None
    score: Score
    faults: int
    complete: bool
    returns: Returns = field(default_factory=Returns)


class Series:
    """The matches of one series, in a store or only in memory.

    id : number in the store, where series are numbered apart from matches; None without a store.   trust :
    whether to run code that its matches name, whatever their origin.
    """

    def __init__(
        self,
        store: Store | None,
        id: int | None,  # noqa: A002 - as the store calls it
        trust: bool = False,
    ) -> None:
        self._store = store
        self._trust = trust
        self._numbers: dict[str, float] = {}
        """Measured numbers, without a store."""
        self.id = id

    @classmethod
    def begin(cls, store: Store | None, kind: str, settings: Mapping[str, Any]) -> Series:
        """Add a series to the store."""
        if store is None:
            return cls(None, None)
        with store._writing() as db:
            for statement in TABLES.split(";"):
                db.execute(statement)
            row = db.execute(
                "INSERT INTO series (kind, begun, settings) VALUES (?, ?, ?)",
                (kind, time.time(), json.dumps({**settings, _SEAL: seal(kind, settings)})),
            )
            return cls(store, row.lastrowid)

    @classmethod
    def find(
        cls,
        store: Store,
        kind: str,
        id: int | None,  # noqa: A002
        trust: bool = False,
    ) -> tuple[Series, dict[str, Any]]:
        """Return a series of the store with its settings; id : None: the latest of its kind.

        Raises `StoreError` if there is no such series, if it is of another kind, or if it would run code and
        is not trusted.
        """
        row = None
        if store._row("SELECT 1 FROM sqlite_master WHERE name = 'series'"):
            row = store._row(
                "SELECT id, kind, settings FROM series WHERE id = ?1 OR (?1 IS NULL AND kind = ?2)"
                " ORDER BY id DESC LIMIT 1",
                id,
                kind,
            )
        with store._telling():
            settings = None if row is None or row[1] != kind else json.loads(row[2])
        if row is not None and settings is not None:
            found = settings.pop(_SEAL, "")
            need_trust(f"{kind} {row[0]} in {store.file}", kind, settings, found, trust)
            return cls(store, row[0], trust), settings
        if row is not None:
            raise StoreError(
                f"number {row[0]} in {store.file} is no {kind}",
                mend=f"branchwise {COMMANDS.get(row[1], row[1])}",
            )
        raise StoreError(f"{store.file} has no {kind}" + (f" {id}" if id is not None else ""))

    @classmethod
    def kind_of(
        cls,
        store: Store,
        id: int | None,  # noqa: A002
        kinds: Sequence[str],
    ) -> str | None:
        """Return the kind of a series, None if it is not in the store; id : None: the latest of `kinds`."""
        there = store._row("SELECT 1 FROM sqlite_master WHERE name = 'series'")
        rows = store._rows("SELECT id, kind FROM series ORDER BY id DESC") if there else []
        return next((kind for number, kind in rows if (kind in kinds if id is None else number == id)), None)

    def play(self, key: str, match: Match, progress: Progress | None = None) -> PlayedMatch:
        """Play the match with this key, or the rest of it; a complete match is only read.

        `match` is used only if the key is new; otherwise the stored settings apply. Ctrl-C ends the match
        early, as usual.
        """
        return _played(self._result(key, match, progress), match)

    def play_tournament(
        self, key: str, tournament: Tournament, progress: Progress | None = None
    ) -> TournamentResult:
        """Play the tournament with this key, or the rest of it; a complete one is only read.

        Raises `StoreError` if the store has another tournament under this key.
        """
        return self._result(key, tournament, progress, same=True)

    def _result(
        self, key: str, contest: Contest[Played], progress: Progress | None, *, same: bool = False
    ) -> Played:
        """Return the result of the match or tournament with this key, after playing what is missing.

        same : whether to raise `StoreError` unless what is stored is `contest`.
        """
        store = self._store
        if store is None:
            return contest.run(progress=progress)
        number = self.match_of(key)
        if number is None:
            number = self._add(key, contest)
        stored = store.match(number)
        own = stored.kind == contest.kind and stored.settings == json.loads(json.dumps(contest.settings()))
        if same and not own:
            raise StoreError(
                f"{stored.kind} {number} in {store.file} is not the one that should be played now",
                mend="start a new one: this version plays other games with the same settings",
            )
        return contest.rest(store, stored, self._trust, progress)

    def number(self, key: str, measure: Callable[[], float]) -> float:
        """Return the number with this key; if there is none yet, measure it and keep it.

        A resumed series so continues with the numbers that it began with.
        """
        if self._store is None:
            if key not in self._numbers:
                self._numbers[key] = measure()
            return self._numbers[key]
        found = self._entry("SELECT value FROM series_numbers WHERE series = ? AND key = ?", key)
        if found is not None:
            return float(found)
        value = measure()
        with self._store._writing() as db:
            db.execute("INSERT INTO series_numbers VALUES (?, ?, ?)", (self.id, key, value))
        return value

    def match_of(self, key: str) -> int | None:
        """Return the number of the match with this key, or None if it has not begun."""
        found = self._entry("SELECT match FROM series_matches WHERE series = ? AND key = ?", key)
        return None if found is None else int(found)

    def _entry(self, query: str, key: str) -> Any:
        """Return what the store has of this series under a key, or None."""
        if self._store is None:
            return None
        row = self._store._row(query, self.id, key)
        return None if row is None else row[0]

    def _add(self, key: str, match: Contest[Any]) -> int:
        assert self._store is not None
        number = match.begun_in(self._store)
        with self._store._writing() as db:
            db.execute("INSERT INTO series_matches VALUES (?, ?, ?)", (self.id, key, number))
        return number


class Experiment(ABC, Generic[P, R]):
    """An experiment that is played as a series of matches, such as a sweep.

    P : type of its progress reports.   R : type of its result.
    """

    kind: ClassVar[str]
    """Its name in the store."""

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """Return all settings that decide how the games are played, as values for JSON."""

    @classmethod
    @abstractmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Self:
        """Return the experiment that has these `settings`."""

    @abstractmethod
    def _play(self, series: Series, progress: Callable[[P], object] | None) -> R:
        """Play the matches of `series` that are not complete."""

    def run(
        self, *, store: Store | str | Path | None = None, progress: Callable[[P], object] | None = None
    ) -> R:
        """Play all matches.

        store : where each game is kept as it ends; None: nowhere.   progress : called about five times a
        second. Ctrl-C ends the experiment; the result contains the finished games.
        """
        refuse_in_worker()
        with opened_store(store) as kept, warm_workers():
            return self._play(Series.begin(kept, self.kind, self.settings()), progress)

    @classmethod
    def resume(
        cls,
        store: Store | str | Path,
        id: int | None = None,  # noqa: A002 - what the store calls it
        *,
        trust: bool = False,
        concurrency: int | None = None,
        progress: Callable[[P], object] | None = None,
    ) -> R:
        """Play the rest of an experiment in the store; if it is complete, nothing is played.

        id : None: the latest.   trust : whether to run code that it names, even if this user did not begin it
        on this machine. Raises `StoreError` if it does not exist, if another process is playing it, or if it
        is not trusted.
        """
        refuse_in_worker()
        with opened_store(store, create=False) as kept, warm_workers():
            assert kept is not None
            series, settings = Series.find(kept, cls.kind, id, trust)
            return cls.from_settings(settings, concurrency=concurrency)._play(series, progress)


def _played(result: MatchResult, match: Match) -> PlayedMatch:
    alone = match.players == 1
    score, returns = Score() if alone else result.score(), Returns()
    if alone:
        game = match._rules
        bounded = math.isfinite(game.max_return - game.min_return)
        ends = (game.min_return, game.max_return) if bounded else None
        found = tuple(record.returns[0] for record in result.counted if not record.is_void)
        returns = Returns(found, ends, len(result.counted) - len(found))
    complete = result.ended_by != INTERRUPTED
    return PlayedMatch(result.id, score, len(result.faults()), complete, returns)


def check_opponent(game: type[Game], against: str | None) -> None:
    """Raise `SettingsError` unless settings can be compared in a game, with this opponent or none."""
    players = game.num_players
    if players > 2:
        raise SettingsError(
            f"{game.name} has {players} players; settings are compared in games of two, or of one"
        )
    if players == 1 and against is not None:
        raise SettingsError(f"{game.name} is played alone, so there is no opponent", mend="leave against out")
    if players == 2 and against is None:
        raise SettingsError(f"{game.name} is a game of two: against is missing", mend="name the opponent")


def check_pairs(match: Match) -> None:
    """Raise `SettingsError` unless the games of a match between two come in complete pairs."""
    if match.players == 1:
        return
    if match.games % 2:
        raise SettingsError(
            f"{match.games} games leave one without its partner: they are played in pairs",
            mend=f"--games {match.games + 1}",
        )
