"""The recipe of `branchwise train` against plain AlphaZero targets: results of games and counts of visits.

    python benchmarks/plain_targets.py
    python benchmarks/plain_targets.py connect_four --minutes 1 --seeds 1 --games 200

For each game and seed two networks are trained side by side, on one thread each, for the same time, and then
play a match with equal simulations. Needs two idle cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import branchwise as bw
from branchwise.arena.statistics.elo import EloDifference
from branchwise.learning.recipe import Recipe

GAMES = ("connect_four", "breakthrough", "hex(size=7)")
PLAIN = Recipe(proof_limit=0, curriculum=0.0, openings=1.0, trace=1.0, blunder=1.0, sharpness=0.0)
"""All games from the first two moves on, without proofs."""


def trained(game: str, minutes: float, seed: int, recipe: Recipe, file: Path) -> str:
    """Train a network; returns what it played."""
    training = bw.train(
        game, minutes=minutes, seed=seed, threads=1, recipe=recipe, file=file, games=0, memory_mb=256
    )
    last = training.curve[-1]
    return f"{last.games:,} games, {last.positions:,} positions"


def lead(game: str, minutes: float, seed: int, games: int, simulations: int) -> EloDifference:
    """Return the lead of the recipe over plain targets."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "recipe.bwnet", Path(folder) / "plain.bwnet"]
        with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
            given = zip((Recipe(), PLAIN), files, strict=True)
            told = [pool.submit(trained, game, minutes, seed, *one) for one in given]
            for name, one in zip(("recipe", "plain"), told, strict=True):
                print(f"  {name}: {one.result()}", flush=True)
        bots = [f'mcts(network="{file}",simulations={simulations})' for file in files]
        return bw.Match(game, bots, games=games, seed=seed, concurrency=2).run().elo()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--minutes", type=float, default=4.0, help="of each training (4)")
    parser.add_argument("--seeds", type=int, default=3, help="how many, from 1 on (3)")
    parser.add_argument("--games", type=int, default=400, help="of each match (400)")
    parser.add_argument("--simulations", type=int, default=100, help="a move in matches (100)")
    options = parser.parse_args(arguments)
    for name in options.names:
        for seed in range(1, options.seeds + 1):
            found = lead(name, options.minutes, seed, options.games, options.simulations)
            print(f"{name}, seed {seed}: {found} Elo", flush=True)


if __name__ == "__main__":
    main()
