"""Limits for a client of the server, and for its rate of messages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields

from branchwise.common.argument_checks import number, whole_number
from branchwise.common.errors import SettingsError

MAX_STATE_BYTES = 65_536
MAX_ACTIONS = 4096
"""Limits of one state and of a game; larger boards and variants are refused."""


@dataclass(frozen=True, kw_only=True)
class ServerLimits:
    """Limits of a server, all of which the command line can set.

    message_bytes : bytes of one message or body, 1,024 to 16 MiB.   sessions : pages at the same time, from
    1.
    session_seconds : how long a session is kept without a connection; the one left first is closed first.
    searches : searches at the same time, from 1; others wait.   memory_mb : memory for the trees of all
    searches together, in units of 2**20 bytes, at least 8 for each search.   seconds : of one search.
    http_seconds : of one search by HTTP.   waiting : waiting searches by HTTP.   messages_per_second, burst :
    messages of one page, on average and at once.   variants : variants of all games made while the server
    runs.

    >>> ServerLimits(searches=2).searches
    2
    """

    message_bytes: int = 65_536
    sessions: int = 100
    session_seconds: float = 600.0
    searches: int = 16
    memory_mb: float = 2048.0
    seconds: float = 600.0
    http_seconds: float = 60.0
    waiting: int = 64
    messages_per_second: float = 100.0
    burst: int = 200
    variants: int = 64

    def __post_init__(self) -> None:
        whole_number("message_bytes", self.message_bytes, 1024, 2**24)
        for name in ("sessions", "searches", "waiting", "burst", "variants"):
            whole_number(name, getattr(self, name), 1, 100_000)
        for name in ("session_seconds", "seconds", "http_seconds", "messages_per_second"):
            number(name, getattr(self, name), 0.0, 1e7, above=True)
        number("memory_mb", self.memory_mb, 0.0, 1e7, above=True)
        if self.memory_mb < 8 * self.searches:
            raise SettingsError(
                f"{self.memory_mb:g} MB are not enough for {self.searches} searches at the same time",
                mend=f"give --memory {8 * self.searches}, or fewer --searches",
            )

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of all limits."""
        return [field.name for field in fields(cls)]


class Pace:
    """A rate limit: a bucket of tokens that fills at a steady rate.

    >>> now = 0.0
    >>> pace = Pace(rate=1.0, burst=2, clock=lambda: now)
    >>> [pace.allows() for _ in range(3)]
    [True, True, False]
    >>> now = 1.0
    >>> pace.allows(), pace.allows()
    (True, False)
    """

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock()

    def allows(self) -> bool:
        """Take a token; return whether there was one."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        if self._tokens < 1.0:
            return False
        self._tokens -= 1.0
        return True
