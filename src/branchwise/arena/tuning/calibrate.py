"""Measuring the levels of a game: ten settings of a bot, in equal steps of strength.

Settings from nearly random to strong play their neighbours, and a curve of strength is fitted to the results.
Ten settings are chosen along it at equal distances, and play their neighbours in new games. Their results
improve the curve, which gives another choice, and so on. The last games change nothing: their results are the
published strengths of the levels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from branchwise.arena.match_conditions import MAX_GAMES
from branchwise.arena.match_result import INTERRUPTED, Standing
from branchwise.arena.play.pool import warm_workers
from branchwise.arena.schedule.match_games import derived_seed
from branchwise.arena.schedule.openings import RandomOpenings
from branchwise.arena.schedule.pairings import CHAIN
from branchwise.arena.statistics.interval import LEVEL, normal_quantile
from branchwise.arena.statistics.ratings import Ratings
from branchwise.arena.store.entries import versions
from branchwise.arena.store.store import TOURNAMENT, Store, StoredMatch
from branchwise.arena.tournament import Tournament
from branchwise.arena.tournament_result import TournamentResult
from branchwise.arena.tuning.strength_curve import (
    Difference,
    Setting,
    SettingPath,
    Strength,
    equal_steps,
    first_settings,
)
from branchwise.bots.strength.default_bot import usual_bot
from branchwise.bots.strength.levels_file import LEVELS, Ladder, Level, check_has_levels
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.common.name_and_options import parse_spec
from branchwise.game.kinds.game_kinds import is_simulator
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.games import load_game
from branchwise.rules.measured_files.digest import rules_digest

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

DEFAULT_MOST = 10_000
DEFAULT_GAMES = 60
DEFAULT_ROUNDS = 2
OPENINGS_DEPTH = 2
RANDOM = "random"

RoundProgress = Callable[[str, Standing], object]


class Calibration:
    """A measurement of a game's levels.

    game : text form, or a class that other processes can find; see `Match`.   most : simulations of level 10,
    32 to 10 million.   games : between any two neighbours in each round; a multiple of the game's players.
    rounds : how often levels are chosen and checked, 1 to 10.   openings_depth : random moves at the start of
    a game; None: 2, or fewer where these would decide the game, and none where players do not see everything
    or move at once.   bot : text form of the bot whose simulations and random moves differ, such as
    "mcts(network='my.bwnet')"; None: the game's usual one.   concurrency, seed : as in `Match`.

    >>> ladder = Calibration("nim", most=32, games=4, rounds=1).run()
    >>> ladder[1].bot, ladder[10].bot
    ('mcts(simulations=32,random_moves=0.75)', 'mcts(simulations=32)')
    """

    def __init__(
        self,
        game: str | type[Game],
        *,
        most: int = DEFAULT_MOST,
        games: int = DEFAULT_GAMES,
        rounds: int = DEFAULT_ROUNDS,
        openings_depth: int | None = None,
        bot: str | None = None,
        concurrency: int | None = None,
        seed: int = 1,
    ) -> None:
        whole_number("most", most, 32, 10_000_000)
        whole_number("rounds", rounds, 1, 10)
        whole_number("games", games, 1, MAX_GAMES)
        whole_number("openings_depth", openings_depth, 0, 10_000, optional=True)
        whole_number("seed", seed, -(2**127), 2**127)
        self.most, self.rounds, self.seed = int(most), int(rounds), int(seed)
        self._game = game
        self._concurrency = concurrency
        self._rules = rules = load_game(game) if isinstance(game, str) else game
        self._asked_depth = openings_depth
        check_has_levels(rules)
        self._depth = _bearable(rules, self.seed) if openings_depth is None else int(openings_depth)
        self._bot = bot
        own = {"simulations", "random_moves", "seconds"} & set({} if bot is None else parse_spec(bot)[1])
        if own:
            raise SettingsError(
                f"{bot} has {min(own)} of its own, and levels differ in these", mend="leave it out"
            )
        self._path = SettingPath(self.most, usual_bot(rules) if bot is None else bot)
        self._first = first_settings(self._path)
        self.games = int(games)
        self._tournament(self._first, 0)  # so that invalid settings raise here

    @property
    def command(self) -> str:
        """The command that repeats this measurement."""
        name = self._game if isinstance(self._game, str) else self._rules.name
        words = ["branchwise calibrate", f'"{name}"' if "(" in name else name]
        words.append(f"--most {self.most} --games {self.games} --rounds {self.rounds} --seed {self.seed}")
        if self._asked_depth is not None:
            words.append(f"--openings-depth {self._depth}")
        if self._bot is not None:
            words.append(f'--bot "{self._bot}"')
        return " ".join(words)

    def run(
        self, *, store: Store | str | Path | None = None, progress: RoundProgress | None = None
    ) -> Ladder:
        """Measure the levels.

        store : where games are kept, as tournaments. Those of an earlier run with the same settings are
        reused. None: nowhere.   progress : called about five times a second with the name of the round and
        its standing.

        Raises `ResultsError` if settings do not differ enough for ten levels. Ctrl-C raises
        `KeyboardInterrupt`; games in the store are kept.
        """
        with ExitStack() as stack:
            stack.enter_context(warm_workers())
            if isinstance(store, str | Path):
                store = stack.enter_context(Store(store))
            levels, step = self._first, 0.0
            results: list[TournamentResult] = []
            found: list[Difference] = []
            for number in range(self.rounds + 1):
                words = "settings" if number == 0 else f"levels, round {number} of {self.rounds}"
                results.append(self._played(levels, number, words, store, progress))
                if number < self.rounds:
                    found += _differences(levels, results[-1].ratings())
                    levels, step = equal_steps(Strength(self._path, found), self._path, LEVELS)
        return self._ladder(levels, step, results)

    def _played(
        self,
        settings: Sequence[Setting],
        number: int,
        words: str,
        store: Store | None,
        progress: RoundProgress | None,
    ) -> TournamentResult:
        """Return the result of one round, playing what is not yet in the store."""
        tournament = self._tournament(settings, number)

        def report(standing: Standing) -> None:
            if progress is not None:
                progress(words, standing)

        stored = None if store is None else _earlier(store, tournament)
        if store is not None and stored is not None:
            trust = True  # its settings are the ones given in this call
            result = tournament.rest(store, stored, trust, report)
        else:
            result = tournament.run(store=store, progress=report)
        if result.ended_by == INTERRUPTED:
            raise KeyboardInterrupt
        return result

    def _tournament(self, settings: Sequence[Setting], number: int) -> Tournament:
        return Tournament(
            self._game,
            [RANDOM, *(setting.bot for setting in settings)],
            format=CHAIN,
            games=self.games,
            openings_depth=self._depth,
            concurrency=self._concurrency,
            seed=derived_seed(self.seed, "levels", number),
        )

    def _ladder(self, levels: Sequence[Setting], step: float, results: Sequence[TournamentResult]) -> Ladder:
        check = results[-1]
        ratings = check.ratings(anchor=(RANDOM, 0.0))
        names = [RANDOM, *(setting.bot for setting in levels)]
        found = []
        for before, bot in pairwise(names):
            rating, above = ratings[bot], ratings.difference(bot, before)
            numbers = (rating.elo, rating.low, rating.high, above.value, above.low, above.high)
            found.append(Level(bot, *(round(number, 1) for number in numbers)))
        return Ladder(
            game=self._rules.name,
            rules=rules_digest(self._rules),
            step=round(step, 1),
            levels=tuple(found),
            command=self.command,
            games=self.games,
            openings_depth=self._depth,
            seconds=round(sum(record.seconds for result in results for record in result.records), 1),
            versions=versions(),
        )


def _differences(settings: Sequence[Setting], ratings: Ratings) -> list[Difference]:
    """Return the measured difference of each two neighbours."""
    found = []
    for weak, strong in pairwise(settings):
        difference = ratings.difference(strong.bot, weak.bot)
        error = difference.margin / normal_quantile(LEVEL)
        found.append(Difference(weak, strong, difference.value, error))
    return found


def _earlier(store: Store, tournament: Tournament) -> StoredMatch | None:
    """Return the latest tournament in a store with the same settings and versions, if any."""
    settings, now = tournament.settings(), versions()
    for stored in store.matches():
        if stored.kind == TOURNAMENT and stored.settings == settings and stored.versions == now:
            return stored
    return None


def _bearable(game: type[Game], seed: int) -> int:
    """Return how many random moves leave the game open, at most 2.

    0 for simulators, which have none, where players do not see everything, and where they move at once.
    """
    if is_simulator(game) or game._joint or hides_information(game):
        return 0
    for depth in range(OPENINGS_DEPTH, 0, -1):
        try:
            RandomOpenings(game, depth, seed)[0]
        except SettingsError:
            continue
        return depth
    return 0
