"""Random numbers for rules in plain Python, equal to those of compiled rules from the same counter.

SplitMix64, a counter run through a mixing function: Steele, Lea, Flood, "Fast splittable pseudorandom number
generators", 2014.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import MutableSequence, Sequence
from hashlib import blake2b
from typing import Any

_MASK = 2**64 - 1
_GAMMA = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB


class Draws:
    """A stream of draws that begins after `counter`, 64 bits."""

    counter: int

    def __init__(self, counter: int) -> None:
        self.counter = counter & _MASK

    def below(self, bound: int) -> int:
        """Return a whole number from 0 to bound - 1; bound : from 1, below 2**31 (not checked).

        >>> draws = Draws(1)
        >>> [draws.below(6) for _ in range(8)]
        [3, 4, 5, 2, 2, 4, 5, 3]
        """
        return (self._bits() >> 32) * int(bound) >> 32

    def uniform(self) -> float:
        """Return a number from 0, below 1: a multiple of 2**-32."""
        return (self._bits() >> 32) * 2.0**-32

    def normal(self) -> float:
        """Return a number of the standard normal distribution.

        Box, Muller, "A note on the generation of random normal deviates", 1958.
        """
        bits = self._bits()
        first, second = ((bits >> 32) + 1) * 2.0**-32, (bits & 0xFFFFFFFF) * 2.0**-32
        return math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second)

    def choice(self, weights: Sequence[float]) -> int:
        """Return an index, with a probability in proportion to its weight.

        weights : numbers from 0, at least one above 0 (not checked).
        """
        total = 0.0
        for weight in weights:
            total += weight
        left, chosen = self.uniform() * total, 0
        for index, weight in enumerate(weights):
            if weight > 0.0:
                chosen = index
            left -= weight
            if left < 0.0:
                break
        return chosen

    def shuffle(self, array: MutableSequence[Any]) -> None:
        """Put the items of a list, or of a one-dimensional array, in random order, in place."""
        for last in range(len(array) - 1, 0, -1):
            other = self.below(last + 1)
            array[last], array[other] = array[other], array[last]

    def _bits(self) -> int:
        self.counter = z = (self.counter + _GAMMA) & _MASK
        z = ((z ^ (z >> 30)) * _MIX_1) & _MASK
        z = ((z ^ (z >> 27)) * _MIX_2) & _MASK
        return z ^ (z >> 31)


def draws_between(start: int, end: int) -> int:
    """Return the number of draws that take a stream from one counter to another.

    >>> draws = Draws(5)
    >>> _ = draws.below(6), draws.normal()
    >>> draws_between(5, draws.counter)
    2
    """
    return (end - start) * pow(_GAMMA, -1, _MASK + 1) & _MASK


class Random(Draws):
    """Random numbers for rules outside a search, such as in a game that is really played.

    seed : the same seed gives the same numbers; None: new ones. No search draws these numbers, whatever its
    seed, so a plan cannot foresee them.

    >>> random = Random(1)
    >>> 0 <= random.below(6) < 6, 0.0 <= random.uniform() < 1.0, random.choice([0.0, 2.0, 0.0])
    (True, True, 1)
    >>> cards = [1, 2, 3, 4, 5]
    >>> random.shuffle(cards)
    >>> sorted(cards)
    [1, 2, 3, 4, 5]
    """

    def __init__(self, seed: int | None = None) -> None:
        if seed is None:
            seed = secrets.randbits(63)
        digest = blake2b(str(seed).encode(), digest_size=8, person=b"world").digest()
        super().__init__(int.from_bytes(digest, "big"))
