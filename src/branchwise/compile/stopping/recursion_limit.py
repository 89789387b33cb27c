"""Limiting the depth of recursion in compiled code by the size of each thread's stack.

Compiled code that overflows the stack would crash the program. The lowest address to which a thread's stack
may grow is stored in thread-local storage of the system, from which compiled code reads it.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

from branchwise.core.machine.stop_flags import STACK_KEY, TABLE

_RESERVE = 4
"""One part in this many of a stack is kept free, for the functions that a recursive one calls."""
_DEEPEST = 2**26
"""Bytes that functions may use if the stack is unlimited."""


def note_stack_limit() -> None:
    """Record the stack limit of this thread for compiled code; does nothing on Windows."""
    if sys.platform == "win32":
        return
    library = ctypes.CDLL(None)
    bounds = _bounds_on_macos(library) if sys.platform == "darwin" else _bounds(library)
    if bounds is None:
        return
    lowest, size = bounds
    if TABLE[STACK_KEY] == 0:
        TABLE[STACK_KEY] = _new_key(library)
    limit = lowest + max(size // _RESERVE, size - _DEEPEST)
    library.pthread_setspecific.argtypes = [ctypes.c_ulong, ctypes.c_void_p]
    library.pthread_setspecific(int(TABLE[STACK_KEY]), limit)


def _new_key(library: Any) -> int:
    """Return a key for thread-local storage, never 0."""
    key = ctypes.c_ulong(0)
    while key.value == 0:
        if library.pthread_key_create(ctypes.byref(key), None) != 0:
            return 0
    return key.value


def _bounds(library: Any) -> tuple[int, int] | None:
    """Return the lowest address of this thread's stack, and its size."""
    attributes = ctypes.create_string_buffer(256)
    address, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.pthread_self.restype = ctypes.c_ulong
    if not hasattr(library, "pthread_getattr_np"):
        return None
    if library.pthread_getattr_np(ctypes.c_ulong(library.pthread_self()), attributes) != 0:
        return None
    library.pthread_attr_getstack(attributes, ctypes.byref(address), ctypes.byref(size))
    library.pthread_attr_destroy(attributes)
    return int(address.value or 0), int(size.value)


def _bounds_on_macos(library: Any) -> tuple[int, int]:
    library.pthread_self.restype = ctypes.c_void_p
    library.pthread_get_stackaddr_np.restype = ctypes.c_void_p
    library.pthread_get_stackaddr_np.argtypes = [ctypes.c_void_p]
    library.pthread_get_stacksize_np.restype = ctypes.c_size_t
    library.pthread_get_stacksize_np.argtypes = [ctypes.c_void_p]
    me = library.pthread_self()
    size = int(library.pthread_get_stacksize_np(me))
    return int(library.pthread_get_stackaddr_np(me)) - size, size
