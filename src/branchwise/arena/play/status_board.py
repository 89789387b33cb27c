"""Whose turn it is in another process, in memory that outlives that process.

The process that plays a game notes in a few bytes shared with the arena what goes on and which moves were
made. Nothing wakes the arena up: it looks there now and then, and when the process has died or does not
answer any more, it knows who was to move and how the game went until then. A pipe would tell the same at the
price of waking the arena for every move, on a core that the bots need.

Bots run in the process that writes here. So the memory cannot be resized, nor written through a descriptor
where the system can forbid that, and what was noted ends with a check: the arena reads nothing that a bot has
scribbled over.
"""

from __future__ import annotations

import mmap
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from branchwise.processes import forbid_writers, nameless_file

if TYPE_CHECKING:
    from branchwise.boxes import Plain

IDLE, RULES, BUILDING, WARMING, THINKING, CLOSING, BEGINNING = range(7)
"""What goes on: no game; the arena's doings and the rules; a bot is built, tried out, thinks, is closed; a
bot thinks while code may still be compiled."""

_HEAD = struct.Struct("<qiid qq")
_CHECK = 0x5DEECE66D1B54A32
"""What the last number of the head differs by from the first, bit by bit."""

_MOVE = struct.Struct("<if")
MOST_MOVES = 50_000
"""Moves that are noted; a longer game goes on unnoted. Fewer where an action is a vector."""


@dataclass(frozen=True)
class WorkerStatus:
    """What a process that plays games is doing.

    count : rises with every change.   doing : IDLE to BEGINNING.   seat : the player whose bot it concerns,
    or -1.   limit : seconds that it may take, at most.   moves : made after the opening so far.
    """

    count: int = 0
    doing: int = IDLE
    seat: int = -1
    limit: float = float("inf")
    moves: int = 0


class StatusBoard:
    """The shared bytes, on either side of the process border.

    descriptor : of the file that the other side made; None: one is made, without a name, so that nothing is
    left behind whichever way the processes end.
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
        """What the other side opens, if it inherits it."""
        return self._file.fileno()

    def note(self, doing: int, seat: int = -1, limit: float = float("inf")) -> None:
        """Note that `seat` begins with `doing`, which may take `limit` seconds."""
        self._count += 1
        check = self._count ^ _CHECK
        _HEAD.pack_into(self._memory, 0, self._count, doing, seat, limit, self._moves, check)

    def expect_vectors(self, dimensions: int) -> None:
        """Let moves be vectors of so many numbers, on either side; 0: they are numbers of actions."""
        if dimensions:
            self._dimensions = dimensions
            self._move = struct.Struct(f"<{dimensions}df")
            self._most = MOST_MOVES * _MOVE.size // self._move.size

    def note_move(self, action: Plain, seconds: float) -> None:
        """Note a move made; `note` has to follow for it to count."""
        if self._moves < self._most:
            numbers = action if isinstance(action, tuple) else (action,)
            self._move.pack_into(self._memory, _HEAD.size + self._moves * self._move.size, *numbers, seconds)
            self._moves += 1

    def note_game(self) -> None:
        """Note that a game begins, without moves so far."""
        self._moves = 0
        self.note(RULES)

    def read(self) -> WorkerStatus:
        """Return what was noted last, or before it where that is being written or has been spoilt."""
        count, doing, seat, limit, moves, check = _HEAD.unpack(self._memory[: _HEAD.size])
        if check == count ^ _CHECK:
            self._seen = WorkerStatus(count, doing, seat, limit, moves)
        return self._seen

    def moves(self) -> list[tuple[Plain, float]]:
        """Return action and seconds of each move of the game so far; they may be spoilt."""
        found = []
        for place in range(self.read().moves):
            *numbers, seconds = self._move.unpack_from(self._memory, _HEAD.size + place * self._move.size)
            found.append((tuple(numbers) if self._dimensions else numbers[0], seconds))
        return found

    def close(self) -> None:
        self._memory.close()
        self._file.close()
