"""Ordering children, best first: the only such order, for results, trees and lines of play.

Proofs come first; then children are compared as the planner's `choice` says, most often by visits and then by
value. Among continuous actions with similar visits the value decides. A child that is proven to have the best
possible value comes before all others, unless the first of the unproven children has at least its value.
A child that is proven to be worse than another comes after all others.
Among proven wins the quickest comes first, among proven losses the longest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def best_first(
    owners: Indices,
    keys: Sequence[NDArray[Any]],
    value: NDArray[np.float64],
    lower: NDArray[Any],
    upper: NDArray[Any],
    hurry: Callable[[Indices], NDArray[np.int64]],
) -> Indices:
    """Return the indices of M children in order: grouped by parent, the best first.

    owners : [M] parents of the children, in ascending order.   keys : [M] each, what to compare children by,
    the most important first; greater is better.   value : mean return, -inf without visits.
    lower, upper : proven bounds.   hurry : called with the indices of proven children, if there are any;
    returns a key for each, by which those of equal value are sorted, the smallest first.
    """
    order = np.lexsort((*(-key for key in reversed(keys)), owners))
    if not order.size or upper.min() > lower.max():
        return order  # nothing is proven, and no child is below another's bound
    owners, value, lower, upper = owners[order], value[order], lower[order], upper[order]
    is_first = np.ones(owners.size, np.bool_)
    is_first[1:] = owners[1:] != owners[:-1]
    parent = np.cumsum(is_first) - 1
    safe = np.maximum.reduceat(lower, np.flatnonzero(is_first))
    floor = safe[parent]
    proven = lower >= upper
    sure = proven & (lower == floor)
    still_open = ~proven & (upper > floor)
    leader = np.full(safe.size, -np.inf)
    leader[parent[still_open][::-1]] = value[still_open][::-1]  # the last one set is the first in order
    trusted = (leader < safe)[parent]
    group = parent * 4 + 3  # proven to be worse than another
    group[still_open] -= 2
    group[sure] -= 1
    group[sure & trusted] -= 2
    if still_open.all():
        return order[np.argsort(group, kind="stable")]
    closed = ~still_open
    worth = np.where(closed, upper, 0.0)
    urgency = np.zeros(order.size, np.int64)
    urgency[closed] = hurry(order[closed])
    return order[np.lexsort((np.arange(order.size), urgency, -worth, group))]


def as_well_known(owners: Indices, visits: NDArray[Any]) -> NDArray[np.float64]:
    """Return [M] visits for comparing continuous actions: infinite for those with enough visits.

    Neighbouring actions have nearly the same value, so visits cannot tell them apart. Among those with at
    least half as many visits as their most visited sibling, the value decides. owners : as in `best_first`.
    """
    if not visits.size:
        return visits.astype(np.float64)
    begins = np.flatnonzero(np.diff(owners, prepend=-1))
    most = np.maximum.reduceat(visits, begins)[np.cumsum(np.diff(owners, prepend=-1) != 0) - 1]
    return np.where((2 * visits >= most) & (visits > 0), np.inf, visits)


def urgency(moves: NDArray[np.int64], value: NDArray[Any], middle: float) -> NDArray[np.int64]:
    """Return a sort key for proven children: quick wins and slow losses come first.

    moves : to the end of the game.   value : proven.   middle : of the game's returns.
    """
    return np.where(value > middle, moves, np.where(value < middle, -moves, 0))
