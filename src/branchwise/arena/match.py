"""Matches: bots that play each other, game after game, until the schedule or a question is done."""

from __future__ import annotations

import os
import platform
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.arena.entrants import entrants, game_text, patience_with
from branchwise.arena.openings import GivenOpenings, RandomOpenings, check_opening, read_openings
from branchwise.arena.play import Terms
from branchwise.arena.processes import refuse_in_worker
from branchwise.arena.record import GameRecord
from branchwise.arena.result import COMPLETE, INTERRUPTED, MatchResult, Standing
from branchwise.arena.schedule import OpeningSource, Schedule
from branchwise.arena.store import Store, StoredMatch
from branchwise.arena.timing import ALLOWANCE, TimeControl, read_clock
from branchwise.arena.workers import LOOK, Workers
from branchwise.errors import SettingsError, StoreError
from branchwise.games import load_game
from branchwise.ranges import whole_number

if TYPE_CHECKING:
    from branchwise.game import Game

MAX_GAMES = 10_000_000
Progress = Callable[["Standing"], object]
Judge = Callable[[tuple[GameRecord, ...]], "str | None"]
"""Given the games of a round, in the order of the schedule; returns why the match is to end, or None."""


class Match:
    """Bots against each other.

    game : text form or class.   bots : text forms, one for each player of the game.
    games : how many. With n players, n games in a row have the same opening, and each bot plays each seat
    once; see `Schedule`.
    simulations : for bots that take such a limit and name none of their own.   seconds : the same, and no
    move may take longer.   clock : seconds for all of a bot's moves in a game, or text such as "60+0.5" with
    what each move adds; in place of `seconds`.   allowance : seconds that may be overstepped; see
    `TimeControl`.   patience : seconds after which a bot without either is taken to hang; None: 60, and ten
    times the longest that a bot says it thinks.
    openings : a file with one a line, or a list of lists of moves; without, `openings_depth` random moves
    (None: 4, fewer where the game is decided too soon).
    proofs : whether a game ends when its outcome is proven; see `Table`.
    concurrency : games at once; None: as many as there are cores, divided by the threads of the bots.
    seed : the same gives the same openings, and bots with the same seeds; None: a new one.

    A bot that raises an exception, hangs, oversteps its time, answers with what is no legal move, or ends its
    process loses that game, and the match goes on. Games are played in processes of their own, which find
    games and bots by name; one that is written in a notebook cannot be found. Raises `SettingsError` and
    `UnknownNameError` for settings that make no sense.

    >>> import branchwise as bw
    >>> match = bw.Match("tic_tac_toe", ["mcts(simulations=100)", "random"], games=4, seed=1)
    >>> result = match.run()
    >>> len(result.records), result.tallies()[0].points > result.tallies()[1].points
    (4, True)
    """

    def __init__(
        self,
        game: str | type[Game],
        bots: Sequence[str],
        *,
        games: int = 100,
        simulations: int | None = None,
        seconds: float | None = None,
        clock: float | str | None = None,
        allowance: float = ALLOWANCE,
        patience: float | None = None,
        openings: str | Path | Sequence[Sequence[int | str]] | None = None,
        openings_depth: int | None = None,
        proofs: bool = True,
        concurrency: int | None = None,
        seed: int | None = None,
    ) -> None:
        whole_number("games", games, 1, MAX_GAMES)
        whole_number("openings_depth", openings_depth, 0, 10_000)
        whole_number("concurrency", concurrency, 1, 1024)
        whole_number("seed", seed, -(2**127), 2**127)
        whole_number("simulations", simulations, 1, 2**31 - 1)
        self.game = game_text(game)
        self._rules = load_game(self.game)
        if len(bots) != self._rules.num_players:
            raise SettingsError(
                f"{self._rules.name} has {self._rules.num_players} players, but {len(bots)} bots are given",
                mend="name a bot for each; one may be named twice",
            )
        base, increment = (None, 0.0) if clock is None else read_clock(clock)
        control = TimeControl(seconds, base, increment, allowance)
        self._entrants = entrants(bots, simulations=simulations, control=control)
        if patience is None:
            patience = patience_with(self._entrants)
        control = TimeControl(seconds, base, increment, allowance, patience)
        self.bots = tuple(entrant.name for entrant in self._entrants)
        self.games = games
        self.seed = secrets.randbits(32) if seed is None else int(seed)
        self.concurrency = concurrency
        self._terms = Terms(tuple(entrant.spec for entrant in self._entrants), control, proofs)
        self._simulations = simulations
        self._depth = openings_depth
        self._given = None if openings is None else _openings(openings, self._rules)
        if self._given is not None and openings_depth is not None:
            raise SettingsError("either openings or their depth can be given")

    def __repr__(self) -> str:
        return f"<Match of {' and '.join(self.bots)} at {self._rules.name}, {self.games:,} games>"

    def settings(self) -> dict[str, Any]:
        """Return all that decides how the games go, as values that JSON can hold."""
        control = self._terms.control
        return {
            "game": self.game,
            "bots": list(self._terms.bots),
            "names": list(self.bots),
            "games": self.games,
            "simulations": self._simulations,
            "seconds": control.seconds,
            "clock": control.clock,
            "increment": control.increment,
            "allowance": control.allowance,
            "patience": control.patience,
            "openings": None if self._given is None else [list(opening) for opening in self._given],
            "openings_depth": self._depth,
            "proofs": self._terms.proofs,
            "seed": self.seed,
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Match:
        """Return the match that `settings` came from."""
        given = dict(settings)
        names = given.pop("names")
        clock, increment = given.pop("clock"), given.pop("increment")
        match = cls(
            given.pop("game"),
            given.pop("bots"),
            clock=None if clock is None else f"{clock!r}+{increment!r}",
            concurrency=concurrency,
            **given,
        )
        match.bots = tuple(names)
        return match

    def run(
        self,
        *,
        store: Store | str | Path | None = None,
        progress: Progress | None = None,
        judge: Judge | None = None,
    ) -> MatchResult:
        """Play the match.

        store : where it is kept, game by game; None: nowhere.   progress : called about five times a second.
        judge : called with each complete round, in the order of the schedule, until it says why to end.

        Where games are kept in a store, the result has them without their moves, which are to be had there.
        Ctrl-C ends the match, with the games that have been finished. Raises `MatchError` for rules that
        cannot be played on, `StoreError` for a store that cannot be written.
        """
        refuse_in_worker()
        with ExitStack() as stack:
            if isinstance(store, str | Path):
                store = stack.enter_context(Store(store))
            number = None
            if store is not None:
                number = store.begin(self._rules.name, self.bots, self.games, self.settings(), versions())
            return _Sitting(self, store, number, progress, judge).play(())

    @classmethod
    def resume(
        cls,
        store: Store | str | Path,
        id: int | None = None,  # noqa: A002 - what the store calls it
        *,
        concurrency: int | None = None,
        progress: Progress | None = None,
        judge: Judge | None = None,
    ) -> MatchResult:
        """Play what is left of a match in the store; id : None: the latest that is not complete.

        The games are those that an uninterrupted match would have had. Raises `StoreError` if there is no
        such match, or if another process is playing it.
        """
        refuse_in_worker()
        with ExitStack() as stack:
            if isinstance(store, str | Path):
                store = stack.enter_context(Store(store, create=False))
            stored = store.match(id) if id is not None else _latest_open(store)
            if stored.ended_by:
                raise StoreError(f"match {stored.id} is complete: all that was to be played has been")
            match = cls.from_settings(stored.settings, concurrency=concurrency)
            store.claim(stored.id)
            played = store.games(stored.id, moves=False)
            return _Sitting(match, store, stored.id, progress, judge).play(played)


class _Sitting:
    """Playing a match, or what is left of it, once."""

    def __init__(
        self,
        match: Match,
        store: Store | None,
        number: int | None,
        progress: Progress | None,
        judge: Judge | None,
    ) -> None:
        self._match = match
        self._store = store
        self._number = number
        self._progress = progress
        self._judge = judge
        self._records: dict[int, GameRecord] = {}
        self._judged = 0
        self._ended_by = ""
        self._standing = Standing(match.bots, match.games)
        self._told = 0.0

    def play(self, played: Sequence[GameRecord]) -> MatchResult:
        """Play all games but those `played` already."""
        for record in played:
            self._standing.add(record, earlier=True)
            self._records[record.number] = record
        try:
            self._judge_rounds()
            self._play_rest()
            ended_by = self._ended_by or COMPLETE
        except KeyboardInterrupt:
            ended_by = INTERRUPTED
        except BaseException:
            with suppress(StoreError):
                self._leave("")
            raise
        self._leave("" if ended_by == INTERRUPTED else ended_by)
        return MatchResult(
            id=self._number,
            game=self._match._rules.name,
            bots=self._match.bots,
            games=self._match.games,
            records=tuple(self._records[number] for number in sorted(self._records)),
            ended_by=ended_by,
            seconds=self._standing.seconds,
        )

    def _leave(self, ended_by: str) -> None:
        if self._store is not None and self._number is not None:
            self._store.release(self._number, ended_by)

    def _play_rest(self) -> None:
        match = self._match
        schedule = Schedule(len(match.bots), match.games, match.seed, self._openings())
        left = (schedule[number] for number in range(match.games) if number not in self._records)
        plan = next(left, None)
        with Workers(match.game, match._terms, self._games_at_once()) as workers:
            while not self._ended_by and (plan is not None or workers.playing):
                while plan is not None and workers.has_room:
                    workers.play(plan)
                    plan = next(left, None)
                for record in workers.finished(LOOK):
                    if plan is not None and workers.has_room:
                        workers.play(plan)
                        plan = next(left, None)
                    self._take(record)
                self._standing.playing = workers.playing
                self._report()

    def _take(self, record: GameRecord) -> None:
        if self._store is not None and self._number is not None:
            self._store.add(self._number, record)
            record = replace(record, moves=())
        self._records[record.number] = record
        self._standing.add(record)
        self._judge_rounds()

    def _judge_rounds(self) -> None:
        """Let the judge see the rounds that are complete, up to the first that is not."""
        if self._judge is None:
            return
        size = len(self._match.bots)
        while not self._ended_by:
            numbers = range(self._judged * size, (self._judged + 1) * size)
            if any(number not in self._records for number in numbers):
                return
            self._judged += 1
            self._ended_by = self._judge(tuple(self._records[number] for number in numbers)) or ""

    def _openings(self) -> OpeningSource:
        match = self._match
        if match._given is not None:
            return GivenOpenings(match._given)
        known = {record.plan.round: record.plan.opening for record in self._records.values()}
        return RandomOpenings(match._rules, match._depth, match.seed, known=known)

    def _games_at_once(self) -> int:
        match = self._match
        threads = max(entrant.threads() for entrant in match._entrants)
        count = match.concurrency or max(1, cores() // threads)
        return min(count, match.games)

    def _report(self) -> None:
        now = time.perf_counter()
        if self._progress is not None and now - self._told >= LOOK:
            self._told = now
            self._progress(self._standing)


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def versions() -> dict[str, str]:
    """Return the versions of all that has a say in how a game goes."""
    found = {"python": platform.python_version(), "machine": f"{platform.system()} {platform.machine()}"}
    for package in ("branchwise", "numba", "numpy"):
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _latest_open(store: Store) -> StoredMatch:
    for stored in store.matches():
        if stored.state == "interrupted":
            return stored
    raise StoreError(f"{store.file} holds no match that was interrupted")


def _openings(given: str | Path | Sequence[Sequence[int | str]], game: type[Game]) -> list[tuple[int, ...]]:
    if isinstance(given, str | Path):
        return read_openings(given, game)
    if not given:
        raise SettingsError("the list of openings is empty")
    return [check_opening(opening, game) for opening in given]
