"""Messages between the arena and a worker, through pipes to which bots may write as well.

A bot runs in the sending process: it can write to every descriptor there, make it non-blocking, or close
it. So a message is a frame: a unique key, the length of the content, a checksum, and the content. Bytes
between frames are skipped.
"""

from __future__ import annotations

import os
import select
import struct
import time
from contextlib import suppress
from hashlib import blake2b

KEY_BYTES = 16
TASKS_KEY = b"branchwise tasks"
"""The key of messages to a worker, to which only the arena writes."""

MOST_NOISE = 2**20
"""Bytes between frames above which noise counts as a flood."""

_HEAD = struct.Struct("<I8s")
_LONGEST = 2**28
_CHUNK = 2**16


class FloodError(Exception):
    """Too many bytes outside messages came through the pipe."""


class _End:
    """One end of a pipe; key : of its messages."""

    def __init__(self, descriptor: int, key: bytes) -> None:
        self.descriptor = descriptor
        self._key = key
        self._is = _identity(descriptor)

    @property
    def is_intact(self) -> bool:
        """Whether the descriptor is still the one that it was at first."""
        return _identity(self.descriptor) == self._is


class Outlet(_End):
    """The sending end of a pipe.

    >>> read, write = os.pipe()
    >>> Outlet(write, TASKS_KEY).send(b"a game")
    >>> Inlet(read, TASKS_KEY).receive(1.0)
    b'a game'
    """

    def send(self, payload: bytes) -> None:
        """Write a message; raises `OSError` if the reader has gone."""
        rest = memoryview(self._key + _HEAD.pack(len(payload), _checksum(payload)) + payload)
        while rest:
            try:
                rest = rest[os.write(self.descriptor, rest) :]
            except BlockingIOError:
                waiting = select.poll()
                waiting.register(self.descriptor, select.POLLOUT)
                waiting.poll(1000)


class Inlet(_End):
    """The receiving end of a pipe."""

    def __init__(self, descriptor: int, key: bytes) -> None:
        super().__init__(descriptor, key)
        self._ready = select.poll()
        self._ready.register(descriptor, select.POLLIN)
        self._read = bytearray()
        self._noise = 0

    def receive(self, timeout: float | None = None) -> bytes | None:
        """Return the next message, or None if there is none within `timeout` seconds.

        Raises `EOFError` at the end, `FloodError` for too much noise, and `OSError`.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            payload = self._take()
            if payload is not None:
                return payload
            left = None if deadline is None else max(deadline - time.monotonic(), 0.0) * 1000
            if not self._ready.poll(left):
                return None
            with suppress(BlockingIOError):  # another reader was faster
                more = os.read(self.descriptor, _CHUNK)
                if not more:
                    raise EOFError
                self._read += more

    def _take(self) -> bytes | None:
        """Return the first complete message in the buffer, and drop everything before it."""
        while True:
            start = self._read.find(self._key)
            if start < 0:
                self._drop(len(self._read) - (KEY_BYTES - 1))  # the rest may be the start of a key
                return None
            self._drop(start)
            body = KEY_BYTES + _HEAD.size
            if len(self._read) < body:
                return None
            length, checksum = _HEAD.unpack_from(self._read, KEY_BYTES)
            if length <= _LONGEST and len(self._read) < body + length:
                return None
            payload = bytes(self._read[body : body + length])
            if length <= _LONGEST and _checksum(payload) == checksum:
                del self._read[: body + length]
                self._noise = 0
                return payload
            self._drop(KEY_BYTES)

    def _drop(self, count: int) -> None:
        if count > 0:
            del self._read[:count]
            self._noise += count
            if self._noise > MOST_NOISE:
                raise FloodError


def _checksum(payload: bytes) -> bytes:
    return blake2b(payload, digest_size=8).digest()


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino
