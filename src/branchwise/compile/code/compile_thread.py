"""Compiling in a separate thread, so that Ctrl-C ends the wait at once.

Python delivers Ctrl-C to the main thread, whatever it is doing. Inside Numba or LLVM a callback may swallow
it, or it may leave them in an inconsistent state. So the main thread only waits; a job for which no thread
waits any longer ends between two steps of the compiler.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Any

from numba.core import event

from branchwise.compile.code import progress
from branchwise.compile.code.progress import Compiling, Listener

_STACK_BYTES = 64 * 2**20
"""Stack of a job's thread: Numba recurses deeply, and some systems give threads a small stack."""
_LOOK_AGAIN = 0.2
_HEAD_START = 0.3
"""Seconds that a search runs in plain Python before the compiler takes most of the time."""
_STEP = "numba:run_pass"

_starting = threading.Lock()
_jobs: dict[int, Job] = {}
"""The jobs under way, by thread."""
_leaving = threading.Event()
interrupted = threading.Event()
"""Set when Ctrl-C has ended the wait for a job."""


class Cancelled(BaseException):
    """Ends a job for which no thread waits, or a job that may only load code and finds none."""


class _Turns:
    """The order of jobs for which no thread waits: one at a time, the newest next, awaited jobs before all.

    Numba compiles one function at a time, in no order. The newest job is most likely for the search that
    someone looks at.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[Job] = []
        self._is_taken = False
        self._awaited = 0

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Return a context in which no further job begins that nobody waits for."""
        with self._changed:
            self._awaited += 1
        try:
            yield
        finally:
            with self._changed:
                self._awaited -= 1
                self._changed.notify_all()

    @contextmanager
    def turn(self, job: Job) -> Iterator[None]:
        """Return a context that begins when it is the job's turn; raises Cancelled if the program exits."""
        with self._changed:
            self._waiting.append(job)
            self._changed.wait_for(lambda: _leaving.is_set() or self._is_next(job))
            self._waiting.remove(job)
            if _leaving.is_set():
                raise Cancelled
            self._is_taken = True
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()

    def prefer(self, job: Job) -> None:
        """Let a job be the next, if it waits for its turn."""
        with self._changed:
            if job in self._waiting:
                self._waiting.remove(job)
                self._waiting.append(job)

    def _is_next(self, job: Job) -> bool:
        return not self._is_taken and not self._awaited and self._waiting[-1] is job

    def wake(self) -> None:
        """Let the waiting jobs see that the program exits."""
        with self._changed:
            self._changed.notify_all()


class Job:
    """One compile in progress.

    may_compile : False: it only loads code, and ends if none is on disk.
    """

    def __init__(self, compile_now: Callable[[], Any], *, may_compile: bool = True) -> None:
        self._compile_now = compile_now
        self._may_compile = may_compile
        self._telling = threading.Lock()
        self._listeners: list[Listener] = []
        self.is_awaited = False
        """Whether a thread waits for the end."""

        self._done = threading.Event()
        self._result: Any = None
        self._error: BaseException | None = None
        self._compiling: Compiling | None = None
        self.is_cancelled = False
        self.holds = ExitStack()
        """What is given back at the end at the latest."""

        self.holds_back = False
        """Whether the search has its head start, while the compiler pauses."""

        self.tell_thread()

    def run(self) -> Any:
        """Call `compile_now` in another thread and return its value; raises what it raises.

        Ctrl-C raises KeyboardInterrupt at once, with the name of what was being compiled.
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

    def wait(self, seconds: float | None) -> bool:
        """Wait for a job that was started, None: until it ends; returns whether it has ended."""
        return self._done.wait(seconds)

    def result(self) -> Any:
        """Return the value of `compile_now`, or raise its exception. For a job that has ended."""
        if self._error is not None:
            raise self._error
        return self._result

    @property
    def found_nothing(self) -> bool:
        """Whether the job may only load code and has found none."""
        return not self._may_compile and isinstance(self._error, Cancelled)

    @property
    def is_compiling(self) -> bool:
        """Whether no code was found on disk."""
        return self._compiling is not None

    def begins(self, compiling: Compiling) -> None:
        """Report what the job compiles, after no code was found on disk.

        Further kernels that it needs count as part of the first. A job that may only load code is ended. A
        job for which no thread waits first gives the search time, often enough for a whole first move.
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
        """Let the job be the next, and report its compile to this thread's listener, too, if it has one."""
        _turns.prefer(self)
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
        """Start the job without waiting for its end."""
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
            with self.holds, _turns.at_once() if self.is_awaited else _turns.turn(self):
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


_turns = _Turns()


def current_job() -> Job | None:
    """Return the job of this thread, or None."""
    return _jobs.get(threading.get_ident())


def check_wanted() -> None:
    """End the job of this thread, by an exception, if nobody wants it any more."""
    job = current_job()
    if job is not None and (job.is_cancelled or _leaving.is_set()):
        raise Cancelled


def end_jobs() -> None:
    """End all jobs before the program exits; waits for one step of the compiler at most."""
    _leaving.set()
    _turns.wake()
    while _jobs:
        with suppress(KeyboardInterrupt):
            time.sleep(0.01)


def _forget_jobs() -> None:
    global _turns
    _jobs.clear()
    _turns = _Turns()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_jobs)  # a fork has none of their threads
atexit.register(end_jobs)  # Python must not shut down the interpreter while a thread is inside LLVM


class _SafePoint(event.Listener):
    """Ends a cancelled job before the next step of the compiler."""

    def on_start(self, event: event.Event) -> None:
        check_wanted()

    def on_end(self, event: event.Event) -> None:
        pass


event.register(_STEP, _SafePoint())
