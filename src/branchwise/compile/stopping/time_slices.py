"""Running compiled code in slices, so that Python can handle Ctrl-C between them."""

from __future__ import annotations

import time
from collections.abc import Callable

from branchwise.common.errors import BranchwiseError

UNFINISHED = -1
"""Returned by a kernel that has more work."""

_FIRST = 1024
_SECONDS = 0.1


def run_in_slices(kernel: Callable[[int], int], fault: Callable[[Exception], Exception] | None = None) -> int:
    """Call `kernel` with an amount of work until it returns anything but UNFINISHED, and return that.

    fault : makes the error to raise for an exception of the rules; None: the exception itself.
    """
    amount = _FIRST
    while True:
        started = time.perf_counter()
        try:
            status = kernel(amount)
        except Exception as error:
            if fault is None or isinstance(error, BranchwiseError):
                raise
            raise fault(error) from error
        if status != UNFINISHED:
            return status
        spent = time.perf_counter() - started
        if spent < _SECONDS / 2:
            amount *= 2
        elif spent > 2 * _SECONDS:
            amount = max(1, amount // 2)
