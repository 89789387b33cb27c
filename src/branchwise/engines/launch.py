"""Starting a program that ends when the process that started it ends.

Only a process itself can ask the system for that. So a Python process starts first, asks for it, and becomes
the program.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from branchwise.common.processes import die_with

PATIENCE = 30.0
"""Maximum seconds until a process has become the program."""

_SOURCE = str(Path(__file__).parents[2])
_BECOME = "import sys; sys.path.append(sys.argv[1]); from branchwise.engines.launch import become; become()"

_Found = SimpleQueue[subprocess.Popen[bytes] | BaseException]


def become() -> None:
    """Become the program named on the command line; on failure write the error's number."""
    parent, report, *words = sys.argv[2:]
    os.set_inheritable(int(report), False)
    die_with(int(parent))
    for name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        os.write(int(report), str(error.errno).encode())
        os._exit(127)


class Launcher:
    """Starts one program, and keeps alive the thread that started it, because the system watches that thread.

    Raises `OSError` and `ValueError` as `subprocess.Popen` does. Call `end` when the program has ended.
    """

    def __init__(self, words: Sequence[str], folder: str | None, process_group: int) -> None:
        self._over = threading.Event()
        found: _Found = SimpleQueue()
        arguments = (words, folder, process_group, found)
        threading.Thread(target=self._start, args=arguments, name="branchwise-launcher", daemon=True).start()
        process = found.get()
        if isinstance(process, BaseException):
            raise process
        self.process = process

    def end(self) -> None:
        self._over.set()

    def _start(self, words: Sequence[str], folder: str | None, process_group: int, found: _Found) -> None:
        try:
            found.put(_launched(words, folder, process_group))
        except BaseException as error:
            found.put(error)
            return
        self._over.wait()


def _launched(words: Sequence[str], folder: str | None, process_group: int) -> subprocess.Popen[bytes]:
    read, write = os.pipe()
    pipe = subprocess.PIPE
    options: dict[str, Any] = {"cwd": folder, "bufsize": 0, "process_group": process_group}
    try:
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BECOME, _SOURCE, str(os.getpid()), str(write), *words],
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                pass_fds=(write,),
                **options,
            )
        finally:
            os.close(write)
        problem = _reported(read)
    finally:
        os.close(read)
    if problem is not None:
        process.kill()
        process.communicate()
        raise problem
    return process


def _reported(read: int) -> OSError | None:
    """Return why a process has not become its program; None if it has, which closes the pipe."""
    if not is_ready(read, select.POLLIN, PATIENCE):
        return TimeoutError(f"it did not start within {PATIENCE:g} s")
    number = os.read(read, 32)
    return OSError(int(number), os.strerror(int(number))) if number else None


def is_ready(descriptor: int, event: int, seconds: float) -> bool:
    """Whether within `seconds` a pipe can be read or written, or will never be."""
    waiting = select.poll()
    waiting.register(descriptor, event)
    return bool(waiting.poll(max(0.0, seconds) * 1000))
