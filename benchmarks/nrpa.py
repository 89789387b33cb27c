"""Playouts per second of NRPA and nested search against a compact C++ program of both, `nrpa_rival.cpp`.

    python benchmarks/nrpa.py
    python benchmarks/nrpa.py --rounds 9 --json nrpa.json

Both run the same number of playouts of level 3, NRPA with 100 iterations, in one thread, in turns, and are
measured in processor time; Branchwise's includes everything but compiling. The C++ program is compiled with
`g++ -O3 -march=native`. It keeps logarithms of weights in one array by code, as the textbook has it, and
records the codes of its lines, as Branchwise does. Neither uses priors.

On two busy machines, an AMD one with three rounds and an earlier one with five, playouts of ours to one of
theirs:

| | AMD | earlier |
|---|---|---|
| left_move | 1.08 (1.08 to 1.11) | 1.16 (1.15 to 1.18) |
| left_move, 300 moves | 1.07 (1.06 to 1.08) | 1.15 (1.14 to 1.15) |
| weak_schur, 4 parts | 1.21 (1.14 to 1.39) | 1.30 (1.25 to 1.52) |
| weak_schur, 5 parts | 1.64 (1.47 to 1.81) | 1.38 (1.19 to 1.51) |
| left_move, nested search | 1.17 (1.15 to 1.17) | 1.01 (1.01 to 1.03) |
| weak_schur, 4 parts, nested search | 1.67 (1.66 to 1.68) | 1.90 (1.86 to 1.94) |

On the earlier machine `left_move` still chose its reward by "if". That made nested search as slow as 0.41 on
the AMD one, whose processor has no instruction that chooses between two floating-point numbers.

A left move is two additions, two nanoseconds with the draw that chooses it. Branchwise keeps its list of two
actions in registers. At each move it also checks that the action and its reward are valid and that the search
need not end, which the C++ program does not.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import branchwise as bw
from branchwise.problems.left_move import LeftMove
from branchwise.problems.weak_schur import WeakSchur

LEVEL = 3
ITERATIONS = 100


class EndlessLeftMove(LeftMove):
    """Left moves with an unreachable `max_return`, so that a search continues after the best line."""

    @classmethod
    def configure(cls) -> None:
        cls.max_return = math.inf
        cls.max_game_length = cls.moves


PROBLEMS: dict[str, tuple[Any, int, int]] = {
    "left_move": (EndlessLeftMove, 60, 300_000),
    "left_move, long": (EndlessLeftMove.configured(moves=300), 300, 50_000),
    "weak_schur, 4 parts": (WeakSchur, 4, 100_000),
    "weak_schur, 5 parts": (WeakSchur.configured(parts=5), 5, 30_000),
    "left_move, nested": (EndlessLeftMove, 60, 5_000_000),
    "weak_schur, 4 parts, nested": (WeakSchur, 4, 500_000),
}
"""By name: the rules, the size given to the C++ program, and the playouts of a round."""
NESTED = ", nested"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write all measurements to this file")
    options = parser.parse_args()
    measured = {}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "nrpa_rival")
        source = Path(__file__).with_name("nrpa_rival.cpp")
        subprocess.run(["g++", "-O3", "-march=native", "-o", program, source], check=True)
        for name in PROBLEMS:
            measured[name] = measure(name, program, options.rounds)
            print(line(name, measured[name]), flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(measured, indent=1))


def measure(name: str, program: Path, rounds: int) -> list[dict[str, float]]:
    """Return playouts per second of both, and best scores, in each round."""
    game, size, playouts = PROBLEMS[name]
    iterations = 0 if name.endswith(NESTED) else ITERATIONS
    ours(game, iterations, 1000, 0)
    found = []
    for number in range(rounds):
        runs = {
            "ours": lambda seed=number: ours(game, iterations, playouts, seed),
            "theirs": lambda seed=number: theirs(program, name, size, iterations, playouts, seed),
        }
        told: dict[str, float] = {}
        for who in sorted(runs, reverse=number % 2 == 1):
            told[who], told[f"{who} scored"] = runs[who]()
        found.append(told)
    return found


def ours(game: Any, iterations: int, playouts: int, seed: int) -> tuple[float, float]:
    """Return playouts per second and the best score; iterations : 0 selects nested search."""
    planner: Any = bw.NestedSearch(level=LEVEL, playout="uniform", seed=seed)
    if iterations > 0:
        planner = bw.NRPA(level=LEVEL, iterations=iterations, bias=0.0, seed=seed)
    started = time.process_time()
    result = planner.search(game(), playouts=playouts)
    return result.playouts / (time.process_time() - started), result.best_score


def theirs(
    program: Path, name: str, size: int, iterations: int, playouts: int, seed: int
) -> tuple[float, float]:
    words = [name.partition(",")[0], size, LEVEL, iterations, playouts, seed + 1]
    told = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout
    seconds, done, score = map(float, told.split())
    return done / seconds, score


def line(name: str, rounds: list[dict[str, float]]) -> str:
    ratios = [told["ours"] / told["theirs"] for told in rounds]
    rates = {who: median(told[who] for told in rounds) for who in ("ours", "theirs")}
    scores = {who: median(told[f"{who} scored"] for told in rounds) for who in ("ours", "theirs")}
    return (
        f"{name:27} {rates['ours'] / 1000:8.1f} k/s, C++ {rates['theirs'] / 1000:8.1f} k/s, ratio "
        f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}); "
        f"scores {scores['ours']:g} and {scores['theirs']:g}"
    )


if __name__ == "__main__":
    main()
