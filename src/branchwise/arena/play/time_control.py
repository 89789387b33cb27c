"""Time limits of bots, for each move or for the whole game, enforced by the arena."""

from __future__ import annotations

from dataclasses import dataclass

from branchwise.common.argument_checks import number
from branchwise.common.errors import SettingsError
from branchwise.search.settings.budget import MAX_SECONDS

ALLOWANCE = 0.1
GRACE = 2.0
CLOSE_PATIENCE = 5.0
"""Seconds in which a bot must release its resources when it is closed."""
PATIENCE = 60.0


@dataclass(frozen=True)
class TimeControl:
    """The time limits of a match, and when a bot that does not answer is given up.

    seconds : of each move, or None.   clock, increment : seconds for all of a player's moves in a game, and
    seconds that each move adds; or None.   allowance : tolerated excess in seconds, for anything but
    thinking: for each move, or once for all moves of a game.   patience : seconds after which a bot without a
    limit counts as hung, and also any bot that is rehearsed before its first game, which may have to compile.
    A bot with a limit counts as hung 2 seconds after it has exceeded the limit and the allowance.

    >>> TimeControl(seconds=0.5).deadline(None), TimeControl(clock=60.0).deadline(12.0)
    (2.6, 14.1)
    """

    seconds: float | None = None
    clock: float | None = None
    increment: float = 0.0
    allowance: float = ALLOWANCE
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        if self.seconds is not None and self.clock is not None:
            raise SettingsError("a match has either seconds for each move or a clock for the game")
        if self.seconds is not None:
            number("seconds", self.seconds, 0.0, MAX_SECONDS, above=True)
        if self.clock is not None:
            number("clock", self.clock, 0.0, MAX_SECONDS, above=True)
        elif self.increment:
            raise SettingsError("increment is given without clock")
        number("increment", self.increment, 0.0, MAX_SECONDS)
        number("allowance", self.allowance, 0.0, MAX_SECONDS)
        number("patience", self.patience, 0.0, MAX_SECONDS, above=True)

    def deadline(self, remaining: float | None) -> float:
        """Return the seconds after which a move is given up; remaining : on the clock before it, if any."""
        if self.seconds is not None:
            return self.seconds + self.allowance + GRACE
        if remaining is not None:
            return max(remaining, 0.0) + self.allowance + GRACE
        return self.patience


def read_clock(text: str | float) -> tuple[float, float]:
    """Return seconds and increment of a clock written like `60` or `60+0.5`; raises `SettingsError`.

    >>> read_clock("60+0.5"), read_clock(10)
    ((60.0, 0.5), (10.0, 0.0))
    """
    base, plus, increment = str(text).partition("+")
    try:
        return float(base), float(increment) if plus else 0.0
    except ValueError:
        raise SettingsError(
            f'cannot read the clock "{text}"', mend="write seconds, or seconds+increment: 60+0.5"
        ) from None
