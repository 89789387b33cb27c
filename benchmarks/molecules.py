"""Molecules: drug-likeness and penalised logP reached by searches, beside random and genetic search.

    pip install "branchwise[molecules,compare]"
    python benchmarks/molecules.py
    python benchmarks/molecules.py --objectives qed --seconds 10 --seeds 2

All build molecules of at most 40 tokens for the same time, in one thread and plain Python. "random" draws
tokens by how frequent they are. "genetic on tokens" breeds strings of tokens with PyGAD, and draws the first
ones and new tokens by how frequent tokens are. Brackets show 95 % intervals over seeds. --methods takes those
of `branchwise compare` too, such as "genetic", whose lines are vectors of shares.

After a minute each, on two cores with three times as much to do, in half an hour:

| qed | mean of the best | best | lines or simulations |
|---|---:|---:|---:|
| random | 0.844 [0.786, 0.901] | 0.8676 | 41,547 |
| genetic on tokens | 0.94809 [0.94710, 0.94907] | 0.9483 | 19,522 |
| nested(level=1) | 0.87079 [0.86987, 0.87170] | 0.8712 | 13,139 |
| nrpa(level=2) | 0.8707 [0.8687, 0.8726] | 0.8716 | 2,798 |
| mcts(selection=puct,c=0.3) | 0.831 [0.777, 0.885] | 0.8551 | 6,221 |

| penalised_logp | mean of the best | best | lines or simulations |
|---|---:|---:|---:|
| random | 5.3 [4.1, 6.5] | 5.8698 | 112,201 |
| genetic on tokens | 11.7004 | 11.7004 | 61,955 |
| nested(level=1) | 6.8 [5.8, 7.9] | 7.3219 | 45,937 |
| nrpa(level=2) | 9.4 [7.8, 10.9] | 10.0673 | 5,053 |
| mcts(selection=puct,c=0.3) | 11.7004 | 11.7004 | 24,867 |

The best molecules by QED all have a ring of 9 to 14 atoms, which chemists would not make, and the best by
penalised logP are chains of 40 carbons: what a score does not forbid, a search will find.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections.abc import Callable
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np

import branchwise as bw
from branchwise.arena.statistics.means import mean_of
from branchwise.compare.methods import run_method
from branchwise.compare.run import Budget, EnoughError, MethodRun, Record
from branchwise.problems.molecules import FREQUENCIES, STOP, Molecule, forget_scores

METHODS = (
    *("random", "genetic on tokens", "nested(level=1)", "nrpa(level=2)"),
    "mcts(selection=puct,c=0.3)",
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--objectives", nargs="*", default=("qed", "penalised_logp"))
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=40)
    parser.add_argument("--json", type=Path, help="write all runs to this file")
    options = parser.parse_args()
    kept: list[dict[str, Any]] = []
    for objective in options.objectives:
        state = Molecule(objective, tokens=options.tokens)
        runs: dict[str, list[MethodRun]] = {method: [] for method in options.methods}
        for seed in range(1, options.seeds + 1):  # the methods take turns
            for method in options.methods:
                forget_scores()
                found = OWN.get(method, run_method)(method, state, Budget(options.seconds), seed)
                runs[method].append(found)
                kept.append(
                    {
                        "objective": objective,
                        "method": method,
                        "seed": seed,
                        "score": found.best_score,
                        "molecules": found.steps,
                        "smiles": smiles(state, found),
                    }
                )
        print(f"\n| {objective} | mean of the best | best | lines or simulations | the best molecule |")
        print("|---|---:|---:|---:|---|")
        for method, ones in runs.items():
            best = max(ones, key=lambda one: one.best_score or -np.inf)
            scores = mean_of([one.best_score or -np.inf] for one in ones)
            steps = f"{mean(one.steps for one in ones):,.0f}"
            print(
                f"| {method} | {scores} | {best.best_score:.4f} | {steps} | `{smiles(state, best)}` |",
                flush=True,
            )
    if options.json is not None:
        options.json.write_text(json.dumps(kept, indent=1))


def smiles(state: Molecule, found: MethodRun) -> str:
    """Return the best molecule of a run."""
    return played(state, found.best_line).smiles()


def played(state: Molecule, line: Any) -> Molecule:
    end = state.clone()
    for action in line:
        end.apply_action(action)
    return end


def recorded(
    method: str, state: Molecule, budget: Budget, seed: int, search: Callable[[Any], None]
) -> MethodRun:
    """Return a run of `method`, which passes all its words to the given function until the time is up."""
    record = Record(budget, state.max_return or np.inf)

    def score(word: Any) -> float:
        """Return the score of the molecule of a word, skipping illegal actions."""
        record.check()
        end, line = state.clone(), list[int]()
        for action in (int(one) for one in word):
            if end.is_terminal():
                break
            if action in end.legal_actions():
                end.apply_action(action)
                line.append(action)
        if not line:
            return -100.0
        if not end.is_terminal():
            end.apply_action(STOP)
            line.append(STOP)
        record.steps += 1
        record.entered += len(line)
        found = end.rewards()[0]
        record.found(found, line)
        return found

    try:
        search(score)
    except EnoughError as enough:
        return record.run(method, seed, str(enough))
    raise AssertionError(f"{method} ended before its budget")


def at_random(method: str, state: Molecule, budget: Budget, seed: int) -> MethodRun:
    """Draw words in proportion to token frequencies."""

    def search(score: Callable[[Any], float]) -> None:
        draws, length = np.random.default_rng(seed), state.max_game_length
        while True:
            score(draws.choice(state.num_actions, length, p=odds(state)))

    return recorded(method, state, budget, seed, search)


def bred(method: str, state: Molecule, budget: Budget, seed: int) -> MethodRun:
    """Breed words with PyGAD: population 100, tournaments of three, one crossover, one or two new tokens."""
    import pygad

    quiet = logging.getLogger("benchmarks.molecules")
    quiet.propagate = False
    quiet.addHandler(logging.NullHandler())
    draws, length = np.random.default_rng(seed), state.max_game_length

    def mutated(children: Any, _: Any) -> Any:
        for child in children:
            for place in draws.integers(length, size=draws.integers(1, 3)):
                child[place] = draws.choice(state.num_actions, p=odds(state))
        return children

    def search(score: Callable[[Any], float]) -> None:
        pygad.GA(
            num_generations=10**9,
            num_parents_mating=40,
            fitness_func=lambda _, word, __: score(word),
            initial_population=draws.choice(state.num_actions, (100, length), p=odds(state)),
            gene_type=int,
            parent_selection_type="tournament",
            crossover_type="single_point",
            mutation_type=mutated,
            keep_elitism=4,
            random_seed=seed,
            suppress_warnings=True,
            logger=quiet,
        ).run()

    return recorded(method, state, budget, seed, search)


def odds(state: Molecule) -> Any:
    """Return the probability of each action, by its frequency."""
    weights = np.array([FREQUENCIES[state.action_to_string(action)] for action in range(state.num_actions)])
    return weights / weights.sum()


OWN = {"random": at_random, "genetic on tokens": bred}

if __name__ == "__main__":
    began = perf_counter()
    main()
    print(f"\nBranchwise {bw.__version__}, {perf_counter() - began:.0f} s")
