"""Recording the values that rules read from outside, to notice when any of them changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import repeat
from operator import is_
from types import CellType, FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.sources.constant_containers import frozen_container

MISSING: Any = object()
"""In place of the value of a missing name."""


class Reads:
    """Names with their objects, functions with their code, and arrays with their content, at one time."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[Mapping[str, Any], dict[str, Any], set[str]]] = {}
        """By identity: modules and classes, with the objects of names, and names that are missing there."""

        self._cells: list[tuple[CellType, Any]] = []
        self._functions: list[tuple[FunctionType, Any, Any]] = []
        self._arrays: list[tuple[NDArray[Any], bytes]] = []
        self._containers: list[Any] = []
        self._copies: list[Any] = []

    def add_names(self, namespace: Mapping[str, Any], names: Iterable[str]) -> None:
        """Record the objects of names in a module or a class, and which of them are missing there."""
        _, present, missing = self._names.setdefault(id(namespace), (namespace, {}, set()))
        for name in names:
            value = namespace.get(name, MISSING)
            if value is MISSING:
                missing.add(name)
            else:
                present.setdefault(name, value)

    def add_function(self, function: FunctionType) -> None:
        """Record the code of a function, the defaults of its parameters and its captured variables."""
        self._functions.append((function, function.__code__, function.__defaults__))
        given = function.__kwdefaults__ or {}
        if given:
            self.add_names(given, given)
        for cell in function.__closure__ or ():
            self._cells.append((cell, content(cell)))

    def add_array(self, array: NDArray[Any]) -> None:
        """Record the content of an array."""
        self._arrays.append((array, array.tobytes()))

    def add_container(self, container: Any) -> None:
        """Record the items of a list, a dict or a set; those of containers in it are recorded separately."""
        self._containers.append(container)
        self._copies.append(container.copy())

    @property
    def functions(self) -> list[FunctionType]:
        """The recorded functions of users."""
        return [function for function, *_ in self._functions]

    def hold(self) -> bool:
        """Whether everything is as recorded; for ordinary rules this takes a few microseconds."""
        # Loops over hundreds of names are left to C: every search asks several times.
        for namespace, present, missing in self._names.values():
            if missing and not namespace.keys().isdisjoint(missing):
                return False
            if present and not all(map(is_, map(namespace.get, present, repeat(MISSING)), present.values())):
                return False
        for function, code, given in self._functions:
            if function.__code__ is not code or function.__defaults__ is not given:
                return False
        return (
            all(content(cell) is value for cell, value in self._cells)
            and all(array.tobytes() == before for array, before in self._arrays)
            and self._containers == self._copies
        )


def content(cell: CellType) -> Any:
    """Return the value of a captured variable, or MISSING if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def frozen(value: Any) -> Any:
    """Return `value` in a form that later edits do not change: copies of arrays, frozen lists and dicts."""
    if type(value) is np.ndarray:
        return value.copy(order="K")
    if type(value) is tuple:
        return tuple(map(frozen, value))
    return frozen_container(value)
