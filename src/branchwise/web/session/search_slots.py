"""Places for searches: a limited number run at the same time, others wait.

After some seconds a search without a limit gives its place to a waiting one, and waits itself.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

QUANTUM = 3.0
"""Seconds that a search without a limit runs before it makes room for a waiting one."""


@dataclass(eq=False)
class _Occupant:
    since: float
    make_room: Callable[[], object] | None
    asked: bool = False


class Slots:
    """Places for `count` searches, given out in the order of requests."""

    def __init__(self, count: int, quantum: float = QUANTUM) -> None:
        self.count = count
        self._quantum = quantum
        self._occupants: list[_Occupant] = []
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._promised = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def waiting(self) -> int:
        """The number of searches that wait for a place."""
        return len(self._waiting)

    @property
    def is_free(self) -> bool:
        """Whether a place is free."""
        return not self._waiting and len(self._occupants) + self._promised < self.count

    @asynccontextmanager
    async def hold(self, make_room: Callable[[], object] | None = None) -> AsyncIterator[None]:
        """Hold a place; make_room : ends a search without a limit, so that it frees the place."""
        await self._wait()
        occupant = _Occupant(time.monotonic(), make_room)
        self._occupants.append(occupant)
        self._look_round()
        try:
            yield
        finally:
            self._occupants.remove(occupant)
            self._let_in()

    async def _wait(self) -> None:
        if self.is_free:
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._look_round()
        try:
            await turn
        except asyncio.CancelledError:
            if turn in self._waiting:
                self._waiting.remove(turn)
            elif turn.done() and not turn.cancelled():
                self._promised -= 1
                self._let_in()
            raise
        self._promised -= 1

    def _let_in(self) -> None:
        while self._waiting and len(self._occupants) + self._promised < self.count:
            turn = self._waiting.popleft()
            if not turn.done():
                self._promised += 1
                turn.set_result(None)

    def _look_round(self) -> None:
        """Ask searches that have held a place for long to make room for waiting ones."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        missing = len(self._waiting) - sum(occupant.asked for occupant in self._occupants)
        willing = [
            occupant for occupant in self._occupants if occupant.make_room is not None and not occupant.asked
        ]
        if missing <= 0 or not willing:
            return
        now = time.monotonic()
        soonest = self._quantum
        for occupant in willing:
            left = occupant.since + self._quantum - now
            if left > 0:
                soonest = min(soonest, left)
            elif missing > 0 and occupant.make_room is not None:
                occupant.asked = True
                missing -= 1
                occupant.make_room()
        if missing > 0:
            self._timer = asyncio.get_running_loop().call_later(max(soonest, 0.01), self._look_round)
