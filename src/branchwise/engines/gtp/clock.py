"""The clocks of a game as GTP tells them to a program."""

from __future__ import annotations

from dataclasses import dataclass, field

from branchwise.common.errors import SettingsError
from branchwise.search.settings.budget import MAX_SECONDS
from branchwise.search.settings.clock import MAX_REMAINING, RESERVE, Clock

_LAST_MOMENT = 1e-3
_KINDS = {"none": (0, 0), "absolute": (1, 1), "byoyomi": (3, 3), "canadian": (3, 3), "fischer": (2, 2)}
"""Kinds of `kata-time_settings`, each with the number of its values."""


@dataclass
class GtpClock:
    """Main time, then periods of overtime, each for a number of moves, or else an increment for every move.

    Times are seconds. Without main time and overtime there are no limits.

    >>> clock = GtpClock()
    >>> clock.set("60", "10", "5")
    >>> clock.tell(0, "4", "2")
    >>> clock.seconds(0), round(clock.seconds(1), 3)
    (1.95, 2.998)
    """

    main: float = 0.0
    period: float = 0.0
    moves: int = 0
    increment: float = 0.0
    _left: list[tuple[float, int]] = field(default_factory=lambda: [(0.0, 0)] * 2)
    """For each player the seconds left, and for how many moves; 0: for the rest of the game."""

    def set(self, main: str, period: str, moves: str) -> None:
        """Read the arguments of `time_settings`; a period for 0 moves means that there are no limits."""
        endless = _seconds(period) > 0 and not _moves(moves)
        self._begin(0.0 if endless else _seconds(main), _seconds(period), _moves(moves), 0.0)

    def set_kind(self, kind: str, values: list[str]) -> None:
        """Read the arguments of `kata-time_settings`.

        Periods of Japanese overtime, `byoyomi`, are counted as one, because a search never needs to begin
        another.
        """
        if kind not in _KINDS or len(values) != _KINDS[kind][0]:
            raise SettingsError(f'"{" ".join([kind, *values])}" is no time control', mend=", ".join(_KINDS))
        if kind == "none":
            self._begin(0.0, 0.0, 0, 0.0)
        elif kind == "absolute":
            self._begin(_seconds(values[0]), 0.0, 0, 0.0)
        elif kind == "fischer":
            self._begin(_seconds(values[0]), 0.0, 0, _seconds(values[1]))
        else:
            moves = 1 if kind == "byoyomi" else _moves(values[2])
            self._begin(_seconds(values[0]), _seconds(values[1]), moves, 0.0)

    def tell(self, player: int, seconds: str, moves: str) -> None:
        """Read the arguments of `time_left`."""
        self._left[player] = _seconds(seconds), _moves(moves)

    def spend(self, player: int, seconds: float) -> None:
        """Count the time of a move, for programs that never send `time_left`."""
        left, moves = self._left[player]
        left = max(left - seconds, 0.0) + self.increment
        if moves:
            moves -= 1
            if not moves:
                left, moves = self.period, self.moves
        elif not left and self.moves:
            left, moves = self.period, self.moves
        self._left[player] = left, moves

    def restart(self) -> None:
        """Give both players their whole time, because a game begins."""
        self._begin(self.main, self.period, self.moves, self.increment)

    def seconds(self, player: int) -> float | None:
        """Return how long a player may think about a move; None without a limit.

        In overtime it is the same share of the period for each of its moves, less a reserve of 50 ms, or half
        of the share if that is more. In main time it is as `Clock` has it, but not less than overtime gives.
        """
        if not self._is_limited:
            return None
        left, moves = self._left[player]
        if moves:
            return _share(left, moves)
        share = Clock(min(max(left, _LAST_MOMENT), MAX_REMAINING), self.increment).seconds
        return max(share, min(_share(self.period, self.moves), left)) if self.moves else share

    @property
    def _is_limited(self) -> bool:
        return self.main > 0 or (self.period > 0 and self.moves > 0)

    def _begin(self, main: float, period: float, moves: int, increment: float) -> None:
        self.main, self.period, self.moves, self.increment = main, period, moves, increment
        self._left = [(main, 0) if main > 0 or not moves else (period, moves)] * 2


def _share(seconds: float, moves: int) -> float:
    share = seconds / moves
    return min(max(share - RESERVE, share / 2, _LAST_MOMENT), MAX_SECONDS)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= MAX_REMAINING:
        raise SettingsError(f'"{text}" is no time in seconds from 0 to {MAX_REMAINING:g}')
    return value


def _moves(text: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise SettingsError(f'"{text}" is no number of moves')
    return int(text)
