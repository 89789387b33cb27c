"""Round trips: NRPA beside simulated annealing, 2-opt and OR-tools, all with equal seconds.

    pip install "branchwise[bench,compare]"
    python benchmarks/tsp.py berlin52.tsp eil51.tsp st70.tsp kroA100.tsp --seconds 60 --seeds 5
    python benchmarks/tsp.py --cities 50 --seconds 5 --seeds 3 --json trips.json

The files are those of TSPLIB, which is not part of this repository. `--cities` draws cities at random in a
square. Each method runs once for each seed, in one thread, in turns with the others. The length of each trip
is computed from the distances, here. Intervals are Student's over seeds.

- `nrpa` knows nothing but the rules; `nrpa, prior` prefers near cities by the problem's `prior`, and `nrpa,
  prior, improve` also improves lines by the problem's 2-opt and Or-opt. All have level 4 and 50 iterations.
- `annealing of lines` is that of `branchwise compare`, which knows no more of the problem than `nrpa` does.
- `annealing of trips` reverses a part of the trip in each step, by simanneal, as one would write it for this
  problem. It cools from the mean distance to a thousandth of it, and is given as many steps as fit.
- `2-opt` and `2-opt, Or-opt` begin again from random trips.
- `or-tools` is its routing solver: the cheapest arcs first, then guided local search. It draws no random
  numbers and runs once.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from ortools.constraint_solver import pywrapcp, routing_enums_pb2
from simanneal import Annealer

import branchwise as bw
from branchwise.arena.statistics.means import mean_of
from branchwise.compare.methods import run_method
from branchwise.compare.run import Budget
from branchwise.problems.trips import shortened

OPTIMA = {
    "burma14": 3323,
    "gr17": 2085,
    "att48": 10628,
    "eil51": 426,
    "berlin52": 7542,
    "st70": 675,
    "kroA100": 21282,
}
"""Lengths of the shortest trips: Reinelt, "TSPLIB 95", 1995."""
LEVEL, ITERATIONS = 4, 50
SAMPLE = 2000

Solve = Callable[[Any, float, int], list[int]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="files of TSPLIB")
    parser.add_argument("--cities", type=int, help="also a problem with this many random cities")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--methods", nargs="*", choices=METHODS, default=list(METHODS), metavar="METHOD")
    parser.add_argument("--json", type=Path, help="write all lengths to this file")
    options = parser.parse_args()
    problems = {file.stem: f'tsp(file="{file.resolve()}")' for file in options.files}
    if options.cities is not None:
        problems[f"{options.cities} cities"] = f"tsp(cities={options.cities})"
    if not problems:
        parser.error("name files, or give --cities")
    lengths = {
        name: measure(bw.load_game(text)(), options.methods, options.seconds, options.seeds)
        for name, text in problems.items()
    }
    print(table(lengths))
    if options.json is not None:
        options.json.write_text(json.dumps(lengths, indent=1))


def measure(state: Any, methods: list[str], seconds: float, seeds: int) -> dict[str, list[int]]:
    """Return the lengths reached by each method, seed by seed."""
    bw.NRPA(level=1, iterations=2, improve=True, seed=0).search(state)  # compiles what is not yet compiled
    bw.NRPA(level=1, iterations=2, bias=0.0, seed=0).search(state)
    found: dict[str, list[int]] = {name: [] for name in methods}
    for seed in range(seeds):
        for name in methods:
            if seed == 0 or name != "or-tools":
                found[name].append(length(state, METHODS[name](state, seconds, seed)))
                print(f"{state.name}, {name}, seed {seed}: {found[name][-1]}", flush=True)
    return found


def length(state: Any, trip: list[int]) -> int:
    """Return the length of a round trip, which must visit every city once."""
    assert sorted(trip) == list(range(state.num_actions))
    return int(state.distances[trip, np.roll(trip, -1)].sum())


def table(lengths: dict[str, dict[str, list[int]]]) -> str:
    """Return the mean gaps to the optima in percent, else the mean lengths, as a table in Markdown."""
    methods = list(next(iter(lengths.values())))
    heads = [f"{name} ({OPTIMA[name]})" if name in OPTIMA else name for name in lengths]
    rows = [f"| | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    for method in methods:
        cells = [entry(name, each[method]) for name, each in lengths.items()]
        rows.append(f"| `{method}` | {' | '.join(cells)} |")
    return "\n".join(rows)


def entry(name: str, found: list[int]) -> str:
    if name not in OPTIMA:
        return str(mean_of([one] for one in found))
    gaps = mean_of([100 * (one / OPTIMA[name] - 1)] for one in found)
    interval = "" if gaps.low is None or gaps.high is None else f" [{gaps.low:.2f}, {gaps.high:.2f}]"
    return f"{gaps.mean:.2f} %{interval}"


# --- methods ----------------------------------------------------------------------------------------------


def nrpa(state: Any, seconds: float, seed: int, bias: float = 0.0, improve: bool = False) -> list[int]:
    planner = bw.NRPA(level=LEVEL, iterations=ITERATIONS, bias=bias, improve=improve, seed=seed)
    return [0, *planner.search(state, seconds=seconds).best_line]


def nrpa_with_prior(state: Any, seconds: float, seed: int) -> list[int]:
    return nrpa(state, seconds, seed, bias=1.0)


def nrpa_improving(state: Any, seconds: float, seed: int) -> list[int]:
    return nrpa(state, seconds, seed, bias=1.0, improve=True)


def annealing_of_lines(state: Any, seconds: float, seed: int) -> list[int]:
    return [0, *run_method("annealing", state, Budget(seconds=seconds), seed).best_line]


class Trips(Annealer):  # type: ignore[misc]
    """Simulated annealing that reverses parts of a trip."""

    copy_strategy = "slice"
    updates = 0

    def __init__(self, trip: list[int], distances: list[list[int]]) -> None:
        self.state = trip  # not the library's own: it takes Ctrl-C over
        self.distances = distances

    def move(self) -> int:
        trip, distances = self.state, self.distances
        first, last = sorted(random.sample(range(len(trip)), 2))
        before, after = trip[first - 1], trip[(last + 1) % len(trip)]
        if before == trip[last]:  # all of the trip
            return 0
        one, other = trip[first], trip[last]
        trip[first : last + 1] = trip[first : last + 1][::-1]
        return (
            distances[before][other]
            + distances[one][after]
            - distances[before][one]
            - distances[other][after]
        )

    def energy(self) -> int:
        following = self.state[1:] + self.state[:1]
        return sum(self.distances[a][b] for a, b in zip(self.state, following, strict=True))


def annealing_of_trips(state: Any, seconds: float, seed: int) -> list[int]:
    random.seed(seed)
    started = time.perf_counter()
    trip = random.sample(range(state.num_actions), state.num_actions)
    annealer = Trips(trip, state.distances.tolist())
    annealer.Tmax = float(state.distances.mean())
    annealer.Tmin = annealer.Tmax / 1000
    annealer.steps = SAMPLE
    annealer.anneal()
    spent = time.perf_counter() - started
    annealer.steps = int(SAMPLE * (seconds - spent) / spent)
    best, _ = annealer.anneal()
    return list(best)


def restarts(state: Any, seconds: float, seed: int, most_moved: int) -> list[int]:
    source = np.random.default_rng(seed)
    end = time.perf_counter() + seconds
    best: list[int] = []
    while not best or time.perf_counter() < end:
        trip = shortened(source.permutation(state.num_actions), state.distances, most_moved=most_moved)
        if not best or length(state, trip.tolist()) < length(state, best):
            best = trip.tolist()
    return best


def two_opt(state: Any, seconds: float, seed: int) -> list[int]:
    return restarts(state, seconds, seed, 0)


def two_opt_and_or_opt(state: Any, seconds: float, seed: int) -> list[int]:
    return restarts(state, seconds, seed, 3)


def or_tools(state: Any, seconds: float, _: int) -> list[int]:
    distances = state.distances.tolist()
    manager = pywrapcp.RoutingIndexManager(len(distances), 1, 0)
    routing = pywrapcp.RoutingModel(manager)
    routing.SetArcCostEvaluatorOfAllVehicles(routing.RegisterTransitMatrix(distances))
    settings = pywrapcp.DefaultRoutingSearchParameters()
    settings.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
    settings.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    settings.time_limit.FromMilliseconds(round(1000 * seconds))
    solution = routing.SolveWithParameters(settings)
    trip, at = list[int](), routing.Start(0)
    while not routing.IsEnd(at):
        trip.append(manager.IndexToNode(at))
        at = solution.Value(routing.NextVar(at))
    return trip


METHODS: dict[str, Solve] = {
    "nrpa": nrpa,
    "nrpa, prior": nrpa_with_prior,
    "nrpa, prior, improve": nrpa_improving,
    "annealing of lines": annealing_of_lines,
    "annealing of trips": annealing_of_trips,
    "2-opt": two_opt,
    "2-opt, Or-opt": two_opt_and_or_opt,
    "or-tools": or_tools,
}


if __name__ == "__main__":
    main()
