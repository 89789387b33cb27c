"""Matches: bots play each other until the schedule is complete or a question is answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from branchwise.arena.contest import Contest
from branchwise.arena.match_conditions import MAX_GAMES, ContestOptions
from branchwise.arena.match_result import MatchResult, Standing
from branchwise.arena.records.record import GameRecord
from branchwise.arena.runner import GameSource, ScheduledGames
from branchwise.arena.runner import Progress as Progress
from branchwise.arena.schedule.match_games import Schedule, SoloSchedule
from branchwise.arena.schedule.openings import GivenOpenings
from branchwise.arena.statistics.sprt import Sprt
from branchwise.arena.statistics.stopping import Judge, RoundsInOrder, SprtJudge
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


class Match(Contest[MatchResult]):
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

    kind = MATCH
    result = MatchResult

    def __init__(
        self,
        game: str | type[Game],
        bots: Sequence[str | Bot | type[Bot]],
        *,
        games: int | None = None,
        sprt: Sprt | None = None,
        **options: Unpack[ContestOptions],
    ) -> None:
        games = without_fraction(games)
        whole_number("games", games, 1, MAX_GAMES, optional=True)
        super().__init__(game, bots, options)
        rules = self._rules
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
        self._games = (DEFAULT_GAMES if sprt is None else MOST_OF_A_TEST) if games is None else int(games)
        self.sprt = sprt

    @property
    def games(self) -> int:
        """Number of games; with a test, the maximum."""
        return self._games

    def __repr__(self) -> str:
        return f"<Match of {' and '.join(self.bots)} at {self._rules.name}, {self.games:,} games>"

    def _own_settings(self) -> dict[str, Any]:
        return {"games": self.games, "sprt": None if self.sprt is None else asdict(self.sprt)}

    def _own_fields(self) -> dict[str, Any]:
        return {"sprt": self.sprt}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Self:
        """Return the match that has these `settings`."""
        sprt = settings.get("sprt")
        test = None if sprt is None else Sprt(**sprt)
        return super().from_settings({**settings, "sprt": test}, concurrency=concurrency)

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
        return self._begin(store, progress, judge)

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
        return cls._continue(store, id, trust, concurrency, progress, judge)

    def _source(self, played: Sequence[GameRecord], standing: Standing, judge: Judge | None) -> GameSource:
        openings = self._openings(played)
        of = SoloSchedule if self.players == 1 else Schedule
        schedule = of(len(self.bots), self.games, self.seed, openings)
        judges = [] if judge is None else [judge]
        if self.sprt is not None:
            judges.insert(0, _telling(SprtJudge(self.sprt), standing))
        likely = None
        opening = None if played else self._conditions.likely_opening(openings)
        if opening is not None:
            likely = of(len(self.bots), self.games, self.seed, GivenOpenings([opening]))[0]
        return ScheduledGames(schedule, RoundsInOrder(len(self.bots), judges) if judges else None, likely)


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
