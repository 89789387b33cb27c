"""What processes have in common: how they end together, memory without a name, files that are made whole."""

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
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_F_ADD_SEALS = 1033
_FIXED_SIZE = 0x2 | 0x4  # F_SEAL_SHRINK, F_SEAL_GROW
_NO_MORE_WRITERS = 0x10  # F_SEAL_FUTURE_WRITE


def die_with(parent: int, by: int = signal.SIGKILL) -> None:
    """Have this process sent the signal `by` when `parent`, which started it, ends, whatever runs here then.

    Only Linux can do that; elsewhere it has no effect, and closing pipes have to do. What is watched there is
    the thread that started this process, so that has to live as long as the process is wanted.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, by, 0, 0, 0)
    if os.getppid() != parent:  # it had ended before
        os._exit(1)


def adopt_orphans() -> None:
    """Become the parent of every process below this one whose own parent ends; only Linux can do that."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def nameless_file(size: int, *, fixed: bool = False) -> BinaryIO:
    """Return a file of `size` bytes, all 0, to share memory by: nothing of it is left when processes end.

    fixed : nobody can change its size, where the system can forbid that (Linux). Another process that did
    would crash this one.

    It is in memory where the system has such files (Linux), otherwise among temporary files, already deleted.
    Bytes are taken as they are written to. Raises `OSError` if the system does not give it.
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
    """Give the path of a new file to write, which takes the place of `target` when all went well.

    No reader meets half a file, and nobody else is given the same path: no thread, no process, no machine
    that shares the folder. Of what goes wrong nothing is left.

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


def forbid_writers(descriptor: int) -> None:
    """Let a `fixed` file be written through the maps that there are, and in no other way from now on.

    Linux 5.1 and newer can do that; elsewhere it has no effect.
    """
    with suppress(OSError):
        _seal(descriptor, _NO_MORE_WRITERS)


def _seal(descriptor: int, seals: int) -> None:
    if sys.platform.startswith("linux"):
        import fcntl

        fcntl.fcntl(descriptor, _F_ADD_SEALS, seals)


def signal_name(number: int) -> str:
    """Return what a signal is called.

    >>> signal_name(9)
    'SIGKILL'
    """
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
