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

DRAWING = (
    "random.below(n), integers(low, high), uniform(low, high), normal(mean, deviation), exponential(scale), "
    "gamma(shape, scale), poisson(mean), binomial(n, p), choice(weights) and shuffle(array); "
    "1 + random.below(6) is a die, items[random.below(len(items))] an item of a list"
)
"""What rules can call on their argument `random`, for errors."""

_FEW = 16
"""Up to this mean, or number of trials, events are drawn one by one."""

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

    def integers(self, low: int, high: int | None = None) -> int:
        """Return a whole number from low to high - 1, or from 0 to low - 1 if `high` is not given."""
        if high is None:
            first, end = 0, int(low)
        else:
            first, end = int(low), int(high)
        if end <= first:
            raise ValueError("integers needs low < high")
        return first + self.below(end - first)

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number from `low`, below `high`: `low` plus a multiple of (high - low) * 2**-32."""
        return low + (high - low) * ((self._bits() >> 32) * 2.0**-32)

    def normal(self, mean: float = 0.0, deviation: float = 1.0) -> float:
        """Return a number of a normal distribution, by default of the standard one.

        Box, Muller, "A note on the generation of random normal deviates", 1958.
        """
        bits = self._bits()
        first, second = ((bits >> 32) + 1) * 2.0**-32, (bits & 0xFFFFFFFF) * 2.0**-32
        return mean + deviation * (math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second))

    # Compiled rules run the text of these methods too, so they call other methods and `math` alone.

    def exponential(self, scale: float = 1.0) -> float:
        """Return a number of the exponential distribution with the mean `scale`."""
        return 0.0 - scale * math.log(1.0 - self.uniform())

    def gamma(self, shape: float, scale: float = 1.0) -> float:
        """Return a number of the gamma distribution with the mean shape * scale; shape : above 0.

        Marsaglia, Tsang, "A simple method for generating gamma variables", 2000.
        """
        if shape <= 0:
            raise ValueError("gamma needs a shape above 0")
        factor = scale * 1.0
        larger = shape * 1.0
        if shape < 1:
            factor *= math.exp(math.log(1.0 - self.uniform()) / shape)
            larger += 1.0
        centre = larger - 1.0 / 3.0
        spread = 1.0 / math.sqrt(9.0 * centre)
        while True:
            x = self.normal()
            cube = 1.0 + spread * x
            if cube > 0.0:
                cube = cube * cube * cube
                limit = 0.5 * x * x + centre - centre * cube + centre * math.log(cube)
                if math.log(1.0 - self.uniform()) < limit:
                    return factor * (centre * cube)

    def binomial(self, n: int, p: float) -> int:
        """Return how many of n trials succeed, each with the probability p.

        Of many trials, one number in the middle of n sorted uniform numbers is drawn, and then those on one
        side of it: Devroye, "Non-uniform random variate generation", 1986, X.4.3.
        """
        if n < 0 or not 0 <= p <= 1:
            raise ValueError("binomial needs n from 0, and p from 0 to 1")
        count, left, share = 0, int(n), p * 1.0
        while left > _FEW:
            middle = left // 2 + 1
            below = self.gamma(middle)
            place = below / (below + self.gamma(left + 1 - middle))
            if place <= share:
                count += middle
                left -= middle
                share = (share - place) / (1.0 - place)
            else:
                left = middle - 1
                share /= place
        for _ in range(left):
            if self.uniform() < share:
                count += 1
        return count

    def poisson(self, mean: float = 1.0) -> int:
        """Return a number of the Poisson distribution.

        Of many events, the time of a late one is drawn: Ahrens, Dieter, "Computer methods for sampling from
        gamma, beta, Poisson and binomial distributions", 1974.
        """
        if mean < 0:
            raise ValueError("poisson needs a mean from 0")
        count, left = 0, mean * 1.0
        while left > _FEW:
            events = int(left * 0.875)
            time = self.gamma(events)
            if time > left:
                return count + self.binomial(events - 1, left / time)
            count += events
            left -= time
        time = self.exponential()
        while time < left:
            count += 1
            time += self.exponential()
        return count

    def choice(self, weights: Sequence[float]) -> int:
        """Return an index, with a probability in proportion to its weight.

        weights : numbers from 0, at least one above 0 (not checked).
        """
        total = 0.0
        try:
            for weight in weights:
                total += weight
        except TypeError:
            raise TypeError(
                "choice takes weights and returns an index; items[random.below(len(items))] is one of them"
            ) from None
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


def given_or_new(seed: int | None) -> int:
    """Return a seed as it is given, or a new one."""
    return secrets.randbits(63) if seed is None else int(seed)


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
        digest = blake2b(str(given_or_new(seed)).encode(), digest_size=8, person=b"world").digest()
        super().__init__(int.from_bytes(digest, "big"))
