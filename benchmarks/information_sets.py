"""Simulations per second of information-set search, beside OpenSpiel's C++ `ISMCTSBot`.

Both search what the player to move knows, at the same moments of random games, with one random game per
simulation and the same exploration weight. Both deal a new state for each simulation. They take turns for
`--rounds` rounds, on one thread, and processor time counts. Prints medians, with the range of the ratios.

    python benchmarks/information_sets.py
    python benchmarks/information_sets.py --rounds 3 --on kuhn_poker,leduc_poker --markdown
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

import pyspiel

import branchwise as bw

WEIGHT = 1.0
SECONDS = 0.5
"""Aim of one measurement."""
MOMENTS = {"kuhn_poker": (0, 1), "leduc_poker": (0, 2), "hearts": (0, 16, 36)}
"""By game: moves of players after which the search begins; in hearts the first twelve pass cards on."""


@dataclass
class Moment:
    """One moment of a game, with the rates measured there."""

    game: str
    moves: int
    actions: list[int]
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)]


def moment(name: str, moves: int, seed: int) -> Moment:
    """Return a moment after `moves` random moves at which there are at least two legal actions."""
    rng = random.Random(seed)
    while True:
        played, left = bw.Playthrough(bw.load_game(name)()), moves
        if name == "hearts":
            played.play(1)  # pass cards to the left
        while not played.is_over and (played.is_chance or left > 0):
            left -= not played.is_chance
            played.play(rng.choice(played.state.legal_actions()))
        if not played.is_over and len(played.state.legal_actions()) > 1:
            return Moment(name, moves, list(played.actions))


def our_rate(at: Moment, seed: int) -> Iterator[float]:
    """Yield simulations per second of processor time, round after round."""
    known = bw.Playthrough(bw.load_game(at.game)(), at.actions)
    state = known.information_state(known.player)
    planner = bw.MCTS(c=WEIGHT, seed=seed, playout="uniform", scale="bounds")
    rate = 100_000.0
    planner.search(state, simulations=1000)  # loads or compiles the code
    while True:
        before = time.process_time()
        count = max(1, int(rate * SECONDS))
        planner.search(state, simulations=count)
        rate = count / (time.process_time() - before)
        yield rate


def their_rate(at: Moment, seed: int) -> Iterator[float]:
    """The same for OpenSpiel."""
    state = pyspiel.load_game(at.game).new_initial_state()
    for action in at.actions:
        state.apply_action(action)
    count, rate = 1000, 0.0
    while True:
        bot = pyspiel.ISMCTSBot(
            seed,
            pyspiel.RandomRolloutEvaluator(1, seed),
            WEIGHT,
            count,
            -1,
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
            False,
            False,
        )
        before = time.process_time()
        bot.step(state)
        rate = count / (time.process_time() - before)
        is_warm, count = count > 1000, max(1, int(rate * SECONDS))
        if is_warm:
            yield rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--on", default=",".join(MOMENTS), help="games, with commas between them")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in options.on.split(","):
        for moves in MOMENTS[name]:
            at = moment(name, moves, options.seed)
            ours, theirs = our_rate(at, options.seed), their_rate(at, options.seed)
            next(ours), next(theirs)
            for number in range(options.rounds):
                turns = [(ours, at.ours), (theirs, at.theirs)]
                for rate, found in turns if number % 2 else reversed(turns):
                    found.append(next(rate))
            rows.append(at)
    head = ("game", "after moves", "Branchwise", "OpenSpiel, C++", "ratio")
    if options.markdown:
        print("| " + " | ".join(head) + " |\n|---|---:|---:|---:|---:|")
    else:
        print("{:12} {:>11} {:>12} {:>14}  {}".format(*head))
    for row in rows:
        ratios = row.ratios
        cells = (
            row.game,
            row.moves,
            f"{median(row.ours) / 1000:,.0f} k/s",
            f"{median(row.theirs) / 1000:,.0f} k/s",
            f"{median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})",
        )
        if options.markdown:
            print("| " + " | ".join(str(cell) for cell in cells) + " |")
        else:
            print("{:12} {:>11} {:>12} {:>14}  {}".format(*cells))


if __name__ == "__main__":
    main()
