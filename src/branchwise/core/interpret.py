"""Kernels as plain functions, for searches whose machine code is not ready yet.

They compute the same, bit for bit, hundreds of times more slowly; a thousand simulations take less time
than compiling does. Arrays must be views from `as_interpreted`, and overflow warnings must be off
(`numpy.errstate`). They are for one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.extending import _Intrinsic as Intrinsic
from numpy.typing import NDArray

from branchwise.core.machine.atomic import publish_field
from branchwise.core.machine.kernel import Kernel
from branchwise.core.machine.prefetch import prefetch
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.machine.stop_requests import asked
from branchwise.core.machine.two_action_list import likely
from branchwise.core.numbers.logarithms import bits_of


@cache
def _record_type(fields: tuple[str, ...]) -> type[np.void]:
    """Return the type of records whose fields are attributes.

    NumPy's own, `np.record`, takes four times as long, and has another meaning for some names, as `flags`.
    """
    attributes = {name: property(itemgetter(name), _setter(name)) for name in fields}
    return type("Record", (np.void,), {"__slots__": (), **attributes})


def _setter(name: str) -> Callable[[Any, Any], None]:
    def set_field(record: Any, value: Any) -> None:
        record[name] = value

    return set_field


def as_interpreted(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of an array for interpreted kernels."""
    fields = array.dtype.names
    return array if fields is None else array.view(np.dtype((_record_type(fields), array.dtype)))


_twins: dict[Kernel, FunctionType] = {}


def interpreted(kernel: Kernel) -> Callable[..., Any]:
    """Return a kernel as a Python function that calls other kernels as Python functions too.

    >>> from branchwise.core.backup.prove import root_is_solved
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


def _never(request: int) -> bool:
    return False


def _copied(state: Any, memory: Any) -> Any:
    memory.copy_from(state)
    return memory


def _bits_of(number: Any) -> Any:
    return np.float64(number).view(np.uint64)


def _nothing(*_: Any) -> None:
    """Fetch nothing."""


def _same(test: Any) -> Any:
    return test


_PLAIN = {
    publish_field: _publish_field,
    asked: _never,
    on_stack: _copied,
    bits_of: _bits_of,
    prefetch: _nothing,
    likely: _same,
}
"""An interpreted kernel never sees a request to end; its caller checks between two calls."""
