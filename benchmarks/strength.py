"""The strength of the search: matches between bots, with 95 % intervals.

Every random opening is played twice, with colours exchanged; openings have two and three moves in turn. A
score is the mean of 1 for a win, 1/2 for a draw and 0 for a loss. Its interval is Wilson's, which is too wide
rather than too narrow if games are drawn or the two games of a pair are correlated.

    python benchmarks/strength.py doubling --game connect_four --simulations 100 400 1600 --pairs 100
    python benchmarks/strength.py perfect --simulations 100 1000 --pairs 50
    python benchmarks/strength.py sweep --games connect_four ultimate_tic_tac_toe --simulations 1000
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import branchwise as bw

DEVIATIONS = 1.96
OPENING_LENGTHS = (2, 3)
SWEEP = (0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.2, 1.4)
SWEEP_GAMES = ("connect_four", "ultimate_tic_tac_toe", "mnk", "tic_tac_toe")
MAX_HEAP = 40


@dataclass(frozen=True)
class Score:
    """Wins, draws and losses of the first of two bots."""

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.share, self.games)

    @property
    def elo(self) -> tuple[float, float, float]:
        """Difference in Elo, with its interval."""
        low, high = self.interval
        return elo(self.share), elo(low), elo(high)

    def __str__(self) -> str:
        low, high = self.interval
        points, least, most = self.elo
        return (
            f"{self.share:6.1%} [{low:5.1%}, {high:5.1%}]   {points:+5.0f} Elo [{least:+.0f}, {most:+.0f}]   "
            f"+{self.wins} ={self.draws} -{self.losses}"
        )


def wilson(share: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, "Probable inference", 1927).

    >>> low, high = wilson(0.5, 100)
    >>> round(low, 3), round(high, 3)
    (0.404, 0.596)
    """
    square = DEVIATIONS**2
    middle = share + square / (2 * games)
    spread = DEVIATIONS * math.sqrt(share * (1 - share) / games + square / (4 * games**2))
    scale = 1 + square / games
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def elo(share: float) -> float:
    """Return the difference in Elo that corresponds to a score."""
    if share in (0.0, 1.0):
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


class PerfectNim(bw.Bot):
    """Plays the single heap of Nim perfectly, with one to three chips per move."""

    name = "perfect_nim"

    def choose(self, state: Any) -> int:
        chips = int(state.chips[0])
        return (chips % 4 or 1) - 1


def openings(game: type[bw.Game], count: int, seed: int) -> Iterator[bw.Game]:
    """Yield positions after random moves; none is finished. Very short games begin at the start."""
    generator = random.Random(seed)
    for number in range(count):
        for _ in range(100):
            state = game()
            for _ in range(OPENING_LENGTHS[number % len(OPENING_LENGTHS)]):
                if not state.is_terminal():
                    state.apply_action(generator.choice(state.legal_actions()))
            if not state.is_terminal():
                break
        else:
            state = game()
        yield state


def play(state: bw.Game, bots: Sequence[bw.Bot]) -> float:
    """Play to the end, with bots[p] for player p; returns the first player's share, 0 to 1."""
    state = state.copy()
    for bot in bots:
        bot.new_game()
    while not state.is_terminal():
        state.apply_action(bots[state.current_player()].choose(state))
    return (state.returns()[0] - state.min_return) / (state.max_return - state.min_return)


def match(game: type[bw.Game], one: bw.Bot, other: bw.Bot, pairs: int, seed: int) -> Score:
    """Play `pairs` openings twice each, with colours exchanged; returns the score of `one`."""
    shares = []
    for state in openings(game, pairs, seed):
        shares.append(play(state, (one, other)))
        shares.append(1 - play(state, (other, one)))
    return counted(shares)


def counted(shares: Sequence[float]) -> Score:
    wins = sum(share > 0.5 for share in shares)
    losses = sum(share < 0.5 for share in shares)
    return Score(wins, len(shares) - wins - losses, losses)


def searcher(simulations: int, seed: int, c: float = 1.0) -> bw.Bot:
    return bw.load_bot(f"mcts(simulations={simulations},c={c})", seed=seed)


class Results:
    """Prints scores as they are measured, and keeps them for `--json`."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def add(self, what: str, score: Score, **facts: Any) -> None:
        self.rows.append(
            {"what": what, **facts, "wins": score.wins, "draws": score.draws, "losses": score.losses}
        )
        print(f"{what:<60} {score}", flush=True)


def doubling(options: argparse.Namespace, results: Results) -> None:
    """Measure twice the simulations against once."""
    game = bw.load_game(options.game)
    for n in options.simulations:
        score = match(game, searcher(2 * n, 1), searcher(n, 2), options.pairs, options.seed)
        results.add(f"{game.name}: {2 * n:,} simulations against {n:,}", score, simulations=n)


def perfect(options: argparse.Namespace, results: Results) -> None:
    """Measure tic-tac-toe from the start, against perfect and random play; and Nim from every won heap."""
    tic_tac_toe = bw.load_game("tic_tac_toe")
    nim = bw.load_game("nim").configured(heaps=(MAX_HEAP,))
    heaps = [nim(chips=(chips,)) for chips in range(1, MAX_HEAP + 1) if chips % 4]
    for n in options.simulations:
        for text in ("minimax(depth=9)", "random"):
            one, other = searcher(n, 1, options.c), bw.load_bot(text, seed=2)
            shares = [play(tic_tac_toe(), (one, other)) for _ in range(options.pairs)]
            shares += [1 - play(tic_tac_toe(), (other, one)) for _ in range(options.pairs)]
            results.add(f"tic_tac_toe: {n:,} simulations against {text}", counted(shares), simulations=n)
        one = searcher(n, 1, options.c)
        shares = [play(heap, (one, PerfectNim())) for heap in heaps for _ in range(options.nim_games)]
        what = f"nim, won heaps to {MAX_HEAP}: {n:,} simulations against perfect"
        results.add(what, counted(shares), simulations=n)


def sweep(options: argparse.Namespace, results: Results) -> None:
    """Measure other exploration weights against c = 1.0, with equal simulations."""
    for text in options.games:
        game = bw.load_game(text)
        for n in options.simulations:
            for c in options.c:
                score = match(game, searcher(n, 1, c), searcher(n, 2), options.pairs, options.seed)
                what = f"{game.name}, {n:,} simulations: c={c:g} against 1.0"
                results.add(what, score, game=game.name, simulations=n, c=c)


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    commands = parser.add_subparsers(required=True, metavar="doubling | perfect | sweep")
    for run, pairs, simulations in (
        (doubling, 100, [100, 200, 400, 800, 1600]),
        (perfect, 50, [100, 300, 1000]),
        (sweep, 100, [1000]),
    ):
        command = commands.add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        command.add_argument("--simulations", type=int, nargs="+", default=simulations)
        command.add_argument("--pairs", type=int, default=pairs, help=f"pairs of games a match ({pairs})")
        command.add_argument("--seed", type=int, default=1, help="seed of the openings (1)")
        command.add_argument("--json", type=Path, metavar="FILE", help="write the scores to FILE")
        if run is doubling:
            command.add_argument("--game", default="connect_four")
        if run is perfect:
            command.add_argument("--nim-games", type=int, default=3, help="games from each heap (3)")
            command.add_argument("--c", type=float, default=1.0, help="weight of exploration (1.0)")
        if run is sweep:
            command.add_argument("--games", nargs="+", default=SWEEP_GAMES)
            command.add_argument("--c", type=float, nargs="+", default=SWEEP)
    options = parser.parse_args(arguments)
    results = Results()
    options.run(options, results)
    if options.json:
        options.json.write_text(json.dumps(results.rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
