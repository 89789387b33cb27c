"""Reading .npz files from strangers: nothing in them is run, and their size is bounded."""

from __future__ import annotations

import math
from collections.abc import Container
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile, ZipInfo

from numpy.lib import format as npy
from numpy.typing import NDArray

MOST_BYTES = 2**31


def read_arrays(
    file: Path | BinaryIO, most: int | None = None, only: Container[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the arrays of an .npz file by name.

    most : bytes of memory, `MOST_BYTES` by default.   only : names of the arrays to read; None: all. Raises
    `ValueError` for a file that would take more, before it does, and what NumPy raises for a damaged one.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez_compressed(Path(folder, "a.npz"), zeros=np.zeros(1000))
    ...     print(read_arrays(Path(folder, "a.npz"))["zeros"].size)
    1000
    """
    most = MOST_BYTES if most is None else most
    with ZipFile(file) as packed:
        parts = [p for p in packed.infolist() if only is None or p.filename.removesuffix(".npy") in only]
        size = sum(part.file_size for part in parts)
        if size > most:
            raise ValueError(f"its arrays take {size:,} bytes, more than {most:,}")
        return {part.filename.removesuffix(".npy"): _array(packed, part) for part in parts}


def _array(packed: ZipFile, part: ZipInfo) -> NDArray[Any]:
    """Return an array; raises `ValueError` for one with less content than its head says."""
    with packed.open(part) as content:
        version = npy.read_magic(content)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = read(content)
        if kind.hasobject or kind.itemsize * math.prod(shape) > part.file_size:
            raise ValueError(f"{part.filename} is not what its head tells")
        content.seek(0)
        found: NDArray[Any] = npy.read_array(content)
    return found
