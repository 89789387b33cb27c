"""Random numbers in plain Python, the same as those that compiled random games draw."""

from __future__ import annotations

from collections.abc import Sequence

_MASK = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB


class Draws:
    """A stream of draws, from any integer `seed`: SplitMix64, as in `core.random`."""

    def __init__(self, seed: int) -> None:
        self._counter = first_counter(seed)

    def below(self, bound: int) -> int:
        """Return the next draw from [0, bound); 1 <= bound < 2**31.

        >>> draws = Draws(1)
        >>> [draws.below(6) for _ in range(8)]
        [3, 4, 5, 2, 2, 4, 5, 3]
        """
        self._counter = z = (self._counter + _GAMMA) & _MASK
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        return ((z ^ (z >> 31)) >> 32) * bound >> 32

    def share(self) -> float:
        """Return the next draw from [0, 1), a multiple of 2**-32."""
        return self.below(2**32) * 2.0**-32


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
