"""Mean returns of searches in the problems of classic control, at 10 milliseconds per step.

    python benchmarks/classic_control.py
    python benchmarks/classic_control.py cart_pole --seconds 0.002 --episodes 50
    python benchmarks/classic_control.py mountain_car --search "c=0.3,playout=uniform"

Episodes begin at the random starts of seeds 1, 2, ... and end after Gymnasium's number of steps. A new
search plans each step. "playouts alone" plays the class's own playouts, or random moves, without a search.
Returns are not discounted; margins are 95 % intervals of the mean.

On two cores that other work kept busy at the same time:

| problem | player | mean return | worst | best | simulations a step |
|---|---|---|---|---|---|
| cart_pole | playouts alone | 22.6 ± 4.8 | 12 | 61 | |
| cart_pole | MCTS() | 499.0 ± 2.0 | 480 | 500 | 3,817 |
| mountain_car | playouts alone | -131.3 ± 6.7 | -176 | -117 | |
| mountain_car | MCTS() | -111.0 ± 2.5 | -133 | -105 | 2,213 |
| mountain_car | MCTS(playout=uniform) | -200.0 ± 0.0 | -200 | -200 | 683 |
| acrobot | playouts alone | -104.1 ± 13.3 | -191 | -77 | |
| acrobot | MCTS() | -105.8 ± 7.8 | -141 | -81 | 315 |
| acrobot | MCTS(cutoff=10,playout=uniform,c=0.1) | -68.3 ± 2.7 | -80 | -62 | 825 |
| pendulum | playouts alone | -1129.8 ± 117.0 | -1808 | -755 | |
| pendulum | MCTS() | -150.7 ± 35.4 | -353 | -1 | 3,016 |

Gymnasium considers a problem solved from 475, -110 and -100 on. Random moves never reach the top of the
mountain within 200 steps, so searches need informed playouts. In acrobot a good swing differs from a bad one
by a step or two. Means of long playouts do not distinguish them, and the search is no better than these
playouts; ten random moves and an estimate from the energy do. The pendulum's actions are continuous; its best
possible return depends on its start.
"""

from __future__ import annotations

import argparse
from math import sqrt
from statistics import mean, stdev
from time import perf_counter
from typing import Any

import branchwise as bw
from branchwise.common.name_and_options import parse_spec
from branchwise.game.kinds.continuous_actions import has_box, sample_vector

SEARCHES = {
    "cart_pole": ("",),
    "mountain_car": ("", "playout=uniform"),
    "branchwise.problems.pendulum:Pendulum": ("",),
    "acrobot": ("", "cutoff=10,playout=uniform,c=0.1"),
}
SEED_OF_CHOICES = 1_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("problems", nargs="*", metavar="PROBLEM", default=tuple(SEARCHES))
    parser.add_argument("--seconds", type=float, default=0.01, help="for each step")
    parser.add_argument("--episodes", type=int, default=20)
    parser.add_argument("--search", action="append", help="options of bw.MCTS; may be given several times")
    given = parser.parse_args()
    print("| problem | player | mean return | worst | best | simulations a step |")
    print("|---|---|---|---|---|---|")
    for text in given.problems:
        game = bw.load_game(text)
        report(text, "playouts alone", [played(game, seed) for seed in range(1, given.episodes + 1)])
        for options in given.search or SEARCHES.get(text, ("",)):
            planner = bw.MCTS(seed=1, **parse_spec(f"mcts({options})")[1])
            planner.search(game.new_initial_state(bw.Random(0)), simulations=10)  # compiles
            episodes = [planned(game, seed, planner, given.seconds) for seed in range(1, given.episodes + 1)]
            report(text, f"MCTS({options})", episodes)


def played(game: type[bw.Game], seed: int) -> tuple[float, float]:
    """Return the result of an episode played by the playout policy."""
    state, choices = game.new_initial_state(bw.Random(seed)), bw.Random(SEED_OF_CHOICES + seed)
    total = 0.0
    for _ in range(game.max_game_length):
        if state.is_terminal():
            break
        if has_box(game):
            total += state.apply_action(sample_vector(state, choices))
            continue
        legal = state.legal_actions()
        own = getattr(state, "playout_action", None)
        total += state.apply_action(legal[choices.below(len(legal))] if own is None else own(choices))
    return total, 0.0


def planned(game: type[bw.Game], seed: int, planner: bw.MCTS, seconds: float) -> tuple[float, float]:
    """Return the result of an episode planned by searches, and the simulations per step."""
    state: Any = game.new_initial_state(bw.Random(seed))
    total, simulations, steps = 0.0, 0, 0
    while steps < game.max_game_length and not state.is_terminal():
        result = planner.search(state, seconds=seconds)
        simulations += result.simulations
        steps += 1
        total += state.apply_action(result.best_action)
    return total, simulations / steps


def report(problem: str, player: str, episodes: list[tuple[float, float]]) -> None:
    returns = [total for total, _ in episodes]
    margin = 1.96 * stdev(returns) / sqrt(len(returns)) if len(returns) > 1 else 0.0
    speed = mean(simulations for _, simulations in episodes)
    print(
        f"| {problem} | {player} | {mean(returns):.1f} ± {margin:.1f} | {min(returns):.0f} | "
        f"{max(returns):.0f} | {speed:,.0f} |",
        flush=True,
    )


if __name__ == "__main__":
    began = perf_counter()
    main()
    print(f"\n{perf_counter() - began:.0f} s")
