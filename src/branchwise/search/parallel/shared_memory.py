"""Arrays in memory that processes share; it is freed when none of them uses it.

The memory is a file without a name, passed on as a descriptor. Decision 0016 says why this does not use
`multiprocessing.shared_memory`.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import SettingsError
from branchwise.common.processes import nameless_file
from branchwise.core.machine.memory import LINE
from branchwise.core.tree.node_fields import Sizes

_FAILED = ctypes.c_void_p(-1).value


class SharedArrays:
    """Arrays of the given sizes, all 0 at first, that can be sent to another process.

    Attributes:
    arrays : by name; each starts on a cache line. They outlive this object, which holds a descriptor.
    """

    def __init__(self, sizes: Sizes) -> None:
        size = _region_bytes(sizes)
        try:
            self._file = nameless_file(size)
            weakref.finalize(self, self._file.close)
            self.arrays = _arrays_in(self._file.fileno(), sizes)
        except OSError as error:
            raise SettingsError(
                f"the system gives no {size / 2**20:,.0f} MiB of memory to share between processes: {error}",
                mend="give less memory_mb or fewer threads",
            ) from error

    def send(self, connection: Connection, process: int) -> None:
        """Send the memory to the process with this id at the other end of a connection."""
        send_handle(connection, self._file.fileno(), process)


def received_arrays(connection: Connection, sizes: Sizes) -> dict[str, NDArray[Any]]:
    """Return the arrays, of known sizes, that the other end of the connection sends."""
    file = recv_handle(connection)
    try:
        return _arrays_in(file, sizes)
    finally:
        os.close(file)


def _arrays_in(file: int, sizes: Sizes) -> dict[str, NDArray[Any]]:
    """Return arrays of these sizes, one after another in a file."""
    region = np.asarray(_Mapping(file, _region_bytes(sizes)))
    arrays = {}
    start = 0
    for name, (count, dtype) in sizes.items():
        end = start + count * dtype.itemsize
        arrays[name] = region[start:end].view(dtype)
        start = _next_line(end)
    return arrays


def _region_bytes(sizes: Sizes) -> int:
    return max(sum(_next_line(count * dtype.itemsize) for count, dtype in sizes.values()), LINE)


def _next_line(offset: int) -> int:
    return -(-offset // LINE) * LINE


class _Mapping:
    """A file mapped into memory, as a buffer for NumPy arrays, which keep it alive.

    Unlike `mmap.mmap`, which up to Python 3.12 keeps a descriptor open while the memory is in use: results
    that a program keeps would exhaust the descriptors.
    """

    def __init__(self, file: int, size: int) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *3 * (ctypes.c_int,), ctypes.c_long)
        libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
        access = mmap.PROT_READ | mmap.PROT_WRITE
        address = libc.mmap(None, size, access, mmap.MAP_SHARED, file, 0)
        if address == _FAILED:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        self.__array_interface__: dict[str, Any] = {
            "data": (address, False),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }
        weakref.finalize(self, libc.munmap, address, size).atexit = False
