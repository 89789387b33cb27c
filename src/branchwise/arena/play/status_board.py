"""Sharing a worker's status with the arena, in memory that outlives the worker.

The worker records its state and the moves so far in a few bytes shared with the arena. The arena reads
them now and then. If the worker has died or does not answer any more, the arena knows who was to move and how
the game went until then. A pipe would wake the arena for every move, on a core that the bots need.

Bots run in the process that writes here. So the memory cannot be resized, nor written through a descriptor
if the system can forbid that, and each entry ends with a check: the arena rejects data that a bot has
overwritten.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchwise.common.processes import forbid_writers, nameless_file

if TYPE_CHECKING:
    from branchwise.game.kinds.continuous_actions import Plain

IDLE, RULES, BUILDING, WARMING, THINKING, CLOSING, BEGINNING = range(7)
"""States: no game; the referee or the rules run; a bot is built, rehearsed, thinks, is closed; a bot thinks
while code may still be compiled."""

_HEAD = struct.Struct("<qiid qq")
_CHECK = 0x5DEECE66D1B54A32
"""The bitwise difference between the first and the last number of the head."""

_MOVE = struct.Struct("<if")
MOST_MOVES = 50_000
"""Maximum number of recorded moves; fewer if actions are vectors. Later moves are not recorded."""


@dataclass(frozen=True)
class WorkerStatus:
    """The status of a worker process.

    count : rises with every change.   doing : IDLE to BEGINNING.   seat : the player of the bot concerned,
    or -1.   limit : maximum seconds that it may take.   moves : number made after the opening so far.
    """

    count: int = 0
    doing: int = IDLE
    seat: int = -1
    limit: float = float("inf")
    moves: int = 0


class StatusBoard:
    """The shared bytes, in either of the two processes.

    descriptor : of the file that the other process made; None: make one without a name, so that nothing is
    left behind, however the processes end.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        size = _HEAD.size + MOST_MOVES * _MOVE.size
        self._move, self._most, self._dimensions = _MOVE, MOST_MOVES, 0
        created = descriptor is None
        self._file = nameless_file(size, fixed=True) if descriptor is None else os.fdopen(descriptor, "r+b")
        self._memory = mmap.mmap(self._file.fileno(), size)
        self._count = 0
        self._moves = 0
        self._seen = WorkerStatus()
        if created:
            _HEAD.pack_into(self._memory, 0, 0, IDLE, -1, float("inf"), 0, _CHECK)
        else:
            forbid_writers(self._file.fileno())

    @property
    def descriptor(self) -> int:
        """The file descriptor for a process that inherits it."""
        return self._file.fileno()

    def note(self, doing: int, seat: int = -1, limit: float = float("inf")) -> None:
        """Record that `seat` begins with `doing`, which may take `limit` seconds."""
        self._count += 1
        check = self._count ^ _CHECK
        _HEAD.pack_into(self._memory, 0, self._count, doing, seat, limit, self._moves, check)

    def expect_vectors(self, dimensions: int) -> None:
        """Record moves as vectors of `dimensions` numbers, 0: as whole numbers; call it on both sides."""
        self._dimensions = dimensions
        self._move = struct.Struct(f"<{dimensions}df") if dimensions else _MOVE
        self._most = MOST_MOVES * _MOVE.size // self._move.size

    def note_move(self, action: Plain, seconds: float) -> None:
        """Record a move, which counts only after the next `note`."""
        if self._moves < self._most:
            numbers = action if isinstance(action, tuple) else (action,)
            self._move.pack_into(self._memory, _HEAD.size + self._moves * self._move.size, *numbers, seconds)
            self._moves += 1

    def note_game(self) -> None:
        """Record that a game begins, with no moves yet."""
        self._moves = 0
        self.note(RULES)

    def read(self) -> WorkerStatus:
        """Return the last status, or the one before if the last is being written or was overwritten."""
        count, doing, seat, limit, moves, check = _HEAD.unpack(self._memory[: _HEAD.size])
        if check == count ^ _CHECK:
            self._seen = WorkerStatus(count, doing, seat, limit, moves)
        return self._seen

    def moves(self) -> list[tuple[Plain, float]]:
        """Return action and seconds of each move of the game so far; a bot may have overwritten them."""
        found = []
        for place in range(self.read().moves):
            *numbers, seconds = self._move.unpack_from(self._memory, _HEAD.size + place * self._move.size)
            found.append((tuple(numbers) if self._dimensions else numbers[0], seconds))
        return found

    def close(self) -> None:
        self._memory.close()
        self._file.close()
