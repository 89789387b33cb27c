"""Reading .npz files from strangers: nothing in them is run, and their size is bounded."""

from __future__ import annotations

import math
from collections.abc import Container
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import ZipFile, ZipInfo

import numpy as np
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
        for part in parts:
            _check_head(packed, part)
    if not isinstance(file, Path):
        file.seek(0)
    with np.load(file, allow_pickle=False) as found:
        return {name: found[name] for name in found.files if only is None or name in only}


def _check_head(packed: ZipFile, part: ZipInfo) -> None:
    """Raise `ValueError` for an array with less content than its head says."""
    with packed.open(part) as content:
        version = npy.read_magic(content)
        read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, kind = read(content)
    if kind.hasobject or kind.itemsize * math.prod(shape) > part.file_size:
        raise ValueError(f"{part.filename} is not what its head tells")
