"""Best scores of SameGame boards in a file, such as the 20 standard ones, by NRPA or nested search.

    python benchmarks/same_game.py --file boards.txt --rounds 2 --json same_game.json
    python benchmarks/same_game.py --file boards.txt --method nested --settings level=3 --json nested.json

A round is one run of the method on each board, with the number of the round as its seed; with --keep, one for
each of these colours that searches keep for the end. With --keep-by these are, for each board, the --choices
colours with the best mean score in an earlier file of results. A run ends at the latest after --minutes of
processor time. The file given by --json keeps the best line of each run and its improvements, and the same
command continues it; --show only prints it. Each line is replayed by the rules in plain Python before it
counts.
"""

from __future__ import annotations

import argparse
import ast
import json
import time
from collections import defaultdict
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from typing import Any

import branchwise as bw
from branchwise.problems.same_game import SameGame

METHODS = {"nrpa": bw.NRPA, "nested": bw.NestedSearch}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--file", type=Path, required=True, help="boards, one after another")
    parser.add_argument("--boards", type=int, default=20, help="number of boards in the file")
    parser.add_argument("--method", choices=METHODS, default="nrpa")
    parser.add_argument("--settings", nargs="*", default=[], help="settings of the method, such as level=3")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=60.0, help="maximum processor time of a run")
    keep = parser.add_mutually_exclusive_group()
    keep.add_argument("--keep", nargs="+", type=int, default=[0], help="colours; 0: the most frequent")
    keep.add_argument("--keep-by", type=Path, help="results with several colours for each board")
    parser.add_argument("--choices", type=int, default=1, help="number of colours by --keep-by")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--json", type=Path, required=True, help="results, which are continued if it exists")
    parser.add_argument("--show", action="store_true", help="only print the results so far")
    options = parser.parse_args()
    options.values = settings_read(parser, options.settings)
    told: dict[str, Any] = {"method": options.method, "settings": options.settings, "runs": []}
    if options.json.exists():
        told = json.loads(options.json.read_text())
        if not options.show and (told["method"], told["settings"]) != (options.method, options.settings):
            parser.error(f"{options.json} has results of {told['method']} with {told['settings']}")
    runs: list[dict[str, Any]] = told["runs"]
    if not options.show:
        colours = dict.fromkeys(range(1, options.boards + 1), options.keep)
        if options.keep_by:
            colours |= best_colours(json.loads(options.keep_by.read_text())["runs"], options.choices)
        done = {(run["board"], run["keep"], run["seed"]) for run in runs}
        jobs = [
            (options, board, keep, seed)
            for seed in range(1, options.rounds + 1)
            for board in range(1, options.boards + 1)
            for keep in colours[board]
            if (board, keep, seed) not in done
        ]
        with get_context("spawn").Pool(options.processes) as pool:
            for run in pool.imap_unordered(search, jobs):
                runs.append(run)
                options.json.write_text(json.dumps(told))
                print(line(run), flush=True)
    show(runs)


def settings_read(parser: argparse.ArgumentParser, settings: list[str]) -> dict[str, Any]:
    """Return settings such as "level=3" by name, or end with the parser's error."""
    try:
        return {name: ast.literal_eval(value) for name, value in (each.split("=", 1) for each in settings)}
    except (ValueError, SyntaxError):
        parser.error(f"--settings takes settings such as level=3, not {' '.join(settings)}")


def best_colours(runs: list[dict[str, Any]], choices: int) -> dict[int, list[int]]:
    """Return the colours with the best mean scores of each board, the best first."""
    scores: dict[int, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        scores[run["board"]][run["keep"]].append(run["score"])
    return {
        board: sorted(known, key=lambda keep: mean(known[keep]), reverse=True)[:choices]
        for board, known in scores.items()
    }


def search(job: tuple[argparse.Namespace, int, int, int]) -> dict[str, Any]:
    """Run the method on a board with a colour to keep and a seed."""
    options, board, keep, seed = job
    planner = METHODS[options.method](**options.values, seed=seed)
    # All boards are states of one class for each colour, which is compiled once.
    game = SameGame.configured(file=str(options.file), keep=keep)
    start = SameGame.configured(file=str(options.file), keep=keep, board=board)()
    found = measured(planner, game.from_record(start.to_record()), options.minutes)
    return {"board": board, "keep": keep, "seed": seed, **found}


def measured(planner: Any, state: Any, minutes: float | None, label: str = "") -> dict[str, Any]:
    """Return the result of one run, with the processor seconds until each improvement.

    label : if given, each improvement is printed behind it.
    """
    planner.search(state, playouts=1)  # compiles the rules
    started = time.process_time()
    curve: list[tuple[float, float]] = []

    def watch(result: bw.OptimisationResult) -> None:
        spent = time.process_time() - started
        if not curve or result.best_score > curve[-1][1]:
            curve.append((round(spent, 1), result.best_score))
            if label:
                print(f"{label}: {result.best_score:g} after {spent:.0f} s", flush=True)
        if minutes is not None and spent > 60 * minutes:
            planner.stop()

    result = planner.search(state, runs=1, progress=watch)
    watch(result)
    return {
        "score": result.best_score,
        "seconds": round(time.process_time() - started, 1),
        "playouts": result.playouts,
        "line": list(result.best_line),
        "curve": curve,
    }


def line(run: dict[str, Any]) -> str:
    return (
        f"board {run['board']:2}, keep {run['keep']}, seed {run['seed']}: {run['score']:g} in "
        f"{run['seconds']:.0f} s of processor time, {run['playouts']:,} playouts"
    )


def show(runs: list[dict[str, Any]]) -> None:
    """Print the best score of each board, and the sum of them after each round that is complete."""
    best: dict[int, float] = {}
    seconds = 0.0
    for seed in sorted({run["seed"] for run in runs}):
        for run in runs:
            if run["seed"] == seed:
                best[run["board"]] = max(run["score"], best.get(run["board"], 0.0))
                seconds += run["seconds"]
        print(f"after round {seed}: {sum(best.values()):g} in {seconds / 3600:.2f} hours of processor time")
    print(", ".join(f"{best[board]:g}" for board in sorted(best)))


if __name__ == "__main__":
    main()
