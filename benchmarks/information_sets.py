"""Simulations per second of information-set search, beside OpenSpiel's C++ `ISMCTSBot`.

Both search what the player to move knows, at the same moments of random games, with one random game per
simulation and the same exploration weight. Both deal a new state for each simulation. They take turns for
`--rounds` rounds, on one thread, with as many simulations as OpenSpiel runs in `--seconds`, and processor
time counts. Prints medians, with the range of the ratios.

    python benchmarks/information_sets.py
    python benchmarks/information_sets.py --rounds 3 --on kuhn_poker,leduc_poker --markdown
"""

from __future__ import annotations

import argparse
import random
import time
from dataclasses import dataclass, field
from statistics import median

import pyspiel

import branchwise as bw

WEIGHT = 1.0
SECONDS = 0.5
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


class Ours:
    """Searches of what the player to move knows, by Branchwise."""

    def __init__(self, at: Moment, seed: int) -> None:
        known = bw.Playthrough(bw.load_game(at.game)(), at.actions)
        self._known = known.information_state(known.player)
        self._planner = bw.MCTS(c=WEIGHT, seed=seed, playout="uniform", scale="bounds")

    def search(self, simulations: int) -> None:
        self._planner.search(self._known, simulations=simulations)


class Theirs:
    """The same by OpenSpiel."""

    def __init__(self, at: Moment, seed: int) -> None:
        self._state, self._seed = pyspiel.load_game(at.game).new_initial_state(), seed
        for action in at.actions:
            self._state.apply_action(action)

    def search(self, simulations: int) -> None:
        bot = pyspiel.ISMCTSBot(
            self._seed,
            pyspiel.RandomRolloutEvaluator(1, self._seed),
            WEIGHT,
            simulations,
            -1,
            pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
            False,
            False,
        )
        bot.step(self._state)


def rate(one: Ours | Theirs, simulations: int) -> float:
    """Return the simulations per second of processor time of a search of this length."""
    before = time.process_time()
    one.search(simulations)
    return simulations / (time.process_time() - before)


def measure(at: Moment, rounds: int, seconds: float, seed: int) -> None:
    """Let both search in turn, with as many simulations as OpenSpiel runs in `seconds`."""
    ours, theirs = Ours(at, seed), Theirs(at, seed)
    theirs.search(1000)
    simulations = max(1, int(rate(theirs, 1000) * seconds))
    simulations = max(1, int(rate(theirs, simulations) * seconds))
    ours.search(simulations)  # loads or compiles the code
    for number in range(rounds):
        turns = [(ours, at.ours), (theirs, at.theirs)]
        for one, found in turns if number % 2 else reversed(turns):
            found.append(rate(one, simulations))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--on", default=",".join(MOMENTS), help="games, with commas between them")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="duration of OpenSpiel's searches")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    rows = []
    for name in options.on.split(","):
        for moves in MOMENTS[name]:
            at = moment(name, moves, options.seed)
            measure(at, options.rounds, options.seconds, options.seed)
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
