"""How often a search that runs in chunks tells its caller of its progress, and how long the chunks are."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

PROGRESS_INTERVAL = 0.1
_PROGRESS_SHARE = 0.02
"""Maximum share of CPU time spent on progress callbacks."""


class Reports(Generic[T]):
    """Calls `progress` with the result so far, about ten times a second, within a share of CPU time.

    began : when the search began, by `time.perf_counter`.
    """

    def __init__(self, progress: Callable[[T], object] | None, began: float) -> None:
        self._progress = progress
        self._next = began + PROGRESS_INTERVAL

    def offer(self, result: Callable[[], T]) -> None:
        """Report the result that `result` returns, if it is time to."""
        now = time.perf_counter()
        if self._progress is not None and now >= self._next:
            before = time.thread_time()
            self._progress(result())
            self._next = now + max(PROGRESS_INTERVAL, (time.thread_time() - before) / _PROGRESS_SHARE)


def next_chunk(size: int, seconds: float, aim: float, growth: int = 8) -> int:
    """Return how much to do in about `aim` seconds; at most `growth` times `size`, which took `seconds`."""
    return max(1, min(growth * size, int(size * aim / max(seconds, 1e-9))))
