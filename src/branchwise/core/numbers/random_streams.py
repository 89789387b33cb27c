"""Random numbers: SplitMix64, a counter run through a mixing function.

Each thread of a search owns four streams, so that the order of expansion, the moves of playouts, what
selection draws and outcomes of chance in the tree come independently in different drivers and still come out
the same. In a search from a belief whose rules draw, they have the stream of playouts to themselves, and
playouts take uniform moves from selection's. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number
generators", 2014.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from branchwise.core.machine.kernel import kernel

ORDER_STREAM = 0
PLAYOUT_STREAM = 1
SELECT_STREAM = 2
OUTCOME_STREAM = 3
NUM_STREAMS = 4
MOVES = NUM_STREAMS
"""Place behind the streams: how many moves a search has played, each of which entered a state."""

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = (np.uint64(s) for s in (27, 30, 31, 32))
_LOW = np.uint64(0xFFFFFFFF)


def new_streams(seed: int, thread: int = 0) -> NDArray[np.uint64]:
    """Return the counters of one thread, from any integer `seed`: those of its streams, and 0 MOVES."""
    entropy = abs(seed) * 2 + (seed < 0)
    sequence = np.random.SeedSequence(entropy, spawn_key=(thread,) if thread else ())
    streams = np.zeros(MOVES + 1, np.uint64)
    streams[:NUM_STREAMS] = sequence.generate_state(NUM_STREAMS, np.uint64)
    return streams


@kernel
def advanced(counter):
    """Return the stream's next counter; counter : uint64."""
    return counter + _GAMMA


@kernel
def next_counter(streams, stream):
    """Move a stream on by one draw; returns the counter that the draw is made from."""
    counter = advanced(streams[stream])
    streams[stream] = counter
    return counter


@kernel
def mixed(counter):
    """Return the 64 random bits that `counter` stands for, uint64."""
    z = counter
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    return z ^ (z >> _S31)


@kernel
def below_of(bits, bound):
    """Return the int64 in [0, bound) that random bits stand for; 1 <= bound < 2**31, not checked.

    Multiply-shift on the upper 32 of 64 bits: off from uniform by less than bound / 2**32.
    """
    return np.int64(((bits >> _S32) * np.uint64(bound)) >> _S32)


@kernel
def draw_below(counter, bound):
    """Return the int64 in [0, bound) that `counter` stands for; 1 <= bound < 2**31, not checked."""
    return below_of(mixed(counter), bound)


@kernel
def share_of(bits):
    """Return the float64 in [0, 1) that 64 random bits stand for, a multiple of 2**-32."""
    return (bits >> _S32) * 2.0**-32


@kernel
def draw_share(counter):
    """Return the float64 in [0, 1) that `counter` stands for, a multiple of 2**-32."""
    return share_of(mixed(counter))


@kernel
def draw_by_sums(counter, sums):
    """Return the index that `counter` stands for, drawn by weights whose partial sums are `sums`.

    sums : float64 [K], increasing, of weights from 0; the last is above 0.
    """
    aim = draw_share(counter) * sums[sums.size - 1]
    low, high = np.int64(0), np.int64(sums.size - 1)
    while low < high:
        middle = (low + high) // 2
        if sums[middle] > aim:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def draw_normal(counter):
    """Return the float32 of the standard normal distribution that `counter` stands for.

    Box, Muller, "A note on the generation of random normal deviates", 1958, from two halves of its bits.
    """
    bits = mixed(counter)
    first = ((bits >> _S32) + np.uint64(1)) * 2.0**-32
    second = (bits & _LOW) * 2.0**-32
    return np.float32(math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second))


@kernel
def draw_precise_normal(counter):
    """The same as float64."""
    bits = mixed(counter)
    first = ((bits >> _S32) + np.uint64(1)) * 2.0**-32
    second = (bits & _LOW) * 2.0**-32
    return math.sqrt(-2.0 * math.log(first)) * math.cos(2.0 * math.pi * second)


def next_draws(streams: NDArray[np.uint64], stream: int, count: int) -> list[int]:
    """Return the next `count` draws of a stream, which is modified in place, as 32-bit numbers.

    `draw * bound >> 32` of such a number equals the result of `draw_below` for the same counter.
    """
    counters = streams[stream] + _GAMMA * np.arange(1, count + 1, dtype=np.uint64)
    streams[stream] = counters[-1]
    z = (counters ^ (counters >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    draws: list[int] = ((z ^ (z >> _S31)) >> _S32).tolist()
    return draws


def give_back_draws(streams: NDArray[np.uint64], stream: int, count: int) -> None:
    """Move a stream back by `count` draws, so that they come again."""
    streams[stream : stream + 1] -= _GAMMA * np.full(1, count, np.uint64)
