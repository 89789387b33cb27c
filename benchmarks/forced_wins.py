"""Positions with a forced win within five plies: how soon does the search prove it?

Positions come from random games. In each of them minimax with depth 5 sees a win and minimax with depth 3
does not. Each position is searched with default settings until it is proven, then again with that budget and
larger ones, after which the chosen move must be a proven win too.

    python benchmarks/forced_wins.py --positions 20
    python benchmarks/forced_wins.py --games "mnk(rows=7,columns=7)" --positions 5
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import branchwise as bw
from branchwise.bots.players.minimax import MinimaxBot

GAMES = (
    "tic_tac_toe",
    "connect_four",
    "connect_four(rows=5,columns=5)",
    "mnk",
    "mnk(gravity=True)",
    "mnk(rows=7,columns=7)",
    "nim(heaps=(3,4,5),max_take=0)",
    "nim(heaps=(3,4,5),max_take=0,misere=True)",
    "sudo_tic_tac_toe",
    "ultimate_tic_tac_toe",
)
PLIES = 5
LIMIT = 100_000
LATER_BUDGETS = (1, 2, 10)
"""Multiples of the number of simulations that the proof took."""


def won_positions(game: type[bw.Game], seed: int) -> Iterator[bw.Game]:
    """Yield positions in which the player to move can force a win within PLIES, but not within PLIES - 2."""
    rng = random.Random(seed)
    while True:
        state, trail = game(), []
        while not state.is_terminal():
            trail.append(state.copy())
            state.apply_action(rng.choice(state.legal_actions()))
        found = None
        for before in reversed(trail[-2 * PLIES :]):
            if forces_a_win(before, PLIES) and not forces_a_win(before, PLIES - 2):
                found = before
        if found is not None:
            yield found


def forces_a_win(state: bw.Game, plies: int) -> bool:
    bot = MinimaxBot(depth=plies, seed=1)
    bot.choose(state)
    return bot.value == state.max_return


def simulations_to_prove(state: bw.Game, seed: int) -> int | None:
    """Return the number of simulations that the proof took; None if LIMIT was not enough."""
    result = bw.MCTS(seed=seed).search(state, simulations=LIMIT)
    return result.simulations if result.ended_by == "proven" and result.value == state.max_return else None


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--positions", type=int, default=20, help="positions of each game (20)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    for name in options.games:
        game: Any = bw.load_game(name)
        started = time.perf_counter()
        needed, wrong = [], 0
        for number, state in enumerate(islice(won_positions(game, options.seed), options.positions)):
            took = simulations_to_prove(state, number)
            needed.append(took)
            for times in LATER_BUDGETS if took else ():
                result = bw.MCTS(seed=number).search(state, simulations=took * times)
                wrong += result.children[0].proven != state.max_return
        proven = sorted(took for took in needed if took is not None)
        print(
            f"{name:<42} {len(proven)} of {len(needed)} proven, after {proven[len(proven) // 2]:,} "
            f"simulations (median), at most {proven[-1]:,}; moves not proven to win: {wrong}   "
            f"({time.perf_counter() - started:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
