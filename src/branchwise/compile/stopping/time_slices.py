"""Running compiled code in slices, so that Python can handle Ctrl-C between them."""

from __future__ import annotations

import time
from collections.abc import Callable

UNFINISHED = -1
"""Returned by a kernel that has more work."""

_FIRST = 1024
_SECONDS = 0.1


def run_in_slices(kernel: Callable[[int], int]) -> int:
    """Call `kernel` with an amount of work until it returns anything but UNFINISHED, and return that."""
    amount = _FIRST
    while True:
        started = time.perf_counter()
        status = kernel(amount)
        if status != UNFINISHED:
            return status
        spent = time.perf_counter() - started
        if spent < _SECONDS / 2:
            amount *= 2
        elif spent > 2 * _SECONDS:
            amount = max(1, amount // 2)
