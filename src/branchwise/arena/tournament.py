"""Tournaments of many bots: some of them meet in each game, and one set of processes plays all games."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TYPE_CHECKING, Any, Unpack

from branchwise.arena.contest import Contest
from branchwise.arena.match_conditions import MAX_GAMES, ContestOptions
from branchwise.arena.match_result import Standing
from branchwise.arena.records.record import GameRecord
from branchwise.arena.runner import GameSource, ScheduledGames
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
from branchwise.arena.statistics.stopping import Judge
from branchwise.arena.store.store import TOURNAMENT
from branchwise.arena.tournament_result import TournamentResult
from branchwise.common.argument_checks import one_of, whole_number, without_fraction
from branchwise.common.errors import SettingsError

if TYPE_CHECKING:
    from branchwise.bots.base.bot import Bot
    from branchwise.game.rules_class import Game

DEFAULT_GAMES = 20
DEFAULT_FURTHER = 4
MAX_BOTS = 1000


class Tournament(Contest[TournamentResult]):
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

    kind = TOURNAMENT
    result = TournamentResult

    def __init__(
        self,
        game: str | type[Game],
        bots: Sequence[str | Bot | type[Bot]],
        *,
        format: str = ROUND_ROBIN,  # noqa: A002 - what the command calls it
        games: int | None = None,
        further_pairs: int | None = None,
        **options: Unpack[ContestOptions],
    ) -> None:
        self.format = one_of("format", format, tuple(FORMATS))
        games = without_fraction(games)
        whole_number("games", games, 1, MAX_GAMES, optional=True)
        whole_number("further_pairs", further_pairs, 0, 1000, optional=True)
        super().__init__(game, bots, options)
        players = self.players
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
        whole_number("games of the tournament", self.games, 1, MAX_GAMES)

    @property
    def games(self) -> int:
        """Number of games; in a knockout without extra pairs."""
        bots, players = len(self.bots), self.players
        groups = {
            ROUND_ROBIN: comb(bots, players),
            GAUNTLET: comb(bots - 1, players - 1),
            CHAIN: bots - players + 1,
            KNOCKOUT: bots - 1,
        }
        return groups[self.format] * self.games_each

    def __repr__(self) -> str:
        return (
            f"<Tournament of {len(self.bots)} bots at {self._rules.name}, {self.format},"
            f" {self.games:,} games>"
        )

    def _own_settings(self) -> dict[str, Any]:
        further = self.further_pairs if self.format == KNOCKOUT else None
        return {"format": self.format, "games": self.games_each, "further_pairs": further}

    def _own_fields(self) -> dict[str, Any]:
        return {"format": self.format, "games_each": self.games_each, "further_pairs": self.further_pairs}

    def _source(self, played: Sequence[GameRecord], standing: Standing, judge: Judge | None) -> GameSource:
        if self.format == KNOCKOUT:
            bracket = Bracket(len(self.bots), self.games_each, self.further_pairs)
            openings = self._openings(played, lambda record: record.number % bracket.span // 2)
            return KnockoutGames(bracket, self.seed, openings)
        if self.players == 1:
            openings = self._openings(played)
            return ScheduledGames(SoloSchedule(len(self.bots), self.games, self.seed, openings))
        groups = pairings(self.format, len(self.bots), self.players)
        openings = self._openings(played, lambda record: record.plan.round // len(groups))
        return ScheduledGames(PairingSchedule(groups, self.games_each, self.seed, openings))

    def _check_bots(self, players: int) -> None:
        name = self._rules.name
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
