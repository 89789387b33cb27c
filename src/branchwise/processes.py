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


def die_with(parent: int) -> None:
    """Have this process killed when `parent`, which started it, ends, even if nothing runs here any more.

    Only Linux can do that; elsewhere it has no effect, and closing pipes have to do. What is watched there is
    the thread that started this process, so that has to live as long as the process is wanted.
    """
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it had ended before
        os._exit(1)


def nameless_file(size: int) -> BinaryIO:
    """Return a file of `size` bytes, all 0, to share memory by: nothing of it is left when processes end.

    It is in memory where the system has such files (Linux), otherwise among temporary files, already deleted.
    Bytes are taken as they are written to. Raises `OSError` if the system does not give it.
    """
    if hasattr(os, "memfd_create"):
        file: BinaryIO = os.fdopen(os.memfd_create("branchwise"), "r+b")
    else:
        file = tempfile.TemporaryFile(prefix="branchwise")  # noqa: SIM115  the caller closes it
    try:
        file.truncate(size)
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


def signal_name(number: int) -> str:
    """Return what a signal is called.

    >>> signal_name(9)
    'SIGKILL'
    """
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
