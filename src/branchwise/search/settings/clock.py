"""Dividing the time of a game clock among the moves of a game."""

from __future__ import annotations

from dataclasses import dataclass

from branchwise.common.argument_checks import number
from branchwise.search.settings.budget import MAX_SECONDS

MOVES_LEFT = 20.0
LONGEST_SHARE = 0.4
RESERVE = 0.05
SHORTEST = 0.005
MAX_REMAINING = 1e9


@dataclass(frozen=True)
class Clock:
    """A player's clock before a move, in seconds.

    remaining : time for the rest of the game, above 0.   increment : added after each move, from 0.
    moves_left : how many more moves the player expects to make, from 1.
    reserve : kept back for anything but thinking, such as sending the move.

    >>> round(Clock(60).seconds, 2), round(Clock(60, increment=2).seconds, 2), Clock(0.1).seconds
    (3.0, 5.0, 0.005)
    """

    remaining: float
    increment: float = 0.0
    moves_left: float = MOVES_LEFT
    reserve: float = RESERVE

    def __post_init__(self) -> None:
        number("remaining", self.remaining, 0.0, MAX_REMAINING, above=True)
        number("increment", self.increment, 0.0, MAX_REMAINING)
        number("moves_left", self.moves_left, 1.0, 1e6)
        number("reserve", self.reserve, 0.0, MAX_REMAINING)

    @property
    def seconds(self) -> float:
        """How long to think now.

            min((remaining - reserve) / moves_left + increment, 0.4 (remaining - reserve))

        Each move leaves six tenths of the time, so that the clock never runs out in a game of any length.
        The result is at least 5 ms, or half of the remaining time if that is less; half of the remaining
        time if the reserve takes more than that; and never above 10 million, the most that a budget takes.
        """
        usable = max(self.remaining - self.reserve, self.remaining / 2)
        share = min(usable / self.moves_left + self.increment, LONGEST_SHARE * usable, MAX_SECONDS)
        return max(share, min(SHORTEST, self.remaining / 2))
