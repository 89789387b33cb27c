"""Our search against one compiled from its published source, for `cpp_template.py` and `rust_search.py`.

The peer is a program, called with a game, `search`, `games` or `perft`, an amount and a seed. It prints
seconds of processor time, how many simulations, games or sequences of moves there were, and the mean return
of the first player. Both sides take turns, and the one that begins alternates.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import median

import branchwise as bw
from branchwise.testing import perft
from random_games import CompiledPlayouts

DEVIATIONS = 5
"""Mean returns of random games differ by at most this many standard errors; a wrong rule would show."""

Rounds = list[dict[str, float]]


@dataclass(frozen=True)
class Contest:
    """A game that both have.

    game : ours.   simulations, games : of each round.   depth : to which the numbers of moves are compared.
    """

    name: str
    game: type[bw.Game]
    simulations: int
    games: int
    depth: int

    def our_search(self, c: float, amount: int, seed: int) -> tuple[float, float]:
        """Return simulations per second, and the first player's mean return."""
        planner = bw.MCTS(c=c, playout="uniform", proofs=False, seed=seed)
        started = time.process_time()
        result = planner.search(self.game(), simulations=amount)
        taken = time.process_time() - started
        assert result.simulations == amount
        return amount / taken, result.value

    def our_games(self, amount: int, seed: int) -> tuple[float, float]:
        """Return random games per second, and the first player's mean return."""
        playouts = CompiledPlayouts(self.game)
        started = time.process_time()
        playouts.seconds(amount, seed)
        return amount / (time.process_time() - started), playouts.mean_return


@dataclass(frozen=True)
class Peer:
    """A compiled program; c : our weight of exploration that equals the program's."""

    program: Path
    c: float

    def run(self, contest: Contest, what: str, amount: int, seed: int) -> tuple[float, int, float]:
        words = [self.program, contest.name, what, str(amount), str(seed)]
        told = subprocess.run(words, check=True, capture_output=True, text=True)
        seconds, done, mean = told.stdout.split()
        return float(seconds), int(done), float(mean)

    def check_moves(self, contest: Contest) -> None:
        """Compare the numbers of sequences of moves."""
        for depth in range(1, contest.depth + 1):
            ours, theirs = perft(contest.game(), depth), self.run(contest, "perft", depth, 0)[1]
            assert ours == theirs, f"{contest.name}: {ours:,} and {theirs:,} sequences of {depth} moves"

    def measure(self, contest: Contest, rounds: int) -> dict[str, Rounds]:
        """Return the rates and mean returns of both in each round, of searches and of random games."""

        def ours(amount: int, seed: int) -> tuple[float, float]:
            return contest.our_search(self.c, amount, seed)

        found = {
            "search": self._in_turns(contest, "search", ours, contest.simulations, rounds),
            "games": self._in_turns(contest, "games", contest.our_games, contest.games, rounds),
        }
        means = [median(told[who + ", mean return"] for told in found["games"]) for who in ("ours", "theirs")]
        most = DEVIATIONS * sqrt(2 / contest.games)
        assert abs(means[0] - means[1]) < most, f"{contest.name}: mean returns {means}"
        return found

    def _in_turns(
        self,
        contest: Contest,
        what: str,
        ours: Callable[[int, int], tuple[float, float]],
        amount: int,
        rounds: int,
    ) -> Rounds:
        ours(min(amount, 1000), 0)  # compiles
        found: Rounds = []
        for number in range(1, rounds + 1):
            told: dict[str, float] = {}
            for who in ("ours", "theirs") if number % 2 else ("theirs", "ours"):
                if who == "ours":
                    rate, mean = ours(amount, number)
                else:
                    seconds, done, mean = self.run(contest, what, amount, number)
                    assert done == amount, f"{contest.name}: {done} of {amount}"
                    rate = done / seconds
                told[who], told[f"{who}, mean return"] = rate, mean
            found.append(told)
        return found


def heading(peer: str) -> str:
    return (
        f"| | simulations | {peer} | ratio | random games | {peer} | ratio | mean return | {peer} |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )


def row(name: str, measured: dict[str, Rounds]) -> str:
    """Return a row of the table: rates in thousands a second, and ratios with their range."""
    cells = [name]
    for rounds in (measured["search"], measured["games"]):
        ratios = [told["ours"] / told["theirs"] for told in rounds]
        cells += [f"{median(told[who] for told in rounds) / 1000:,.1f} k/s" for who in ("ours", "theirs")]
        cells.append(f"{median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})")
    for who in ("ours", "theirs"):
        cells.append(f"{median(told[f'{who}, mean return'] for told in measured['games']):+.3f}")
    return "| " + " | ".join(cells) + " |"
