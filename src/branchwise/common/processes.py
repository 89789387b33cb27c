"""Helpers for processes: ending together, anonymous shared memory, atomic writing of files, locks."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, BinaryIO

from branchwise.common.errors import SettingsError

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_F_ADD_SEALS = 1033
_FIXED_SIZE = 0x2 | 0x4  # F_SEAL_SHRINK, F_SEAL_GROW
_NO_MORE_WRITERS = 0x10  # F_SEAL_FUTURE_WRITE


def die_with(parent: int, by: int = signal.SIGKILL) -> None:
    """Make the system send this process the signal `by` when `parent`, which started it, ends.

    Works only on Linux; elsewhere closing pipes must do. Linux watches the thread that started this process,
    so that thread must live as long as the process is needed.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, by, 0, 0, 0)
    if os.getppid() != parent:  # it had ended before
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends; works only on Linux."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def nameless_file(size: int, *, fixed: bool = False) -> BinaryIO:
    """Return a file of `size` zero bytes for shared memory; it disappears when the processes end.

    fixed : forbid changes of its size, if the system can (Linux). Otherwise another process could crash this
    one by changing it.

    The file is in memory if the system supports that (Linux), otherwise a temporary file, already deleted.
    Memory is used only as bytes are written. Raises `OSError` if the system refuses.
    """
    in_memory = hasattr(os, "memfd_create")
    if in_memory:
        flags = os.MFD_CLOEXEC | (os.MFD_ALLOW_SEALING if fixed else 0)
        file: BinaryIO = os.fdopen(os.memfd_create("branchwise", flags), "r+b")
    else:
        file = tempfile.TemporaryFile(prefix="branchwise")  # noqa: SIM115  the caller closes it
    try:
        file.truncate(size)
        if fixed and in_memory:
            _seal(file.fileno(), _FIXED_SIZE)
    except BaseException:
        file.close()
        raise
    return file


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield the path of a new file to write; on success the file replaces `target`.

    No reader sees half a file, and no other thread, process or machine that shares the folder gets the same
    path. A failure leaves nothing behind.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "a")) as file:
    ...         _ = file.write_text("whole")
    ...     print(Path(folder, "a").read_text(), len(list(Path(folder).iterdir())))
    whole 1
    """
    unfinished = target.with_name(f".branchwise-{token_hex(8)}")
    try:
        yield unfinished
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


def write_whole(file: Path, content: bytes) -> None:
    """Write a file, or leave what was there; raises `SettingsError` if it cannot be written."""
    try:
        with replacing(file) as unfinished:
            unfinished.write_bytes(content)
    except OSError as error:
        raise SettingsError(
            f"{file} cannot be written: {error.strerror or error}", mend="make room, or name another place"
        ) from error


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file against other threads and processes; it is created, and stays, empty.

    Waits until the lock is free. The locks of a process are released when it ends, in whatever way. Raises
    `OSError` if the file cannot be created or the system refuses.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(Path(folder, "lock")):
    ...     print("nobody else is here")
    nobody else is here
    """
    with file.open("ab") as lock:
        if sys.platform == "win32":
            import msvcrt

            lock.seek(0)
            while True:
                with suppress(OSError):  # tries for ten seconds
                    msvcrt.locking(lock.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def try_lock(file: IO[bytes]) -> bool:
    """Take an exclusive lock on an open file, until it is closed; returns whether that worked.

    It does not if another process has it. Works on Linux and macOS; elsewhere there is no lock to wait for.
    """
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def forbid_writers(descriptor: int) -> None:
    """Allow writes to a `fixed` file only through its existing memory maps from now on.

    Works on Linux 5.1 and newer; elsewhere it has no effect.
    """
    with suppress(OSError):
        _seal(descriptor, _NO_MORE_WRITERS)


def _seal(descriptor: int, seals: int) -> None:
    if sys.platform.startswith("linux"):
        import fcntl

        fcntl.fcntl(descriptor, _F_ADD_SEALS, seals)


def signal_name(number: int) -> str:
    """Return the name of a signal.

    >>> signal_name(9)
    'SIGKILL'
    """
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
