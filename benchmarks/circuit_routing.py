"""Circuit routing on generated boards: searches against routing one net after another by A*.

    python benchmarks/circuit_routing.py
    python benchmarks/circuit_routing.py --boards 20 --seconds 10 --long 120

Boards have 20 by 20 cells, 24 nets and blocks on a tenth of the cells. A* gives each net the shortest path
left for it, once in the given order and once with the shortest net first. Boards on which it routes all nets
are skipped. The best known length of a board is the shortest found here, including a long run of NRPA.

With `--boards 6 --long 20`, 5 s a method, on two cores that other work kept busy:

| | all nets routed | length to the best known, mean | most |
|---|---:|---:|---:|
| given | 0 of 6 |  |  |
| shortest | 0 of 6 |  |  |
| nrpa(level=2) | 6 of 6 | +0.4 % | +1.4 % |
| nrpa(level=3,iterations=20) | 6 of 6 | +0.5 % | +1.1 % |
| nested(level=1) | 6 of 6 | +2.4 % | +3.7 % |
| nested(level=2) | 6 of 6 | +2.1 % | +4.6 % |
| mcts | 5 of 6 | +4.5 % | +6.4 % |
| best | 6 of 6 | +0.0 % | +0.0 % |
"""

from __future__ import annotations

import argparse
import heapq
import json
from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

import branchwise as bw
from branchwise.compare.comparison import compare
from branchwise.problems.circuit_routing import CircuitRouting

METHODS = ("nrpa(level=2)", "nrpa(level=3,iterations=20)", "nested(level=1)", "nested(level=2)", "mcts")
Routed = tuple[int, int]
"""Number of nets without a wire, and the length of all wires."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=10)
    parser.add_argument("--size", type=int, default=20)
    parser.add_argument("--nets", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--long", type=float, default=60.0, help="seconds of the long run")
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--json", type=Path, help="write all measurements to this file")
    options = parser.parse_args()
    print("unrouted nets / length")
    print("board", "given", "shortest", *options.methods, "best", sep="  ")
    found: dict[int, dict[str, Routed]] = {}
    number = passed = 0
    while len(found) < options.boards:
        number += 1
        game = CircuitRouting.configured(
            rows=options.size, columns=options.size, nets=options.nets, board=number
        )
        sequences = {name: in_sequence(game, order) for name, order in orders(game).items()}
        if any(unrouted == 0 for unrouted, _ in sequences.values()):
            passed += 1
            continue
        found[number] = {**sequences, **searched(game, options)}
        print(number, *(f"{u}/{length}" for u, length in found[number].values()), sep="  ", flush=True)
    print(f"{passed} boards were passed over, as A* routed all of their nets")
    print("\n| | all nets routed | length to the best known, mean | most |\n|---|---:|---:|---:|")
    for name in next(iter(found.values())):
        print(summary(name, list(found.values())))
    if options.json is not None:
        options.json.write_text(json.dumps(found, indent=1))


def orders(game: Any) -> dict[str, list[int]]:
    nets = list(range(game.num_nets))
    return {"given": nets, "shortest": sorted(nets, key=lambda net: a_star(game(), net)[0])}


def in_sequence(game: Any, nets: Iterable[int]) -> Routed:
    """Route the nets in this order, each by A*."""
    state, unrouted, total = game(), 0, 0
    for net in nets:
        length, cells = a_star(state, net)
        if not cells:
            unrouted += 1
            continue
        total += length
        for cell in cells:
            state.owner[cell] = net + 1
    return unrouted, total


def a_star(state: Any, net: int) -> tuple[int, list[int]]:
    """Return the length and the cells of the shortest wire for a net, and no cells if there is none."""
    first, last = state.pins[net].tolist()
    area, width = state.area, state.width

    def left(cell: int) -> int:
        here = cell % area
        return abs(here // width - last // width) + abs(here % width - last % width)

    lengths = {first: 0, first + area: 0}
    before: dict[int, int] = {}
    waiting = [(left(cell), 0, cell) for cell in lengths]
    while waiting:
        _, length, cell = heapq.heappop(waiting)
        if cell % area == last:
            cells = [cell]
            while cells[-1] in before:
                cells.append(before[cells[-1]])
            return length, cells
        if length > lengths[cell]:
            continue
        place, column = cell % area, cell % width
        beside = [
            (cell - width, place >= width),
            (cell + width, place < area - width),
            (cell - 1, column > 0),
            (cell + 1, column < width - 1),
        ]
        near = [(other, 1) for other, inside in beside if inside]
        for other, cost in [*near, ((cell + area) % (2 * area), state.via)]:
            after = length + cost
            if state.owner[other] in (0, net + 1) and after < lengths.get(other, 1 << 30):
                lengths[other], before[other] = after, cell
                heapq.heappush(waiting, (after + left(other), after, other))
    return 1 << 30, []


def searched(game: Any, options: argparse.Namespace) -> dict[str, Routed]:
    """Return the result of each method, and the best known."""
    result = compare(game(), list(options.methods), seconds=options.seconds, seeds=1)
    found = {one.method: routed(game, -(one.best or game.min_return)) for one in result.methods}
    long_run = bw.NRPA(level=3, iterations=50, seed=1).search(game(), seconds=options.long)
    return {**found, "best": min(*found.values(), routed(game, -long_run.best_score))}


def routed(game: Any, cost: float) -> Routed:
    unrouted, length = divmod(int(cost), game.fine)
    return unrouted, length


def summary(name: str, boards: list[dict[str, Routed]]) -> str:
    whole = [board for board in boards if board[name][0] == 0]
    more = [board[name][1] / board["best"][1] - 1 for board in whole]
    shown = f"+{100 * mean(more):.1f} % | +{100 * max(more):.1f} %" if more else " | "
    return f"| {name} | {len(whole)} of {len(boards)} | {shown} |"


if __name__ == "__main__":
    main()
