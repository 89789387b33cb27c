"""Converting random numbers to outcomes, and seeds to the starts of streams, in games that are played."""

from __future__ import annotations

from collections.abc import Sequence

_MASK = 2**64 - 1


def outcome_of(chances: Sequence[float], share: float) -> int:
    """Return the index of the outcome at cumulative probability `share`, from [0, 1).

    >>> [outcome_of((0.25, 0.5, 0.25), share) for share in (0.0, 0.25, 0.7, 0.75)]
    [0, 1, 1, 2]
    """
    for place, chance in enumerate(chances):
        share -= chance
        if share < 0.0:
            return place
    return len(chances) - 1


def first_counter(seed: int) -> int:
    """Return the first counter of the stream of `seed`, a number of 64 bits."""
    return seed & _MASK
