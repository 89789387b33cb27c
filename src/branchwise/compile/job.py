"""Compile in a separate thread, so that waiting for it can be interrupted at once.

Python delivers Ctrl-C to the main thread, in the middle of whatever it does. In the middle of Numba and LLVM
it may be swallowed by a callback, or leave them half changed. So the main thread only waits; a job that
nobody waits for any longer ends by itself where one step of the compiler follows another.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from numba.core import event

from branchwise.compile import progress
from branchwise.compile.progress import Compiling, Listener

_STACK_BYTES = 64 * 2**20
"""Numba calls itself deeply; on some systems threads are given far less than a program's main thread."""
_LOOK_AGAIN = 0.2
_HEAD_START = 0.3
"""Seconds of a search in plain Python before the compiler begins to take most of its time."""
_STEP = "numba:run_pass"

_starting = threading.Lock()
_jobs: dict[int, Job] = {}
"""The jobs under way, by thread."""
_leaving = threading.Event()
interrupted = threading.Event()
"""Set once Ctrl-C has ended the wait for a job."""


class Cancelled(BaseException):
    """Ends a job that nobody waits for, or that is only to load code and finds none."""


class Job:
    """One compile under way.

    may_compile : False: it only loads code, and ends where none is on disk.
    """

    def __init__(self, compile_now: Callable[[], Any], *, may_compile: bool = True) -> None:
        self._compile_now = compile_now
        self._may_compile = may_compile
        self._telling = threading.Lock()
        self._listeners: list[Listener] = []
        self.is_awaited = False
        """Whether somebody waits for the end."""

        self._done = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None
        self._compiling: Compiling | None = None
        self.is_cancelled = False
        self.holds_back = False
        """Whether the search has its head start, so that the compiler needs no time."""

        self.tell_thread()

    def run(self) -> Any:
        """Return what `compile_now` returns, called in another thread; raises what it raises.

        A KeyboardInterrupt that comes meanwhile is raised at once, and says what was being compiled.
        """
        self.is_awaited = True
        try:
            self.start()
            while not self.wait(_LOOK_AGAIN):
                pass
        except BaseException as stop:
            self.is_cancelled = True
            if not isinstance(stop, KeyboardInterrupt):
                raise
            interrupted.set()
            what = "loading compiled code" if self._compiling is None else f"compiling {self._compiling.what}"
            raise KeyboardInterrupt(f"interrupted while {what}") from None
        return self.result()

    def wait(self, seconds: float) -> bool:
        """Wait for the end of a job that was started; returns whether it has come."""
        return self._done.wait(seconds)

    def result(self) -> Any:
        """Return what `compile_now` returned; raises what it raised. For a job that has ended."""
        if self._error is not None:
            raise self._error
        return self._result

    @property
    def found_nothing(self) -> bool:
        """Whether a job that only loads code has found none."""
        return not self._may_compile and isinstance(self._error, Cancelled)

    @property
    def is_compiling(self) -> bool:
        """Whether no code was found on disk."""
        return self._compiling is not None

    def begins(self, compiling: Compiling) -> None:
        """Say what the job compiles, now that no code was found on disk.

        What it compiles on the way belongs to what it began with. A job that only loads is ended. A job that
        nobody waits for lets the search make its first simulations, often all of a first move, undisturbed.
        """
        if not self._may_compile:
            raise Cancelled
        if self._compiling is not None:
            return
        compiling = replace(compiling, meanwhile=not self.is_awaited)
        with self._telling:
            self._compiling = compiling
            progress.begin(compiling)
            self._tell_all(compiling)
        if compiling.meanwhile:
            self.holds_back = True
            _leaving.wait(_HEAD_START)
            self.holds_back = False

    def tell_thread(self) -> None:
        """Tell this thread, too, of what the job compiles, if it wants to know."""
        listener = progress.listener_of_thread()
        with self._telling:
            if listener is None or self._done.is_set():
                return
            self._listeners.append(listener)
            if self._compiling is not None:
                listener(self._compiling)

    def _tell_all(self, compiling: Compiling | None) -> None:
        for listener in self._listeners:
            listener(compiling)

    def start(self) -> None:
        """Begin, without waiting for the end."""
        thread = threading.Thread(target=self._work, name="branchwise-compile", daemon=True)
        with _starting:
            before = threading.stack_size(_STACK_BYTES)
            try:
                thread.start()
            finally:
                threading.stack_size(before)

    def _work(self) -> None:
        _jobs[threading.get_ident()] = self
        try:
            self._result = self._compile_now()
        except BaseException as error:
            self._error = error
        finally:
            del _jobs[threading.get_ident()]
            with self._telling:
                if self._compiling is not None:
                    progress.end(self._compiling)
                    self._tell_all(None)
                self._done.set()


def current_job() -> Job | None:
    """Return the job whose thread this is."""
    return _jobs.get(threading.get_ident())


def end_jobs() -> None:
    """End all jobs, to leave the program; waits for them, one step of the compiler at most."""
    _leaving.set()
    while _jobs:
        with suppress(KeyboardInterrupt):
            time.sleep(0.01)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_jobs.clear)  # their threads stay behind
atexit.register(end_jobs)  # Python must not take down the interpreter under a thread that is within LLVM


class _SafePoint(event.Listener):
    """Ends a job that was cancelled before the next step of the compiler."""

    def on_start(self, event: event.Event) -> None:
        job = current_job()
        if job is not None and (job.is_cancelled or _leaving.is_set()):
            raise Cancelled

    def on_end(self, event: event.Event) -> None:
        pass


event.register(_STEP, _SafePoint())
