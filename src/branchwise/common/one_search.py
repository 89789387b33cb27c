"""Planners that search once at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from branchwise.common.errors import SettingsError


class OneSearch:
    """A planner that runs one search at a time, which another thread can stop.

    Copied or pickled it keeps its settings, but nothing of its searches.
    """

    _of_searches: ClassVar[tuple[str, ...]] = ("_stop", "_busy")
    """Attributes besides the settings: `_begin` sets them, and a copy gets new ones."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Start with no search."""
        self._stop = threading.Event()
        self._busy = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Return the settings alone, to be copied and pickled."""
        return {name: value for name, value in vars(self).items() if name not in self._of_searches}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    def stop(self) -> None:
        """End the running search, from another thread; it returns its result so far."""
        self._stop.set()

    @contextmanager
    def _searching(self) -> Iterator[None]:
        """Begin a search; raises `SettingsError` during another one."""
        if not self._busy.acquire(blocking=False):
            raise SettingsError(
                "this planner is searching already", mend="stop() that search first, or use another planner"
            )
        try:
            self._stop.clear()
            yield
        finally:
            self._busy.release()
