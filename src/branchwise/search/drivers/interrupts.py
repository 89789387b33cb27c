"""Handling Ctrl-C while threads work for the main thread."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any

PATIENCE = 2.0
"""Seconds in which threads must end after Ctrl-C; after that, another Ctrl-C does not wait for them."""


class HeldInterrupts:
    """Delays Ctrl-C to the end of a `with` block, and then handles it once.

    An exception while threads are started or awaited would leave them running, or a lock taken.

    on_first : called at once at the first Ctrl-C, in the main thread between any two steps of the block. It
    must make the block end. If that takes longer than `PATIENCE`, the next Ctrl-C interrupts the block.
    Outside the main thread, the only one that Ctrl-C interrupts, this does nothing.
    """

    def __init__(self, on_first: Callable[[], object]) -> None:
        self._on_first = on_first
        self._before: Callable[[int, FrameType | None], Any] | None = None
        self._first: tuple[float, FrameType | None] | None = None

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if callable(before):  # otherwise it is ignored, or ends the process
            self._before = before
            signal.signal(signal.SIGINT, self._note)

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            return
        signal.signal(signal.SIGINT, self._before)
        if self._first is not None:
            self._before(signal.SIGINT, self._first[1])

    def _note(self, number: int, frame: FrameType | None) -> None:
        assert self._before is not None
        if self._first is None:
            self._first = (time.monotonic(), frame)
            self._on_first()
        elif time.monotonic() - self._first[0] > PATIENCE:
            self._before(number, frame)
