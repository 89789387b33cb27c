"""Genetic search for lines of actions, with the library pygad.

Holland, "Adaptation in natural and artificial systems", 1975.
"""

from __future__ import annotations

import logging
from typing import Any

from branchwise.compare.line_vectors import Decoder
from branchwise.compare.run import Record

_POPULATION = 50
_PARENTS = 20
_CHANGED = 2
_GENERATIONS = 10**9


def breed(decoder: Decoder, record: Record, seed: int) -> None:
    """Breed lines until an `EnoughError` ends it when the budget is spent.

    The population has 50 lines. Each generation has 20 parents, each the best of three random lines. A child
    takes the shares of one parent up to a random place and of another from there on; then up to two shares
    get new values. The two best lines survive.
    """
    import pygad

    quiet = logging.getLogger("branchwise.compare.genetic")
    quiet.propagate = False  # the library logs the errors of rules before it raises them
    if not quiet.handlers:
        quiet.addHandler(logging.NullHandler())

    def fitness(_: Any, shares: Any, __: int) -> float:
        return decoder.score(shares, record)

    pygad.GA(
        num_generations=_GENERATIONS,
        num_parents_mating=_PARENTS,
        fitness_func=fitness,
        sol_per_pop=_POPULATION,
        num_genes=decoder.length,
        gene_space={"low": 0.0, "high": 1.0},
        parent_selection_type="tournament",
        crossover_type="single_point",
        mutation_num_genes=min(_CHANGED, decoder.length),
        keep_elitism=2,
        random_seed=seed % 2**32,
        suppress_warnings=True,
        logger=quiet,
    ).run()
