"""`optimise` without a method: default problems, and the portfolio beside each of its arms at equal playouts.

    python benchmarks/portfolio.py --seconds 10 --seeds 5
    python benchmarks/portfolio.py --seconds 10 --seeds 3 --drawn
    python benchmarks/portfolio.py --playouts 20000 --seeds 2

The first compares two problems as newcomers write them (`natural`) with the best lengths known. The second
does so on instances drawn at random, of other sizes, beside OR-tools and PyVRP with as much time. The third
runs ten problems by the portfolio and by each arm alone; the gap is that to the best arm, in parts of its
score, or of 1 if that is 0.
"""

from __future__ import annotations

import argparse
import csv
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import branchwise as bw
from branchwise.optimise.portfolio import arms_of
from clock import search_by_processor_time
from job_shop import by_ortools
from vehicle_routing import by_pyvrp

sys.path.insert(0, str(Path(__file__).parent / "natural"))

import route
import shop

KNOWN = {"shop": 1916, "route": 9585}
"""Proven by CP-SAT; PyVRP in 20 s."""
_NEAR = 3.0
"""Percent."""


class GuidedRoute(route.Route):
    """The route, with what the message of the portfolio proposes."""

    def prior(self, action):
        return 1.0 / max(1.0, float(route.DISTANCE[self.here, action])) ** 4


PROBLEMS: dict[str, Callable[[], Any]] = {
    "shop": shop.Shop,
    "route": route.Route,
    "guided route": GuidedRoute,
    **{
        text: bw.load_game(text)
        for text in (
            "same_game",
            "tsptw",
            "snake_in_the_box(dimension=6)",
            "weak_schur(parts=4)",
            "morpion",
            "left_move",
            "peg_solitaire",
        )
    },
}


def by_default(seconds: float, seeds: int) -> None:
    """Show how far the default is from the best length known."""
    for name in ("shop", "route", "guided route"):
        best = KNOWN[name.split()[-1]]
        gaps = []
        for seed in range(1, seeds + 1):
            result = bw.Portfolio(seed=seed).search(PROBLEMS[name](), seconds=seconds)
            gaps.append(100 * (-result.best_score / best - 1))
        print(f"{name:14} {' '.join(f'{gap:+.1f}' for gap in gaps)} % of {best}; {result.method}", flush=True)


SHOPS = ((30, 5), (40, 6), (70, 5))
"""Orders and machines."""
STOPS = (30, 40, 60)


def drawn_instances(seconds: float, seeds: int) -> None:
    """Show the same on instances drawn with a seed for each size, beside solvers made for them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for orders, machines in SHOPS:
            source = random.Random(100 * orders + machines)
            rows = [
                [number for machine in source.sample(range(machines), machines)
                 for number in (machine, source.randint(1, 50))]
                for _ in range(orders)
            ]  # fmt: skip
            written = "\n".join([f"{orders} {machines}", *(" ".join(map(str, row)) for row in rows)])
            file = folder / f"shop_{orders}.txt"
            file.write_text(written)
            problem = _with_rows(
                "shop", folder, [["order"], *([f"A{i}", *row] for i, row in enumerate(rows))]
            )
            known = by_ortools(bw.load_game(f"job_shop(file='{file}')"), seconds)
            _compare(f"{orders} orders, {machines} machines", problem.Shop, known, seconds, seeds)
        for stops in STOPS:
            source = random.Random(stops)
            rows = [
                [source.randint(0, 99), source.randint(0, 99), source.randint(3, 15)] for _ in range(stops)
            ]
            problem = _with_rows("route", folder, [["x", "y", "demand"], [50, 50, 0], *rows])
            network = SimpleNamespace(
                distances=problem.DISTANCE, demands=problem.DEMAND, holds=problem.CAPACITY
            )
            _compare(f"{stops} stops", problem.Route, by_pyvrp(network, seconds), seconds, seeds)


def _with_rows(name: str, folder: Path, rows: list[list[Any]]) -> ModuleType:
    """Return the newcomer's module, read from a folder with these rows in its file."""
    data = "orders.csv" if name == "shop" else "stops.csv"
    with (folder / data).open("w", newline="") as out:
        csv.writer(out).writerows(rows)
    rules = folder / f"{name}_of_{len(rows)}.py"
    shutil.copy(Path(__file__).parent / "natural" / f"{name}.py", rules)
    return sys.modules[bw.load_game(str(rules)).__module__]


def _compare(name: str, problem: Any, known: float | None, seconds: float, seeds: int) -> None:
    lengths = [
        -bw.Portfolio(seed=seed).search(problem(), seconds=seconds).best_score for seed in range(1, seeds + 1)
    ]
    gaps = "" if known is None else " ".join(f"{100 * (one / known - 1):+.1f}" for one in lengths)
    print(f"{name:24} {known}, ours {' '.join(f'{one:g}' for one in lengths)}; {gaps} %", flush=True)


def beside_arms(playouts: int, seeds: int) -> None:
    """Show the portfolio's mean score beside that of each arm."""
    gaps = []
    for name, problem in PROBLEMS.items():
        mean = {}
        for planner in (bw.Portfolio(), *arms_of(problem())):
            found = []
            for planner.seed in range(1, seeds + 1):
                found.append(planner.search(problem(), playouts=playouts).best_score)
            mean[planner.method] = statistics.mean(found)
        ours = mean.pop("portfolio")
        best = max(mean, key=lambda method: mean[method])
        gaps.append(100 * (ours - mean[best]) / (abs(mean[best]) or 1.0))
        print(f"{name:30} {ours:10.1f} {mean[best]:10.1f} {gaps[-1]:+6.1f} %  {best}", flush=True)
    near = sum(gap >= -_NEAR for gap in gaps)
    print(f"within {_NEAR:g} % of the best arm: {near} of {len(gaps)}")


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--seconds", type=float)
    options.add_argument("--playouts", type=int)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--drawn", action="store_true", help="on instances drawn at random")
    options.add_argument("--processor", action="store_true", help="count processor time, not the clock's")
    chosen = options.parse_args()
    if chosen.processor:
        search_by_processor_time()
    if chosen.seconds is not None:
        (drawn_instances if chosen.drawn else by_default)(chosen.seconds, chosen.seeds)
    if chosen.playouts is not None:
        beside_arms(chosen.playouts, chosen.seeds)


if __name__ == "__main__":
    main()
