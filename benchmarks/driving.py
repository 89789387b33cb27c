"""Crashes, mean speed and returns in `driving`: searches, the rule-based driver and random actions.

    python benchmarks/driving.py --calibrate
    python benchmarks/driving.py "driving(scenario=merging)" --scenes 50 --seconds 0.05
    python benchmarks/driving.py --simulations 1000 --search "max_depth=1,c=1" --search "c=1"

Scene number n is drawn from seed n, and all drivers meet the same scenes. A decision takes --seconds by the
clock. With --calibrate it has as many simulations as run in that much processor time, which is measured in
other scenes first; with --simulations it has that many. Other work on the machine then hardly affects the
result. Scenes in which a search crashes are driven again with ten times the budget: a crash that it avoids
was the budget's fault. The world draws the same numbers then, but the cars do the same only for as long as
both searches act alike. Shares have Wilson's 95 % intervals, means those of the normal distribution.
Differences of speed from the rule-based driver are paired, scene by scene.

With --calibrate, a decision has 2,855 simulations in 51 ms of processor time in overtaking, 3,494 in 44 ms in
merging, and 15,364 in 49 ms in lane keeping, on a busy machine:

| scenario | driver | scenes with a crash | speed, m/s | return | faster by |
| --- | --- | --- | --- | --- | --- |
| overtaking | rules | 0 of 200: 0.0 % [0.0, 1.9] | 22.79 ± 0.22 | 22.52 ± 0.22 | |
| overtaking | random | 89 of 200: 44.5 % [37.8, 51.4] | 8.63 ± 0.72 | -18.48 ± 3.63 | -14.16 ± 0.68 |
| overtaking | MCTS | 0 of 200: 0.0 % [0.0, 1.9] | 25.63 ± 0.32 | 25.10 ± 0.30 | 2.84 ± 0.27 |
| | 10 times the budget | avoids 0 of 200: 0.0 % [0.0, 1.9] | | | |
| merging | rules | 0 of 200: 0.0 % [0.0, 1.9] | 20.70 ± 0.30 | 20.32 ± 0.30 | |
| merging | random | 79 of 200: 39.5 % [33.0, 46.4] | 7.94 ± 0.64 | -15.77 ± 3.52 | -12.76 ± 0.71 |
| merging | MCTS | 0 of 200: 0.0 % [0.0, 1.9] | 23.56 ± 0.32 | 23.08 ± 0.31 | 2.86 ± 0.36 |
| | 10 times the budget | avoids 0 of 200: 0.0 % [0.0, 1.9] | | | |
| lane_keeping | rules | 0 of 200: 0.0 % [0.0, 1.9] | 22.65 ± 0.29 | 21.61 ± 0.29 | |
| lane_keeping | random | 195 of 200: 97.5 % [94.3, 98.9] | 14.49 ± 0.69 | -45.80 ± 1.13 | -8.16 ± 0.75 |
| lane_keeping | MCTS | 1 of 200: 0.5 % [0.1, 2.8] | 23.40 ± 0.36 | 22.03 ± 0.74 | 0.74 ± 0.09 |
| | 10 times the budget | avoids 0 of 200: 0.0 % [0.0, 1.9] | | | |

So in these scenes no crash was the budget's fault. In others it can be:

    python benchmarks/driving.py "driving(scenario=lane_keeping)" \\
        --first 10001 --scenes 300 --simulations 4000

Here the search crashed in three of 300 scenes, and ten times the budget avoided two of these crashes. The
rules crashed in one: the search drives faster, and closer to the edge, and a gust can be stronger than
steering. With 1,000 simulations it also crashed in three; `c=0.1` in place of `c=1` made five crashes, which
is no difference beyond chance.

A search of one level, `max_depth=1,c=1`, is the driver by rules with a look ahead. It overtakes sooner and
merges faster, as safely. Deeper searches were slower than the rules, probably because deep trees try bad
actions at all levels:

    python benchmarks/driving.py "driving(scenario=overtaking)" --scenes 10 --simulations 1000 \\
        --search "max_depth=1,c=1" --search "c=1" --search "c=0.1"

The rules drove at 23.0 m/s, these searches at 26.3, 22.5 and 21.2.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from time import perf_counter, process_time

import branchwise as bw
from branchwise.common.name_and_options import parse_spec

PROBLEMS = tuple(f"driving(scenario={name})" for name in ("overtaking", "merging", "lane_keeping"))
SEARCH = "max_depth=1,c=1"
SEED_OF_ACTIONS = 1_000_000
CALIBRATION = 5
"""Scenes in which the number of simulations that fit into a time is measured."""
MORE = 10
Z = 1.959964


@dataclass(frozen=True)
class Drive:
    """A driver's result in one scene; simulations, seconds : per decision, of the search's processor time."""

    scene: int
    crashed: bool
    speed: float
    paid: float
    simulations: float = 0.0
    seconds: float = 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", default=PROBLEMS)
    parser.add_argument("--scenes", type=int, default=200)
    parser.add_argument("--first", type=int, default=1, help="number of the first scene")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each decision")
    parser.add_argument("--simulations", type=int, help="for each decision, instead of --seconds")
    parser.add_argument(
        "--calibrate", action="store_true", help="as many simulations as run in --seconds of processor time"
    )
    parser.add_argument("--search", action="append", help="options of bw.MCTS; may be given several times")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all scenes to this file")
    given = parser.parse_args()
    if given.calibrate and given.simulations is not None:
        parser.error("--calibrate finds the number of simulations; leave --simulations out")
    kept: dict[str, dict[str, list[dict[str, object]]]] = {}
    print("| problem | driver | scenes with a crash | speed, m/s | return | faster by | a decision |")
    print("|---|---|---|---|---|---|---|")
    for text in given.problems:
        game = bw.load_game(text)
        scenes = range(given.first, given.first + given.scenes)
        told = kept[text] = {}
        by_rules = [driven(game, scene, "rules") for scene in scenes]
        told["rules"] = report(text, "rules", by_rules, by_rules)
        told["random"] = report(text, "random", [driven(game, scene, "random") for scene in scenes], by_rules)
        for options in given.search or (SEARCH,):
            planner = bw.MCTS(seed=1, **parse_spec(f"mcts({options})")[1])
            planner.search(game.new_initial_state(bw.Random(0)), simulations=10)  # compiles
            budget = {"seconds": given.seconds}
            if given.calibrate:
                budget = {"simulations": simulations_in(given.seconds, game, planner)}
            elif given.simulations is not None:
                budget = {"simulations": given.simulations}
            drives = [driven(game, scene, planner, budget) for scene in scenes]
            told[options] = report(text, f"MCTS({options})", drives, by_rules)
            more = {name: MORE * amount for name, amount in budget.items()}
            again = [driven(game, drive.scene, planner, more) for drive in drives if drive.crashed]
            avoided = sum(not drive.crashed for drive in again)
            print(
                f"| | with {MORE} times the budget | avoids {share(avoided, given.scenes)} | | | | |",
                flush=True,
            )
            told[f"{options}, again"] = [asdict(drive) for drive in again]
    if given.json:
        given.json.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def driven(
    game: type[bw.Game], scene: int, driver: str | bw.MCTS, budget: dict[str, float] | None = None
) -> Drive:
    """Drive through a scene and return the result; driver : "rules", "random", or a planner."""
    world, own = bw.Random(scene), bw.Random(SEED_OF_ACTIONS + scene)
    state = game.new_initial_state(world)
    speeds, paid, simulations, spent = [], 0.0, 0, 0.0
    while len(speeds) < game.max_game_length and not state.is_terminal():
        if isinstance(driver, bw.MCTS):
            before = process_time()
            result = driver.search(state, **budget)
            spent += process_time() - before
            action, simulations = result.best_action, simulations + result.simulations
        elif driver == "rules":
            action = state.playout_action(own)
        else:
            legal = state.legal_actions()
            action = legal[own.below(len(legal))]
        paid += state.apply_action(action, world)
        speeds.append(float(state.speed[0]))
    decisions = len(speeds)
    per_decision = simulations / decisions, spent / decisions
    return Drive(scene, bool(state.crashed), mean(speeds), paid, *per_decision)


def simulations_in(seconds: float, game: type[bw.Game], planner: bw.MCTS) -> int:
    """Return how many simulations run in that much processor time, on average over decisions in a few scenes.

    Their seeds are not those of the scenes that are measured.
    """
    drives = [driven(game, -scene, planner, {"seconds": seconds}) for scene in range(1, CALIBRATION + 1)]
    rate = mean(drive.simulations for drive in drives) / mean(drive.seconds for drive in drives)
    return round(rate * seconds)


def report(problem: str, driver: str, drives: list[Drive], rules: list[Drive]) -> list[dict[str, object]]:
    """Print a row of the table, and return its values for the file."""
    crashes = share(sum(drive.crashed for drive in drives), len(drives))
    speed = interval([drive.speed for drive in drives])
    paid = interval([drive.paid for drive in drives])
    more = interval([one.speed - other.speed for one, other in zip(drives, rules, strict=True)])
    searched = drives[0].simulations > 0
    count = f"{mean(drive.simulations for drive in drives):,.0f}" if searched else ""
    if searched:
        count += f" in {1000 * mean(drive.seconds for drive in drives):.0f} ms"
    more = "" if drives is rules else more
    print(f"| {problem} | {driver} | {crashes} | {speed} | {paid} | {more} | {count} |", flush=True)
    return [asdict(drive) for drive in drives]


def share(count: int, total: int) -> str:
    """Return a share with Wilson's interval."""
    found, spread = count / total, Z * Z / total
    middle = (found + spread / 2) / (1 + spread)
    half = sqrt(found * (1 - found) * spread + spread * spread / 4) / (1 + spread)
    low, high = 100 * max(middle - half, 0.0), 100 * (middle + half)
    return f"{count} of {total}: {100 * found:.1f} % [{low:.1f}, {high:.1f}]"


def interval(numbers: list[float]) -> str:
    half = Z * stdev(numbers) / sqrt(len(numbers)) if len(numbers) > 1 else 0.0
    return f"{mean(numbers):.2f} ± {half:.2f}"


if __name__ == "__main__":
    began = perf_counter()
    main()
    print(f"\n{perf_counter() - began:.0f} s")
