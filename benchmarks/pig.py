"""How close searches are to perfect play at Pig to 100: a perfect first player wins .5306 of the games.

    python benchmarks/pig.py
    python benchmarks/pig.py "simulations=10000,c=1.0,transpositions=True" --games 40

The search is the first player, with a new tree for each decision; the second one plays perfectly. All values
are known (`branchwise.testing.value_iteration`, two million states), so wins need not be counted. A decision
loses the difference between the values of the best action and of its own. The sum of these over a game is, on
average, what the search wins less than a perfect player, and it varies much less than who wins.

A search is given by options of `bw.MCTS`. Playouts "game" keep pace and end the race (Neller, Presser,
"Practical play of the dice game Pig", 2010): they roll to the end once a score is 71 or more, and else hold
at 21 plus an eighth of what the player is behind.

With `cutoff=0` a leaf is worth the game's own `evaluate`, and with `implicit_minimax=1.0` these estimates are
passed up by best play and exact probabilities. Means of simulations are too noisy here: each choice of a
turn's ten rolls is explored anew, and most decisions are worth less than .01.

With seed 1 and 10,000 simulations a decision, where perfect play wins .5306:

| | games | wins | less than perfect play |
|---|---|---|---|
| playouts "game" alone, without a search | 60 | .5244 ± .0020 | 1.2 % |
| `transpositions=True` | 20 | .5023 ± .0074 | 5.3 % |
| `transpositions=True,playout=game` | 20 | .5147 ± .0045 | 3.0 % |
| `cutoff=0,implicit_minimax=1.0,c=0.05` | 60 | .5264 ± .0006 | 0.8 % |
| `cutoff=0,implicit_minimax=1.0,c=0.02` | 60 | .5270 ± .0005 | 0.7 % |
"""

from __future__ import annotations

import argparse
import random
from math import sqrt
from statistics import mean, stdev
from time import perf_counter
from typing import Any

import branchwise as bw
from branchwise.games.pig import HOLD, ROLL, Pig
from branchwise.testing import value_iteration
from branchwise.testing.value_iteration import Values

SEARCHES = (
    "simulations=10000,transpositions=True",
    "simulations=10000,transpositions=True,playout=game",
    "simulations=10000,cutoff=0,implicit_minimax=1.0,c=0.05",
    "simulations=10000,cutoff=0,implicit_minimax=1.0,c=0.02",
)
END_OF_RACE = 71


class RacingPig(Pig):
    """Pig with playouts that keep pace and end the race."""

    def playout_action(self, random):
        mine, theirs, total = self.scores[self.mover], self.scores[1 - self.mover], self.turn_total
        if mine + total >= self.target:
            return HOLD
        if mine >= END_OF_RACE or theirs >= END_OF_RACE:
            return ROLL
        return HOLD if total >= 21 + (theirs - mine) / 8 else ROLL


class Playouts(bw.Bot):
    """Plays like the playouts."""

    name = "playouts"

    def choose(self, state: Any, limit: Any = None, moves: Any = None) -> int:
        return int(state.playout_action(None))

    def options(self) -> dict[str, object]:
        return {}


def lost_in_game(bot: bw.Bot, values: Values, seed: int) -> float:
    """Return the loss in the first player's winning chance by the decisions of one game."""
    rng = random.Random(seed)
    state = RacingPig()
    lost = 0.0
    while not state.is_terminal():
        if state.current_player() == bw.CHANCE:
            state.apply_action(rng.randrange(state.sides))
            continue
        known = values.action_values(state)
        action = best = max(known, key=known.__getitem__)
        if state.mover == 0 and len(known) > 1:
            action = bot.choose(state)
        lost += (known[best] - known[action]) / 2
        state.apply_action(action)
    return lost


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("searches", nargs="*", default=SEARCHES, help="options of mcts")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    values = value_iteration(RacingPig(), tolerance=1e-7, compiled=True)
    perfect = (1 + values.value(RacingPig())) / 2
    print(f"perfect play wins {perfect:.5f}")
    for text in ("playouts", *chosen.searches):
        begun = perf_counter()
        lost = []
        for seed in range(chosen.seed, chosen.seed + chosen.games):
            bot = Playouts() if text == "playouts" else bw.load_bot(f"mcts({text},reuse=False)", seed=seed)
            lost.append(lost_in_game(bot, values, seed))
        less, error = mean(lost), stdev(lost) / sqrt(len(lost))
        print(
            f"{text}: wins {perfect - less:.4f} ± {error:.4f}, {100 * less / perfect:.1f} % less than "
            f"perfect play, in {len(lost)} games and {perf_counter() - begun:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
