"""Round trips with time windows: NRPA on published instances, beside the best trips known.

    python benchmarks/tsptw.py SolomonPotvinBengio
    python benchmarks/tsptw.py SolomonPotvinBengio --on rc_203.3 --playouts 10000000 --seed 2

The folder has the files rc_201.1.txt to rc_208.3.txt of Potvin and Bengio, "The vehicle routing problem with
time windows, part II: genetic search", 1996, as matrices of travel times, which include service. They are not
part of this repository. NRPA has level 4 and 30 iterations, so the playouts are two searches, one thread, and
the problem's `prior`; seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import branchwise as bw

BEST = {
    "rc_201.1": 444.54,
    "rc_201.2": 711.54,
    "rc_201.3": 790.61,
    "rc_201.4": 793.64,
    "rc_202.1": 771.78,
    "rc_202.2": 304.14,
    "rc_203.1": 453.48,
    "rc_203.3": 817.53,
    "rc_204.1": 878.64,
    "rc_205.3": 825.06,
    "rc_206.2": 828.06,
    "rc_208.3": 634.44,
}
"""Lengths: López-Ibáñez, Blum, "Beam-ACO for the travelling salesman problem with time windows", 2010."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="with rc_201.1.txt and others")
    parser.add_argument("--on", nargs="+", choices=BEST, metavar="INSTANCE", default=list(BEST))
    parser.add_argument("--playouts", type=int, default=1_620_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write all trips to this file")
    options = parser.parse_args()
    found = {}
    print("| | cities | best known | NRPA | windows missed | gap | seconds |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for name in options.on:
        game = bw.load_game(f"tsptw(file={str(options.folder / name) + '.txt'!r})")
        planner = bw.NRPA(level=4, iterations=30, seed=options.seed)
        planner.search(game(), playouts=10)  # compiles
        started = time.process_time()
        result = planner.search(game(), playouts=options.playouts)
        seconds = time.process_time() - started
        end = result.end
        length, late = end.length(), int(end.late)
        gap = "" if late else f"{100 * (round(length, 2) / BEST[name] - 1):.2f} %"
        cells = (name, game.num_actions, f"{BEST[name]:.2f}", f"{length:.2f}", late, gap, f"{seconds:.0f}")
        print("| " + " | ".join(map(str, cells)) + " |", flush=True)
        found[name] = {"length": length, "late": late, "trip": end.trip(), "seconds": seconds}
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
