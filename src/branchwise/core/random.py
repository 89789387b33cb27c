"""Random numbers: SplitMix64, a counter run through a mixing function.

Each search owns two streams, so that the order of expansion and the moves of playouts can be drawn
independently by different drivers and still come out the same. Source: Steele, Lea, Flood, "Fast
splittable pseudorandom number generators", 2014.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from branchwise.core.kernel import entry_kernel, kernel

ORDER_STREAM = 0
PLAYOUT_STREAM = 1
NUM_STREAMS = 2

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S32 = (np.uint64(s) for s in (27, 30, 31, 32))


def new_streams(seed: int) -> NDArray[np.uint64]:
    """Return the counters of the streams of a search, shape [NUM_STREAMS], from any integer `seed`."""
    sequence = np.random.SeedSequence(abs(seed) * 2 + (seed < 0))
    return sequence.generate_state(NUM_STREAMS, np.uint64).astype(np.uint64)


@kernel
def advanced(counter):
    """Return the stream's next counter; counter : uint64."""
    return counter + _GAMMA


@kernel
def draw_below(counter, bound):
    """Return the int64 in [0, bound) that `counter` stands for; 1 <= bound < 2**31, not checked.

    Multiply-shift on the upper 32 bits: off from uniform by less than bound / 2**32.
    """
    z = counter
    z = (z ^ (z >> _S30)) * _MIX_1
    z = (z ^ (z >> _S27)) * _MIX_2
    z = z ^ (z >> _S31)
    return np.int64(((z >> _S32) * np.uint64(bound)) >> _S32)


@entry_kernel
def fill_draws(streams, stream, draws):
    """Write the next draws of a stream into `draws`, int64 [n], modified in place, as 32-bit numbers.

    `draw * bound >> 32` of such a number is what `draw_below` gives for the same counter.
    """
    counter = streams[stream]
    for i in range(draws.size):
        counter = advanced(counter)
        z = counter
        z = (z ^ (z >> _S30)) * _MIX_1
        z = (z ^ (z >> _S27)) * _MIX_2
        z = z ^ (z >> _S31)
        draws[i] = np.int64(z >> _S32)
    streams[stream] = counter
