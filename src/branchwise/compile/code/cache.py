"""Keeping machine code on disk, so that a second process compiles nothing.

A file contains one kernel for one game. Its name is a fingerprint of everything that the code depends on, so
that stale code never runs after an edit; its content has a checksum, so that a damaged file is compiled anew.
Files are pickles, which can run any code when they are loaded, so folder and files must belong to the user.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.codegen import RuntimeLinker
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from branchwise.common.gc_pause import rare_collections
from branchwise.common.processes import try_lock
from branchwise.compile.code.compile_thread import Job, check_wanted, current_job
from branchwise.compile.code.numba_registries import load_without_scipy
from branchwise.compile.sources.fingerprint import Fingerprint, compiler_settings, toolchain_fingerprint
from branchwise.compile.states.native_types import ObjectType, StateType

CACHE_VARIABLE = "BRANCHWISE_CACHE_DIR"
MAX_FILES = 1500
_WRITING = ".writing-"
"""How the names of unfinished files begin."""
_ABANDONED = 3600.0
"""Seconds after which an unfinished file is abandoned: its process must have ended."""
_COMPILING = 120.0
"""Seconds for which a process waits for another one that compiles the same kernel."""
_LOOK = 0.05

_log = logging.getLogger("branchwise")


def cache_folder() -> Path:
    """Return the folder for compiled code: $BRANCHWISE_CACHE_DIR, or the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("branchwise", appauthor=False)


@cache
def writable(folder: Path) -> bool:
    """Whether only this user can write to `folder`; if not, a warning is logged once."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        stranger = _stranger(folder.stat())
        if stranger:
            _log.warning(
                "compiled code is not kept in %s, because %s: it is compiled again in every process; "
                "set %s to a folder that only you can write to%s",
                folder,
                stranger,
                CACHE_VARIABLE,
                f", or chmod go-w {folder}" if stranger == _WRITABLE else "",
            )
            return False
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError as error:
        _log.warning(
            "compiled code cannot be kept in %s (%s): it is compiled again in every process; "
            "set %s to a folder that can be written",
            folder,
            error.strerror or error,
            CACHE_VARIABLE,
        )
        return False


_WRITABLE = "other users may write to it"


def _stranger(status: os.stat_result) -> str:
    """Return why a folder or a file cannot be trusted; "" if it can."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (os.geteuid(), 0):
        return "another user owns it"
    return _WRITABLE if status.st_mode & 0o022 else ""


class DiskCache:
    """What Numba asks of a cache; `load_overload` and `save_overload` come with the kinds of caches."""

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def flush(self) -> None:
        """Numba's way to empty a cache; ours never holds stale code."""


class KernelCache(DiskCache):
    """Replaces Numba's cache for one kernel.

    announce : called with the kernel's name and the type of the state before a compile.
    compiled : called with the same and the seconds that it took.
    """

    def __init__(
        self,
        kernel: Any,
        announce: Callable[[str, StateType | None], None],
        compiled: Callable[[str, StateType | None, float], None],
    ) -> None:
        self._name = kernel.py_func.__qualname__
        self._announce = announce
        self._compiled = compiled
        self._began = 0.0

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the cached code for these argument types, or None."""
        file = self._file(sig, target_context.codegen())
        payload = None if file is None else read(file)
        job = current_job()
        if payload is not None or job is None or job.is_awaited:
            _refresh(target_context)
        if payload is not None:
            try:
                return CompileResult._rebuild(target_context, *pickle.loads(payload))
            except Exception as error:
                _log.info("cached code %s cannot be loaded: %r", file, error)
        self._announce(self._name, _state_in(sig))
        self._began = time.monotonic()
        _refresh(target_context)
        if file is not None and job is not None and _lock(file, job):
            payload = read(file)
            if payload is not None:
                with suppress(Exception):
                    return CompileResult._rebuild(target_context, *pickle.loads(payload))
        return None

    def save_overload(self, sig: Any, result: Any) -> None:
        """Write the compiled code to disk, if it can be cached."""
        self._compiled(self._name, _state_in(sig), time.monotonic() - self._began)
        file = self._file(sig, result.codegen)
        if file is None or result.lifted or result.library.has_dynamic_globals:
            return
        parts = result._reduce()
        if _calls_itself(parts):
            _log.info("%s is compiled in every process: a function of the rules calls itself", self._name)
            return
        with suppress(OSError):
            write(file, dumps(parts))
            if job := current_job():
                job.holds.close()
            prune(file.parent)

    def _file(self, sig: Any, codegen: Any) -> Path | None:
        if not all(found.table.fit_for_cache for found in _objects_in(sig)):
            return None
        folder = cache_folder()
        if not writable(folder):
            return None
        key = Fingerprint()
        args = arguments(sig)
        key.add((toolchain_fingerprint(), self._name, str(args), compiler_settings()))
        key.add(tuple(map(str, codegen.magic_tuple())))
        state = _state_in(sig)
        game = "" if state is None else f"-{state.rules.label}"
        return folder / f"{self._name}{game}-{key.text()}.bin"


def _lock(file: Path, job: Job) -> bool:
    """Lock code that a job will compile, until it is kept or the job ends; returns whether it had to wait.

    It waits for another process that compiles the same.
    """
    path, waited, until = file.with_name(f"{_WRITING}{file.stem}"), False, time.monotonic() + _COMPILING
    with suppress(OSError):
        lock = job.holds.enter_context(path.open("ab"))
        job.holds.callback(path.unlink, missing_ok=True)
        while not try_lock(lock) and time.monotonic() < until:
            waited = True
            check_wanted()
            time.sleep(_LOOK)
    return waited


def _refresh(target_context: Any) -> None:
    """Load Numba's function implementations, once."""
    with rare_collections():
        load_without_scipy()
        target_context.refresh()


def _calls_itself(parts: tuple[Any, ...]) -> bool:
    """Whether code contains a recursive function, which cannot be loaded from disk.

    The recursive call goes through a variable that Numba sets when it compiles the function. The stored code
    is that of the kernel, with the function inlined, where this variable is not set.
    """
    _, kind, code = parts[0]
    return RuntimeLinker.PREFIX.encode() in (code[0] if kind == "object" else code)


def arguments(sig: Any) -> tuple[Any, ...]:
    """Return the types of a kernel's arguments, given as a signature or as a tuple."""
    return tuple(sig.args if hasattr(sig, "args") else sig)


def _objects_in(sig: Any) -> list[ObjectType]:
    return [argument for argument in arguments(sig) if isinstance(argument, ObjectType)]


def _state_in(sig: Any) -> StateType | None:
    return next((found for found in _objects_in(sig) if isinstance(found, StateType)), None)


def read(file: Path) -> bytes | None:
    try:
        with open(os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as kept:
            stranger = _stranger(os.fstat(kept.fileno()))
            if stranger:
                _log.warning("%s is not loaded, because %s: it is compiled anew", file, stranger)
                return None
            content = kept.read()
        os.utime(file)
    except OSError:
        return None
    checksum, payload = content[:32], content[32:]
    return payload if hashlib.sha256(payload).digest() == checksum else None


def write(file: Path, payload: bytes) -> None:
    """Write a file atomically."""
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=_WRITING)
    try:
        with os.fdopen(descriptor, "wb") as out:
            out.write(hashlib.sha256(payload).digest() + payload)
        os.replace(name, file)
    except BaseException:
        os.unlink(name)
        raise


def prune(folder: Path) -> None:
    """Remove the least recently used files when there are more than MAX_FILES, and unfinished ones.

    A tenth more than need be is removed, so that the next files are written without looking at all others.
    """
    kept = []
    with os.scandir(folder) as files:
        for file in files:
            with suppress(OSError):
                if file.name.endswith(".bin"):
                    kept.append(file)
                elif file.name.startswith(_WRITING) and time.time() - file.stat().st_mtime > _ABANDONED:
                    os.unlink(file)
    if len(kept) > MAX_FILES:
        kept.sort(key=_last_use)
        for file in kept[: len(kept) - MAX_FILES * 9 // 10]:
            with suppress(OSError):
                os.unlink(file)


def _last_use(file: os.DirEntry[str]) -> float:
    try:
        return file.stat().st_mtime
    except OSError:  # another process has removed it
        return 0.0
