"""What matches and tournaments have in common: beginning, continuing, and playing their games."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

from branchwise.arena.match_conditions import Conditions, ContestOptions, check_same_dice, options_of
from branchwise.arena.match_result import ContestResult, Standing
from branchwise.arena.play.nested_matches import refuse_in_worker
from branchwise.arena.records.record import BestLine, GameRecord
from branchwise.arena.runner import GameSource, Progress, Runner
from branchwise.arena.schedule.match_games import OpeningSource
from branchwise.arena.statistics.payoffs import round_of
from branchwise.arena.statistics.stopping import Judge
from branchwise.arena.store.entries import StoreEntry, interrupted_entry, opened_store, versions
from branchwise.arena.store.store import Store, StoredMatch

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game

R = TypeVar("R", bound=ContestResult)


class Contest(ABC, Generic[R]):
    """Games between bots under fixed conditions: a match or a tournament.

    R : type of its result.
    """

    kind: ClassVar[str]
    """What the store calls it."""

    result: ClassVar[Any]
    """The type R."""

    def __init__(
        self, game: str | type[Game], bots: Sequence[str | Bot | type[Bot]], options: ContestOptions
    ) -> None:
        self._conditions = conditions = Conditions.of(game, bots, **options)
        self._rules = conditions.rules
        self.game = conditions.game
        self.bots = conditions.names
        self.seed = conditions.seed
        self.concurrency = conditions.concurrency

    @property
    def players(self) -> int:
        """Number of players in one game."""
        return self._rules.num_players

    @property
    @abstractmethod
    def games(self) -> int:
        """Number of games, or the maximum, as far as it is known in advance."""

    @abstractmethod
    def _own_settings(self) -> dict[str, Any]:
        """Return the settings that are not among the conditions, as values for JSON."""

    @abstractmethod
    def _own_fields(self) -> dict[str, Any]:
        """Return the fields of a result that other results do not have."""

    @abstractmethod
    def _source(self, played: Sequence[GameRecord], standing: Standing, judge: Judge | None) -> GameSource:
        """Return what decides which games come next, after those already `played`."""

    def _openings(
        self, played: Sequence[GameRecord], number_of: Callable[[GameRecord], int] = round_of
    ) -> OpeningSource:
        """Return the openings; number_of : returns the number of the opening of a game that was played."""
        return self._conditions.opening_source({number_of(one): one.plan.opening for one in played})

    def settings(self) -> dict[str, Any]:
        """Return everything that decides how the games are played, as values for JSON."""
        return {**self._conditions.settings(), "names": list(self.bots), **self._own_settings()}

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Self:
        """Return the match or tournament that has these `settings`."""
        names, options = options_of(settings)
        build: Callable[..., Self] = cls
        contest = build(concurrency=concurrency, **options)
        contest.bots = names
        return contest

    def run(self, *, store: Store | str | Path | None = None, progress: Progress | None = None) -> R:
        """Play all games.

        store : file to which each finished game is written; None: none.   progress : called about five times
        a second.

        With a store, the records of the result have no moves; read them from the store. Ctrl-C ends the
        games; the result has those that were finished. Raises `MatchError` for rules that fail, and
        `StoreError` for a store that cannot be written.
        """
        return self._begin(store, progress)

    @classmethod
    def resume(
        cls,
        store: Store | str | Path,
        id: int | None = None,  # noqa: A002 - as in the store
        *,
        trust: bool = False,
        concurrency: int | None = None,
        progress: Progress | None = None,
    ) -> R:
        """Play the rest of a match or tournament in the store; id : None: the latest that is not complete.

        The games are the same as if it had not been interrupted. Raises `StoreError` if there is none, or if
        another process is playing it. One that names files or engines, and that this user did not begin on
        this machine, is refused unless `trust` is true.
        """
        return cls._continue(store, id, trust, concurrency, progress)

    def begun_in(self, store: Store) -> int:
        """Add this to a store, without games, and return its number."""
        settings, name = self.settings(), self._rules.name
        return store.begin(name, self.bots, self.games, settings, versions(), kind=self.kind)

    def rest(self, store: Store, stored: StoredMatch, trust: bool, progress: Progress | None) -> R:
        """Return the result of what is stored, after playing what is missing; a complete one is only read."""
        if not stored.ended_by:
            return self.resume(store, stored.id, trust=trust, concurrency=self.concurrency, progress=progress)
        result: R = self.result.of_stored(stored, store.games(stored.id, moves=False))
        return result

    def _begin(
        self, store: Store | str | Path | None, progress: Progress | None, judge: Judge | None = None
    ) -> R:
        refuse_in_worker()
        with opened_store(store) as kept:
            entry = None if kept is None else StoreEntry(kept, self.begun_in(kept))
            return self._play(entry, progress, judge)

    @classmethod
    def _continue(
        cls,
        store: Store | str | Path,
        id: int | None,  # noqa: A002
        trust: bool,
        concurrency: int | None,
        progress: Progress | None,
        judge: Judge | None = None,
    ) -> R:
        refuse_in_worker()
        with interrupted_entry(store, cls.kind, id, trust) as (entry, stored):
            contest = cls.from_settings(stored.settings, concurrency=concurrency)
            check_same_dice(cls.kind, stored.id, stored.settings, contest.settings())
            return contest._play(entry, progress, judge, entry.claim(), stored.best)

    def _play(
        self,
        entry: StoreEntry | None,
        progress: Progress | None,
        judge: Judge | None,
        played: Sequence[GameRecord] = (),
        best: BestLine | None = None,
    ) -> R:
        """Play all games except those already `played`; best : the best line among these."""
        standing = Standing(self.bots, self.games, self.players, best=best)
        source = self._source(played, standing, judge)
        runner = Runner(self._conditions, source, standing, entry=entry, progress=progress)
        records, ended_by = runner.play(played)
        result: R = self.result(
            id=None if entry is None else entry.number,
            game=self._rules.name,
            bots=self.bots,
            games=standing.games,
            records=records,
            ended_by=ended_by,
            seconds=standing.seconds,
            best=standing.best,
            **self._own_fields(),
        )
        return result
