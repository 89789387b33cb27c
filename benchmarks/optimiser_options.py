"""Searches for the best line with and without a setting, at equal time.

Of NRPA: beams, sparing, sweeps, limited repetitions. Of nested search: how many actions it tries. Of both:
threads.

    python benchmarks/optimiser_options.py beam
    python benchmarks/optimiser_options.py repetitions --problems morpion --seeds 8
    python benchmarks/optimiser_options.py spare --problems morpion "morpion(variant='5D')" same_game
    python benchmarks/optimiser_options.py sweeps --problems "morpion(by_point=False)" same_game
    python benchmarks/optimiser_options.py threads --seconds 10 --seeds 3
    python benchmarks/optimiser_options.py width --problems same_game snake_in_the_box

Each search of each problem gets the same seconds, and the searches take turns. Shown are the mean of the best
scores, with the 95 % interval over seeds, and the mean number of playouts in thousands. A second thread is of
use only if a core is free for it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import branchwise as bw
from branchwise.arena.statistics.means import mean_of

PROBLEMS = ("left_move(moves=500)", "weak_schur(parts=5)", "snake_in_the_box", "morpion(variant='5D')")

NRPA: dict[str, Any] = {"level": 3}
SEARCHES: dict[str, dict[str, Any]] = {
    "beam": {
        "one line": bw.NRPA(**NRPA),
        "beam=(4, 1, 1)": bw.NRPA(**NRPA, beam=(4, 1, 1)),
        "beam=(1, 4, 1)": bw.NRPA(**NRPA, beam=(1, 4, 1)),
        "beam=2": bw.NRPA(**NRPA, beam=2),
        "beam=4, level=2": bw.NRPA(level=2, beam=4),
    },
    "repetitions": {
        "iterations=25": bw.NRPA(level=4, iterations=25, spare=0.3),
        "iterations=100, repetitions=4": bw.NRPA(level=4, iterations=100, spare=0.3, repetitions=4),
        "level=5, iterations=60, repetitions=4": bw.NRPA(level=5, iterations=60, spare=0.3, repetitions=4),
    },
    "spare": {f"spare={share:g}": bw.NRPA(level=4, iterations=25, spare=share) for share in (0.0, 0.3, 0.5)},
    "sweeps": {
        f"sweeps={sweeps}": bw.NRPA(level=4, iterations=25, spare=0.3, sweeps=sweeps)
        for sweeps in (0, (0, 3, 0, 0), (0, 10, 0, 0), (1, 0, 0, 0))
    },
    "width": {
        "all actions": bw.NestedSearch(level=3),
        "width=10": bw.NestedSearch(level=3, width=10),
        "width=5": bw.NestedSearch(level=3, width=5),
        "width=3": bw.NestedSearch(level=3, width=3),
        "width=(3, 10)": bw.NestedSearch(level=3, width=(3, 10)),
    },
    "threads": {
        "one thread": bw.NRPA(**NRPA),
        "threads=2": bw.NRPA(**NRPA, threads=2),
        'threads=2, parallel="leaf"': bw.NRPA(**NRPA, threads=2, parallel="leaf"),
        "playouts=2": bw.NRPA(**NRPA, playouts=2),
        "nested, level 3": bw.NestedSearch(level=3),
        "nested, threads=2": bw.NestedSearch(level=3, threads=2),
        'nested, threads=2, parallel="leaf"': bw.NestedSearch(level=3, threads=2, parallel="leaf"),
    },
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("options", choices=SEARCHES)
    parser.add_argument("--problems", nargs="+", default=PROBLEMS)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write all results to this file")
    options = parser.parse_args()
    told = {}
    for problem in options.problems:
        told[problem] = measure(problem, SEARCHES[options.options], options.seconds, options.seeds)
    if options.json is not None:
        options.json.write_text(json.dumps(told, indent=1))


def measure(problem: str, searches: dict[str, Any], seconds: float, seeds: int) -> dict[str, Any]:
    """Return scores and playouts of each search, by seed; they are shown, too."""
    state = bw.load_game(problem)()
    told: dict[str, Any] = {name: {"scores": [], "playouts": []} for name in searches}
    for seed in range(1, seeds + 1):
        for name, planner in searches.items():
            planner.seed = seed
            result = planner.search(state, seconds=seconds)
            told[name]["scores"].append(result.best_score)
            told[name]["playouts"].append(result.playouts)
    print(problem)
    for name, found in told.items():
        mean = mean_of([score] for score in found["scores"])
        interval = "" if mean.low is None else f" [{mean.low:.1f}, {mean.high:.1f}]"
        playouts = sum(found["playouts"]) / seeds / 1000
        print(f"  {name:36} {mean.mean:.1f}{interval}, {playouts:,.0f} k playouts", flush=True)
    return told


if __name__ == "__main__":
    main()
