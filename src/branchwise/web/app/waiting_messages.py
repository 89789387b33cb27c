"""Messages waiting to be sent to a page, which may read slowly."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

import msgspec

from branchwise.common.errors import BranchwiseError
from branchwise.web.protocol.messages import Analysis, Told, Tree

MOST_WAITING = 200
"""Number of waiting messages above which nothing is read from a page until it reads some."""
ENOUGH_BYTES = 2**20
"""The same limit in bytes."""
MOST_BYTES = 2**24
"""Maximum bytes of waiting messages; a page that exceeds them does not read."""

_encoder = msgspec.json.Encoder()


class OverflowingError(BranchwiseError):
    """Too much is waiting for a page."""


class Outbox:
    """Messages in order; of unrequested analyses and trees only the latest waits.

    most_bytes : limit for all waiting messages except those two.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self.waiting_bytes = 0
        self._most_bytes = most_bytes
        self._waiting: deque[bytes | type[Told]] = deque()
        self._latest: dict[type[Told], Told] = {}
        self._some = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._empty = asyncio.Event()
        self._empty.set()

    def put(self, told: Told) -> None:
        """Add a message. Raises `OverflowingError` if it does not fit; it is then dropped."""
        kind = type(told)
        if kind in (Analysis, Tree) and told.id is None:
            if kind not in self._latest:
                self._waiting.append(kind)
            self._latest[kind] = told
        else:
            content = _encoder.encode(told)
            if self.waiting_bytes + len(content) > self._most_bytes:
                raise OverflowingError("too much is waiting for this page, which does not read")
            self._waiting.append(content)
            self.waiting_bytes += len(content)
        self._some.set()
        self._empty.clear()
        self._look_for_room()

    async def has_room(self) -> None:
        """Wait until fewer messages are waiting."""
        await self._room.wait()

    async def is_empty(self) -> None:
        """Wait until every message was taken and the last one was sent."""
        await self._empty.wait()

    async def messages(self) -> AsyncIterator[bytes]:
        """Yield one message after the other, as JSON, forever."""
        while True:
            while self._waiting:
                first = self._waiting.popleft()
                if isinstance(first, type):
                    content = _encoder.encode(self._latest.pop(first))
                else:
                    content = first
                    self.waiting_bytes -= len(content)
                self._look_for_room()
                yield content
            self._some.clear()
            self._empty.set()
            await self._some.wait()

    def _look_for_room(self) -> None:
        if len(self._waiting) >= MOST_WAITING or self.waiting_bytes >= min(ENOUGH_BYTES, self._most_bytes):
            self._room.clear()
        else:
            self._room.set()
