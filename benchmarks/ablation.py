"""The effect of each search option on strength: matches against plain UCT, with 95 % intervals.

The players of a match differ in one option only. Each match is played twice: with equal numbers of
simulations per move, and with equal time. For equal time the speeds of both are measured in turns, on
positions from play, and the option's number of simulations is scaled by their ratio. Openings are random, and
each is played twice with seats exchanged. Matches advance in rounds of some pairs each, over all options and
games, so that a run can be stopped at any time; `--resume` continues from the JSON file.

    python benchmarks/ablation.py --pairs 100 --json ablation.json --markdown ablation.md
    python benchmarks/ablation.py --resume --pairs 200 --minutes 60 --json ablation.json
    python benchmarks/ablation.py --tables --json benchmarks/ablation.json --page docs/ablation.md
    python benchmarks/ablation.py --games mnk --options selection=grave "c=0.5,playout=decisive" --pairs 20
    python benchmarks/ablation.py --base playout=uniform --options playout=mast --games mnk_9x9_5 --times 10
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import branchwise as bw
from ablation_games import GAMES
from ablation_match import Fresh, Keeper, Player, Searcher, opening, play_pair, positions, speed_ratio
from ablation_options import MEASURED, PLAIN, SETTINGS, kinds_of, needs_evaluate, parsed, settings_of
from ablation_store import Cell, Speed, Store
from ablation_table import on_page, tables
from branchwise.common.errors import BranchwiseError

PAIRS_A_ROUND = 20
SPEED_POSITIONS = 40
AS_FAST = 0.05
"""A difference in speed below this changes a result by less than ten Elo; the match is not played again."""
MOST_RATIO = 8.0
MODES = ("simulations", "time")
FOR_A_MOVE = {"reuse", "early_stop"}
"""Options that cost or save time per move rather than per simulation, so that speeds do not measure them."""


class Bench:
    """Plays blocks of matches; all searchers are compiled and warm before the first game that counts."""

    def __init__(self, options: argparse.Namespace, store: Store) -> None:
        self._most_seconds = options.most_seconds
        self._base = options.base
        self._seed = options.seed
        self._times = options.times
        self._modes = options.modes
        self._store = store
        self._searchers: dict[tuple[str, str], Searcher] = {}
        self._positions: dict[str, list[bw.Game]] = {}

    def play(self, cell: Cell, pairs: int) -> None:
        """Play `pairs` more pairs of a match, or fewer if its time is up."""
        cell.budgets = self.budgets(cell.game, cell.option, cell.mode)
        one, other = self._players(cell)
        game, plies = GAMES[cell.game], SETTINGS[cell.game].plies
        for number in range(cell.pairs, cell.pairs + pairs):
            state = opening(game, plies, f"{self._seed} {cell.game} {number}")
            seed = f"{self._seed} {cell.game} {cell.option} {cell.mode} {number}"
            started = time.process_time()
            cell.score = cell.score.with_pair(*play_pair(state, one, other, seed))
            cell.seconds += time.process_time() - started
            if self.is_long(cell):
                return

    def is_long(self, cell: Cell) -> bool:
        """Whether a match has used up its time."""
        return cell.seconds >= self._most_seconds

    def simulations(self, game: str) -> int:
        """Return the base's simulations per move."""
        return self._times * SETTINGS[game].simulations

    def budgets(self, game: str, option: str, mode: str) -> tuple[int, int]:
        """Return the simulations per move of the option and of the base."""
        simulations = self.simulations(game)
        if mode == "simulations":
            return simulations, simulations
        ratio = min(self.speed(game, option).ratio, MOST_RATIO)
        return max(1, round(simulations * ratio)), simulations

    def speed(self, game: str, option: str) -> Speed:
        """Return the speed of an option relative to the base; it is measured once."""
        if (game, option) not in self._store.speeds:
            simulations = self.simulations(game)
            base = self._searcher(game, "")
            states = self._positions.get(game)
            if states is None:
                player = Fresh(base, simulations)
                states = list(
                    positions(GAMES[game], SETTINGS[game].plies, player, SPEED_POSITIONS, self._seed)
                )
                self._positions[game] = states
            ratio = speed_ratio(self._searcher(game, option), base, states, simulations)
            self._store.speeds[game, option] = Speed(game, option, *ratio)
        return self._store.speeds[game, option]

    def is_played(self, game: str, option: str, mode: str) -> bool:
        """Whether a match adds information to the one with equal simulations."""
        if mode == "simulations":
            return True
        if FOR_A_MOVE & parsed(option).keys():
            return False
        if "simulations" not in self._modes:
            return True
        ratio = self.speed(game, option).ratio
        return not 1 - AS_FAST < ratio < 1 / (1 - AS_FAST)

    def _players(self, cell: Cell) -> tuple[Player, Player]:
        mine, others = cell.budgets
        if "reuse" in parsed(cell.option):
            kept = settings_of(self._base, cell.option)
            return Keeper(kept, mine), Keeper(parsed(self._base) | {"reuse": False}, others)
        one, other = self._searcher(cell.game, cell.option), self._searcher(cell.game, "")
        return Fresh(one, mine), Fresh(other, others)

    def _searcher(self, game: str, option: str) -> Searcher:
        """Return the searcher for an option; "" is the base."""
        if (game, option) not in self._searchers:
            settings = settings_of(self._base, option) if option else parsed(self._base)
            most = int(self.simulations(game) * MOST_RATIO)
            searcher = Searcher(GAMES[game], settings, most)
            searcher.choose(GAMES[game](), 100, 1)
            self._searchers[game, option] = searcher
        return self._searchers[game, option]


def schedule(
    games: Sequence[str], options: Sequence[str], pairs: int, block: int
) -> Iterator[tuple[str, str, int]]:
    """Yield game, option and target number of pairs, round by round, with `block` more pairs in each."""
    for target in [*range(block, pairs, block), pairs]:
        for game in games:
            for option in options:
                if hasattr(GAMES[game], "evaluate") or not needs_evaluate(option):
                    yield game, option, target


def run(options: argparse.Namespace, store: Store) -> None:
    started = time.monotonic()
    bench = Bench(options, store)
    kinds = kinds_of(options.options)
    for game, option, target in schedule(options.games, list(kinds), options.pairs, PAIRS_A_ROUND):
        for mode in options.modes:
            cell = store.cell(game, option, mode)
            if cell.pairs >= target or bench.is_long(cell) or not bench.is_played(game, option, mode):
                continue
            if options.minutes and time.monotonic() - started > 60 * options.minutes:
                print("the time is up")
                return
            before = cell.seconds
            bench.play(cell, target - cell.pairs)
            store.save()
            print(
                f"{time.monotonic() - started:6.0f} s  {cell.seconds - before:5.1f} s  {game:<21}"
                f"{mode:<12}{option:<40}{cell.score}  {cell.budgets}",
                flush=True,
            )


def settings_text(text: str) -> str:
    """Raise for invalid settings in text form; return the text."""
    try:
        bw.MCTS(**{name: value for name, value in parsed(text).items() if name != "reuse"})
    except (BranchwiseError, TypeError) as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from error
    return text


def parser() -> argparse.ArgumentParser:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument(
        "--games",
        nargs="+",
        choices=list(GAMES),
        default=list(GAMES)[:MEASURED],
        metavar="GAME",
        help=", ".join(GAMES) + f" (the first {MEASURED})",
    )
    parser.add_argument("--options", nargs="+", type=settings_text, help="options to measure (all)")
    parser.add_argument(
        "--base", type=settings_text, default=PLAIN, help=f"settings of the other player ({PLAIN})"
    )
    parser.add_argument(
        "--modes", nargs="+", choices=MODES, default=MODES, metavar="MODE", help="simulations, time (both)"
    )
    parser.add_argument("--pairs", type=int, default=100, help="pairs of games in each match (100)")
    parser.add_argument("--times", type=int, default=1, help="multiple of the usual simulations per move (1)")
    parser.add_argument(
        "--most-seconds", type=float, default=60.0, help="maximum processor time of a match (60)"
    )
    parser.add_argument("--minutes", type=float, help="begin no match after this time")
    parser.add_argument("--seed", type=int, default=1, help="seed of openings and searches (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements to FILE")
    parser.add_argument("--resume", action="store_true", help="continue from the JSON file")
    parser.add_argument(
        "--tables", action="store_true", help="play nothing, show the results in the JSON file"
    )
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables")
    parser.add_argument("--page", type=Path, metavar="FILE", help="replace the tables of a page")
    return parser


def main(arguments: Sequence[str] | None = None) -> None:
    options = parser().parse_args(arguments)
    if options.pairs < 1:
        raise SystemExit("--pairs must be at least 1")
    if (options.resume or options.tables) and options.json is None:
        raise SystemExit("--resume and --tables need an existing file: --json FILE")
    if options.times < 1:
        raise SystemExit("--times must be at least 1")
    if options.tables:
        store = Store.of(options.json)
    else:
        budgets = {game: options.times * setting.simulations for game, setting in SETTINGS.items()}
        conditions = {"base": options.base, "seed": options.seed, "simulations": budgets}
        store = Store(options.json, conditions)
        if options.resume:
            store.resume()
        try:
            run(options, store)
        except KeyboardInterrupt:
            print("interrupted")
    text = tables(list(store.cells.values()), list(store.speeds.values()), kinds_of(options.options))
    print(text)
    if options.markdown:
        options.markdown.write_text(text)
    if options.page:
        options.page.write_text(on_page(options.page.read_text(), text))


if __name__ == "__main__":
    main()
