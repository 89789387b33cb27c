"""Fingerprints of everything that compiled code depends on.

A fingerprint covers the code of every method and of every helper function it reaches, the constants that they
read from anywhere, the layout of the state, and the versions of Branchwise's kernels, Numba, llvmlite, NumPy
and Python. Code is compared by its bytecode, so that a changed comment compiles nothing. Code that reads a
value of an unknown kind cannot be cached.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import llvmlite
import numba
import numpy as np
from numba import config, types
from numba.core.dispatcher import Dispatcher
from numba.experimental.jitclass.base import JitClassType
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.compile.sources.code_origin import is_users
from branchwise.compile.sources.constant_containers import FrozenDict, frozen_container
from branchwise.compile.sources.outside_values import Reads, content

_LENGTH = 20
_CLASS_CELL = "__class__"
"""The variable from which `super()` gets its class; the caller must add the methods reached through it."""
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_NUMPY_FUNCTION = type(np.sum)

_compiled_as: WeakKeyDictionary[Any, str] = WeakKeyDictionary()
"""The dependencies of each `jitclass` when it was first seen, before it was compiled."""


class UnfitForCacheError(Exception):
    """A value whose content cannot be put into a fingerprint."""


class Fingerprint:
    """Collects values; `text()` is the same in every process for the same values.

    `reads` can tell later whether the values have changed.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._seen: dict[Any, tuple[int, Any]] = {}
        self._unfit: UnfitForCacheError | None = None
        self.reads = Reads()

    def add(self, value: Any) -> None:
        """Add a constant, a function or a class with everything it reaches, or a container of these.

        Raises `UnfitForCacheError` for a value of an unknown kind, after everything else has been added.
        """
        self._add(value)
        if self._unfit is not None:
            raise self._unfit

    def add_text(self, text: str) -> None:
        """Add a text, even after a value of an unknown kind."""
        self._write(text)

    def text(self) -> str:
        return self._hash.hexdigest()[:_LENGTH]

    def _write(self, *parts: object) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else str(part).encode()
            self._hash.update(len(data).to_bytes(8, "little") + data)

    def _refuse(self, what: str) -> None:
        self._write("unfit")
        self._unfit = self._unfit or UnfitForCacheError(what)

    def _is_new(self, key: Any, keep_alive: Any) -> bool:
        """Whether `key` is new; if not, write a reference to the earlier value."""
        if key in self._seen:
            self._write("again", self._seen[key][0])
            return False
        self._seen[key] = len(self._seen), keep_alive
        return True

    def _add(self, value: Any) -> None:
        if type(value) in _PLAIN:
            self._write(type(value).__name__, repr(value))
        elif type(value) in (tuple, list):
            if type(value) is list:
                self.reads.add_container(value)
            self._write(type(value).__name__, len(value))
            for item in value:
                self._add(item)
        elif type(value) is dict:
            self.reads.add_container(value)
            self._write("dict", len(value))
            for pair in value.items():
                self._add(pair)
        elif type(value) in (frozenset, set):
            self._add_set(value)
        elif type(value) is np.ndarray:
            self.reads.add_array(value)
            self._add_items(value)
        elif isinstance(value, np.generic):
            self._add_items(np.asarray(value))
        elif isinstance(value, np.dtype):
            self._write("dtype", repr(value), value.itemsize, value.alignment)
        elif isinstance(value, Dispatcher):
            self._write("jit")
            self._add(sorted(value.targetoptions.items()))
            self._add(value.py_func)
        elif isinstance(value, FunctionType):
            self._add_function(value)
        elif isinstance(value, CodeType):
            self._add_code(value)
        elif isinstance(value, ModuleType):
            self._add_module(value)
        elif isinstance(value, type):
            self._add_class(value)
        elif isinstance(value, enum.Enum):
            self._write("member", value.name)
            self._add_class(type(value))
        elif isinstance(value, tuple) and hasattr(type(value), "_fields"):
            self._write("named")
            self._add_class(type(value))
            self._add(tuple(value))
        elif isinstance(value, types.Type):
            self._add_numba_type(value)
        elif isinstance(value, property):
            self._add(value.fget)
        elif isinstance(value, staticmethod | classmethod):
            self._add(value.__func__)
        elif _is_native(value):
            self._write("native", type(value).__name__, value.__module__, value.__name__)
        else:
            self._refuse(f"a {type(value).__name__}")

    def _add_set(self, items: set[Any] | frozenset[Any]) -> None:
        if type(items) is set:
            self.reads.add_container(items)
        texts = []
        for item in items:
            alone = Fingerprint()
            alone._add(item)
            self._unfit = self._unfit or alone._unfit
            texts.append(alone.text())
        frozen = frozen_container(items)
        walked = isinstance(frozen, FrozenDict) and not frozen.words  # by rules, in this order
        self._write("set", *(texts if walked else sorted(texts)))

    def _add_items(self, array: NDArray[Any]) -> None:
        if array.dtype.hasobject:
            self._refuse("an array of objects")
            return
        flags = (array.flags.c_contiguous, array.flags.f_contiguous)
        self._write("array", repr(array.dtype), array.shape, flags, array.tobytes())

    def _add_function(self, function: FunctionType) -> None:
        if not is_users(function):
            self._write("function", function.__module__, function.__qualname__)
            return
        if not self._is_new(id(function), function):
            return
        self.reads.add_function(function)
        self._add(function.__code__)
        self._add(function.__defaults__)
        self._add(sorted((function.__kwdefaults__ or {}).items()))
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._write(name)
            if name != _CLASS_CELL:
                self._add_read(function, content(cell))
        self.reads.add_names(function.__globals__, global_names(function.__code__))
        for name, value in reached_globals(function):
            self._write(name)
            self._add_read(function, value)

    def _add_read(self, reader: FunctionType, value: Any) -> None:
        """Add the value of a variable; of a user's module, only the attributes that `reader` may read."""
        if not (isinstance(value, ModuleType) and is_users(value)):
            self._add(value)
        elif self._is_new((id(value), id(reader)), value):
            self._write("module")
            attributes = module_attributes(reader, value)
            self.reads.add_names(vars(value), attributes)
            for attribute in attributes:
                self._write(attribute)
                self._add_read(reader, getattr(value, attribute))

    def _add_code(self, code: CodeType) -> None:
        self._write("code", code.co_code, code.co_names, code.co_varnames, code.co_freevars)
        self._write(code.co_argcount, code.co_kwonlyargcount, code.co_flags)
        for constant in code.co_consts:
            self._add(constant)

    def _add_module(self, module: ModuleType) -> None:
        if is_users(module):
            self._refuse("a module that is not read by name")
        else:
            self._write("module", module.__name__)

    def _add_class(self, cls: type) -> None:
        if not is_users(cls):
            self._write("class", cls.__module__, cls.__qualname__)
        elif not self._is_new(id(cls), cls):
            return
        elif isinstance(cls, JitClassType):
            self._add_jitclass(cls)
        elif issubclass(cls, enum.Enum):
            self._write("enum", cls.__name__)
            self._add(cls.__bases__)
            for name, member in cls.__members__.items():
                self._write(name)
                self._add(member.value)
        elif issubclass(cls, tuple) and hasattr(cls, "_fields"):
            self._write("named tuple", cls.__name__, *cls._fields)
            self._add(sorted(cls._field_defaults.items()))  # type: ignore[attr-defined]
            self._add(cls.__new__.__code__)
        else:
            self._refuse(f"the class {cls.__name__}")

    def _add_jitclass(self, cls: Any) -> None:
        """Add the fields and methods of a `jitclass`, which Numba compiles once in a process."""
        alone = Fingerprint()
        alone.reads = self.reads
        kind = cls.class_type
        alone._write("jitclass", cls.__name__)
        for name, numba_type in kind.struct.items():
            alone._write(name)
            alone._add_numba_type(numba_type)
        accessors = {f"{n} {way}": f for n, ways in kind.jit_props.items() for way, f in ways.items()}
        methods = {**kind.jit_methods, **kind.jit_static_methods, **accessors}
        for name, method in methods.items():
            alone._write(name)
            alone._add(method)
        self._unfit = self._unfit or alone._unfit
        text = alone.text()
        if cls not in _compiled_as:
            _compiled_as[cls] = text
            if any(getattr(method, "overloads", None) for method in methods.values()):
                self._refuse(f"{cls.__name__}, which was compiled before it was seen here")
        elif _compiled_as[cls] != text:
            raise GameError(
                f"something that the methods of the jitclass {cls.__name__} read has changed since they were "
                "compiled, which happens once in a process",
                mend="start Python again, or define the class again after the change",
            )
        self._write(text)

    def _add_numba_type(self, numba_type: types.Type) -> None:
        if isinstance(numba_type, types.Number | types.Boolean | types.UnicodeType | types.NoneType):
            self._write("type", str(numba_type))
        elif isinstance(numba_type, types.Array):
            self._write("array type", numba_type.ndim, numba_type.layout, numba_type.mutable)
            self._add_numba_type(numba_type.dtype)
        elif isinstance(numba_type, types.UniTuple | types.Tuple):
            self._write("tuple type", len(numba_type))
            for item in numba_type:
                self._add_numba_type(item)
        elif isinstance(numba_type, types.ClassInstanceType | types.ClassType):
            self._refuse("a field that holds an object of a jitclass")
        else:
            self._refuse(f"the type {numba_type}")


def _is_native(value: Any) -> bool:
    """Whether `value` is a function written in C by Python or NumPy."""
    if isinstance(value, BuiltinFunctionType):
        return isinstance(value.__self__, ModuleType) and not is_users(value.__self__)
    if isinstance(value, np.ufunc | _NUMPY_FUNCTION):
        module = sys.modules.get(getattr(value, "__module__", "numpy"), np)
        return not is_users(module) and getattr(module, value.__name__, None) is value
    return False


@lru_cache(maxsize=4096)
def code_names(code: CodeType) -> frozenset[str]:
    """Return every name that `code` and the functions nested in it look up, or may look up by `getattr`."""
    nested = (c for c in code.co_consts if isinstance(c, CodeType))
    texts = {c for c in code.co_consts if isinstance(c, str) and c.isidentifier()}
    return frozenset(code.co_names).union(texts, *(code_names(c) for c in nested))


@lru_cache(maxsize=4096)
def global_names(code: CodeType) -> tuple[str, ...]:
    """Return the names of the global variables that `code` and the functions nested in it read, sorted."""
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    names = {instruction.argval for instruction in dis.get_instructions(code) if instruction.opname in loads}
    nested = (c for c in code.co_consts if isinstance(c, CodeType))
    return tuple(sorted(names.union(*(global_names(c) for c in nested))))


def reached_globals(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of the global variables that `function` may read, by name."""
    for name in global_names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def module_attributes(function: FunctionType, module: ModuleType) -> list[str]:
    """Return the attributes of `module` that `function` may read."""
    return sorted(name for name in code_names(function.__code__) if hasattr(module, name))


def compiler_settings() -> tuple[object, ...]:
    """Return Numba's settings that change machine code; they come from variables like NUMBA_OPT."""
    return (
        int(config.OPT),
        config.BOUNDSCHECK,
        config.DEBUGINFO_DEFAULT,
        config.LOOP_VECTORIZE,
        config.SLP_VECTORIZE,
    )


@cache
def toolchain_fingerprint() -> str:
    """Return the fingerprint of everything but the rules: Branchwise's kernels and the versions they need."""
    fingerprint = Fingerprint()
    fingerprint.add((numba.__version__, llvmlite.__version__, np.__version__, sys.version))
    package = Path(__file__).parents[2]
    files = [file for folder in ("core", "compile") for file in sorted((package / folder).rglob("*.py"))]
    for file in (*files, package / "game" / "kinds" / "random_numbers.py"):
        fingerprint.add((file.relative_to(package).as_posix(), file.read_bytes()))
    return fingerprint.text()
