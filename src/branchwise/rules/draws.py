"""Random numbers in plain Python, the same as those that compiled random games draw."""

from __future__ import annotations

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


def first_counter(seed: int) -> int:
    """Return where the stream of `seed` begins, as a number of 64 bits."""
    return seed & _MASK
