"""Simulations per second of processor time of searches through the adapters to OpenSpiel and PettingZoo.

    python benchmarks/interop.py                      all games, two minutes
    python benchmarks/interop.py --games connect_four --seconds 5 --json interop.json

Each search starts at the start position, plays one uniformly random game per simulation, and ends after
`--seconds`. The ways take turns for `--rounds` rounds, and a rate is the median of the rounds. Searches run
in one thread, and other load on the machine does not count. Compiling is done before. It needs the packages
of the extras `interop` and `dev`.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import pettingzoo

import branchwise as bw

Start = Callable[[], Any]


def ours(name: str) -> Start:
    """Return the game as it is written here, compiled."""
    return bw.load_game(name)


def openspiels(name: str) -> Start:
    """Return OpenSpiel's game, in C++."""
    return lambda: bw.from_openspiel(name, seed=1)


def ours_in_openspiel(name: str) -> Start:
    """Return the game written here, as OpenSpiel sees it."""
    return lambda: bw.from_openspiel(bw.to_openspiel(name), seed=1)


def pettingzoos(name: str, **options: Any) -> Start:
    """Return PettingZoo's environment."""
    return lambda: at_start(pettingzoo.make("aec", f"classic/{name}", **options), chance=False)


def ours_in_pettingzoo(name: str, chance: bool = False) -> Start:
    """Return the game written here, as PettingZoo sees it."""
    return lambda: at_start(bw.to_pettingzoo(name), chance=chance)


def at_start(env: Any, chance: bool) -> Any:
    env.reset(seed=1)
    return bw.from_pettingzoo(env, chance=chance)


WAYS: dict[str, dict[str, Start]] = {
    "tic_tac_toe": {
        "Branchwise": ours("tic_tac_toe"),
        "from OpenSpiel": openspiels("tic_tac_toe"),
        "to OpenSpiel and back": ours_in_openspiel("tic_tac_toe"),
        "from PettingZoo": pettingzoos("tictactoe_v3"),
        "to PettingZoo and back": ours_in_pettingzoo("tic_tac_toe"),
    },
    "connect_four": {
        "Branchwise": ours("connect_four"),
        "from OpenSpiel": openspiels("connect_four"),
        "to OpenSpiel and back": ours_in_openspiel("connect_four"),
        "from PettingZoo": pettingzoos("connect_four_v3"),
        "to PettingZoo and back": ours_in_pettingzoo("connect_four"),
    },
    "pig": {
        "Branchwise": ours("pig"),
        "from OpenSpiel": openspiels("pig"),
        "to OpenSpiel and back": ours_in_openspiel("pig"),
        "to PettingZoo and back": ours_in_pettingzoo("pig", chance=True),
    },
    "othello": {"from OpenSpiel": openspiels("othello")},
    "go, 9x9": {
        "from OpenSpiel": openspiels("go(board_size=9)"),
        "from PettingZoo": pettingzoos("go_v5", board_size=9),
    },
    "chess": {"from OpenSpiel": openspiels("chess"), "from PettingZoo": pettingzoos("chess_v6")},
}


def rate(start: Start, seconds: float) -> float:
    """Return simulations per second of processor time."""
    planner, state = bw.MCTS(seed=1, playout="uniform", proofs=False), start()
    begun = time.process_time()
    result = planner.search(state, seconds=seconds)
    return result.simulations / (time.process_time() - begun)


def shown(number: float) -> str:
    """Return a rate with three digits."""
    if number >= 1e6:
        return f"{number / 1e6:.2f} M"
    return f"{number / 1e3:.3g} k" if number >= 1e4 else f"{number:,.0f}" if number >= 10 else f"{number:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", nargs="+", choices=WAYS, default=list(WAYS), metavar="GAME")
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    told = parser.parse_args()
    warnings.simplefilter("ignore")
    measured: dict[str, dict[str, list[float]]] = {}
    for game in told.games:
        ways = WAYS[game]
        rates: dict[str, list[float]] = {way: [] for way in ways}
        for start in ways.values():
            rate(start, 0.05)
        for number in range(told.rounds):
            order = list(ways)
            for way in order[number % len(order) :] + order[: number % len(order)]:
                rates[way].append(rate(ways[way], told.seconds))
        measured[game] = rates
    columns = list(dict.fromkeys(way for ways in WAYS.values() for way in ways))
    print("| " + " | ".join(["", *columns]) + " |")
    print("|---" + "|---:" * len(columns) + "|")
    for game, rates in measured.items():
        cells = [shown(median(rates[way])) if way in rates else "" for way in columns]
        print("| " + " | ".join([game, *cells]) + " |")
    if told.json is not None:
        told.json.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
