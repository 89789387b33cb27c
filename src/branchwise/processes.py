"""What processes that work for this one have in common: how they end with it, and memory without a name."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import tempfile
from contextlib import suppress
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


def signal_name(number: int) -> str:
    """Return what a signal is called.

    >>> signal_name(9)
    'SIGKILL'
    """
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
