"""How searches of simultaneous moves converge: biased rock-paper-scissors, and goofspiel with four cards.

    python benchmarks/joint_moves.py [--seeds 10]

The first table has the exploitability of the mean strategies in biased rock-paper-scissors, with payoffs from
-1 to 1: half of what best responses of both players gain together. The second has the probability of the 4 as
the first bid of goofspiel with four descending cards, and the value there, whose exact values are 1 and 0,
and the value after the bids 1 and 4, -3/19.
"""

from __future__ import annotations

import argparse
from statistics import mean
from typing import Any

import numpy as np

import branchwise as bw
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.rock_paper_scissors import RockPaperScissors

METHODS = ("decoupled_uct", "exp3", "regret_matching")
PAYOFFS = np.array([[0, -25, 50], [25, 0, -5], [-50, 5, 0]]) / 50
BUDGETS = (1000, 10_000, 100_000, 1_000_000)


def exploitability(result: Any) -> float:
    """Return half of what best responses to the mean strategies gain."""
    rows, columns = (np.array(list(policy.values())) for policy in result.policies)
    return float(((PAYOFFS @ columns).max() - (rows @ PAYOFFS).min()) / 2)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
    seeds = range(parser.parse_args().seeds)
    biased = RockPaperScissors.configured(biased=True)
    print(f"exploitability in biased rock-paper-scissors, mean (least to greatest) of {len(seeds)} seeds")
    for method in METHODS:
        cells = []
        for budget in BUDGETS:
            found = [
                exploitability(bw.MCTS(joint=method, seed=seed).search(biased(), simulations=budget))
                for seed in seeds
            ]
            cells.append(f"{mean(found):.4f} ({min(found):.4f} to {max(found):.4f})")
        print(" | ".join([method, *cells]))
    print(
        "goofspiel with four descending cards, 1,000,000 simulations: the first bid 4, values, simulations/s"
    )
    game = Goofspiel.configured(num_cards=4, points_order="descending")
    for method in METHODS:
        first = bw.MCTS(joint=method, seed=1).search(game(), simulations=1_000_000)
        later = bw.MCTS(joint=method, seed=1).search(game.from_actions([(0, 3)]), simulations=1_000_000)
        speed = first.simulations_per_second / 1000
        chance = first.policies[0][3]
        print(f"{method} | {chance:.3f} | {first.value:+.4f} | {later.value:+.4f} | {speed:,.0f} k/s")


if __name__ == "__main__":
    main()
