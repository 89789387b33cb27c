"""Arrays that start on a separate cache line.

Each node is then in one line, and data that one thread writes all the time is in no line that another reads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

LINE = 128
"""Bytes: two lines of 64 that processors fetch together, or one line on Apple's."""


def aligned_empty(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array of `size` items with arbitrary content; memory is taken as it is written to.

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


def address(array: NDArray[Any]) -> int:
    """Return where an array begins, by the way that is faster for its type."""
    start: int = array.ctypes.data if array.dtype.names else array.__array_interface__["data"][0]
    return start


def _aligned(allocate: Callable[..., NDArray[Any]], size: int, kind: np.dtype[Any]) -> NDArray[Any]:
    length = size * kind.itemsize
    if length == 0:
        return np.empty(size, kind)
    block = allocate((-(-length // LINE) + 1) * LINE, np.uint8)
    return np.ndarray(size, kind, block, -address(block) % LINE)
