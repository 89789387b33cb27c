"""What random numbers stand for in games that are played: outcomes, and where a game's stream begins."""

from __future__ import annotations

from collections.abc import Sequence

_MASK = 2**64 - 1


def outcome_of(chances: Sequence[float], share: float) -> int:
    """Return the place of the outcome that `share`, from [0, 1), stands for.

    >>> [outcome_of((0.25, 0.5, 0.25), share) for share in (0.0, 0.25, 0.7, 0.75)]
    [0, 1, 1, 2]
    """
    for place, chance in enumerate(chances):
        share -= chance
        if share < 0.0:
            return place
    return len(chances) - 1


def first_counter(seed: int) -> int:
    """Return where the stream of `seed` begins, as a number of 64 bits."""
    return seed & _MASK
