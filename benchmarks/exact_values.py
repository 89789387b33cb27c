"""How the error of searches falls with their budget, on problems whose values are known exactly.

    python benchmarks/exact_values.py
    python benchmarks/exact_values.py --problems sailing blackjack --budgets 1000 10000 --seeds 20

For each problem and budget: how far the value that `bw.MCTS` gives the best action is from the exact value of
the state, and what its best action loses against the best one. Both are means over seeds with standard
errors, and shares of the range of returns that the searches of the greatest budget have seen.

In racetrack one move of ten is .02 of the range. There UCT's means keep to a way of eleven moves, whatever
the budget up to 10 million simulations. With `backup="max"` in a graph, and more exploration, the way of ten
is found.

Cliff walking and racetrack have a time limit here that is long enough to reach the goal, so that the exact
values are those without it. A field of the state counts it.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from statistics import mean, stdev
from time import perf_counter
from typing import Any

import numpy as np

import branchwise as bw
from branchwise.problems.cliff_walking import CliffWalking
from branchwise.problems.racetrack import Racetrack
from branchwise.testing import Expectimax, value_iteration


class TimedCliffWalking(CliffWalking):
    """Cliff walking that ends after 20 steps."""

    horizon = 0
    steps: np.int8 = 0

    def apply_action(self, action):
        self.steps += 1
        return super().apply_action(action)

    def is_terminal(self):
        return self.steps == 20 or super().is_terminal()


class TimedRacetrack(Racetrack):
    """Racetrack that ends after the start and 12 moves."""

    horizon = 0
    steps: np.int8 = 0

    def apply_action(self, action):
        self.steps += 1
        return super().apply_action(action)

    def is_terminal(self):
        return self.steps == 13 or super().is_terminal()


@dataclass
class Problem:
    """A state to search, with settings of the search; solved : the game of the exact values, if another."""

    game: str | type[bw.Game]
    moves: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    solved: str = ""

    @property
    def rules(self) -> type[bw.Game]:
        return bw.load_game(self.game) if isinstance(self.game, str) else self.game

    def values(self) -> dict[int, float]:
        """Return the exact value of each action."""
        game = bw.load_game(self.solved) if self.solved else self.rules
        state = game.from_actions(self.moves)
        if game.horizon:
            return Expectimax().action_values(state)
        values = value_iteration(game(), tolerance=1e-7)
        return values.action_values(state)


GRAPH = {"transpositions": True}

PROBLEMS = {
    "pig": Problem("pig(target=20)", "", GRAPH),
    "pig_small": Problem("pig(target=10,sides=2)", "", GRAPH),
    "2048": Problem("twenty_forty_eight(rows=2,columns=2)", "a1=2 b2=2", GRAPH),
    "2048_horizon": Problem("twenty_forty_eight(rows=2,columns=2,horizon=4)", "a1=2 b2=2"),
    "frozen_lake": Problem("frozen_lake(discount=0.99)", "", GRAPH),
    "blackjack": Problem("blackjack", "10 10 6"),
    "blackjack_soft": Problem("blackjack", "6 A 7"),
    "cliff_walking": Problem(TimedCliffWalking, "", GRAPH, "cliff_walking(horizon=0)"),
    "sailing_5": Problem("sailing(size=5)", "", GRAPH),
    "sailing_10": Problem("sailing", "", GRAPH),
    "racetrack": Problem(TimedRacetrack, "b7", GRAPH | {"backup": "max", "c": 1.4}, "racetrack(horizon=0)"),
}


def with_error(values: list[float]) -> str:
    """Return the mean with its standard error."""
    error = stdev(values) / len(values) ** 0.5 if len(values) > 1 else float("nan")
    return f"{mean(values):8.4f} ± {error:.4f}"


def measure(name: str, problem: Problem, budgets: list[int], seeds: int) -> None:
    """Print the lines of one problem."""
    exact = problem.values()
    best = max(exact.values())
    state = problem.rules.from_actions(problem.moves)
    found = {}
    for budget in budgets:
        begun = perf_counter()
        planners = [bw.MCTS(seed=seed, **problem.settings) for seed in range(seeds)]
        results = [planner.search(state, simulations=budget) for planner in planners]
        found[budget] = results, (perf_counter() - begun) / seeds
    span = mean(result.scale[1] - result.scale[0] for result in found[budgets[-1]][0])
    settings = ",".join(f"{key}={value}" for key, value in problem.settings.items())
    print(
        f"{name}: {problem.rules.name} {problem.moves} mcts({settings}), value {best:.6f}, range {span:.4g}"
    )
    for budget, (results, seconds) in found.items():
        errors = [abs(result.value - best) / span for result in results]
        losses = [(best - exact[result.best_action]) / span for result in results]
        proven = sum(result.ended_by == "proven" for result in results)
        print(
            f"  {budget:9,}  error {with_error(errors)}  loss {with_error(losses)}"
            f"  {seconds:7.2f} s  proven {proven} of {seeds}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--budgets", nargs="+", type=int, default=[1_000, 10_000, 100_000])
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    for name in options.problems:
        measure(name, PROBLEMS[name], options.budgets, options.seeds)


if __name__ == "__main__":
    main()
