"""Kernels as plain functions, for searches whose machine code is not there yet.

They compute the same, bit for bit, hundreds of times more slowly: arrays have to be given as
`as_interpreted` makes them, and warnings of overflow to be off (`numpy.errstate`). They are for one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic as Intrinsic
from numpy.typing import NDArray

from branchwise.core.atomic import publish_field
from branchwise.core.kernel import Kernel


class _Record(np.record):  # type: ignore[misc]
    """A record whose fields are attributes, with those that NumPy has another meaning for."""

    @property
    def flags(self) -> Any:
        return self["flags"]


def as_interpreted(array: NDArray[Any]) -> NDArray[Any]:
    """Return the view of an array that interpreted kernels can take for what it is."""
    return array if array.dtype.names is None else array.view(np.dtype((_Record, array.dtype)))


_twins: dict[Kernel, FunctionType] = {}


def interpreted(kernel: Kernel) -> Callable[..., Any]:
    """Return the function that a kernel was made from, calling others that are interpreted, too.

    >>> from branchwise.core.prove import root_is_solved
    >>> interpreted(root_is_solved).__name__
    'root_is_solved'
    """
    twin = _twins.get(kernel)
    if twin is None:
        function = kernel.py_func
        known = dict(function.__globals__)
        twin = _twins[kernel] = FunctionType(function.__code__, known, function.__name__)
        for name in function.__code__.co_names:
            value = known.get(name)
            if isinstance(value, Dispatcher):
                known[name] = interpreted(value)
            elif isinstance(value, Intrinsic):
                known[name] = _PLAIN.get(value, _not_for_one_thread)
    return twin


def _publish_field(array: Any, index: int, field: str, value: Any) -> None:
    array[field][index] = value


def _not_for_one_thread(*_: Any) -> None:
    raise AssertionError("a tree that threads share is not searched by interpreted kernels")


_PLAIN = {publish_field: _publish_field}
