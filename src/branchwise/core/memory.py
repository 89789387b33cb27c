"""Arrays that start at a cache line of their own.

Nodes then lie in one line each, and what one thread writes all the time is in no line that another reads.
"""

from __future__ import annotations

from collections.abc import Callable
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
    return _aligned(np.empty, size, np.dtype(dtype))


def aligned_zeros(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of `size` items whose bytes are 0, those between a record's fields too.

    >>> aligned_zeros(3, np.int32).tolist()
    [0, 0, 0]
    """
    return _aligned(np.zeros, size, np.dtype(dtype))


def _aligned(allocate: Callable[..., NDArray[Any]], size: int, kind: np.dtype[Any]) -> NDArray[Any]:
    lines = -(-size * kind.itemsize // LINE)
    block = allocate((lines + 1) * LINE, np.uint8)
    start = -block.ctypes.data % LINE
    return block[start : start + size * kind.itemsize].view(kind)
