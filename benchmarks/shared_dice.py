"""How much luck is removed from a match if both games of a pair have the same dice.

In a match all games of a round have the same dice, a stream for each player: so a bot that is lucky in one
game sees its opponent have that luck in the other. This plays a match and compares the variance of a pair's
score with that of a pair with independent dice, which is the sum of the variances of its two games. The ratio
is the share of the games that the same certainty takes. Intervals of 95 % are by bootstrap over the pairs.

    python benchmarks/shared_dice.py pig --games 6000
    python benchmarks/shared_dice.py pig "mcts(simulations=50)" "mcts(simulations=50,c=1.4)" --games 2000
    python benchmarks/shared_dice.py backgammon --games 600
    python benchmarks/shared_dice.py backgammon random random --games 4000

Without bots named, one that holds at 20 plays pig against one that holds at 25, and two that count pips and
blots play backgammon. Openings are left out: a common opening ties the games of a pair together, too.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import branchwise as bw
from branchwise.games.backgammon import BAR
from branchwise.games.pig import HOLD, ROLL

RESAMPLES = 4000
PIPS = np.arange(1, BAR + 2)
PLAYERS = {
    "pig": (f"{__file__}:HoldAt(at=20)", f"{__file__}:HoldAt(at=25)"),
    "backgammon": (f"{__file__}:Runner(blot=4)", f"{__file__}:Runner(blot=8)"),
}


class HoldAt(bw.Bot):
    """Plays pig: holds with `at` points on the table, or if they win."""

    name = "hold_at"

    def __init__(self, *, at: int = 20) -> None:
        self.at = at

    def choose(self, state: Any, limit: Any = None, moves: Any = None) -> int:
        total = state.turn_total
        wins = state.scores[state.mover] + total >= state.target
        return HOLD if wins or total >= self.at else ROLL

    def options(self) -> dict[str, object]:
        return {"at": self.at}


class Runner(bw.Bot):
    """Plays backgammon: takes the move with the best lead in pips, less `blot` for each checker alone."""

    name = "runner"

    def __init__(self, *, blot: float = 4.0) -> None:
        self.blot = blot

    def choose(self, state: Any, limit: Any = None, moves: Any = None) -> int:
        return max(state.legal_actions(), key=lambda action: self._worth(state, action))

    def _worth(self, state: Any, action: int) -> float:
        after = state.copy()
        after.apply_action(action)
        mine, theirs = after.checkers[state.mover], after.checkers[1 - state.mover]
        return float((theirs - mine) @ PIPS - self.blot * (mine[:BAR] == 1).sum())

    def options(self) -> dict[str, object]:
        return {"blot": self.blot}


class Estimate(NamedTuple):
    """A number with its interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def pair_scores(game: str, bots: Sequence[str], games: int, seed: int) -> NDArray[np.float64]:
    """Play a match; return the first bot's score as first and as second player, [pairs, 2]."""
    result = bw.Match(game, bots, games=games, openings_depth=0, seed=seed).run()
    scores = np.full((games // 2, 2), math.nan)
    for record in result.records:
        if record.fault is not None:
            raise SystemExit(f"game {record.number} ended by a fault: {record.detail}")
        scores[record.plan.round, record.plan.seating.index(0)] = record.points()[0]
    return scores[~np.isnan(scores).any(axis=1)]


def ratio(scores: NDArray[np.float64]) -> float:
    """Return the variance of a pair's score over that with independent dice."""
    together = scores.sum(axis=1).var(ddof=1)
    return float(together / scores.var(axis=0, ddof=1).sum())


def estimated(scores: NDArray[np.float64], seed: int) -> Estimate:
    """Return the ratio with its interval."""
    source = np.random.default_rng(seed)
    again = [ratio(scores[source.integers(len(scores), size=len(scores))]) for _ in range(RESAMPLES)]
    low, high = np.quantile(again, (0.025, 0.975))
    return Estimate(ratio(scores), float(low), float(high))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", help="pig, backgammon, or another game of chance for two")
    parser.add_argument(
        "bots", nargs="*", help="two bots; for pig by default one that holds at 20, one at 25"
    )
    parser.add_argument("--games", type=int, default=2000, help="an even number (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    bots = chosen.bots or PLAYERS.get(chosen.game, ())
    if len(bots) != 2:
        parser.error("two bots play")
    if chosen.games < 4 or chosen.games % 2:
        parser.error("--games is an even number from 4")

    scores = pair_scores(chosen.game, bots, chosen.games, chosen.seed)
    share = estimated(scores, chosen.seed)
    print(f"{chosen.game}: {' against '.join(bots)}, {len(scores):,} pairs, seed {chosen.seed}")
    print(f"score of the first bot: {scores.mean():.3f}; as first player {scores[:, 0].mean():.3f}")
    for told, variance in (
        ("the same dice", scores.mean(axis=1).var(ddof=1)),
        ("independent dice", scores.var(axis=0, ddof=1).sum() / 4),
    ):
        print(f"variance of a pair's mean score with {told}: {variance:.4f}")
    print(f"ratio, the share of games that the same certainty takes: {share}")


if __name__ == "__main__":
    main()
