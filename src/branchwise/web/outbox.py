"""Messages on their way to a page, which may be slow to take them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from branchwise.web.messages import Analysis, Told, Tree

MOST_WAITING = 200
"""Messages beyond which nothing more is read from a page until it takes some."""


class Outbox:
    """Messages in order; of analyses and trees that nobody asked for, only the latest waits."""

    def __init__(self) -> None:
        self._waiting: deque[Told | type[Told]] = deque()
        self._latest: dict[type[Told], Told] = {}
        self._some = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._empty = asyncio.Event()
        self._empty.set()

    def put(self, told: Told) -> None:
        """Add a message."""
        kind = type(told)
        if kind in (Analysis, Tree) and told.id is None:
            if kind not in self._latest:
                self._waiting.append(kind)
            self._latest[kind] = told
        else:
            self._waiting.append(told)
        self._some.set()
        self._empty.clear()
        if len(self._waiting) >= MOST_WAITING:
            self._room.clear()

    async def has_room(self) -> None:
        """Wait until not too many messages wait."""
        await self._room.wait()

    async def is_empty(self) -> None:
        """Wait until every message was taken, and the one before the next is asked for, sent."""
        await self._empty.wait()

    async def messages(self) -> AsyncIterator[Told]:
        """Give one message after the other, for ever."""
        while True:
            while self._waiting:
                first = self._waiting.popleft()
                if len(self._waiting) < MOST_WAITING:
                    self._room.set()
                yield self._latest.pop(first) if isinstance(first, type) else first
            self._some.clear()
            self._empty.set()
            await self._some.wait()
