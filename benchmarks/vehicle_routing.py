"""How far `optimise` by default is from the shortest routes known, on files of CVRPLIB and on random stops.

    python benchmarks/vehicle_routing.py A-n32-k5.vrp A-n45-k7.vrp --random 50 --seconds 10 --seeds 2

Lengths of set A are the proven ones. PyVRP, where it is installed, has as many seconds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import branchwise as bw

KNOWN = {
    "A-n32-k5": 784, "A-n33-k5": 661, "A-n33-k6": 742, "A-n34-k5": 778, "A-n36-k5": 799, "A-n37-k5": 669,
    "A-n37-k6": 949, "A-n38-k5": 730, "A-n39-k5": 822, "A-n39-k6": 831, "A-n44-k6": 937, "A-n45-k6": 944,
    "A-n45-k7": 1146, "A-n46-k7": 914, "A-n48-k7": 1073, "A-n53-k7": 1010, "A-n54-k7": 1167, "A-n55-k9": 1073,
    "A-n60-k9": 1354, "A-n61-k9": 1034, "A-n62-k8": 1288, "A-n63-k9": 1616, "A-n65-k9": 1174,
}  # fmt: skip


def by_pyvrp(game: Any, seconds: float) -> float | None:
    """Return the length that PyVRP finds; None where it is not installed."""
    try:
        from pyvrp import Model
        from pyvrp.stop import MaxRuntime
    except ImportError:
        return None
    model = Model()
    places = [model.add_location(x=0, y=0) for _ in game.distances]
    model.add_depot(places[0])
    for place, demand in zip(places[1:], game.demands[1:], strict=True):
        model.add_client(place, delivery=round(demand))
    model.add_vehicle_type(num_available=len(places), capacity=round(game.holds))
    for here, row in zip(places, game.distances, strict=True):
        for there, distance in zip(places, row, strict=True):
            model.add_edge(here, there, distance=round(distance))
    return float(model.solve(MaxRuntime(seconds), seed=1, display=False).cost())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--random", type=int, nargs="*", default=[], help="numbers of random stops")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seeds", type=int, default=2)
    asked = parser.parse_args()
    games = {file.stem: f"vehicle_routing(file='{file}')" for file in asked.files}
    games |= {
        f"random, {stops} stops": f"vehicle_routing(stops={stops},capacity=60.0,seed={stops})"
        for stops in asked.random
    }
    for name, text in games.items():
        game = bw.load_game(text)
        other = by_pyvrp(game, asked.seconds)
        bw.Portfolio(seed=0).search(game(), playouts=70)
        found = [
            -bw.Portfolio(seed=seed).search(game(), seconds=asked.seconds).best_score
            for seed in range(1, asked.seeds + 1)
        ]
        best = KNOWN.get(name, other if other is not None else min(found))
        gaps = ", ".join(f"{100 * (length / best - 1):.1f}" for length in found)
        told = "" if other is None else f"; PyVRP {100 * (other / best - 1):.1f} %"
        print(f"{name:20} {best:8g}  {gaps} %{told}", flush=True)


if __name__ == "__main__":
    main()
