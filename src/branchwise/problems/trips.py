"""Local search for round trips, until no change of 2-opt or Or-opt shortens them.

2-opt reverses a part of the trip: Croes, "A method for solving traveling-salesman problems", 1958. Or-opt
moves one to three cities to another place, reversed or not: Or, "Traveling salesman-type combinatorial
problems", 1976.
"""

import numpy as np
from numpy.typing import NDArray

Trip = NDArray[np.int64]


def shortened(trip: Trip, distances: NDArray[np.int64], fixed: int = 1, most_moved: int = 3) -> Trip:
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


def _improvable(gains: NDArray[np.int64]) -> list[int]:
    """Return the rows with a gain."""
    found: list[int] = np.flatnonzero((gains > 0).any(axis=1)).tolist()
    return found


def _gains_by_reversing(trip: Trip, distances: NDArray[np.int64], starts: Trip) -> NDArray[np.int64]:
    """Return the gain in length of reversing trip[start] to trip[end]: [starts, ends]."""
    after = np.roll(trip, -1)
    first, before = trip[starts], trip[starts - 1]
    kept = distances[before, first][:, None] + distances[trip, after]
    gains = kept - distances[before][:, trip] - distances[first][:, after]
    return np.where(np.arange(len(trip)) > starts[:, None], gains, 0)


def _reverse_from(trip: Trip, distances: NDArray[np.int64], start: int) -> None:
    """Reverse the best part that begins at `start`, if that shortens the trip."""
    gains = _gains_by_reversing(trip, distances, np.array([start]))[0]
    end = int(gains.argmax())
    if gains[end] > 0:
        trip[start : end + 1] = trip[start : end + 1][::-1].copy()


def _gains_by_moving(
    trip: Trip, distances: NDArray[np.int64], starts: Trip, length: int, fixed: int
) -> NDArray[np.int64]:
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


def _move_from(trip: Trip, distances: NDArray[np.int64], start: int, length: int, fixed: int) -> None:
    """Move `length` cities from `start` on to the best place, if that shortens the trip."""
    gains = _gains_by_moving(trip, distances, np.array([start]), length, fixed)[:, 0]
    turned, place = np.unravel_index(int(gains.argmax()), gains.shape)
    if gains[turned, place] <= 0:
        return
    moved = trip[start : start + length].copy()
    if turned:
        moved = moved[::-1]
    rest = np.delete(trip, np.arange(start, start + length))
    target = int(place) + 1 if place < start else int(place) + 1 - length
    trip[:] = np.insert(rest, target, moved)
