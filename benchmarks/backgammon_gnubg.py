"""Backgammon against GNU Backgammon's 0-ply: `random`, and searches with 0.1 and 1 s per move.

    pip install gnubg                                        its Python bindings, for Linux
    python benchmarks/backgammon_gnubg.py                    all contenders against 0-ply
    python benchmarks/backgammon_gnubg.py --bots "mcts(seconds=0.1)" --games 200

The bindings may be outside the environment: `pip install --target DIR gnubg`, and `PYTHONPATH=DIR`.

At 0-ply GNU Backgammon values each position reachable with the roll by its neural network, and moves to the
best. A win counts 1, as in the last game of a match, so it plays for wins. Both games of a pair begin with
the same first roll, with seats exchanged.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gnubg

import branchwise as bw
from branchwise.games.backgammon import Backgammon

BOTS = (
    "random",
    "mcts(seconds=0.1)",
    "mcts(seconds=1)",
    "mcts(seconds=0.1,cutoff=0,c=0.1)",
    "mcts(seconds=1,cutoff=0,c=0.1)",
)
ZERO_PLY = f"{Path(__file__).resolve()}:Gnubg"


class Gnubg(bw.Bot):
    """GNU Backgammon at 0-ply: it moves to the position that its network values most.

    The bindings' own choice of a move omits continuations after a checker goes off, so positions are valued
    one by one. A double is played as two actions.
    """

    name = "gnubg"

    def __init__(self) -> None:
        self._last_of_a_match = gnubg.cubeinfo(1, -1, 0, 1, (0, 0), 0, 0)
        self._zero_ply = gnubg.evalcontext(0, 0, 1, 0, 0.0)
        self._half_way: dict[Backgammon, int] = {}

    def choose(self, state: Any, limit: Any = None, moves: Any = None) -> int:
        if state.again:
            return self._half_way[state]
        values: dict[tuple[int, ...], float] = {}
        best, chosen = -1.0, 0
        for action in state.legal_actions():
            half = after(state, action)
            seconds = half.legal_actions() if half.again and not half.is_terminal() else [None]
            for second in seconds:
                end = half if second is None else after(half, second)
                key = tuple(end.checkers.flat)
                if key not in values:
                    values[key] = self.chance_to_win(end, state.mover)
                    if values[key] > best:
                        best, chosen = values[key], action
                        self._half_way = {} if second is None else {half: second}
        return chosen

    def chance_to_win(self, state: Backgammon, player: int) -> float:
        """Return the player's winning chance when the opponent is to roll."""
        if state.is_terminal():
            return 1.0
        own, other = (state.checkers[who].tolist() for who in (player, 1 - player))
        win: float = gnubg.evaluate((own, other), self._last_of_a_match, self._zero_ply)[0]
        return 1.0 - win


def after(state: Backgammon, action: int) -> Backgammon:
    state = state.copy()
    state.apply_action(action)
    return state


def main(arguments: Sequence[str] | None = None) -> None:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=layout)
    parser.add_argument("--bots", nargs="+", default=BOTS, help=f"contenders ({' '.join(BOTS)})")
    parser.add_argument("--against", default=ZERO_PLY, help="a bot (GNU Backgammon, 0-ply)")
    parser.add_argument("--games", type=int, default=100, help="of each contender (100)")
    parser.add_argument("--at-once", type=int, default=1, help="games at once (1)")
    parser.add_argument("--seed", type=int, default=1, help="(1)")
    options = parser.parse_args(arguments)
    print(f"Score of a game, with 95 % intervals, in {options.games} games:")
    for bot in options.bots:
        match = bw.Match(
            "backgammon",
            [bot, options.against],
            games=options.games,
            openings_depth=1,
            concurrency=options.at_once,
            seed=options.seed,
        )
        result = match.run()
        faults = [tally.faults for tally in result.tallies()]
        assert faults == [0, 0], [record.detail for record in result.records]
        print(f"{bot:40} {result.score(0)}", flush=True)


if __name__ == "__main__":
    main()
