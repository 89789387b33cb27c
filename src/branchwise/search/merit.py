"""Which child comes first: the only order of children, for results, trees and lines of play.

Children are compared by what the planner's `choice` asks for, most often by visits and then by value. Proofs
go before that. Of continuous actions with nearly as many visits the value decides. A child that is proven
to be as good as any can be comes before all others, unless the first
of those that are still open came to at least as much; one proven to be worse than another comes after them.
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
    """Return the places of M children in order: those of each parent together, the best first.

    owners : [M] whose children they are, in ascending order.   keys : by what children are compared, [M]
    each, the most important first; greater is better.   value : mean return, -inf without visits.
    lower, upper : proven bounds.   hurry : is given the places of proven children, if there are any, and
    returns for each what is smaller for the one to come first of several that are worth the same.
    """
    order = np.lexsort((*(-key for key in reversed(keys)), owners))
    if not order.size or upper.min() > lower.max():
        return order  # nothing is proven, and none is worse than another's bound
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
    leader[parent[still_open][::-1]] = value[still_open][::-1]  # the last to be set is the first in order
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
    """Return [M] visits by which continuous actions are compared: infinite for those known well enough.

    Neighbours are worth almost the same, so visits cannot tell them apart: of those with at least half of the
    most visits of any child of the same parent, the value decides. owners : as in `best_first`.
    """
    if not visits.size:
        return visits.astype(np.float64)
    begins = np.flatnonzero(np.diff(owners, prepend=-1))
    most = np.maximum.reduceat(visits, begins)[np.cumsum(np.diff(owners, prepend=-1) != 0) - 1]
    return np.where((2 * visits >= most) & (visits > 0), np.inf, visits)


def urgency(moves: NDArray[np.int64], value: NDArray[Any], middle: float) -> NDArray[np.int64]:
    """Return what to sort proven children by: quick wins and slow losses come first.

    moves : to the end of the game.   value : proven.   middle : of the game's returns.
    """
    return np.where(value > middle, moves, np.where(value < middle, -moves, 0))
