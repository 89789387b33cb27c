"""How core kernels are compiled.

A kernel is a plain function over arrays and a state; it knows no particular game. Called with another
game's state it is specialised again, because the game is part of the state's type. Kernels release the
interpreter lock, return statuses and never raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Kernel = Any
"""A compiled function; called like the function it was made from."""

ENTRY_KERNELS: list[Kernel] = []
"""Kernels that Python calls; `compile.cache` keeps their machine code on disk."""


INNER = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options for what only compiled code calls; wrappers for other callers take a quarter of the time."""


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function` on first use, for calls from other kernels."""
    return numba.njit(error_model="numpy", **INNER)(function)


def entry_kernel(function: Callable[..., Any]) -> Kernel:
    """Compile `function` on first use, for calls from Python."""
    compiled = numba.njit(nogil=True, error_model="numpy", no_cfunc_wrapper=True)(function)
    ENTRY_KERNELS.append(compiled)
    return compiled
