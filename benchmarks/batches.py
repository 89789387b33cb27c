"""Evaluators in place of playouts: how much speed larger batches gain, and how much they weaken moves.

`speed`: simulations per second of Connect Four with a network of two layers in NumPy, by batch size, and the
time of the search itself. `moves`: how often the search keeps the exact value of a position with a fixed
number of simulations; the evaluator counts lines that are still open.

    OPENBLAS_NUM_THREADS=1 python benchmarks/batches.py speed
    python benchmarks/batches.py moves --simulations 800
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from exact_connect_four import read_positions
from strength import wilson

SIZES = (1, 4, 16, 64, 256)
ROWS, COLUMNS, STEP = 6, 7, 7
HIDDEN = 256
LINES = [
    [column * STEP + row + step * k for k in range(4)]
    for column in range(COLUMNS)
    for row in range(ROWS)
    for step, across, up in ((1, 0, 1), (STEP, 1, 0), (STEP + 1, 1, 1), (STEP - 1, 1, -1))
    if column + 3 * across < COLUMNS and 0 <= row + 3 * up < ROWS
]

Evaluator = Callable[[list[Any]], Any]


def by_player(values: NDArray[Any], states: Sequence[Any]) -> NDArray[Any]:
    """Return values of the players to move, [states], as values of both players, [states, 2]."""
    signs = np.array([1.0 - 2.0 * state.current_player() for state in states])
    return np.stack([signs * values, -signs * values], axis=1)


def boards(states: Sequence[Any]) -> NDArray[np.float32]:
    """Return the cells of the player to move and of the opponent, [states, 2, cells]."""
    words = np.array([[int(state.mine), int(state.mine ^ state.taken)] for state in states], np.uint64)
    bits = words[:, :, None] >> np.arange(COLUMNS * STEP, dtype=np.uint64) & np.uint64(1)
    return bits.astype(np.float32)


def network(seed: int) -> Evaluator:
    """Return a network with random weights: it takes the time of a small network and knows nothing."""
    random = np.random.default_rng(seed)
    first = random.normal(0, 0.2, (2 * COLUMNS * STEP, HIDDEN)).astype(np.float32)
    second = random.normal(0, 0.1, (HIDDEN, 1 + COLUMNS)).astype(np.float32)

    def evaluate(states: list[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        found = np.maximum(boards(states).reshape(len(states), -1) @ first, 0) @ second
        return by_player(np.tanh(found[:, 0]), states), np.exp(found[:, 1:])

    return evaluate


def open_lines(states: list[Any]) -> NDArray[np.float64]:
    """Value positions by open lines, in which only one player has cells: one, two or three of four."""
    held = boards(states)[:, :, LINES].sum(axis=3)
    mine = np.where(held[:, 1] == 0, held[:, 0] ** 2, 0).sum(axis=1)
    theirs = np.where(held[:, 0] == 0, held[:, 1] ** 2, 0).sum(axis=1)
    return by_player(np.tanh((mine - theirs) / 20), states)


class Timed:
    """An evaluator that records its time and its batches."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.seconds, self.batches = 0.0, 0

    def __call__(self, states: list[Any]) -> Any:
        started = time.perf_counter()
        answer = self.evaluator(states)
        self.seconds += time.perf_counter() - started
        self.batches += 1
        return answer


def speed(options: argparse.Namespace) -> None:
    found: dict[int, list[tuple[float, float, float]]] = {size: [] for size in options.sizes}
    for number in range(options.rounds):
        for size in options.sizes if number % 2 else options.sizes[::-1]:
            evaluator = Timed(network(1))
            planner = bw.MCTS(selection="puct", evaluator=evaluator, batch_size=size, seed=number)
            planner.search(ConnectFour(), simulations=size)  # compile and load the code first
            evaluator.seconds, evaluator.batches = 0.0, 0
            planner.forget()
            started = time.perf_counter()
            planner.search(ConnectFour(), simulations=options.simulations)
            seconds = time.perf_counter() - started
            per_leaf = 1e6 * (seconds - evaluator.seconds) / options.simulations
            found[size].append(
                (options.simulations / seconds, per_leaf, options.simulations / evaluator.batches)
            )
    print(f"{'batch_size':>10} {'leaves a batch':>15} {'simulations/s':>14} {'own time, us':>13}")
    for size, rows in found.items():
        rate, own, leaves = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"{size:>10} {leaves:>15.1f} {rate:>14,.0f} {own:>13.1f}")


def moves(options: argparse.Namespace) -> None:
    positions = read_positions()
    print(f"{len(positions)} positions, {options.simulations} simulations each")
    print(f"{'batch_size':>10} {'keeps the value':>16}")
    for size in options.sizes:
        kept = 0
        for number, position in enumerate(positions):
            planner = bw.MCTS(evaluator=open_lines, batch_size=size, seed=number, proofs=False)
            found = planner.search(position.state(), simulations=options.simulations)
            kept += position.keeps(found.best_action)
        share = kept / len(positions)
        low, high = wilson(share, len(positions))
        print(f"{size:>10} {100 * share:>15.1f}%  [{100 * low:.1f}, {100 * high:.1f}]", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["speed", "moves"])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--simulations", type=int, default=800)
    parser.add_argument("--rounds", type=int, default=6)
    options = parser.parse_args()
    {"speed": speed, "moves": moves}[options.what](options)


if __name__ == "__main__":
    main()
