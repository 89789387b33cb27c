"""Matches: bots play each other until the schedule is complete or a question is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from branchwise.arena.match_conditions import (
    MAX_GAMES,
    Conditions,
    Openings,
    check_same_dice,
    options_of,
)
from branchwise.arena.match_result import MatchResult, Standing
from branchwise.arena.play.nested_matches import refuse_in_worker
from branchwise.arena.play.time_control import ALLOWANCE
from branchwise.arena.records.record import BestLine, GameRecord
from branchwise.arena.runner import Progress as Progress
from branchwise.arena.runner import Runner, ScheduledGames
from branchwise.arena.schedule.match_games import Schedule, SoloSchedule
from branchwise.arena.schedule.openings import GivenOpenings
from branchwise.arena.statistics.sprt import Sprt
from branchwise.arena.statistics.stopping import Judge, RoundsInOrder, SprtJudge
from branchwise.arena.store.entries import StoreEntry, interrupted_entry, new_entry
from branchwise.arena.store.store import MATCH, RUN, Store
from branchwise.common.argument_checks import whole_number, without_fraction
from branchwise.common.errors import SettingsError

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game

DEFAULT_GAMES = 100
MOST_ALONE = 1000
MOST_OF_A_TEST = 10_000
"""Default number of games: of a match, and of a match that a test may stop."""


class Match:
    """A match between bots.

    game : text form or class.   bots : text forms, `Bot`s or their classes, one for each player of the game.
    A one-player game takes any number of bots; they are compared from the same starts. Of a `Bot`, each game
    has a new one with the same options.
    games : how many; None: 100, or 10,000 with `sprt`. With n players, each run of n games has the same
    opening, and each bot plays each seat once; see `Schedule` and `SoloSchedule`.
    simulations : limit for bots that take one and set none themselves.   seconds : the same, and also the
    time limit of every move.   clock : seconds for all of a bot's moves in a game, or text such as "60+0.5"
    with an increment for each move; instead of `seconds`.   allowance : seconds of tolerance; see
    `TimeControl`.
    patience : seconds after which a bot without a time limit counts as hanging; None: 60, plus ten times the
    longest thinking time that a bot names.
    openings : a file with one opening a line, or a list of lists of moves. By default openings are
    `openings_depth` random moves (None: 4, or fewer if 4 would decide the game).
    proofs : whether a game ends as soon as its outcome is proven; see `Referee`.
    sprt : a sequential test of the first of two bots against the second. The match ends when the test
    reaches a verdict; `games` is then the maximum.
    concurrency : games at once; None: the number of cores divided by the threads of the bots.
    seed : the same seed gives the same openings and the same seeds for the bots; None: a new one.

    A bot loses the game if it raises an exception, hangs, exceeds its time, returns an illegal move, or ends
    its process; the match continues. Games are played in separate processes, which find games and bots by
    name, so a class that is defined in a notebook cannot be used. Raises `SettingsError` and
    `UnknownNameError` for invalid settings.

    >>> import branchwise as bw
    >>> match = bw.Match("tic_tac_toe", ["mcts(simulations=100)", "random"], games=4, seed=1)
    >>> result = match.run()
    >>> len(result.records), result.tallies()[0].points > result.tallies()[1].points
    (4, True)
    """

    kind: ClassVar[str] = MATCH
    """What the store calls it."""

    def __init__(
        self,
        game: str | type[Game],
        bots: Sequence[str | Bot | type[Bot]],
        *,
        games: int | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
        clock: float | str | None = None,
        allowance: float = ALLOWANCE,
        patience: float | None = None,
        openings: Openings | None = None,
        openings_depth: int | None = None,
        proofs: bool = True,
        sprt: Sprt | None = None,
        concurrency: int | None = None,
        seed: int | None = None,
    ) -> None:
        games = without_fraction(games)
        whole_number("games", games, 1, MAX_GAMES, optional=True)
        self._conditions = conditions = Conditions.of(
            game,
            bots,
            simulations=simulations,
            seconds=seconds,
            clock=clock,
            allowance=allowance,
            patience=patience,
            openings=openings,
            openings_depth=openings_depth,
            proofs=proofs,
            concurrency=concurrency,
            seed=seed,
        )
        self._rules = rules = conditions.rules
        if rules.num_players == 1:
            _check_solo(rules.name, bots, sprt)
        elif len(bots) != rules.num_players:
            raise SettingsError(
                f"{rules.name} has {rules.num_players} players, but {len(bots)} bots are given",
                mend="name a bot for each; one may be named twice",
            )
        if sprt is not None and rules.num_players > 2:
            raise SettingsError(
                f"a sequential test compares two bots, and {rules.name} has {len(bots)} players"
            )
        self.game = conditions.game
        self.bots = conditions.names
        self.games = (DEFAULT_GAMES if sprt is None else MOST_OF_A_TEST) if games is None else int(games)
        self.sprt = sprt
        self.seed = conditions.seed
        self.concurrency = concurrency

    @property
    def players(self) -> int:
        """Number of players in one game."""
        return self._rules.num_players

    def __repr__(self) -> str:
        return f"<Match of {' and '.join(self.bots)} at {self._rules.name}, {self.games:,} games>"

    def settings(self) -> dict[str, Any]:
        """Return all settings of the games as values for JSON."""
        settings = {**self._conditions.settings(), "names": list(self.bots), "games": self.games}
        return settings | {"sprt": None if self.sprt is None else asdict(self.sprt)}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Match:
        """Return the match that has these `settings`."""
        names, options = options_of(settings)
        sprt = options.pop("sprt", None)
        match = cls(
            options.pop("game"),
            options.pop("bots"),
            sprt=None if sprt is None else Sprt(**sprt),
            concurrency=concurrency,
            **options,
        )
        match.bots = names
        return match

    def run(
        self,
        *,
        store: Store | str | Path | None = None,
        progress: Progress | None = None,
        judge: Judge | None = None,
    ) -> MatchResult:
        """Play the match.

        store : file to which each finished game is written; None: none.   progress : called about five times
        a second.   judge : called with each complete round, in the order of the schedule, until it returns a
        reason to end the match.

        With a store, the records of the result have no moves; read them from the store. Ctrl-C ends the
        match; the result has the finished games. Raises `MatchError` for rules that fail, and
        `StoreError` for a store that cannot be written.
        """
        refuse_in_worker()
        name = self._rules.name
        with new_entry(store, self.kind, name, self.bots, self.games, self.settings()) as entry:
            return self._play((), entry, progress, judge, None)

    @classmethod
    def resume(
        cls,
        store: Store | str | Path,
        id: int | None = None,  # noqa: A002 - as in the store
        *,
        trust: bool = False,
        concurrency: int | None = None,
        progress: Progress | None = None,
        judge: Judge | None = None,
    ) -> MatchResult:
        """Play the rest of a match in the store; id : None: the latest that is not complete.

        The games are the same as if the match had not been interrupted. Raises `StoreError` if there is no
        such match, or if another process is playing it. A match that names files or engines, and that this
        user did not begin on this machine, is refused unless `trust` is true.
        """
        refuse_in_worker()
        with interrupted_entry(store, cls.kind, id, trust) as (entry, stored):
            match = cls.from_settings(stored.settings, concurrency=concurrency)
            check_same_dice(cls.kind, stored.id, stored.settings, match.settings())
            return match._play(entry.claim(), entry, progress, judge, stored.best)

    def _play(
        self,
        played: Sequence[GameRecord],
        entry: StoreEntry | None,
        progress: Progress | None,
        judge: Judge | None,
        best: BestLine | None,
    ) -> MatchResult:
        """Play all games except those already `played`; best : the best line among these."""
        known = {record.plan.round: record.plan.opening for record in played}
        openings = self._conditions.opening_source(known)
        of = SoloSchedule if self.players == 1 else Schedule
        schedule = of(len(self.bots), self.games, self.seed, openings)
        standing = Standing(self.bots, self.games, self.players, best=best)
        judges = [] if judge is None else [judge]
        if self.sprt is not None:
            judges.insert(0, _telling(SprtJudge(self.sprt), standing))
        source = ScheduledGames(schedule, RoundsInOrder(len(self.bots), judges) if judges else None)
        likely = None
        opening = None if played else self._conditions.likely_opening(openings)
        if opening is not None:
            likely = of(len(self.bots), self.games, self.seed, GivenOpenings([opening]))[0]
        runner = Runner(self._conditions, source, standing, entry=entry, progress=progress, likely=likely)
        records, ended_by = runner.play(played)
        return MatchResult(
            id=None if entry is None else entry.number,
            game=self._rules.name,
            bots=self.bots,
            games=self.games,
            records=records,
            ended_by=ended_by,
            seconds=standing.seconds,
            sprt=self.sprt,
            best=standing.best,
        )


class Run(Match):
    """A match on a problem of one player, kept apart from other matches in the store: `branchwise run`."""

    kind = RUN


def _check_solo(game: str, bots: Sequence[object], sprt: Sprt | None) -> None:
    """Raise `SettingsError` for too many bots, or for a test, in a one-player game."""
    if not 1 <= len(bots) <= MOST_ALONE:
        raise SettingsError(f"{len(bots)} bots cannot play a match of {game}", mend=f"1 to {MOST_ALONE:,}")
    if sprt is not None:
        raise SettingsError(
            f"a sequential test asks who beats whom, and {game} is played alone",
            mend="leave it out: two bots are compared by their mean returns from the same starts",
        )


def _telling(test: SprtJudge, standing: Standing) -> Judge:
    """Return a judge that runs the test and keeps the standing up to date with it."""
    standing.test = test.state

    def judge(pair: tuple[GameRecord, ...]) -> str | None:
        reason = test(pair)
        standing.test = test.state
        return reason

    return judge
