"""Adding `bit_count` and `bit_length`, which Numba lacks, to compiled integers.

As in Python, both use the absolute value; compiled integers have 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.extending import intrinsic, overload_method

from branchwise.core.kernel import INNER


@intrinsic
def _ones_in(typing_context: Any, number: Any) -> Any:
    """Return how many of 64 bits are set, one instruction on most processors."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _zeros_above(typing_context: Any, number: Any) -> Any:
    """Return how many of 64 bits are above the highest set bit."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


@overload_method(types.Integer, "bit_count", jit_options=INNER)  # type: ignore[call-arg]
def _bit_count(number: Any) -> Callable[[Any], Any]:
    signed = number.signed

    def bit_count(number: Any) -> Any:
        return _ones_in(abs(np.int64(number)) if signed else np.int64(number))  # type: ignore[call-arg]

    return bit_count


@overload_method(types.Integer, "bit_length", jit_options=INNER)  # type: ignore[call-arg]
def _bit_length(number: Any) -> Callable[[Any], Any]:
    signed = number.signed

    def bit_length(number: Any) -> Any:
        return 64 - _zeros_above(abs(np.int64(number)) if signed else np.int64(number))  # type: ignore[call-arg]

    return bit_length
