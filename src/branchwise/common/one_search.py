"""Planners that search once at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from branchwise.common.errors import SettingsError


class OneSearch:
    """A planner that runs one search at a time, which another thread can stop."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._busy = threading.Lock()

    def stop(self) -> None:
        """End the running search, from another thread; it returns its result so far."""
        self._stop.set()

    @contextmanager
    def _searching(self) -> Iterator[None]:
        """Begin a search; raises `SettingsError` during another one."""
        if not self._busy.acquire(blocking=False):
            raise SettingsError("this planner is searching already", mend="use another planner")
        try:
            self._stop.clear()
            yield
        finally:
            self._busy.release()
