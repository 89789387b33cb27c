"""Choosing among the actions at a root: their order, and the confidence bound of "secure"."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.rules.facts.facts import GameFacts
from branchwise.search.results.result import Child
from branchwise.search.tree.child_order import as_well_known, best_first, urgency

CONFIDENCE_DEVIATIONS = 1.96
_LAST_ROUND = 0.6
"""Minimum visits of an action in the last round of sequential halving, as a share of the maximum."""


def in_order(
    children: list[Child], choice: str, facts: GameFacts, risk: float | None = None
) -> tuple[Child, ...]:
    """Return the children in order, the best first.

    Proofs come first (see `search.tree.child_order`), then `choice`: "visits", then value (continuous actions
    as in `search.tree.child_order`); "value"; "secure", the lower confidence bound; or "halving", the value
    among the actions of the last round. risk : a quantile of the returns that replaces the value and, unless
    `choice` is "halving", the visits.
    """
    value = np.array([-math.inf if child.value is None else child.value for child in children])
    visits = np.array([child.visits for child in children])
    owners = np.zeros(len(children), np.int64)
    keys: tuple[NDArray[Any], ...] = (visits, value)
    if facts.dimensions:
        keys = (as_well_known(owners, visits), value)
    if choice == "value":
        keys = (value, visits)
    elif choice == "secure":
        bounds = [-math.inf if child.lower_bound is None else child.lower_bound for child in children]
        keys = (np.array(bounds), value)
    if risk is not None:
        value = np.array(
            [-math.inf if child.spread is None else child.spread.quantile(risk) for child in children]
        )
        keys = (value, visits)
    if choice == "halving":
        last_round = visits > _LAST_ROUND * visits.max()
        keys = (np.where(last_round, math.inf, visits), value)
    lower = np.array([child.lower for child in children])
    upper = np.array([child.upper for child in children])
    middle = facts.middle

    def hurry(places: NDArray[np.int64]) -> NDArray[np.int64]:
        proven = upper[places]
        if (proven == middle).all():
            return np.zeros(places.size, np.int64)  # draws do not hurry, so nothing is read
        moves = np.array([children[place].moves_to_end or 0 for place in places.tolist()])
        return urgency(moves, proven, middle)

    order = best_first(owners, keys, value, lower, upper, hurry)
    return tuple(children[place] for place in order.tolist())


def lower_bound(value: float, visits: int, min_return: float, max_return: float) -> float:
    """Return a lower confidence bound of the expected return, given `visits` returns with mean `value`.

    value - 1.96 sqrt((max - value) (value - min) / visits), at least min: the normal approximation with
    the largest variance that numbers with this mean and these bounds can have (Bhatia, Davis, "A better
    bound on the variance", 2000). The tree keeps no squares, so the variance itself is not known.
    min_return, max_return : the game's bounds, or the least and greatest return seen.

    >>> round(lower_bound(0.0, 100, -1.0, 1.0), 3)
    -0.196
    """
    variance = max(0.0, (max_return - value) * (value - min_return))
    return max(min_return, value - CONFIDENCE_DEVIATIONS * math.sqrt(variance / visits))
