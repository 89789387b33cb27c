"""Local search for round trips and for the routes of vehicles, until no change shortens them.

2-opt reverses a part of the trip: Croes, "A method for solving traveling-salesman problems", 1958. Or-opt
moves one to three cities to another place, reversed or not: Or, "Traveling salesman-type combinatorial
problems", 1976. Routes also exchange two stops, and no change may overload a vehicle.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Trip = NDArray[np.int64]
Lengths = NDArray[Any]
_LEAST_GAIN = 1e-9
_REVERSAL, _EXCHANGE = 0, -1
"""Changes, beside moves of one to three cities."""


class _Task(NamedTuple):
    distances: Lengths
    fixed: int
    demands: Lengths | None
    capacity: float


def shortened(
    trip: Trip,
    distances: Lengths,
    fixed: int = 1,
    most_moved: int = 3,
    demands: Lengths | None = None,
    capacity: float = np.inf,
) -> Trip:
    """Return the trip after local search: no change shortens it further.

    trip : all cities; the last leads back to the first.   distances : symmetric.   fixed : number of cities
    at the start that keep their places, from 1.   most_moved : maximum number of cities that Or-opt moves
    together; 0: only 2-opt.   demands : of each place, where the trip is of routes one after another, each
    beginning with the depot, 0; those of a route must not exceed `capacity`.

    >>> square = np.array([[0, 10, 14, 10], [10, 0, 10, 14], [14, 10, 0, 10], [10, 14, 10, 0]])
    >>> shortened(np.array([0, 2, 1, 3]), square).tolist()
    [0, 1, 2, 3]
    >>> line = np.abs(np.subtract.outer([0, 1, 2, -1, -2], [0, 1, 2, -1, -2])).astype(float)
    >>> loads = np.array([0, 1, 1, 1, 1.0])
    >>> shortened(np.array([0, 1, 3, 0, 2, 4]), line, demands=loads, capacity=2.0).tolist()
    [0, 1, 2, 0, 3, 4]
    """
    trip, before = np.array(trip, np.int64), None
    task = _Task(distances, fixed, demands, capacity * (1 + 1e-10))  # sums of the same demands may differ
    moves = range(1, min(most_moved, len(trip) - fixed) + 1)
    while before is None or (trip != before).any():
        before = trip.copy()
        for change in (_REVERSAL, *(() if demands is None else (_EXCHANGE,)), *moves):
            starts = np.arange(fixed, len(trip) - max(change, 1) + 1)
            for start in starts[(_gains(trip, starts, change, task) > _LEAST_GAIN).any(axis=(0, 2))].tolist():
                gains = _gains(trip, np.array([start]), change, task)[:, 0]
                turned, place = divmod(int(gains.argmax()), len(trip))
                if gains[turned, place] > _LEAST_GAIN:
                    trip = _changed(trip, start, change, place, turned > 0)
    return trip


def _gains(trip: Trip, starts: Trip, change: int, task: _Task) -> Lengths:
    """Return the gain in length of a change at trip[start] that ends at a place: [ways, starts, places].

    It reverses from trip[start] to trip[place], exchanges the two, or moves `change` cities from trip[start]
    on behind trip[place], in their order or reversed.
    """
    distances, fixed, demands, capacity = task
    after, places = np.roll(trip, -1), np.arange(len(trip))
    first, before = trip[starts], trip[starts - 1]
    opened = distances[trip, after]
    if change == _REVERSAL:
        gains = (distances[before, first][:, None] + opened)[None]
        gains = gains - distances[before][:, trip] - distances[first][:, after]
        apart = places > starts[:, None]
    elif change == _EXCHANGE:  # neighbours are not exchanged: that is a reversal
        others = np.roll(trip, 1)
        now = distances[others, trip] + opened
        there = distances[first][:, others] + distances[first][:, after]
        here = distances[before][:, trip] + distances[after[starts]][:, trip]
        gains = (now[starts][:, None] + now - there - here)[None]
        apart = places > starts[:, None] + 1
    else:
        ends = starts + change - 1
        last, behind = trip[ends], after[ends]
        removed = distances[before, first] + distances[last, behind] - distances[before, behind]
        as_it_is = distances[first][:, trip] + distances[last][:, after] - opened
        reversed_ = distances[last][:, trip] + distances[first][:, after] - opened
        gains = removed[:, None] - np.stack([as_it_is, reversed_])
        apart = ((places < starts[:, None] - 1) | (places > ends[:, None])) & (places >= fixed - 1)
    if demands is not None:
        apart = apart & _fits(trip, starts, change, demands, capacity)
    return np.where(apart, gains, 0)


def _fits(trip: Trip, starts: Trip, change: int, demands: Lengths, capacity: float) -> Lengths:
    """Return whether no vehicle is overloaded by a change: [starts, places]."""
    routes = np.cumsum(trip == 0) - 1
    so_far = np.cumsum(demands[trip])
    so_far -= so_far[trip == 0][routes]
    loads = np.bincount(routes, demands[trip])[routes]
    room = capacity - loads
    same = routes[starts - 1][:, None] == routes
    if change == _REVERSAL:  # what comes before its start goes on to what comes before its end
        joined = so_far[starts - 1][:, None] + so_far
        rests = loads[starts - 1][:, None] + loads - joined
        fits = same | ((joined <= capacity) & (rests <= capacity))
    elif change == _EXCHANGE:
        more = demands[trip] - demands[trip[starts]][:, None]
        fits = same | ((more <= room[starts][:, None]) & (-more <= room))
        fits &= (trip != 0) & (trip[starts] != 0)[:, None]
    else:
        ends = starts + change - 1
        moved = so_far[ends] - so_far[starts - 1]
        fits = (routes[starts - 1] == routes[ends])[:, None] & (same | (moved[:, None] <= room))
    return np.asarray(fits)


def _changed(trip: Trip, start: int, change: int, place: int, turned: bool) -> Trip:
    """Return the trip after a change; turned : whether moved cities are reversed."""
    changed = trip.copy()
    if change == _REVERSAL:
        changed[start : place + 1] = trip[start : place + 1][::-1]
    elif change == _EXCHANGE:
        changed[[start, place]] = trip[[place, start]]
    else:
        moved, rest = trip[start : start + change], np.delete(trip, np.arange(start, start + change))
        target = place + 1 if place < start else place + 1 - change
        changed = np.insert(rest, target, moved[::-1] if turned else moved)
    return changed
