"""Connect Four against the C++ search template of P. Strandmark, compiled from a checkout of its source.

    git clone https://github.com/PetterS/monte-carlo-tree-search
    python benchmarks/cpp_template.py --checkout monte-carlo-tree-search
    python benchmarks/cpp_template.py --checkout monte-carlo-tree-search --rounds 9 --json cpp_template.json

Both search 7x6 from the start with the same number of simulations, one thread and one random game per leaf.
They take turns and are measured in processor time. The template adds sqrt(2 ln N / n) to a mean from 0 to 1,
which is c = sqrt(2) here; nothing is proven. Its Connect Four is the one in the checkout, a board of vectors
of characters. The second part plays random games alone. Compiling does not count, and is `g++ -O3
-march=native -DNDEBUG` there.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from random_games import CompiledPlayouts

SIMULATIONS = 1_000_000
GAMES = 1_000_000
FLAGS = ("-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-pthread")
MOST_DIFFERENCE = 0.02
"""Between the mean returns of random games of both; a wrong rule would show."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--checkout", type=Path, required=True, help="folder with its mcts.h")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--simulations", type=int, default=SIMULATIONS)
    parser.add_argument("--games", type=int, default=GAMES)
    parser.add_argument("--json", type=Path, help="write all measurements to this file")
    options = parser.parse_args()
    if not (options.checkout / "mcts.h").is_file():
        parser.error(f"{options.checkout} has no mcts.h: give a checkout of PetterS/monte-carlo-tree-search")
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(options.checkout, Path(folder))
        measured = {
            "search": measure(our_search, program, "search", options.simulations, options.rounds),
            "games": measure(our_games, program, "games", options.games, options.rounds),
        }
    for what, rounds in measured.items():
        print(line(what, rounds))
    if options.json is not None:
        options.json.write_text(json.dumps(measured, indent=1))


def compiled(checkout: Path, folder: Path) -> Path:
    """Return the program that runs the checkout's search."""
    program, source = folder / "cpp_template", Path(__file__).with_suffix(".cpp")
    subprocess.run(["g++", *FLAGS, "-w", "-I", checkout, "-o", program, source], check=True)
    return program


def our_search(simulations: int, seed: int) -> tuple[float, float]:
    """Return simulations per second, and the first player's mean return."""
    planner = bw.MCTS(c=math.sqrt(2), playout="uniform", proofs=False, seed=seed)
    started = time.process_time()
    result = planner.search(ConnectFour(), simulations=simulations)
    taken = time.process_time() - started
    assert result.simulations == simulations
    return simulations / taken, result.value


def our_games(games: int, seed: int) -> tuple[float, float]:
    """Return random games per second, and the first player's mean return."""
    playouts = CompiledPlayouts(ConnectFour)
    started = time.process_time()
    playouts.seconds(games, seed)
    return games / (time.process_time() - started), playouts.mean_return


def theirs(program: Path, what: str, amount: int, seed: int) -> tuple[float, float]:
    told = subprocess.run([program, what, str(amount), str(seed)], check=True, capture_output=True, text=True)
    seconds, done, mean = map(float, told.stdout.split())
    assert done == amount, told.stdout
    return done / seconds, mean


def measure(
    ours: Callable[[int, int], tuple[float, float]], program: Path, what: str, amount: int, rounds: int
) -> list[dict[str, float]]:
    """Return the rates and mean returns of both in each round; the one that begins alternates."""
    ours(min(amount, 1000), 0)
    found = []
    for number in range(1, rounds + 1):
        told: dict[str, float] = {}
        for who in ("ours", "theirs") if number % 2 else ("theirs", "ours"):
            rate, mean = ours(amount, number) if who == "ours" else theirs(program, what, amount, number)
            told[who], told[f"{who}, mean return"] = rate, mean
        found.append(told)
    return found


def line(what: str, rounds: list[dict[str, float]]) -> str:
    ratios = [told["ours"] / told["theirs"] for told in rounds]
    rates = {who: median(told[who] for told in rounds) for who in ("ours", "theirs")}
    means = {who: median(told[f"{who}, mean return"] for told in rounds) for who in ("ours", "theirs")}
    if what == "games":
        assert abs(means["ours"] - means["theirs"]) < MOST_DIFFERENCE, means
    return (
        f"{what:6} {rates['ours'] / 1000:8.1f} k/s, C++ {rates['theirs'] / 1000:8.1f} k/s, ratio "
        f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}); "
        f"mean returns {means['ours']:+.3f} and {means['theirs']:+.3f}"
    )


if __name__ == "__main__":
    main()
