"""What a finished game leaves behind.

Plain values, the same whether they come from a process that played the game or from the store; everything
that is said of a match is computed from them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from branchwise.boxes import Plain
from branchwise.players import CHANCE

ENDINGS = {
    "end": "the rules ended it",
    "proof": "its outcome was proven",
    "length": "it was as long as games may be",
    "illegal": "an answer that was no legal move",
    "error": "an exception",
    "time": "the clock was overstepped",
    "hung": "no answer, and the process was ended",
    "died": "the process died",
}
"""How games end, by the word that records it."""

FAULTS = ("illegal", "error", "time", "hung", "died")
"""The endings by which a bot loses, whatever stood on the board."""


class ChildRecord(NamedTuple):
    """What a search knew of one action; value : for the player who moved, None without visits."""

    action: Plain
    visits: int
    value: float | None
    proven: float | None = None


@dataclass(frozen=True)
class MoveRecord:
    """One move after the opening, with figures of the search that chose it; None where there are none.

    A continuous action is a tuple of its numbers.

    ply : moves before it, the opening's included.   seat : the player who moved, -1 for an outcome of
    chance.   seconds : it took.
    clock : seconds left on the game clock after it, increment included.   value : of the move, for who made
    it.   lower, upper : proven bounds of that.   depth : moves of the expected line.   line : these moves,
    this one first.   children : the actions considered, best first, at most twelve.   reached : JSON
    of the state that a move of a simulator led to, and of its rewards; see `arena.playback`.
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
    """A game to be played: all of it that is settled beforehand.

    number : in the match, from 0.   round : games of one round have the same opening, seats exchanged.
    seating : the bot, by its place in the match, that plays each player.   seeds : by player.   dice : the
    seed of the outcomes of chance, the same in all games of a round.
    """

    number: int
    round: int
    opening: tuple[Plain, ...]
    seating: tuple[int, ...]
    seeds: tuple[int, ...]
    dice: int = 0


@dataclass(frozen=True)
class GameRecord:
    """A game that was played.

    returns : by player.   ending : one of `ENDINGS`.   fault : the player whose bot lost by a fault, or
    None.   detail : what exactly happened, where there is something to say.   began : seconds since 1970.
    seconds : it took.   moves : after the opening.
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
        """All moves from the start of the game, those of the opening first."""
        return (*self.plan.opening, *(move.action for move in self.moves))

    @property
    def bot_at_fault(self) -> int | None:
        """The bot, by its place in the match, that lost by a fault."""
        return None if self.fault is None else self.plan.seating[self.fault]

    def points(self) -> tuple[float, ...]:
        """Return the points of each bot, by its place in the match; see `points`."""
        by_player = points(self.returns)
        by_bot = [0.0] * len(by_player)
        for player, bot in enumerate(self.plan.seating):
            by_bot[bot] = by_player[player]
        return tuple(by_bot)


@dataclass(frozen=True)
class BestLine:
    """The best game that was played to its end by a bot alone.

    game : its number.   bot : by its place in the match.   score : its return.   moves : as people write
    them, from the start.
    """

    game: int
    bot: int
    score: float
    moves: tuple[str, ...]


def points(returns: Sequence[float]) -> tuple[float, ...]:
    """Return a number from 0 to 1 a player: the share of the others who have less, equals counted half.

    Among two players 1 is a win, 0.5 a draw, 0 a loss. A player alone has 1.

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
    """Return what each player gets when `player` has lost by a fault.

    paid : in a game that pays on the way, the rewards so far: they are the returns then, but a player who is
    not alone gets no more than the least of them, and one who is alone the worst return, if there is one.
    Otherwise it gets the worst return, the others what each could expect if one of them, drawn by lot, had
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
