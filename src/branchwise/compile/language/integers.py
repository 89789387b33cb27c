"""Adding what Numba lacks of Python's arithmetic: methods of whole numbers, and functions of `math`.

As in Python, `bit_count` and `bit_length` use the absolute value. Compiled integers have 64 bits; `comb`,
`perm` and `factorial` raise OverflowError for larger results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.extending import intrinsic, overload, overload_method

from branchwise.core.machine.kernel import INNER


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


_OPTIONS: Any = {"jit_options": INNER, "strict": False}  # a lambda has no annotations


@overload(int, **_OPTIONS)
def _int(number: Any) -> Callable[[Any], Any] | None:
    return (lambda number: number.value) if isinstance(number, types.IntEnumMember) else None


@overload(float, **_OPTIONS)
def _float(truth: Any) -> Callable[[Any], Any] | None:
    return (lambda truth: 1.0 if truth else 0.0) if isinstance(truth, types.Boolean) else None


@overload(np.clip, **_OPTIONS)
def _clip(number: Any, low: Any, high: Any) -> Callable[[Any, Any, Any], Any] | None:
    if not isinstance(number, types.Integer | types.Float):
        return None
    return lambda number, low, high: min(max(number, low), high)


_LARGEST = 2**63 - 1
_MOST_FACTORS = 20
"""The largest n with n! below 2**63."""


@overload(math.comb, **_OPTIONS)
def _comb(n: Any, k: Any) -> Callable[[Any, Any], Any]:
    def comb(n: Any, k: Any) -> Any:
        if n < 0 or k < 0:
            raise ValueError("comb takes numbers from 0")
        chosen = 1
        for i in range(min(k, n - k)):
            if chosen > _LARGEST // (n - i):
                raise OverflowError("comb does not fit 64 bits")
            chosen = chosen * (n - i) // (i + 1)
        return chosen if k <= n else 0

    return comb


@overload(math.perm, **_OPTIONS)
def _perm(n: Any, k: Any = None) -> Callable[..., Any]:
    if k is None or isinstance(k, types.Omitted | types.NoneType):
        return lambda n, k=None: math.factorial(n)

    def perm(n: Any, k: Any = None) -> Any:
        if n < 0 or k < 0:
            raise ValueError("perm takes numbers from 0")
        orders = 1
        for i in range(min(k, n)):
            if orders > _LARGEST // (n - i):
                raise OverflowError("perm does not fit 64 bits")
            orders *= n - i
        return orders if k <= n else 0

    return perm


@overload(math.factorial, **_OPTIONS)
def _factorial(n: Any) -> Callable[[Any], Any]:
    def factorial(n: Any) -> Any:
        if n < 0:
            raise ValueError("factorial takes numbers from 0")
        if n > _MOST_FACTORS:
            raise OverflowError("factorial does not fit 64 bits")
        product = 1
        for i in range(2, n + 1):
            product *= i
        return product

    return factorial


@overload(math.isqrt, **_OPTIONS)
def _isqrt(n: Any) -> Callable[[Any], Any]:
    def isqrt(n: Any) -> Any:
        if n < 0:
            raise ValueError("isqrt takes numbers from 0")
        root = np.int64(math.sqrt(n))
        while root * root > n:
            root -= 1
        while (root + 1) * (root + 1) <= n:
            root += 1
        return root

    return isqrt


@overload(math.prod, **_OPTIONS)
def _prod(iterable: Any, start: Any = 1) -> Callable[..., Any]:
    def prod(iterable: Any, start: Any = 1) -> Any:
        product = start
        for item in iterable:
            product = product * item
        return product

    return prod


@overload(math.log, **_OPTIONS)
def _log(x: Any, base: Any) -> Callable[[Any, Any], Any]:
    return lambda x, base: math.log(x) / math.log(base)
