"""Watching rules while they run, so that none of them runs forever.

Several times a second, a thread of this module checks every thread that is inside rules, in a kernel or in
plain Python. A search that must end, by its time limit, a call of `stop` or Ctrl-C, is asked to end between
two simulations; then between two moves; and a thread that is then still inside one rule leaves it by
`RuleLeftError`. Otherwise a rule is left only after it has run for `PATIENCE` seconds.
"""

from __future__ import annotations

import ctypes
import gc
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar, Token
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from branchwise.common.errors import LeaveRule, RuleLeftError
from branchwise.compile.stopping.recursion_limit import note_stack_limit
from branchwise.core.machine.stop_flags import (
    END_BATCH,
    END_GAME,
    FIRST_SLOT,
    LEAVE_RULE,
    POSTED,
    REQUESTS,
    SEEN,
    SHOW_LIFE,
    SLOT_SIZE,
    SLOTS,
    TABLE,
    THREAD,
)

PATIENCE = 10.0
"""Seconds of CPU time that one call of a rule may take if the work need not end earlier."""
GRACE = 0.4
"""Seconds between two requests to a thread to end, each firmer than the last."""

_TICK = 0.05
_IDLE = 1.0
_PACKAGE = str(Path(__file__).parents[2]) + os.sep
_RULES = tuple(_PACKAGE + folder + os.sep for folder in ("games", "problems"))
_COMPILER = re.compile(r"[\\/](numba|llvmlite)[\\/]")


class Limits:
    """When the work of one search or another task must end; shared by all its threads.

    end : by `time.perf_counter`; None: never.   stop : ends the work when it is set.   patience : seconds
    that one call of a rule may take.   firm : whether rules in plain Python are left at the end, however
    short each call is.
    """

    def __init__(
        self,
        end: float | None = None,
        stop: threading.Event | None = None,
        patience: float = PATIENCE,
        *,
        firm: bool = False,
    ) -> None:
        self.end = end
        self.stop = stop
        self.patience = patience
        self.firm = firm
        self.was_asked = False
        """Whether the work had to end at the last check."""

    def ask(self) -> None:
        """Ask all threads of this work to end."""
        self.was_asked = True

    @property
    def asked(self) -> bool:
        """Whether this work must end."""
        if not self.was_asked:
            over = self.end is not None and time.perf_counter() >= self.end
            self.was_asked = over or (self.stop is not None and self.stop.is_set())
        return self.was_asked


_stack = threading.local()
_limits: ContextVar[Limits | None] = ContextVar("branchwise_limits", default=None)


def current_limits() -> Limits:
    """Return the limits of this thread's work; new, unlimited ones if there are none."""
    return _limits.get() or Limits()


@contextmanager
def limited(limits: Limits) -> Iterator[Limits]:
    """Apply `limits` to all rules that run inside the block, and let Ctrl-C ask for the end."""
    token = _limits.set(limits)
    try:
        with _watchdog.interrupts(limits):
            yield limits
    finally:
        _limits.reset(token)


class Work:
    """The work of a thread that is inside rules.

    base : the frame that calls rules in plain Python; None for a thread that calls a kernel.
    """

    def __init__(self, limits: Limits, base: FrameType | None) -> None:
        self.limits = limits
        self.base = base
        self.thread = threading.get_ident()
        self.below: Work | None = None
        self.slot: int | None = None
        self.requests = 0
        self.since = _Stopwatch(self.thread)
        self.seen = 0
        self.rule: FrameType | None = None
        self.fired = False


class _Stopwatch:
    """Measures CPU time of a thread, or clock time where CPU time is not available.

    If the CPU is busy with other work, a third of the clock time counts at least.
    """

    def __init__(self, thread: int) -> None:
        self._clock: int | None = None
        if hasattr(time, "pthread_getcpuclockid"):
            self._clock = time.pthread_getcpuclockid(thread)
        self.restart()

    def restart(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = self._processor()

    @property
    def seconds(self) -> float:
        wall = time.perf_counter() - self._wall
        return wall if self._clock is None else max(self._processor() - self._cpu, wall / 3)

    def _processor(self) -> float:
        if self._clock is None:
            return 0.0
        try:
            return time.clock_gettime(self._clock)
        except OSError:  # the thread has just ended
            return self._cpu


class _Watchdog:
    """The watching thread, which starts when it is first needed."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._works: dict[int, Work] = {}
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._asleep = True
        self._signals: tuple[int, Limits] | None = None
        self._pipe: tuple[int, int, int] | None = None
        """Its ends, to which Python writes the numbers of signals, and its inode; made when first needed."""

    def begin(self, base: FrameType | None = None) -> Work:
        """Register this thread as running rules; call `end` afterwards."""
        if base is None and not hasattr(_stack, "is_known"):
            _stack.is_known = True
            note_stack_limit()
        work = Work(current_limits(), base)
        work.below = self._works.get(work.thread)
        self._works[work.thread] = work
        if self._asleep:
            self._start()
        return work

    def end(self, work: Work) -> None:
        """Register that this thread has left the rules."""
        with self._lock:
            if self._works.get(work.thread) is work:
                if work.below is None:
                    del self._works[work.thread]
                else:
                    self._works[work.thread] = work.below
                    work.below.since.restart()
            if work.slot is not None:
                self._release(work)
            work.rule = work.base = None
        if work.fired:  # perhaps not yet raised
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(work.thread), None)

    @contextmanager
    def interrupts(self, limits: Limits) -> Iterator[None]:
        """Let Ctrl-C ask for the end even while the main thread is inside a kernel.

        Python would handle it only when the kernel returns.
        """
        if threading.current_thread() is not threading.main_thread() or self._signals is not None:
            yield
            return
        if not callable(signal.getsignal(signal.SIGINT)):
            yield
            return
        reader, writer = self._ends()
        before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        if before != -1:  # another listener, such as an event loop
            signal.set_wakeup_fd(before)
        else:
            self._signals = (reader, limits)
        try:
            yield
        finally:
            if before == -1:
                signal.set_wakeup_fd(-1)
            with self._lock:
                self._signals = None

    def _ends(self) -> tuple[int, int]:
        """Return the ends of the pipe, which is empty."""
        if self._pipe is None or not self._is_open(*self._pipe):
            reader, writer = os.pipe()
            os.set_blocking(reader, False)
            os.set_blocking(writer, False)
            self._pipe = reader, writer, os.fstat(reader).st_ino
        reader, writer, _ = self._pipe
        with suppress(BlockingIOError):
            while os.read(reader, 4096):
                pass
        return reader, writer

    @staticmethod
    def _is_open(reader: int, writer: int, inode: int) -> bool:
        """Whether both ends are still those of the pipe; a program may close what it did not open."""
        try:
            return os.fstat(reader).st_ino == inode == os.fstat(writer).st_ino
        except OSError:
            return False

    def _start(self) -> None:
        with self._lock:
            self._asleep = False
            self._wake.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="branchwise-watch", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        last = time.perf_counter()
        while True:
            time.sleep(_TICK)
            if self._works:
                last = time.perf_counter()
                self._hear_signals()
                frames = sys._current_frames()
                for work in list(self._works.values()):
                    with self._lock:
                        if self._works.get(work.thread) is work:
                            self._look(work, frames.get(work.thread))
                frames.clear()
            elif time.perf_counter() - last > _IDLE:
                self._wake.clear()
                self._asleep = True
                if not self._works:
                    self._wake.wait()
                self._asleep = False

    def _hear_signals(self) -> None:
        with self._lock:
            if self._signals is None:
                return
            reader, limits = self._signals
            with suppress(BlockingIOError):
                if signal.SIGINT in os.read(reader, 64):
                    limits.ask()

    # --- checking one thread; all functions below are called with the lock held ---

    def _look(self, work: Work, frame: FrameType | None) -> None:
        if frame is None:
            return
        if work.base is not None:
            self._look_at_python(work, work.base, frame)
        elif frame.f_code in KERNEL_CALLERS:
            self._look_at_kernel(work)
        else:  # not in the kernel yet, which is being compiled or loaded
            work.since.restart()

    def _look_at_kernel(self, work: Work) -> None:
        if work.limits.asked:
            steps = (END_BATCH, END_BATCH | END_GAME, END_BATCH | END_GAME | LEAVE_RULE)
            if work.requests not in steps:
                self._post(work, steps[0])
            elif work.requests != steps[-1] and work.since.seconds > GRACE:
                self._post(work, steps[steps.index(work.requests) + 1])
        elif work.requests == 0 and work.since.seconds > work.limits.patience / 2:
            self._post(work, SHOW_LIFE)
        elif work.requests == SHOW_LIFE and work.since.seconds > work.limits.patience / 2:
            self._post(work, SHOW_LIFE if self._has_shown_life(work) else SHOW_LIFE | LEAVE_RULE)

    def _look_at_python(self, work: Work, base: FrameType, frame: FrameType) -> None:
        rule = _rule(frame, base)
        late = work.limits.firm and work.limits.asked
        if rule is not work.rule and not late:
            work.rule = rule
            work.since.restart()
            return
        patience = min(work.limits.patience, 2 * GRACE) if work.limits.asked else work.limits.patience
        if rule is not None and (late or work.since.seconds > patience):
            work.fired = True
            work.since.restart()
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(work.thread), ctypes.py_object(LeaveRule)
            )

    def _post(self, work: Work, requests: int) -> None:
        if work.slot is None:
            free = [slot for slot in range(SLOTS) if TABLE[_at(slot, THREAD)] == 0]
            if not free:
                return  # others come first
            work.slot = free[0]
        work.requests = requests
        work.since.restart()
        work.seen = int(TABLE[_at(work.slot, SEEN)])
        TABLE[_at(work.slot, REQUESTS)] = requests
        TABLE[_at(work.slot, THREAD)] = work.thread
        self._tell()

    def _has_shown_life(self, work: Work) -> bool:
        assert work.slot is not None
        return int(TABLE[_at(work.slot, SEEN)]) != work.seen

    def _release(self, work: Work) -> None:
        assert work.slot is not None
        TABLE[_at(work.slot, THREAD)] = 0
        TABLE[_at(work.slot, REQUESTS)] = 0
        work.slot = None
        self._tell()

    def _tell(self) -> None:
        """Set `POSTED` to all requests to any thread."""
        posted = 0
        for slot in range(SLOTS):
            posted |= int(TABLE[_at(slot, REQUESTS)])
        TABLE[POSTED] = posted


KERNEL_CALLERS: set[Any] = set()
"""Code of functions that call kernels; a thread with one of these as innermost frame is in a kernel."""

_watchdog = _Watchdog()
begin = _watchdog.begin
end = _watchdog.end

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_watchdog._reset)


class RulesInPython:
    """Watches rules that run in plain Python inside the block; raises `RuleLeftError` if one is left.

    limits : None: those of this thread's work. Others are short: no garbage is collected meanwhile,
    because what ends a rule is lost if it comes within a collection.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits
        self._token: Token[Limits | None] | None = None

    def __enter__(self) -> None:
        self._collects_later = self._limits is not None and gc.isenabled()
        if self._limits is not None:
            self._token = _limits.set(self._limits)
        if self._collects_later:
            gc.disable()
        self._work = begin(sys._getframe(1))

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            end(self._work)
        except LeaveRule:  # it came at the last moment
            end(self._work)
        finally:
            if self._collects_later:
                gc.enable()
            if self._token is not None:
                _limits.reset(self._token)
        if isinstance(error, LeaveRule):
            raise left_at(trace) from None


def left_at(trace: TracebackType | None) -> RuleLeftError:
    """Return the error for the innermost line of the user's code in `trace`."""
    error = RuleLeftError("", 0)
    while trace is not None:
        if _is_users(trace.tb_frame):
            code = trace.tb_frame.f_code
            error = RuleLeftError(code.co_qualname, 0, code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return error


def _rule(frame: FrameType | None, base: FrameType) -> FrameType | None:
    """Return the outermost frame of user code above `base`, which is the current call of a rule."""
    found = None
    while frame is not None and frame is not base:
        if _is_users(frame):
            found = frame
        frame = frame.f_back
    return None if frame is None else found


def _is_users(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    if file.startswith(_PACKAGE):
        return file.startswith(_RULES)
    return _COMPILER.search(file) is None


def _at(slot: int, part: int) -> int:
    return FIRST_SLOT + slot * SLOT_SIZE + part
