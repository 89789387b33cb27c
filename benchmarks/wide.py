"""Memory and speed in games of many actions, where children are added when they are first visited.

    python benchmarks/wide.py
    python benchmarks/wide.py --simulations 100000 --rounds 3

First the memory of a tree of a million simulations on a board of 19 by 19, where all 361 actions are legal.
Then simulations a second, with children one at a time over all children at once, in turn on boards of several
sizes: the limit is `core.children.MOST_AT_ONCE`.
"""

from __future__ import annotations

import argparse
import statistics
import time

import branchwise as bw
from branchwise.core.tree import children
from branchwise.core.tree.node_fields import NODE, USED
from branchwise.games.mnk import MNK

_SIDES = (6, 9, 13, 19)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--simulations", type=int, default=1_000_000, help="simulations of the large tree")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of the comparison")
    options = parser.parse_args()
    for proofs in (False, True):
        megabytes, nodes = _large_tree(options.simulations, proofs=proofs)
        print(f"19x19, proofs={proofs}: {megabytes:.0f} MB for {nodes:,} nodes", flush=True)
    for side in _SIDES:
        ratio, one, all_ = _compare(side, options.rounds)
        print(
            f"{side}x{side}: {ratio:.2f} times as many simulations a second, "
            f"{one:.0f} bytes a simulation for {all_:.0f}",
            flush=True,
        )


def _board(side: int) -> type[MNK]:
    return MNK.configured(rows=side, columns=side, in_a_row=5)


def _large_tree(simulations: int, *, proofs: bool) -> tuple[float, int]:
    """Return the memory and the number of nodes of the tree."""
    tree = bw.MCTS(seed=1, proofs=proofs).search(_board(19)(), simulations=simulations).tree
    return int(tree._tree.counters[USED]) * NODE.itemsize / 1e6, len(tree)


def _compare(side: int, rounds: int) -> tuple[float, float, float]:
    """Return the ratio of speeds, and bytes per simulation, for children one at a time and all at once."""
    before, simulations = children.MOST_AT_ONCE, 30_000
    ratios, taken = [], [0.0, 0.0]
    try:
        for number in range(rounds + 1):
            speeds = []
            for form, limit in enumerate((0, side * side)):
                children.MOST_AT_ONCE = limit
                begun = time.process_time()
                result = bw.MCTS(seed=1).search(_board(side)(), simulations=simulations)
                speeds.append(simulations / (time.process_time() - begun))
                taken[form] = int(result.tree._tree.counters[USED]) * NODE.itemsize / simulations
            if number:  # the first round compiles
                ratios.append(speeds[0] / speeds[1])
    finally:
        children.MOST_AT_ONCE = before
    return statistics.median(ratios), taken[0], taken[1]


if __name__ == "__main__":
    main()
