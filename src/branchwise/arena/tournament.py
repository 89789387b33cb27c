"""Tournaments of many bots: some of them meet in each game, and one set of processes plays all games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any

from branchwise.arena.match_conditions import (
    MAX_GAMES,
    Conditions,
    Openings,
    check_same_dice,
    options_of,
)
from branchwise.arena.match_result import Standing
from branchwise.arena.play.nested_matches import refuse_in_worker
from branchwise.arena.play.time_control import ALLOWANCE
from branchwise.arena.records.record import BestLine, GameRecord
from branchwise.arena.runner import GameSource, Progress, Runner, ScheduledGames
from branchwise.arena.schedule.knockout import Bracket, KnockoutGames
from branchwise.arena.schedule.match_games import SoloSchedule
from branchwise.arena.schedule.pairings import (
    CHAIN,
    FORMATS,
    GAUNTLET,
    KNOCKOUT,
    ROUND_ROBIN,
    PairingSchedule,
    pairings,
)
from branchwise.arena.statistics.rating_data import MOST_AT_ONCE
from branchwise.arena.store.entries import StoreEntry, interrupted_entry, new_entry
from branchwise.arena.store.store import TOURNAMENT, Store
from branchwise.arena.tournament_result import TournamentResult
from branchwise.common.argument_checks import one_of, whole_number, without_fraction
from branchwise.common.errors import SettingsError

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game

DEFAULT_GAMES = 20
DEFAULT_FURTHER = 4
MAX_BOTS = 1000


class Tournament:
    """A tournament of many bots.

    bots : text forms, `Bot`s or their classes, all different, at least as many as the game has players.
    format : "round-robin": every group of bots meets; a group has as many bots as the game has players.
    "gauntlet": every group with the first bot.   "chain": every group of neighbours in the list.
    "knockout", for games of two: the loser of a duel is out; see `schedule.knockout`. One-player games take
    "round-robin" only: all bots play from the same starts.
    games : of each group or duel. A multiple of the number of players, so that each bot plays each seat
    equally often from the same openings; None: 20, or the next such number.
    further_pairs : maximum of extra pairs of games in a knockout duel while its points are equal; None: 4. If
    they are still equal, the bot that was named earlier goes on.

    The other options are those of `Match`. A bot that fails loses the game, and the tournament goes on.
    Raises `SettingsError` and `UnknownNameError` for invalid settings.

    >>> import branchwise as bw
    >>> bots = ["mcts(simulations=100)", "mcts(simulations=5)", "random"]
    >>> result = bw.Tournament("tic_tac_toe", bots, games=4, seed=1).run()
    >>> len(result.records), [tally.games for tally in result.tallies()]
    (12, [8, 8, 8])
    """

    def __init__(
        self,
        game: str | type[Game],
        bots: Sequence[str | Bot | type[Bot]],
        *,
        format: str = ROUND_ROBIN,  # noqa: A002 - what the command calls it
        games: int | None = None,
        further_pairs: int | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
        clock: float | str | None = None,
        allowance: float = ALLOWANCE,
        patience: float | None = None,
        openings: Openings | None = None,
        openings_depth: int | None = None,
        proofs: bool = True,
        concurrency: int | None = None,
        seed: int | None = None,
    ) -> None:
        self.format = one_of("format", format, tuple(FORMATS))
        games = without_fraction(games)
        whole_number("games", games, 1, MAX_GAMES, optional=True)
        whole_number("further_pairs", further_pairs, 0, 1000, optional=True)
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
        self.game = conditions.game
        self.bots = conditions.names
        players = conditions.rules.num_players
        self._check_bots(players)
        self.games_each = -(-DEFAULT_GAMES // players) * players if games is None else int(games)
        if self.games_each % players:
            more = self.games_each + players - self.games_each % players
            raise SettingsError(
                f"{games} games leave the seats uneven: {players} bots play each opening {players} times",
                mend=f"a multiple of {players}, such as {more}",
            )
        if further_pairs is not None and format != KNOCKOUT:
            raise SettingsError("further_pairs are for a knockout", mend=f"leave them out of a {format}")
        self.further_pairs = DEFAULT_FURTHER if further_pairs is None else int(further_pairs)
        self.seed = conditions.seed
        self.concurrency = concurrency
        whole_number("games of the tournament", self.games, 1, MAX_GAMES)

    @property
    def games(self) -> int:
        """Number of games; in a knockout without extra pairs."""
        bots, players = len(self.bots), self._conditions.rules.num_players
        groups = {
            ROUND_ROBIN: comb(bots, players),
            GAUNTLET: comb(bots - 1, players - 1),
            CHAIN: bots - players + 1,
            KNOCKOUT: bots - 1,
        }
        return groups[self.format] * self.games_each

    def __repr__(self) -> str:
        return (
            f"<Tournament of {len(self.bots)} bots at {self._conditions.rules.name}, {self.format},"
            f" {self.games:,} games>"
        )

    def settings(self) -> dict[str, Any]:
        """Return everything that decides how the games are played, as values that JSON can hold."""
        return {
            **self._conditions.settings(),
            "names": list(self.bots),
            "format": self.format,
            "games": self.games_each,
            "further_pairs": self.further_pairs if self.format == KNOCKOUT else None,
        }

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any], *, concurrency: int | None = None) -> Tournament:
        """Return the tournament that has these `settings`."""
        names, options = options_of(settings)
        tournament = cls(options.pop("game"), options.pop("bots"), concurrency=concurrency, **options)
        tournament.bots = names
        return tournament

    def run(
        self, *, store: Store | str | Path | None = None, progress: Progress | None = None
    ) -> TournamentResult:
        """Play the tournament.

        store : where each game is kept as it ends; None: nowhere.   progress : called about five times a
        second.

        With a store, the records of the result have no moves. Ctrl-C ends the tournament; the result holds
        the games that were finished. Raises as `Match.run`.
        """
        refuse_in_worker()
        name = self._conditions.rules.name
        with new_entry(store, TOURNAMENT, name, self.bots, self.games, self.settings()) as entry:
            return self._play((), entry, progress, None)

    @classmethod
    def resume(
        cls,
        store: Store | str | Path,
        id: int | None = None,  # noqa: A002 - what the store calls it
        *,
        trust: bool = False,
        concurrency: int | None = None,
        progress: Progress | None = None,
    ) -> TournamentResult:
        """Play the rest of a tournament in the store; id : None: the latest that is not complete.

        The games are the same as if the tournament had not been interrupted. Raises `StoreError` if there is
        no such tournament, or if another process is playing it. A tournament that names files or engines, and
        that this user did not begin on this machine, is refused unless `trust` is true.
        """
        refuse_in_worker()
        with interrupted_entry(store, TOURNAMENT, id, trust) as (entry, stored):
            tournament = cls.from_settings(stored.settings, concurrency=concurrency)
            check_same_dice(TOURNAMENT, stored.id, stored.settings, tournament.settings())
            return tournament._play(entry.claim(), entry, progress, stored.best)

    def _play(
        self,
        played: Sequence[GameRecord],
        entry: StoreEntry | None,
        progress: Progress | None,
        best: BestLine | None,
    ) -> TournamentResult:
        """Play all games except those already `played`; best : the best line among these."""
        standing = Standing(self.bots, self.games, self._conditions.rules.num_players, best=best)
        runner = Runner(self._conditions, self._source(played), standing, entry=entry, progress=progress)
        records, ended_by = runner.play(played)
        return TournamentResult(
            id=None if entry is None else entry.number,
            game=self._conditions.rules.name,
            bots=self.bots,
            format=self.format,
            games=standing.games,
            games_each=self.games_each,
            further_pairs=self.further_pairs,
            records=records,
            ended_by=ended_by,
            seconds=standing.seconds,
            best=standing.best,
        )

    def _source(self, played: Sequence[GameRecord]) -> GameSource:
        if self.format == KNOCKOUT:
            bracket = Bracket(len(self.bots), self.games_each, self.further_pairs)
            numbers = {record.number: record.number % bracket.span // 2 for record in played}
        elif self._conditions.rules.num_players == 1:
            numbers = {record.number: record.plan.round for record in played}
        else:
            groups = self._groups()
            numbers = {record.number: record.plan.round // len(groups) for record in played}
        known = {numbers[record.number]: record.plan.opening for record in played}
        openings = self._conditions.opening_source(known)
        if self.format == KNOCKOUT:
            return KnockoutGames(bracket, self.seed, openings)
        if self._conditions.rules.num_players == 1:
            return ScheduledGames(SoloSchedule(len(self.bots), self.games, self.seed, openings))
        return ScheduledGames(PairingSchedule(groups, self.games_each, self.seed, openings))

    def _groups(self) -> list[tuple[int, ...]]:
        return pairings(self.format, len(self.bots), self._conditions.rules.num_players)

    def _check_bots(self, players: int) -> None:
        name = self._conditions.rules.name
        if players == 1 and self.format != ROUND_ROBIN:
            raise SettingsError(
                f"nobody meets anybody in {name}, which is played alone, so there is no {self.format}",
                mend=f"leave the format out: a {ROUND_ROBIN} has all bots play the same starts",
            )
        if players > MOST_AT_ONCE:
            raise SettingsError(
                f"{name} has {players} players; games of more than {MOST_AT_ONCE} are not rated"
            )
        if self.format == KNOCKOUT and players > 2:
            raise SettingsError(
                f"a knockout is for games of two, and {name} has {players} players",
                mend=f"a {ROUND_ROBIN} or a {GAUNTLET}",
            )
        if not players <= len(self.bots) <= MAX_BOTS:
            raise SettingsError(
                f"{len(self.bots)} bots cannot play a tournament of {name}", mend=f"{players} to {MAX_BOTS:,}"
            )
        specs = self._conditions.terms.bots
        for index, spec in enumerate(specs):
            if spec in specs[:index]:
                first = self.bots[specs.index(spec)]
                raise SettingsError(
                    f"{first} and {self.bots[index]} are the same bot", mend="name each bot once"
                )
