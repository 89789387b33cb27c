"""Keeping kernels that know no game on disk, for use with every game.

One file, a bundle, has the kernels of all searches, and another the kernels that know no search either: for
each its types and its code as LLVM bitcode, which is linked and inlined into the code of a game like newly
compiled code. A kernel is identified by the parts of a search that it can reach, so that searches that differ
elsewhere, as in their playouts or selection rules, share it. Files are named and protected as in
`compile.code.cache`.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

from numba import types
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from numba.core.environment import Environment
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.typing import signature

from branchwise.compile.code.cache import DiskCache, arguments, cache_folder, prune, read, writable, write
from branchwise.compile.sources.fingerprint import (
    Fingerprint,
    code_names,
    compiler_settings,
    toolchain_fingerprint,
)
from branchwise.compile.states.native_types import ObjectType, SearchType, StateType, Table
from branchwise.core.machine.compiler import InnerLibrary, handle_for, linked, own_module

_MOST_KERNELS = 900
"""Maximum number of kernels in one file; a search has about 50, most of them shared with others. In a full
file, a process replaces kernels that it has not used."""
_DYNAMIC = "numba.dynamic.globals"
_log = logging.getLogger("branchwise")


class _Place(NamedTuple):
    """Where a kernel is stored: the file's name, and the kernel's name and argument types."""

    bundle: str
    kernel: str


class _Code(NamedTuple):
    """Code of a kernel; another process that compiles it again gives the same place another symbol."""

    place: _Place
    symbol: str


class _Kept(NamedTuple):
    """The stored form of a kernel. needs : the code that it calls."""

    fndesc: Any
    """Without the argument types, because another search's type can take the place of this one's."""
    return_type: Any
    name: str
    bitcode: bytes
    needs: tuple[_Code, ...]


class _Bundle:
    """One file: kernels found in it, and kernels compiled since."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._new: dict[str, bytes] = {}
        self._kernels: dict[str, bytes] = {}
        self._used: set[str] = set()
        self._seen = 0

    def find(self, kernel: str) -> bytes | None:
        """Return the stored form of a kernel, from this process or another one; None if there is none."""
        if kernel not in self._kernels:
            with suppress(OSError):
                written = self._file.stat().st_mtime_ns
                if written != self._seen:
                    self._seen = written
                    self._kernels = {**self._read(), **self._kernels}
        self._used.add(kernel)
        return self._kernels.get(kernel)

    def add(self, kernel: str, kept: bytes) -> None:
        """Add a kernel, to be written at the next `flush`."""
        self._used.add(kernel)
        self._kernels[kernel] = self._new[kernel] = kept

    def flush(self) -> None:
        """Write new kernels, together with those that other processes have written meanwhile."""
        if self._new:
            stored = {**self._read(), **self._new}
            kernels = sorted(stored.items(), key=lambda entry: entry[0] in self._used)
            self._new = {}
            with suppress(OSError):
                write(self._file, pickle.dumps(dict(kernels[-_MOST_KERNELS:])))
                prune(self._file.parent)

    def _read(self) -> dict[str, bytes]:
        payload = read(self._file)
        if payload is None:
            return {}
        kernels: dict[str, bytes] = pickle.loads(payload)
        return kernels


_bundles: dict[tuple[str, str], _Bundle] = {}
"""By folder and name; kernels that were read stay in memory, missing ones are looked for again."""
_libraries: dict[_Code, InnerLibrary] = {}
_codes: dict[InnerLibrary, _Code] = {}


def flush() -> None:
    """Write newly compiled kernels; called when an entry kernel is complete."""
    for bundle in _bundles.values():
        bundle.flush()


class BundleCache(DiskCache):
    """Replaces Numba's cache for a kernel that only other kernels call."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._sought: tuple[Any, _Place | None] = (None, None)
        """The argument types that code was last looked for, and where."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the stored code for these argument types, or None."""
        place = self._place(sig, target_context.codegen())
        self._sought = arguments(sig), place
        if place is None:
            return None
        try:
            kept = _find(place)
            if kept is None:
                return None
            library = _library(_Code(place, kept.fndesc.mangled_name), target_context)
            return _rebuilt(kept, arguments(sig), library, target_context)
        except Exception as error:
            _log.info("kept kernel %s cannot be loaded: %r", place.kernel, error)
            return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Store the compiled code, if it can be stored."""
        sought, place = self._sought
        if sought != arguments(sig):
            place = self._place(sig, result.codegen)
        if place is None:
            return
        kept = _kept(result)
        if kept is not None:
            _bundle(place.bundle).add(place.kernel, dumps(kept))
            _register(_Code(place, kept.fndesc.mangled_name), result.library)

    def _place(self, sig: Any, codegen: Any) -> _Place | None:
        """Return where the kernel is stored; None if it knows a game, cannot be cached, or has no folder."""
        args = arguments(sig)
        objects = [kind for kind in args if isinstance(kind, ObjectType)]
        if any(isinstance(kind, StateType) or not kind.table.fit_for_cache for kind in objects):
            return None
        if not writable(cache_folder()):
            return None
        search = next((kind.table for kind in objects if isinstance(kind, SearchType)), None)
        key = Fingerprint()
        key.add((toolchain_fingerprint(), compiler_settings(), tuple(map(str, codegen.magic_tuple()))))
        named = [str(kind) for kind in args if not isinstance(kind, SearchType)]
        if search is None:
            return _Place(f"kernels-{key.text()}.bin", f"{_name(self._kernel)} {named}")
        reached = Fingerprint()
        reached.add(tuple(sorted(_reached(self._kernel, search).items())))
        places = [isinstance(kind, SearchType) for kind in args]
        kernel = f"{_name(self._kernel)} {named} {places} {reached.text()}"
        return _Place(f"kernels-search-{key.text()}.bin", kernel)


def _name(kernel: Any) -> str:
    return f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"


def _reached(kernel: Any, search: Table) -> dict[str, Any]:
    """Return, by name, all parts of a search that a kernel and the kernels it calls can read or call.

    Fields come with their offsets, so that kernels that read no options are shared between searches with
    different ones. Kernels need only their names, because the toolchain's fingerprint covers their source; a
    user's selection rule has its content in its name.
    """
    found: dict[str, Any] = {}
    seen = set()
    waiting = [kernel.py_func]
    while waiting:
        function = waiting.pop()
        if function in seen:
            continue
        seen.add(function)
        for name in code_names(function.__code__):
            if name in search.constants:
                found[name] = search.constants[name]
            layout = _layout(search, name)
            if layout:
                found[f"{name} in memory"] = layout
            called = search.statics.get(name)
            if called is not None:
                found[name] = _name(called)
                waiting.append(called.py_func)
            other = function.__globals__.get(name)
            if isinstance(other, Dispatcher):
                waiting.append(other.py_func)
    return found


def _layout(search: Table, name: str) -> tuple[Any, ...]:
    """Return type and offset of a field, or of the fields behind an array; () for other names."""
    array = search.arrays.get(name)
    names = (name,) if array is None else (f"{name}_at", f"{name}_size")
    fields: Mapping[str, Any] = search.dtype.fields or {}
    places = tuple((repr(fields[field][0]), fields[field][1]) for field in names if field in fields)
    return places if array is None else (repr(array), *places)


def _bundle(name: str) -> _Bundle:
    folder = cache_folder()
    found = _bundles.get((str(folder), name))
    if found is None:
        found = _bundles[str(folder), name] = _Bundle(folder / name)
    return found


def _find(place: _Place) -> _Kept | None:
    payload = _bundle(place.bundle).find(place.kernel)
    if payload is None:
        return None
    kept: _Kept = pickle.loads(payload)
    return kept


def _library(code: _Code, target_context: Any) -> InnerLibrary:
    """Return stored code, linked to the code that it calls."""
    known = _libraries.get(code)
    if known is None:
        kept = _find(code.place)
        if kept is None or kept.fndesc.mangled_name != code.symbol:
            raise LookupError(f"{code.symbol} is not kept")
        needed = [_library(needs, target_context) for needs in kept.needs]
        known = InnerLibrary.restored(target_context.codegen(), kept.name, kept.bitcode, needed)
        _register(code, known)
    return known


def _register(code: _Code, library: InnerLibrary) -> None:
    _libraries[code] = library
    _codes[library] = code


def _rebuilt(kept: _Kept, args: tuple[Any, ...], library: InnerLibrary, target_context: Any) -> CompileResult:
    """Return the result that compiling the kernel for these arguments would have had."""
    kept.fndesc.argtypes = args
    environment = Environment.from_fndesc(kept.fndesc)
    return CompileResult(
        target_context=target_context,
        typing_context=target_context.typing_context,
        library=library,
        environment=environment,
        entry_point=handle_for(library, kept.fndesc, environment),
        fndesc=kept.fndesc,
        type_annotation="",
        signature=signature(kept.return_type, *args),
        objectmode=False,
        lifted=(),
        typing_error=None,
        call_helper=None,
        metadata=None,
        reload_init=[],
        referenced_envs=[],
    )


def _kept(result: Any) -> _Kept | None:
    """Return the stored form of a compiled kernel; None if its code is valid only in this process."""
    library = result.library
    if library.needs_address or result.lifted or result.reload_init or result.environment.consts:
        return None
    if isinstance(result.signature.return_type, types.Generator):
        return None  # Numba looks up how to call one among those that this process has compiled
    needs, module = [], library._final_module
    for needed in dict.fromkeys(library._linking_libraries):
        if needed in _codes:
            needs.append(_codes[needed])
        elif needed is not rtsys.library:  # it is linked to the code of every game
            if module is library._final_module:
                module = module.clone()
            for one in (needed, *(linked(needed) if isinstance(needed, InnerLibrary) else ())):
                module.link_in(own_module(one), preserve=True)
    if any(variable.name.startswith(_DYNAMIC) for variable in module.global_variables):
        return None
    fndesc = copy(result.fndesc)
    fndesc.typemap = fndesc.calltypes = None
    fndesc.argtypes = ()
    return _Kept(fndesc, result.signature.return_type, library.name, module.as_bitcode(), tuple(needs))
