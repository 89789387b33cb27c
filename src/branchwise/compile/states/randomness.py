"""The `random` argument of rules that draw: a stream of the search's random numbers.

Compiled rules get an object of the type defined here, plain Python an instance of `Randomness`; both give the
same numbers for the same stream.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.core.extending import intrinsic
from numpy.typing import NDArray

from branchwise.compile.states.native_types import ObjectType, Table, object_type
from branchwise.compile.states.stop_checks import GuardedCompiler
from branchwise.core.machine.kernel import INNER, kernel
from branchwise.core.numbers.random_streams import (
    PLAYOUT_STREAM,
    advanced,
    below_of,
    draw_precise_normal,
    mixed,
    share_of,
)
from branchwise.game.kinds.random_numbers import Draws


class RandomnessType(ObjectType):
    """The type of a stream of random numbers."""

    kind = "Random"


@njit(**INNER)
def _next_bits(self):  # type: ignore[no-untyped-def]
    self.counter = advanced(self.counter)
    return mixed(self.counter)


@njit(**INNER)
def _below(self, bound):  # type: ignore[no-untyped-def]
    return below_of(self.next_bits(), bound)


@njit(**INNER)
def _uniform(self, low=0.0, high=1.0):  # type: ignore[no-untyped-def]
    return low + (high - low) * share_of(self.next_bits())


@njit(**INNER)
def _normal(self, mean=0.0, deviation=1.0):  # type: ignore[no-untyped-def]
    self.next_bits()
    return mean + deviation * draw_precise_normal(self.counter)


@njit(**INNER)
def _choice(self, weights):  # type: ignore[no-untyped-def]
    total = 0.0
    for weight in weights:
        total += weight
    left = share_of(self.next_bits()) * total
    chosen = 0
    for index in range(len(weights)):
        if weights[index] > 0.0:
            chosen = index
        left -= weights[index]
        if left < 0.0:
            break
    return chosen


@njit(**INNER)
def _shuffle(self, array):  # type: ignore[no-untyped-def]
    for last in range(len(array) - 1, 0, -1):
        other = below_of(self.next_bits(), last + 1)
        array[last], array[other] = array[other], array[last]


_METHODS = {
    "next_bits": _next_bits,
    "below": _below,
    "uniform": _uniform,
    "normal": _normal,
    "choice": _choice,
    "shuffle": _shuffle,
    **{
        name: njit(**{**INNER, "pipeline_class": GuardedCompiler})(getattr(Draws, name))
        for name in ("integers", "exponential", "gamma", "binomial", "poisson")
    },
}
_NATIVE = object_type(
    RandomnessType,
    Table(
        name="random",
        fingerprint="random-stream",
        dtype=np.dtype([("counter", np.uint64)]),
        methods=_METHODS,
    ),
)


# --- draws mixed ahead: the same numbers, which a processor that guessed wrongly need not wait for ----------


@njit(**INNER)
def _mix_ahead(self):  # type: ignore[no-untyped-def]
    self.following = mixed(advanced(self.counter))


@njit(**INNER)
def _bits_ahead(self):  # type: ignore[no-untyped-def]
    bits = self.following
    self.counter = advanced(self.counter)
    self.mix_ahead()
    return bits


_AHEAD = object_type(
    RandomnessType,
    Table(
        name="random_ahead",
        fingerprint="random-stream-ahead",
        dtype=np.dtype([("counter", np.uint64), ("following", np.uint64)]),
        methods={**_METHODS, "next_bits": _bits_ahead, "mix_ahead": _mix_ahead},
    ),
)


def _streams_as(native: ObjectType) -> Any:
    """Return a function (streams, index) that gives the stream at `index` as an object of this type."""

    def stream(typing_context: Any, streams: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            pointer = builder.gep(array.data, [args[1]])
            return builder.bitcast(pointer, context.get_value_type(native))

        return native(streams, index), generate

    return intrinsic(stream)


_stream = _streams_as(_NATIVE)
_ahead = _streams_as(_AHEAD)
"""The same with the word behind it."""


@kernel
def randomness(streams):  # type: ignore[no-untyped-def]
    """Return the object with which rules draw from the playouts' stream."""
    return _stream(streams, PLAYOUT_STREAM)


@njit(**INNER)
def _draws_from(self, streams):  # type: ignore[no-untyped-def]
    return _stream(streams, PLAYOUT_STREAM)


@njit(**INNER)
def _draws_ahead_from(self, streams):  # type: ignore[no-untyped-def]
    return _ahead(streams, PLAYOUT_STREAM)


DRAWING_METHODS = {"draws_from": _draws_from, "draws_ahead_from": _draws_ahead_from}
"""Additional methods of states whose rules draw: the source of their random numbers."""


class Randomness(Draws):
    """A stream of random numbers for rules in plain Python.

    streams : uint64, as of `core.numbers.random_streams.new_streams`; modified in place.

    >>> from branchwise.core.numbers.random_streams import new_streams
    >>> random = Randomness(new_streams(1))
    >>> 0 <= random.below(6) < 6, 0 <= random.uniform() < 1
    (True, True)
    """

    def __init__(self, streams: NDArray[np.uint64]) -> None:
        self._streams = streams

    @property
    def counter(self) -> int:
        return int(self._streams[PLAYOUT_STREAM])

    @counter.setter
    def counter(self, value: int) -> None:
        self._streams[PLAYOUT_STREAM] = value
