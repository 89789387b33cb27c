"""Arrays that start on a separate cache line.

Each node is then in one line, and data that one thread writes all the time is in no line that another reads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
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


def zeros_together(sizes: Mapping[str, tuple[int, DTypeLike]]) -> dict[str, NDArray[Any]]:
    """Return an array of zeros, as from `aligned_zeros`, for each name; all are in one block of memory.

    >>> both = zeros_together({"visits": (2, np.int32), "unused": (0, np.int8)})
    >>> both["visits"].tolist(), both["unused"].tolist()
    ([0, 0], [])
    """
    kinds = [(name, size, np.dtype(kind)) for name, (size, kind) in sizes.items()]
    room = sum(-(-size * kind.itemsize // LINE) for _, size, kind in kinds)
    block = np.zeros((room + 1) * LINE, np.uint8)
    start = -address(block) % LINE
    arrays = {}
    for name, size, kind in kinds:
        if size == 0:
            arrays[name] = _nothing(kind)
            continue
        arrays[name] = np.ndarray(size, kind, block, start)
        start += -(-size * kind.itemsize // LINE) * LINE
    return arrays


def address(array: NDArray[Any]) -> int:
    """Return where an array begins, by the way that is faster for its type."""
    start: int = array.ctypes.data if array.dtype.names else array.__array_interface__["data"][0]
    return start


def _aligned(allocate: Callable[..., NDArray[Any]], size: int, kind: np.dtype[Any]) -> NDArray[Any]:
    length = size * kind.itemsize
    if length == 0:
        return _nothing(kind)
    block = allocate((-(-length // LINE) + 1) * LINE, np.uint8)
    return np.ndarray(size, kind, block, -address(block) % LINE)


@cache
def _nothing(kind: np.dtype[Any]) -> NDArray[Any]:
    """Return the only array of this type without items: most of a search's arrays are unused."""
    return np.empty(0, kind)
