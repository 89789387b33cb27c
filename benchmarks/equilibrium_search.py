"""How far searches come to an equilibrium: exploitability against simulations, and simulations per second.

Exploitability is that of `branchwise.equilibrium`, which is OpenSpiel's: what a policy loses on average,
over both seats, to an opponent who knows it.

    python benchmarks/equilibrium_search.py convergence     one search of the whole game, from its start
    python benchmarks/equilibrium_search.py online          a search at each information state, from scratch
    python benchmarks/equilibrium_search.py speed           simulations per second, also OpenSpiel's

Numbers of `convergence` are means over `--seeds` seeds. `online` takes the mean of several searches at each
information state, which is the mixed strategy that opponents face; it includes OpenSpiel's C++ `ISMCTSBot`,
with its visits as a mixed strategy, where OpenSpiel can deal anew; for liar's dice it cannot. A row
ends where ten times the simulations would take longer than `--minutes`. Tables are in Markdown.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from statistics import mean, median

import numpy as np
import pyspiel

import branchwise as bw
from branchwise.equilibrium.game_tree import game_tree

GAMES = {"kuhn_poker": "kuhn_poker", "leduc_poker": "leduc_poker", "liars_dice(faces=3)": None}
"""By name: OpenSpiel's name, if its ISMCTS can play the game."""
BUDGETS = [10**power for power in range(2, 8)]
WEIGHT = 1.0
SECONDS = 0.5
"""Aim of one measurement of speed."""
MOMENTS = {"kuhn_poker": (0, 1), "leduc_poker": (0, 2)}
"""By game: moves of players after which the search begins."""

SEARCHES = {"kuhn_poker": 20, "leduc_poker": 3, "liars_dice(faces=3)": 10}
"""By game: searches of each information state, of which `online` takes the mean."""

Solver = Callable[[int, int], bw.Policy]
"""Returns the policy that is found by a number of simulations with a seed."""


def solved(name: str, planner: Callable[[int], bw.OOS | bw.MOISMCTS]) -> Solver:
    """Return a search of the whole game."""
    game = bw.load_game(name)
    return lambda simulations, seed: planner(seed).solve(game, simulations=simulations)


def asked(name: str, planner: Callable[[int], bw.OOS | bw.MOISMCTS]) -> Solver:
    """Return a search at each information state."""
    game = bw.load_game(name)

    def search(simulations: int, seed: int) -> bw.Policy:
        numbers = random.Random(seed)

        def rule(known: bw.InformationState) -> dict[int, float]:
            found = planner(numbers.getrandbits(60)).search(known, simulations=simulations)
            return found.policy()

        return bw.Policy(game, rule)

    return search


def openspiels(name: str, theirs: str) -> Solver:
    """Return OpenSpiel's search at each information state."""
    tree = game_tree(bw.load_game(name))

    def search(simulations: int, seed: int) -> bw.Policy:
        bot = openspiel_bot(simulations, seed)
        policy = bw.Policy(tree.game)
        for number, node in enumerate(tree.examples):
            state = pyspiel.load_game(theirs).new_initial_state()
            for action in tree.histories.actions(int(node)):
                state.apply_action(action)
            found = dict(bot.get_policy(state))
            start = int(tree.starts[number])
            for place, action in enumerate(tree.actions[number]):
                policy.probabilities[start + place] = found.get(action, 0.0)
        return policy

    return search


def openspiel_bot(simulations: int, seed: int) -> pyspiel.ISMCTSBot:
    return pyspiel.ISMCTSBot(
        seed,
        pyspiel.RandomRolloutEvaluator(1, seed),
        WEIGHT,
        simulations,
        -1,
        pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT,
        False,
        False,
    )


def mean_exploitability(policies: list[bw.Policy]) -> float:
    return mean(bw.exploitability(policy) for policy in policies)


def exploitability_of_mean(policies: list[bw.Policy]) -> float:
    """Return the exploitability of a player who follows one of the policies, drawn anew at each decision."""
    together = np.mean([policy.probabilities for policy in policies], axis=0)
    return bw.exploitability(bw.Policy.of(policies[0].tree, together))


def print_table(
    solvers: list[tuple[str, str, Solver]],
    budgets: list[int],
    seeds: dict[str, int],
    judge: Callable[[list[bw.Policy]], float],
    minutes: float,
) -> None:
    print("| game | search | " + " | ".join(f"{budget:,}" for budget in budgets) + " |")
    print("|---|---|" + "---:|" * len(budgets))
    for game, label, solver in solvers:
        solver(10, 1)  # loads or compiles the code
        cells, spent = [], 0.0
        for budget in budgets:
            if spent > 60 * minutes / 10:
                cells.append("")
                continue
            began = time.perf_counter()
            cells.append(f"{judge([solver(budget, seed) for seed in range(1, seeds[game] + 1)]):.4f}")
            spent = time.perf_counter() - began
        print(f"| {game} | {label} | " + " | ".join(cells) + " |", flush=True)


def convergence(names: list[str]) -> list[tuple[str, str, Solver]]:
    found = []
    for name in names:
        found += [
            (name, "`OOS`", solved(name, lambda seed: bw.OOS(seed=seed))),
            (name, "`OOS(baseline_step=0)`", solved(name, lambda seed: bw.OOS(baseline_step=0.0, seed=seed))),
            (name, "`MOISMCTS`", solved(name, lambda seed: bw.MOISMCTS(seed=seed))),
        ]
    return found


def online(names: list[str]) -> list[tuple[str, str, Solver]]:
    found = []
    for name in names:
        theirs = GAMES[name]
        found += [
            (name, "`OOS`", asked(name, lambda seed: bw.OOS(seed=seed))),
            (name, "`MOISMCTS`", asked(name, lambda seed: bw.MOISMCTS(seed=seed))),
        ]
        if theirs is not None:
            found.append((name, "OpenSpiel's ISMCTS", openspiels(name, theirs)))
    return found


def moment(name: str, moves: int, seed: int) -> bw.Playthrough:
    """Return a moment after `moves` random moves at which there are at least two legal actions."""
    rng = random.Random(seed)
    while True:
        played, left = bw.Playthrough(bw.load_game(name)()), moves
        while not played.is_over and (played.is_chance or left > 0):
            left -= not played.is_chance
            played.play(rng.choice(played.state.legal_actions()))
        if not played.is_over and len(played.state.legal_actions()) > 1:
            return played


def speed(rounds: int, seed: int) -> None:
    """Print simulations per second of processor time, taking turns."""
    print("| game | after moves | `MOISMCTS` | `OOS` | OpenSpiel's ISMCTS, C++ | `MOISMCTS` / OpenSpiel |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, after in ((name, after) for name, times in MOMENTS.items() for after in times):
        played = moment(name, after, seed)
        known = played.information_state(played.player)
        state = pyspiel.load_game(name).new_initial_state()
        for action in played.actions:
            state.apply_action(action)

        def ours(kind: type[bw.OOS | bw.MOISMCTS], count: int, known: bw.InformationState = known) -> None:
            kind(seed=seed).search(known, simulations=count)

        def theirs(count: int, state: pyspiel.State = state) -> None:
            openspiel_bot(count, seed).step(state)

        contenders: list[Callable[[int], None]] = [
            lambda count, run=ours: run(bw.MOISMCTS, count),
            lambda count, run=ours: run(bw.OOS, count),
            theirs,
        ]
        sizes = [2000] * 3
        rates: list[list[float]] = [[], [], []]
        for number in range(rounds + 2):  # the first two find the sizes
            for place, run in enumerate(contenders):
                before = time.process_time()
                run(sizes[place])
                rate = sizes[place] / max(time.process_time() - before, 1e-6)
                sizes[place] = max(1, int(rate * SECONDS))
                if number > 1:
                    rates[place].append(rate)
        ratios = [one / other for one, other in zip(rates[0], rates[2], strict=True)]
        cells = [f"{median(found) / 1000:,.0f} k/s" for found in rates]
        ratio = f"{median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"
        print(f"| {name} | {after} | " + " | ".join(cells) + f" | {ratio} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("convergence", "online", "speed"))
    parser.add_argument("--on", default=";".join(GAMES), help="games, with semicolons between them")
    parser.add_argument("--most", type=int, default=BUDGETS[-1], help="most simulations of a search")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    names = options.on.split(";")
    budgets = [budget for budget in BUDGETS if budget <= options.most]
    if options.what == "speed":
        speed(options.rounds, seed=1)
        return
    if options.what == "convergence":
        seeds = dict.fromkeys(names, options.seeds)
        print_table(convergence(names), budgets, seeds, mean_exploitability, options.minutes)
    else:
        print_table(online(names), budgets, SEARCHES, exploitability_of_mean, options.minutes)


if __name__ == "__main__":
    main()
