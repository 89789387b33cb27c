"""What compiled code depends on, as one short text.

Covers the code of every method and of every helper function it reaches, the constants they read, the
layout of the state, and the versions of Branchwise's own kernels, Numba, llvmlite, NumPy and Python. Code
is compared by its bytecode, so a change of a comment compiles nothing.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

_LENGTH = 20


class UnfitForCacheError(Exception):
    """A value whose content cannot be put into a fingerprint."""


class Fingerprint:
    """Collects values; `text()` is the same in every process that collected the same."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[int, int] = {}

    def add(self, value: Any) -> None:
        """Add a constant, a function with all it reaches, or a container of such.

        Raises `UnfitForCacheError` for a value of a kind whose content cannot be told.
        """
        if id(value) in self._seen:
            self._write("again", self._seen[id(value)])
        elif value is None or isinstance(value, bool | int | float | complex | str | bytes):
            self._write(type(value).__name__, repr(value))
        elif isinstance(value, tuple | list):
            self._write(type(value).__name__, len(value))
            for item in value:
                self.add(item)
        elif isinstance(value, frozenset | set):
            self.add(sorted(map(repr, value)))
        elif isinstance(value, np.ndarray | np.generic):
            array = np.asarray(value)
            self._write("array", array.dtype.descr, array.shape, np.ascontiguousarray(array).tobytes())
        elif isinstance(value, np.dtype):
            self._write("dtype", value.descr, value.itemsize)
        elif isinstance(value, Dispatcher):
            self._write("jit", sorted(map(str, value.targetoptions.items())))
            self.add(value.py_func)
        elif isinstance(value, FunctionType) and is_users_module(value.__module__):
            self._add_function(value)
        elif isinstance(value, CodeType):
            self._add_code(value)
        elif isinstance(value, ModuleType | type | FunctionType | BuiltinFunctionType | np.ufunc):
            self._write("name", getattr(value, "__module__", ""), value.__name__)
        elif isinstance(value, property):
            self.add(value.fget)
        elif isinstance(value, staticmethod):
            self.add(value.__func__)
        else:
            raise UnfitForCacheError(f"a {type(value).__name__}")

    def text(self) -> str:
        return self._hash.hexdigest()[:_LENGTH]

    def _write(self, *parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            self._hash.update(len(data).to_bytes(8, "little") + data)

    def _add_function(self, function: FunctionType) -> None:
        self._seen[id(function)] = len(self._seen)
        self.add(function.__code__)
        self.add(function.__defaults__)
        for cell in function.__closure__ or ():
            self.add(cell.cell_contents)
        for name, value in reached_globals(function):
            self._write(name)
            if isinstance(value, ModuleType) and is_users_module(value.__name__):
                for attribute in module_attributes(function, value):
                    self._write(attribute)
                    self.add(getattr(value, attribute))
            else:
                self.add(value)

    def _add_code(self, code: CodeType) -> None:
        self._write("code", code.co_code, code.co_names, code.co_varnames, code.co_freevars)
        self._write(code.co_argcount, code.co_kwonlyargcount, code.co_flags)
        for constant in code.co_consts:
            self.add(constant)


def code_names(code: CodeType) -> set[str]:
    """Return every name that `code` and the functions nested in it look up."""
    nested = (c for c in code.co_consts if isinstance(c, CodeType))
    return set(code.co_names).union(*(code_names(c) for c in nested))


def reached_globals(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of the global variables that `function` may read, by name."""
    for name in sorted(code_names(function.__code__)):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def is_users_module(module: str | None) -> bool:
    """Whether functions of a module have to be compiled with the rules; not so for NumPy and the like."""
    root = (module or "").partition(".")[0]
    return root not in sys.stdlib_module_names and root not in ("numpy", "numba")


def module_attributes(function: FunctionType, module: ModuleType) -> list[str]:
    """Return the attributes of `module` that `function` may read."""
    return sorted(name for name in code_names(function.__code__) if hasattr(module, name))


@cache
def toolchain_fingerprint() -> str:
    """Return the fingerprint of everything but the rules: our kernels and the versions below us."""
    fingerprint = Fingerprint()
    fingerprint.add((numba.__version__, llvmlite.__version__, np.__version__, sys.version))
    package = Path(__file__).parent.parent
    for folder in ("core", "compile"):
        for file in sorted((package / folder).glob("*.py")):
            fingerprint.add((file.name, file.read_bytes()))
    return fingerprint.text()
