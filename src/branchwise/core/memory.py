"""Arrays that start at a cache line of their own.

Nodes then lie in one line each, and what one thread writes all the time is in no line that another reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE = 128
"""Bytes: two lines of 64, which processors fetch together; one on Apple's."""


def aligned_empty(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of `size` items, of any content; memory is taken as it is written to.

    >>> aligned_empty(3, np.int32).ctypes.data % LINE
    0
    """
    kind = np.dtype(dtype)
    lines = -(-size * kind.itemsize // LINE)
    block = np.empty((lines + 1) * LINE, np.uint8)
    start = -block.ctypes.data % LINE
    return block[start : start + size * kind.itemsize].view(kind)


def aligned_zeros(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of `size` items whose bytes are 0, those between a record's fields too.

    >>> aligned_zeros(3, np.int32).tolist()
    [0, 0, 0]
    """
    array = aligned_empty(size, dtype)
    array.view(np.uint8)[...] = 0
    return array
