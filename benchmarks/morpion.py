"""Long lines of Morpion solitaire by NRPA, within processor time: independent searches, one in each process.

    python benchmarks/morpion.py --seeds 1 2 --minutes 60 --json morpion.json
    python benchmarks/morpion.py --game "morpion(variant='5D')" --seeds 1 --json morpion.json

Each seed has a search of its own, in one of the processes, until its run is complete or has used that much
processor time. Ctrl-C ends the searches under way, and begins no others. The file given by --json keeps the
line of each seed and its improvements. Each line is replayed by the rules in plain Python before it counts.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import branchwise as bw
from same_game import measured, settings_read


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="morpion")
    parser.add_argument("--settings", nargs="*", default=["level=4", "iterations=80"])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--minutes", type=float, default=60.0, help="maximum processor time of each process")
    parser.add_argument("--json", type=Path, required=True, help="write lines and improvements to this file")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="searches at the same time")
    options = parser.parse_args()
    values = settings_read(parser, options.settings)
    jobs = [(options.game, values, seed, options.minutes) for seed in options.seeds]
    runs = []
    processes = min(len(jobs), options.processes)
    idle = signal.SIGINT, signal.SIG_IGN
    with ProcessPoolExecutor(processes, get_context("spawn"), signal.signal, idle) as pool:
        searches = {pool.submit(search, jobs.pop(0)) for _ in range(processes)}
        # Ctrl-C reaches the searches too, and they return their best lines.
        signal.signal(signal.SIGINT, lambda number, frame: jobs.clear())
        while searches:
            complete, searches = wait(searches, return_when=FIRST_COMPLETED)
            for done in complete:
                if jobs:
                    searches.add(pool.submit(search, jobs.pop(0)))
                run = done.result()
                if run is None:
                    continue
                minutes = run["seconds"] / 60
                print(f"seed {run['seed']}: {run['score']:g} lines in {minutes:.1f} minutes", flush=True)
                runs.append(run)
                told = {"game": options.game, "settings": options.settings, "runs": runs}
                options.json.write_text(json.dumps(told))


def search(job: tuple[str, dict[str, Any], int, float]) -> dict[str, Any] | None:
    """Return the run of a seed; None if Ctrl-C ends it before it has a line."""
    game, values, seed, minutes = job
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        planner = bw.NRPA(**values, seed=seed)
        return {"seed": seed, **measured(planner, bw.load_game(game)(), minutes, f"seed {seed}")}
    except KeyboardInterrupt:
        return None
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
