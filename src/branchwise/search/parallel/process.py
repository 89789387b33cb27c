"""Starting a process that searches for a planner, sending it orders, and explaining its failures."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import SpawnProcess
from typing import Any

from branchwise.common.errors import SettingsError, WorkerError
from branchwise.common.processes import signal_name
from branchwise.search.parallel.process_worker import END_SIGNAL, Answer, serve
from branchwise.search.parallel.shared_memory import SharedArrays

_NAME = "branchwise-worker"
_SCRIPT_RAN_AGAIN = 75
"""Exit code of a process that reached a search while it was still running the program's main script."""

_GUARD = 'put what the script does into a function, and call it under: if __name__ == "__main__"'
_SECONDS_TO_START = 120.0
_SECONDS_TO_END = 5.0


class Process:
    """A process, and the connection over which it receives orders."""

    def __init__(self, number: int) -> None:
        spawn = multiprocessing.get_context("spawn")  # a fork would lack the threads that Numba needs
        self._owner = os.getpid()
        self.orders, theirs = spawn.Pipe()
        self._handle: SpawnProcess = spawn.Process(
            target=serve, args=(theirs,), name=f"{_NAME}-{number}", daemon=True
        )
        self._handle.start()
        theirs.close()

    @property
    def pid(self) -> int:
        assert self._handle.pid is not None
        return self._handle.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process can take orders; false in a fork of the process that started it."""
        return self._owner == os.getpid() and self._handle.is_alive()

    def give(self, order: str, arguments: tuple[Any, ...], memory: SharedArrays | None = None) -> None:
        """Send an order, with the memory that it concerns; raises `WorkerError` if the process has ended."""
        try:
            self.orders.send((order, arguments))
            if memory is not None:
                memory.send(self.orders, self.pid)
        except OSError:
            raise self._death() from None

    def answer(self) -> Answer:
        """Wait for the answer to an order; raises `WorkerError` if the process has ended."""
        try:
            answer: Answer = self.orders.recv()
        except (EOFError, OSError):
            raise self._death() from None
        return answer

    def wait_until_ready(self) -> None:
        """Wait until the process can take orders; raises `WorkerError` if it ends before."""
        try:
            if self.orders.poll(_SECONDS_TO_START):
                self.orders.recv()
                return
        except (EOFError, OSError):
            raise self._death_at_start() from None
        raise WorkerError(
            f"a process of this search did not start within {_SECONDS_TO_START:g} s", mend=_at_start()
        )

    def ask_to_end(self) -> None:
        """Ask the process to finish its last order early."""
        with suppress(OSError):
            os.kill(self.pid, END_SIGNAL)

    def kill(self) -> None:
        self._handle.kill()

    def join(self) -> None:
        """Wait for the process to end."""
        self._handle.join()

    def _death(self) -> WorkerError:
        how, mend = self._end()
        return WorkerError(f"a process of this search {how}", mend=mend)

    def _death_at_start(self) -> WorkerError:
        how, mend = self._end()
        code = self._handle.exitcode
        if code == _SCRIPT_RAN_AGAIN:
            script = _main_script() or "the program"
            how, mend = f"ran {script} from the top and reached a search", f"{_GUARD}; or leave threads out"
        elif code is not None and code > 0:
            mend = _at_start()
        return WorkerError(f"a process of this search {how} while it was starting", mend=mend)

    def _end(self) -> tuple[str, str]:
        """Return how the process ended, and what to do about it."""
        self._handle.join(_SECONDS_TO_END)
        code = self._handle.exitcode
        if code is None:
            return "no longer answers", "search again, which starts new processes"
        if code >= 0:
            return f"ended with exit code {code}", "check that the rules do not end their process"
        return (
            f"was ended by {signal_name(-code)}",
            "search again, which starts new ones; if memory ran out, use less memory_mb or fewer threads",
        )


def check_may_start() -> None:
    """Raise `SettingsError` where no process can be started; end this process if it must not search yet."""
    if sys.platform == "win32":
        raise SettingsError(
            "several processes search for a planner on Linux and macOS only",
            mend="leave threads out, or use WSL",
        )
    script = _main_script()
    if script is not None and not os.path.isfile(script):
        raise SettingsError(
            f"other processes cannot read this program, which came from {script}",
            mend="run it from a file, or leave threads out",
        )
    process = multiprocessing.current_process()
    if process.name.startswith(_NAME) and multiprocessing.parent_process() is None:
        # This is a process of a pool, still running the main script, and the script itself searches.
        raise SystemExit(_SCRIPT_RAN_AGAIN)
    if process.daemon:
        raise SettingsError(
            "several threads for rules in Python are processes; this one, a daemon of multiprocessing, may "
            "start none",
            mend="leave threads out, or let concurrent.futures start this process",
        )


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Block Ctrl-C for this thread and the processes that it starts, where the system can."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _main_script() -> str | None:
    """Return the path of the script that a new process runs first; None if there is none."""
    main = sys.modules["__main__"]
    is_module = getattr(main, "__spec__", None) is not None
    return None if is_module else getattr(main, "__file__", None)


def _at_start() -> str:
    script = _main_script() or "the program"
    return f"see what it wrote; it runs {script} from the top, which must do nothing then: {_GUARD}"
