"""The cost of proofs and of reusing trees in speed: each is switched on and off in turn.

`proofs`: simulations per second in a search of the first position, with and without proofs.
`reuse`: simulations per second over a whole game against oneself, with and without keeping the tree from move
to move. Both sides play the same moves, so they search the same positions. A kept tree is larger, and the
time to move it counts.

    python benchmarks/costs.py
    python benchmarks/costs.py --game ultimate_tic_tac_toe --simulations 300000
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Sequence
from typing import Any

import branchwise as bw


def search_speed(game: type[bw.Game], simulations: int, seed: int, *, proofs: bool) -> float:
    """Return simulations per second in a search of the first position."""
    planner = bw.MCTS(seed=seed, proofs=proofs, memory_mb=2048)
    planner.search(game(), simulations=64)  # compile and load the code first
    planner.forget()
    started = time.perf_counter()
    result = planner.search(game(), simulations=simulations)
    return result.simulations / (time.perf_counter() - started)


def random_game(game: type[bw.Game], seed: int) -> list[int]:
    """Return the moves of a random game."""
    rng, state, moves = random.Random(seed), game(), []
    while not state.is_terminal():
        moves.append(rng.choice(state.legal_actions()))
        state.apply_action(moves[-1])
    return moves


def game_speed(game: type[bw.Game], moves: list[int], simulations: int, seed: int, *, reuse: bool) -> float:
    """Return simulations per second over all searches of a game."""
    planner = bw.MCTS(seed=seed, memory_mb=2048)
    planner.search(game(), simulations=64)
    planner.forget()
    state, run = game(), 0
    started = time.perf_counter()
    for move in moves:
        run += planner.search(state, simulations=simulations).simulations
        state.apply_action(move)
        if reuse:
            planner.advance(move)
        else:
            planner.forget()
    return run / (time.perf_counter() - started)


def compare(name: str, pairs: list[tuple[float, float]]) -> None:
    """Print how much speed the first of each pair, with the option on, loses against the second."""
    ratios = sorted(on / off for on, off in pairs)
    lower, middle, upper = statistics.quantiles(ratios, n=4)
    off = statistics.median(off for _, off in pairs)
    print(
        f"{name:<7} off {off / 1e3:7,.0f} k simulations/s; on {middle:.3f} times that "
        f"[{lower:.3f}, {upper:.3f}] (median, quartiles of {len(pairs)})"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--game", default="connect_four", help="(connect_four)")
    parser.add_argument("--simulations", type=int, default=1_000_000, help="a search (1000000)")
    parser.add_argument("--each-move", type=int, default=100_000, help="simulations a move (100000)")
    parser.add_argument("--runs", type=int, default=9, help="(9)")
    options = parser.parse_args(arguments)
    game: Any = bw.load_game(options.game)
    proofs, reuse = [], []
    for seed in range(options.runs):
        speeds = {on: search_speed(game, options.simulations, seed, proofs=on) for on in (True, False)}
        proofs.append((speeds[True], speeds[False]))
        moves = random_game(game, seed)
        speeds = {on: game_speed(game, moves, options.each_move, seed, reuse=on) for on in (True, False)}
        reuse.append((speeds[True], speeds[False]))
    compare("proofs", proofs)
    compare("reuse", reuse)


if __name__ == "__main__":
    main()
