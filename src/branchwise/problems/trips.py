"""Local search for round trips, until no change of 2-opt or Or-opt shortens them.

2-opt reverses a part of the trip: Croes, "A method for solving traveling-salesman problems", 1958. Or-opt
moves one to three cities to another place, reversed or not: Or, "Traveling salesman-type combinatorial
problems", 1976.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Trip = NDArray[np.int64]
Lengths = NDArray[Any]
_LEAST_GAIN = 1e-9


def shortened(trip: Trip, distances: Lengths, fixed: int = 1, most_moved: int = 3) -> Trip:
    """Return the trip after local search: no change shortens it further.

    trip : all cities; the last leads back to the first.   distances : symmetric.   fixed : number of cities
    at the start that keep their places, from 1.   most_moved : maximum number of cities that Or-opt moves
    together; 0: only 2-opt.

    >>> square = np.array([[0, 10, 14, 10], [10, 0, 10, 14], [14, 10, 0, 10], [10, 14, 10, 0]])
    >>> shortened(np.array([0, 2, 1, 3]), square).tolist()
    [0, 1, 2, 3]
    """
    trip = np.array(trip, np.int64)
    before = None
    while before is None or (trip != before).any():
        before = trip.copy()
        for place in _improvable(_gains_by_reversing(trip, distances, np.arange(fixed, len(trip)))):
            _reverse_from(trip, distances, place + fixed)
        for length in range(1, min(most_moved, len(trip) - fixed) + 1):
            starts = np.arange(fixed, len(trip) - length + 1)
            for place in _improvable(_gains_by_moving(trip, distances, starts, length, fixed).max(axis=0)):
                _move_from(trip, distances, place + fixed, length, fixed)
    return trip


def _improvable(gains: Lengths) -> list[int]:
    """Return the rows with a gain."""
    found: list[int] = np.flatnonzero((gains > 0).any(axis=1)).tolist()
    return found


def _gains_by_reversing(trip: Trip, distances: Lengths, starts: Trip) -> Lengths:
    """Return the gain in length of reversing trip[start] to trip[end]: [starts, ends]."""
    after = np.roll(trip, -1)
    first, before = trip[starts], trip[starts - 1]
    kept = distances[before, first][:, None] + distances[trip, after]
    gains = kept - distances[before][:, trip] - distances[first][:, after]
    return np.where(np.arange(len(trip)) > starts[:, None], gains, 0)


def _reverse_from(trip: Trip, distances: Lengths, start: int) -> None:
    """Reverse the best part that begins at `start`, if that shortens the trip."""
    gains = _gains_by_reversing(trip, distances, np.array([start]))[0]
    end = int(gains.argmax())
    if gains[end] > 0:
        trip[start : end + 1] = trip[start : end + 1][::-1].copy()


def _gains_by_moving(trip: Trip, distances: Lengths, starts: Trip, length: int, fixed: int) -> Lengths:
    """Return the gain in length of moving `length` cities from trip[start] on behind trip[place].

    [2, starts, places]: in their order, and reversed.
    """
    after = np.roll(trip, -1)
    ends = starts + length - 1
    first, last = trip[starts], trip[ends]
    before, behind = trip[starts - 1], after[ends]
    removed = distances[before, first] + distances[last, behind] - distances[before, behind]
    opened = distances[trip, after]
    as_it_is = distances[first][:, trip] + distances[last][:, after] - opened
    reversed_ = distances[last][:, trip] + distances[first][:, after] - opened
    places = np.arange(len(trip))
    apart = (places < starts[:, None] - 1) | (places > ends[:, None])
    gains = removed[:, None] - np.stack([as_it_is, reversed_])
    return np.where(apart & (places >= fixed - 1), gains, 0)


def _move_from(trip: Trip, distances: Lengths, start: int, length: int, fixed: int) -> None:
    """Move `length` cities from `start` on to the best place, if that shortens the trip."""
    gains = _gains_by_moving(trip, distances, np.array([start]), length, fixed)[:, 0]
    turned, place = np.unravel_index(int(gains.argmax()), gains.shape)
    if gains[turned, place] <= 0:
        return
    trip[:] = _moved(trip, start, length, int(place), bool(turned))


def _moved(trip: Trip, start: int, length: int, place: int, turned: bool) -> Trip:
    """Return the trip with `length` cities from `start` on moved behind trip[place], perhaps reversed."""
    moved = trip[start : start + length]
    rest = np.delete(trip, np.arange(start, start + length))
    target = place + 1 if place < start else place + 1 - length
    return np.insert(rest, target, moved[::-1] if turned else moved)


def shortened_routes(
    trip: Trip, distances: Lengths, demands: Lengths, capacity: float, fixed: int = 1
) -> Trip:
    """Return routes after local search: no reversal, no move and no exchange of stops shortens them.

    trip : the routes one after another, each beginning with the depot, 0; the last leads back to it.
    demands : of each place; those of a route must not exceed `capacity`.   fixed : as for `shortened`.

    >>> line = np.abs(np.subtract.outer([0, 1, 2, -1, -2], [0, 1, 2, -1, -2])).astype(float)
    >>> shortened_routes(np.array([0, 1, 3, 0, 2, 4]), line, np.array([0, 1, 1, 1, 1.0]), 2.0).tolist()
    [0, 1, 2, 0, 3, 4]
    """
    trip = np.array(trip, np.int64)
    capacity *= 1 + 1e-10  # sums of the same demands may differ
    starts = np.arange(fixed, len(trip))
    while len(starts):
        routes = np.cumsum(trip == 0) - 1
        so_far = np.cumsum(demands[trip])
        so_far -= so_far[trip == 0][routes]
        loads = np.bincount(routes, demands[trip])
        room = capacity - loads[routes]
        # a reversal joins what comes before its start to what comes before its end, and the rests
        joined = so_far[starts - 1][:, None] + so_far
        whole = loads[routes[starts - 1]][:, None] + loads[routes]
        fit = (joined <= capacity) & (whole - joined <= capacity)
        same = routes[starts - 1][:, None] == routes
        kinds = [np.where(same | fit, _gains_by_reversing(trip, distances, starts), 0)]
        more = demands[trip] - demands[trip[starts]][:, None]
        fit = (more <= room[starts][:, None]) & (-more <= room)
        fit = (same | fit) & (trip != 0) & (trip[starts] != 0)[:, None]
        kinds.append(np.where(fit, _gains_by_exchanging(trip, distances, fixed), 0))
        for length in range(1, min(3, len(starts)) + 1):
            firsts = starts[: len(starts) - length + 1]
            ends = firsts + length - 1
            moved = so_far[ends] - so_far[firsts - 1]
            fit = (routes[firsts - 1] == routes[ends])[:, None] & (
                same[: len(firsts)] | (moved[:, None] <= room)
            )
            kinds += [*np.where(fit, _gains_by_moving(trip, distances, firsts, length, fixed), 0)]
        best = [float(gains.max()) for gains in kinds]
        kind = int(np.argmax(best))
        if best[kind] <= _LEAST_GAIN:
            break
        start, place = divmod(int(kinds[kind].argmax()), len(trip))
        trip = _changed(trip, kind, start + fixed, place)
    return trip


def _gains_by_exchanging(trip: Trip, distances: Lengths, fixed: int) -> Lengths:
    """Return the gain in length of exchanging trip[start] and trip[place], a later one: [starts, places].

    Neighbours are not exchanged: that is a reversal.
    """
    before, after = np.roll(trip, 1), np.roll(trip, -1)
    here = distances[before, trip] + distances[trip, after]
    there = distances[trip][:, before] + distances[trip][:, after]  # [of, at]
    gains = (here[:, None] + here - there - there.T)[fixed:]
    places = np.arange(len(trip))
    return np.where(places > places[fixed:, None] + 1, gains, 0)


def _changed(trip: Trip, kind: int, start: int, place: int) -> Trip:
    """Return the trip after a reversal (kind 0), an exchange (1), or a move of (kind // 2) stops."""
    if kind > 1:
        return _moved(trip, start, kind // 2, place, kind % 2 == 1)
    changed = trip.copy()
    if kind == 0:
        changed[start : place + 1] = trip[start : place + 1][::-1]
    else:
        changed[[start, place]] = trip[[place, start]]
    return changed
