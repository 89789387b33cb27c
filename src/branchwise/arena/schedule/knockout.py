"""Knockout tournaments.

Bots are seeded in the order in which they are given. Byes fill the bracket up to a power of two; the first
seeds get them. The first two seeds can meet only in the final. A duel is decided by the points of its games.
If they are equal, extra pairs of games are played, one after another, until the points of a pair differ. If
all allowed extra pairs are equal too, the bot with the better seed advances.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from branchwise.arena.records.record import GamePlan, GameRecord
from branchwise.arena.schedule.match_games import OpeningSource, paired_game
from branchwise.arena.statistics.scoring import points_of

BYE, GAMES, FURTHER, SEED = "bye", "games", "further pairs", "seed"
"""How a duel was decided."""

ROUND_NAMES = {1: "final", 2: "semi-finals", 4: "quarter-finals"}


@dataclass(eq=False)
class Duel:
    """One duel of the bracket.

    number : in the bracket, from 0, round by round.   bots : by number; None: not known yet, or nobody.
    winner, decided_by : None and "" until the duel is over; then "games", "further pairs", "seed" or "bye".
    points : of the first bot, by the number of the game in the duel.   due : number of games in the duel, as
    far as is known.
    """

    number: int
    bots: tuple[int | None, int | None] = (None, None)
    winner: int | None = None
    decided_by: str = ""
    points: dict[int, float] = field(default_factory=dict)
    due: int = 0

    @property
    def result(self) -> tuple[float, float]:
        """Points of both bots so far."""
        made = sum(self.points.values())
        return made, len(self.points) - made


class Bracket:
    """All duels of a knockout, as far as they are known from the games that have ended.

    bots : how many, at least 2.   games : of each duel, even.   further : maximum of extra pairs in a duel.
    Every game has a number in advance: those of duel d begin at d (games + 2 further).
    >>> bracket = Bracket(3, games=2, further=1)
    >>> [[duel.bots for duel in duels] for duels in bracket.rounds]
    [[(0, None), (1, 2)], [(0, None)]]
    """

    def __init__(self, bots: int, games: int, further: int) -> None:
        self.span = games + 2 * further
        self._games = games
        self._ready: deque[int] = deque()
        size = 1 << (bots - 1).bit_length()
        self._duels = [Duel(number) for number in range(size - 1)]
        self.rounds: list[list[Duel]] = []
        """The duels of each round; the final comes last."""
        start = 0
        while start < size - 1:
            count = (size - start) // 2
            self.rounds.append(self._duels[start : start + count])
            start += count
        order = _seeds_in_order(size)
        for duel, first, second in zip(self.rounds[0], order[::2], order[1::2], strict=True):
            seats = sorted((first, second))
            self._fill(duel, seats[0], seats[1] if seats[1] < bots else None)

    @property
    def games(self) -> int:
        """Number of games in all, as far as is known."""
        byes = sum(duel.decided_by == BYE for duel in self._duels)
        further = sum(max(0, duel.due - self._games) for duel in self._duels)
        return (len(self._duels) - byes) * self._games + further

    @property
    def champion(self) -> int | None:
        """The winner of the final, by number; None before it is decided."""
        return self._duels[-1].winner

    def next_game(self) -> int | None:
        """Return the number of a game that can begin and was not returned before; None if there is none."""
        while self._ready:
            number = self._ready.popleft()
            duel, game = divmod(number, self.span)
            if game not in self._duels[duel].points:
                return number
        return None

    def duel_of(self, game: int) -> Duel:
        """Return the duel to which game number `game` belongs."""
        return self._duels[game // self.span]

    def take(self, record: GameRecord) -> None:
        """Add a finished game; the games that decided who meets in its duel must be added before."""
        duel = self.duel_of(record.number)
        first, second = duel.bots
        assert first is not None
        assert second is not None
        duel.points[record.number % self.span] = points_of(record, first)
        if duel.winner is not None or len(duel.points) < duel.due:
            return
        one, other = duel.result
        if one == other and duel.due < self.span:
            self._add_games(duel, 2)
        elif one == other:
            self._end(duel, first, SEED)
        else:
            self._end(duel, first if one > other else second, GAMES if duel.due == self._games else FURTHER)

    def places(self) -> list[int | None]:
        """Return each bot's place: 1 for the winner, 2 for the loser of the final, then 3, 5, 9 and so on.

        Losers of the same round share a place. None for bots that are still in the knockout.
        """
        bots = {bot for duel in self.rounds[0] for bot in duel.bots if bot is not None}
        places: list[int | None] = [None] * len(bots)
        for to_come, duels in enumerate(reversed(self.rounds)):
            for duel in duels:
                for bot in duel.bots:
                    if bot is not None and duel.winner is not None and bot != duel.winner:
                        places[bot] = 2**to_come + 1
        if self.champion is not None:
            places[self.champion] = 1
        return places

    def _fill(self, duel: Duel, first: int, second: int | None) -> None:
        """Set the two bots of a duel; first : the one with the better seed."""
        duel.bots = (first, second)
        if second is None:
            self._end(duel, first, BYE)
        else:
            self._add_games(duel, self._games)

    def _add_games(self, duel: Duel, count: int) -> None:
        start = duel.number * self.span + duel.due
        self._ready.extend(range(start, start + count))
        duel.due += count

    def _end(self, duel: Duel, winner: int, decided_by: str) -> None:
        duel.winner, duel.decided_by = winner, decided_by
        for now, later in zip(self.rounds, self.rounds[1:], strict=False):
            if duel in now:
                at = now.index(duel)
                following, beside = later[at // 2], now[at ^ 1]
                if beside.winner is None:
                    following.bots = (winner, None)
                else:
                    first, second = sorted((winner, beside.winner))
                    self._fill(following, first, second)


class KnockoutGames:
    """The games of a knockout, planned as the results come in."""

    likely: GamePlan | None = None

    def __init__(self, bracket: Bracket, seed: int, openings: OpeningSource) -> None:
        self.bracket = bracket
        self._seed = seed
        self._openings = openings

    @property
    def games(self) -> int:
        return self.bracket.games

    def next_plan(self) -> GamePlan | None:
        number = self.bracket.next_game()
        if number is None:
            return None
        duel = self.bracket.duel_of(number)
        opening, index = divmod(number % self.bracket.span, 2)
        group = [bot for bot in duel.bots if bot is not None]
        return paired_game(number, group, number // 2, opening, index, self._seed, self._openings)

    def take(self, record: GameRecord) -> str:
        self.bracket.take(record)
        return ""


def _seeds_in_order(size: int) -> list[int]:
    """Return the seeds, from 0, in the order of the bracket; size : a power of two.

    >>> _seeds_in_order(8)
    [0, 7, 3, 4, 1, 6, 2, 5]
    """
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order
