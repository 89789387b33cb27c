"""The progress of compiling: what is being compiled, since when, and for how long.

Quick to import: a page, the command line or a user's program shows it before a search begins.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Compiling:
    """A compile in progress.

    what : name of the game, or "the search".   expected : total seconds, from earlier compiles.
    meanwhile : whether the search runs in plain Python until the code is ready.

    >>> print(Compiling("nim", expected=12.0))
    compiling nim: 0 s of about 12 s
    """

    what: str
    expected: float
    meanwhile: bool = False
    started: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started

    def __str__(self) -> str:
        return f"compiling {self.what}: {self.elapsed:.0f} s of about {max(self.expected, 1):.0f} s"


Listener = Callable[[Compiling | None], object]

_under_way: list[Compiling] = []
_of_thread = threading.local()


def compiling_now() -> Compiling | None:
    """Return the longest-running compile of this process; None if there is none."""
    return next(iter(_under_way), None)


@contextmanager
def told_of_compiling(tell: Listener) -> Iterator[None]:
    """Call `tell` with each compile that this thread needs when it begins, and with None when it ends.

    The calls come from other threads; those of a compile for which no thread waits can come later.
    """
    before = listener_of_thread()
    _of_thread.tell = tell
    try:
        yield
    finally:
        _of_thread.tell = before


def listener_of_thread() -> Listener | None:
    """Return the listener that this thread gave `told_of_compiling`."""
    tell: Listener | None = getattr(_of_thread, "tell", None)
    return tell


def begin(compiling: Compiling) -> None:
    """Record that a compile begins."""
    _under_way.append(compiling)


def end(compiling: Compiling) -> None:
    """Record that a compile has ended."""
    _under_way.remove(compiling)
