"""Records of finished games, and plans of games to play.

They are plain values, the same from a worker and from the store; all results of a match are computed from
them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from branchwise.common.players import CHANCE
from branchwise.game.kinds.continuous_actions import Plain

ENDINGS = {
    "end": "the rules ended it",
    "proof": "its outcome was proven",
    "length": "it was as long as games may be",
    "resigned": "a bot resigned",
    "illegal": "an answer that was no legal move",
    "error": "an exception",
    "time": "the clock was overstepped",
    "hung": "no answer, and the process was ended",
    "died": "the process died",
}
"""The meanings of the recorded endings."""

FAULTS = ("illegal", "error", "time", "hung", "died")
"""The endings by which a bot loses, whatever the position."""


class ChildRecord(NamedTuple):
    """A search's figures of one action; value : for the player who moved, None without visits."""

    action: Plain
    visits: int
    value: float | None
    proven: float | None = None


@dataclass(frozen=True)
class MoveRecord:
    """One move after the opening, with figures of the search that chose it; missing figures are None.

    A continuous action is a tuple of its numbers. Where all players moved at once, the action is a tuple with
    one action a player, and the seat is -2.

    ply : moves before it, the opening's included.   seat : the player who moved, -1 for an outcome of
    chance.   seconds : time that it took.
    clock : seconds left on the game clock after it, increment included.   value : of the move, for the player
    who made it.   lower, upper : proven bounds of the value.   depth : length of the expected line.   line :
    this move and the expected ones after it.   children : the actions considered, best first, at most twelve.
    reached : JSON of what was drawn after it: the state that a move of a simulator led to, its rewards, and
    what was observed; see `arena.records.playback`.
    """

    ply: int
    seat: int
    action: Plain
    seconds: float | None = None
    clock: float | None = None
    simulations: int | None = None
    value: float | None = None
    lower: float | None = None
    upper: float | None = None
    line: tuple[Plain, ...] = ()
    children: tuple[ChildRecord, ...] = ()
    reached: str | None = None

    @property
    def depth(self) -> int | None:
        return len(self.line) or None

    @property
    def is_chance(self) -> bool:
        """Whether it is an outcome of chance."""
        return self.seat == CHANCE


@dataclass(frozen=True)
class GamePlan:
    """The plan of a game: everything that is decided before it is played.

    number : in the match, from 0.   round : games of one round have the same opening, with seats exchanged.
    seating : the bot of each player, by index in the match.   seeds : by player.   dice : seed of the
    outcomes of chance, the same in all games of a round.
    """

    number: int
    round: int
    opening: tuple[Plain, ...]
    seating: tuple[int, ...]
    seeds: tuple[int, ...]
    dice: int = 0


@dataclass(frozen=True)
class GameRecord:
    """The record of a game.

    returns : by player.   ending : one of `ENDINGS`.   fault : the player whose bot lost by a fault, or
    None; in a game for one player also one that resigned.   detail : more about the ending, or ''.
    began : seconds since 1970.   seconds : duration.   moves : after the opening.
    """

    plan: GamePlan
    returns: tuple[float, ...]
    ending: str
    fault: int | None = None
    detail: str = ""
    began: float = 0.0
    seconds: float = 0.0
    moves: tuple[MoveRecord, ...] = ()

    @property
    def number(self) -> int:
        return self.plan.number

    @property
    def actions(self) -> tuple[Plain, ...]:
        """All moves from the start of the game, including the opening."""
        return (*self.plan.opening, *(move.action for move in self.moves))

    @property
    def bot_at_fault(self) -> int | None:
        """The bot, by index in the match, that lost by a fault; None if there is none."""
        return None if self.fault is None else self.plan.seating[self.fault]

    @property
    def is_void(self) -> bool:
        """Whether it has no result: its only bot failed, and no return measures that."""
        return self.fault is not None and len(self.returns) == 1

    def points(self) -> tuple[float, ...]:
        """Return the points of each bot, by index in the match; see `points`."""
        by_player = points(self.returns)
        by_bot = [0.0] * len(by_player)
        for player, bot in enumerate(self.plan.seating):
            by_bot[bot] = by_player[player]
        return tuple(by_bot)


@dataclass(frozen=True)
class BestLine:
    """The best complete game of a single-player match.

    game : its number.   bot : by index in the match.   score : its return.   moves : from the start, in the
    game's notation.
    """

    game: int
    bot: int
    score: float
    moves: tuple[str, ...]


def points(returns: Sequence[float]) -> tuple[float, ...]:
    """Return each player's points: the share of the others with a lower return; equal returns count half.

    In games of two, 1 is a win, 0.5 a draw and 0 a loss. A single player has 1.

    >>> points((1.0, -1.0)), points((0.0, 0.0)), points((1.0, -1.0, -1.0))
    ((1.0, 0.0), (0.5, 0.5), (1.0, 0.25, 0.25))
    """
    others = len(returns) - 1
    if others == 0:
        return (1.0,)
    shares = []
    for mine in returns:
        beaten = sum(theirs < mine for theirs in returns)
        equal = sum(theirs == mine for theirs in returns) - 1
        shares.append((beaten + equal / 2) / others)
    return tuple(shares)


def returns_after_fault(
    player: int, num_players: int, min_return: float, max_return: float, paid: tuple[float, ...] = ()
) -> tuple[float, ...]:
    """Return each player's return after `player` has lost by a fault.

    paid : in a game that pays on the way, the rewards so far. They are the returns, except that `player` gets
    no more than the least of them or, in a single-player game, the worst return if there is one. In other
    games `player` gets the worst return, and the others the expected return if one of them, drawn by lot, had
    won:

        (max_return + (n - 2) min_return) / (n - 1)

    >>> returns_after_fault(0, 2, -1.0, 1.0), returns_after_fault(1, 3, -1.0, 1.0)
    ((-1.0, 1.0), (0.0, -1.0, 0.0))
    """
    if paid and not (num_players == 1 and math.isfinite(min_return)):
        least = min(paid)
        return tuple(least if seat == player else mine for seat, mine in enumerate(paid))
    others = num_players - 1
    share = (max_return + (others - 1) * min_return) / others if others else min_return
    return tuple(min_return if seat == player else share for seat in range(num_players))
