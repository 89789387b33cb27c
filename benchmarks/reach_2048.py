"""How often bots reach the tiles 1024, 2048 and 4096 in the game 2048.

    python benchmarks/reach_2048.py
    python benchmarks/reach_2048.py "mcts(seconds=0.01)" --games 50 --seed 7

Published for 100 random games a move without a tree: 2048 in 80 % of the games (Zilberman). There, each of
the four moves gets as many games, so `flat(simulations=400,allocation=uniform)` is the same. Shares come with
intervals of 95 % (Wilson), scores with standard errors. All bots have the same seeds for their tiles.

With seed 1 and one thread:

| bot | games | 2048 | 4096 | score |
|---|---:|---:|---:|---:|
| `flat(simulations=400,allocation=uniform)` | 14 | 86 % [60, 96] | 7 % [1, 31] | 33,640 ± 2,837 |
| `mcts(simulations=400)` | 8 | 100 % [68, 100] | 75 % [41, 93] | 55,089 ± 4,307 |
| `mcts(seconds=0.01)` | 8 | 88 % [53, 98] | 62 % [31, 86] | 51,120 ± 7,163 |

With seed 2 the last bot reached 2048 in all of eight games and 4096 in 75 % [41, 93], score 64,782 ± 7,063.
"""

from __future__ import annotations

import argparse
import random
from math import sqrt
from statistics import mean, stdev
from time import perf_counter
from typing import NamedTuple

import branchwise as bw
from branchwise.arena.statistics.interval import wilson
from branchwise.games.twenty_forty_eight import TwentyFortyEight

BOTS = (
    "flat(simulations=400,allocation=uniform)",
    "flat(simulations=100,allocation=uniform)",
    "mcts(simulations=400)",
)
TILES = (1024, 2048, 4096)


class Played(NamedTuple):
    """The result of a game."""

    score: float
    tile: int
    moves: int


def play(bot: bw.Bot, seed: int) -> Played:
    """Play one game; `seed` decides the tiles."""
    rng = random.Random(seed)
    state = TwentyFortyEight()
    score, moves = 0.0, 0
    while not state.is_terminal():
        if state.current_player() == bw.CHANCE:
            outcomes, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(outcomes, odds)[0])
        else:
            score += state.apply_action(bot.choose(state))
            moves += 1
    return Played(score, 2 ** int(state.board.max()), moves)


def share(count: int, games: int) -> str:
    """Return a share with its interval, in per cent."""
    low, high = wilson(count / games, games)
    return f"{100 * count / games:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bots", nargs="*", default=BOTS)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for text in chosen.bots:
        begun = perf_counter()
        seeds = range(chosen.seed, chosen.seed + chosen.games)
        played = [play(bw.load_bot(text, seed=seed), seed) for seed in seeds]
        seconds = perf_counter() - begun
        scores = [one.score for one in played]
        error = stdev(scores) / sqrt(len(scores)) if len(scores) > 1 else float("nan")
        moves = sum(one.moves for one in played)
        reached = ", ".join(
            f"{tile}: {share(sum(one.tile >= tile for one in played), len(played))}" for tile in TILES
        )
        print(f"{text}: {len(played)} games, {reached}; score {mean(scores):,.0f} ± {error:,.0f}")
        print(
            f"    {1000 * seconds / moves:.2f} ms a move, {moves / len(played):,.0f} moves a game", flush=True
        )


if __name__ == "__main__":
    main()
