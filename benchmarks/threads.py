"""The gain from more threads: simulations per second of several threads in one tree, against one thread.

One thread and several take turns, each with a new tree. The number of processors that the threads kept busy
is shown as well. If it is well below the number of threads, other programs took the time and the ratio means
little, so the run does not count (`--least-busy`).

    python benchmarks/threads.py --runs 9
    python benchmarks/threads.py --game ultimate_tic_tac_toe --simulations 200000 --threads 4
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import branchwise as bw

TRIES = 5  # maximum number of runs for each that is to count


def measure(
    game: type[bw.Game], threads: int, parallel: str | None, simulations: int, seed: int
) -> tuple[float, float]:
    """Return simulations per second of one search, and the number of processors that it kept busy."""
    planner = bw.MCTS(seed=seed, threads=threads, parallel=parallel, memory_mb=2048)
    planner.search(game(), simulations=64)  # compile and load the code first
    planner.forget()
    cpu, wall = time.process_time(), time.perf_counter()
    result = planner.search(game(), simulations=simulations)
    wall = time.perf_counter() - wall
    return result.simulations / wall, (time.process_time() - cpu) / wall


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--game", default="connect_four", help="(connect_four)")
    parser.add_argument("--simulations", type=int, default=1_000_000, help="simulations per search (1000000)")
    parser.add_argument("--threads", type=int, default=2, help="(2)")
    parser.add_argument("--parallel", choices=["tree", "root", "leaf"], default="tree", help="(tree)")
    parser.add_argument("--runs", type=int, default=9, help="(9)")
    parser.add_argument(
        "--least-busy",
        type=float,
        default=0.9,
        metavar="SHARE",
        help="minimum share of the processors, to count (0.9)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all measurements to FILE")
    options = parser.parse_args(arguments)
    game = bw.load_game(options.game)
    runs: list[dict[str, float]] = []
    for seed in range(TRIES * options.runs):
        one, _ = measure(game, 1, None, options.simulations, seed)
        several, busy = measure(game, options.threads, options.parallel, options.simulations, seed)
        counts = busy >= options.least_busy * options.threads
        print(
            f"{one / 1e3:7,.0f} k/s, {options.threads} threads {several / 1e3:7,.0f} k/s: "
            f"{several / one:.2f} times, {busy:.2f} processors busy{'' if counts else ', not counted'}"
        )
        if counts:
            runs.append({"one": one, "several": several, "busy": busy})
        if len(runs) == options.runs:
            break
    if not runs:
        sys.exit("other programs had the processors all the time: nothing could be measured")
    ratios = sorted(run["several"] / run["one"] for run in runs)
    lower, middle, upper = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
    who = f"{options.threads} threads, {os.cpu_count()} processors"
    print(f"{who}: {middle:.2f} times [{lower:.2f}, {upper:.2f}] (median, quartiles)")
    if options.json:
        options.json.write_text(json.dumps(runs) + "\n")


if __name__ == "__main__":
    main()
