"""What is being compiled just now, since when, and how long it will take.

Light to import: a page, a command line or a program of a user's shows it while a search has not begun yet.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Compiling:
    """A compile under way.

    what : name of the game, or "the search".   expected : seconds that it takes in all, as earlier ones did.
    meanwhile : whether the search goes on in plain Python until then, so that nobody waits.

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
    """Return what has been compiling longest in this process, None if nothing is."""
    waiting = _under_way[:1]
    return waiting[0] if waiting else None


@contextmanager
def told_of_compiling(tell: Listener) -> Iterator[None]:
    """Call `tell` with each compile that this thread begins to need, and with None when it has ended.

    The calls come from other threads; those of a compile that nobody waits for may come later.
    """
    before = listener_of_thread()
    _of_thread.tell = tell
    try:
        yield
    finally:
        _of_thread.tell = before


def listener_of_thread() -> Listener | None:
    """Return what `told_of_compiling` was given in this thread."""
    tell: Listener | None = getattr(_of_thread, "tell", None)
    return tell


def begin(compiling: Compiling) -> None:
    """Note that a compile begins."""
    _under_way.append(compiling)


def end(compiling: Compiling) -> None:
    """Note that a compile has ended."""
    _under_way.remove(compiling)
