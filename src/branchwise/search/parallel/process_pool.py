"""The processes of a planner for games with rules in plain Python.

They start when they are first needed and live from search to search. Each runs `parallel.process_worker`.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any

from branchwise.common.errors import RuleLeftError, SettingsError, WorkerError
from branchwise.compile.stopping.time_limits import current_limits
from branchwise.search.parallel.process import Process, check_may_start, without_interrupts
from branchwise.search.parallel.process_worker import Answer
from branchwise.search.parallel.shared_memory import SharedArrays

_TICK = 0.1
_PATIENCE = 2.0
"""Seconds in which the processes must answer after Ctrl-C; then they are ended."""


class ProcessPool:
    """One process for each of a planner's threads, for one class of states."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._processes: list[Process] = []
        self._states: type | None = None
        self._end: weakref.finalize[..., ProcessPool] | None = None

    def start(self, states: type) -> Sequence[Process]:
        """Return the processes for states of this class, started if needed.

        Raises `SettingsError` where none can be started, `WorkerError` if one ends meanwhile.
        """
        if states is not self._states or not all(process.is_alive for process in self._processes):
            self.close()
        if not self._processes:
            check_may_start()
            self._states = states
            starter = _Starter()
            self._end = weakref.finalize(self, starter.end)
            with self.whole():
                self._processes = starter.start(self._size)
                for process in self._processes:
                    process.wait_until_ready()
        return self._processes

    def ask(
        self,
        order: str,
        arguments: Sequence[tuple[Any, ...]],
        memory: Sequence[SharedArrays] | None = None,
    ) -> list[Any]:
        """Send an order to every process, and return their answers in the order of the processes.

        arguments, memory : for each process; `memory` is the shared memory sent along. After all have
        answered, raises the first exception among the answers. Raises `WorkerError` if one has ended, which
        ends the others. After Ctrl-C raises KeyboardInterrupt once all have answered or have been ended.
        """
        with self.whole():
            for number, (process, given) in enumerate(zip(self._processes, arguments, strict=True)):
                process.give(order, given, memory[number] if memory else None)
            answers, interrupt = self._answers()
        raised = [_raised(answer) for answer in answers if answer.error is not None]
        if interrupt is not None and not any(isinstance(error, RuleLeftError) for error in raised):
            raise interrupt
        if raised:
            raise raised[0]
        return [answer.value for answer in answers]

    def _answers(self) -> tuple[list[Answer], KeyboardInterrupt | None]:
        """Return all answers, and Ctrl-C if it was pressed; raises it if a process does not answer."""
        answers: dict[Process, Answer] = {}
        interrupt: KeyboardInterrupt | None = None
        until = 0.0
        limits, told = current_limits(), False
        while len(answers) < len(self._processes):
            if limits.asked and not told:
                told = True
                for process in self._processes:
                    process.ask_to_end()
            left = {process.orders: process for process in self._processes if process not in answers}
            try:
                ready = wait(list(left), _TICK)
            except KeyboardInterrupt as error:
                if interrupt is not None:
                    raise
                interrupt, until = error, time.monotonic() + _PATIENCE
                limits.ask()
                continue
            if not ready and interrupt is not None and time.monotonic() > until:
                raise interrupt
            for orders, process in left.items():
                if orders in ready:
                    answers[process] = process.answer()
        return [answers[process] for process in self._processes], interrupt

    def close(self) -> None:
        """End the processes, whatever they are doing; `start` starts new ones."""
        self._processes = []
        if self._end is not None:
            self._end()

    @contextmanager
    def whole(self) -> Iterator[None]:
        """End all processes if anything is raised here, since one of them may still owe an answer."""
        try:
            yield
        except BaseException:
            self.close()
            raise


class _Starter:
    """A thread that starts processes and lives as long as they are needed: on Linux they end with it.

    Ctrl-C does not reach it, so that every process that was started is recorded here.
    """

    def __init__(self) -> None:
        self._processes: list[Process] = []
        self._owner = os.getpid()
        self._problem: OSError | None = None
        self._started = threading.Event()
        self._unwanted = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, size: int) -> list[Process]:
        """Start `size` processes and return them; raises `WorkerError` if the system refuses."""
        self._thread = threading.Thread(
            target=self._run, args=(size,), name="branchwise-processes", daemon=True
        )
        self._thread.start()
        self._started.wait()
        if self._problem is not None:
            raise WorkerError(
                f"{size} processes for a search cannot be started: {self._problem}", mend="give fewer threads"
            )
        return self._processes

    def _run(self, size: int) -> None:
        try:
            with without_interrupts():
                for number in range(size):
                    if not self._unwanted.is_set():
                        self._processes.append(Process(number))
        except OSError as error:
            self._problem = error
        finally:
            self._started.set()
        self._unwanted.wait()

    def end(self) -> None:
        """End the processes."""
        if os.getpid() != self._owner or self._thread is None:  # a fork has neither of them
            return
        self._unwanted.set()
        while self._thread.is_alive() and not self._started.wait(0.1):  # Ctrl-C may have come first
            pass
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()


def _raised(answer: Answer) -> BaseException:
    """Return the exception that an order raised in a process, with the traceback there as its cause."""
    assert answer.error is not None
    raised: BaseException = pickle.loads(answer.error)
    raised.__cause__ = _WorkerTraceback(answer.trace)
    return raised


class _WorkerTraceback(Exception):  # noqa: N818  never raised: only shown as a cause
    """The traceback, as text, of an exception in another process."""

    def __str__(self) -> str:
        return f"in a process of the search:\n{self.args[0]}"


def pickled(thing: Any, what: str) -> bytes:
    """Return `thing` pickled for another process; raises `SettingsError` if it cannot be pickled."""
    try:
        return pickle.dumps(thing)
    except Exception as error:
        raise SettingsError(
            f"{what} cannot be sent to another process: {error}",
            mend="define it at the top level of a module, with nothing in it that pickle refuses, such as "
            "lambdas, locks or open files; or leave threads out",
        ) from error
