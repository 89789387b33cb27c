"""Natural logarithms and inverses of visits, faster than those of the C library, for searches that need many.

ln(n) = e ln 2 + ln(m) + ln(1 + r), where n = 2^e m (1 + r), m is one of 1024 steps from 1 to 2, and r is less
than one step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.extending import intrinsic

from branchwise.core.machine.kernel import kernel

_STEPS = 1024
_LOGS = np.log1p(np.arange(_STEPS) / _STEPS)
_INVERSES = 1.0 / (1.0 + np.arange(_STEPS) / _STEPS) * 2.0**-52
_SHARES = np.array([np.inf, *(1.0 / n for n in range(1, 1024))], np.float32)
"""[visits]: 1 / visits."""
_LOG_2 = math.log(2.0)
_PLACES = np.uint64(52)
_REST = np.uint64(42)
_LAST_STEP = np.uint64(_STEPS - 1)
_REST_BITS = np.uint64(2**42 - 1)
_BIAS = 1023
_THIRD = 1.0 / 3.0


@intrinsic
def bits_of(typing_context: Any, number: Any) -> Any:
    """Return the 64 bits of a float64 as uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@kernel
def log_of(number):
    """Return the natural logarithm of a whole number from 1, rounded to float32."""
    bits = bits_of(np.float64(number))
    step = (bits >> _REST) & _LAST_STEP
    rest = np.float64(bits & _REST_BITS) * _INVERSES[step]
    power = np.float64(np.int64(bits >> _PLACES) - _BIAS)
    return np.float32(power * _LOG_2 + _LOGS[step] + rest * (1.0 - rest * (0.5 - rest * _THIRD)))


@kernel
def inverse(visits):
    """Return 1 / visits, float32; infinity without any. Dividing would take longer than looking it up."""
    if visits < _SHARES.size:
        return _SHARES[np.uint64(visits)]
    return np.float32(1.0) / np.float32(visits)
