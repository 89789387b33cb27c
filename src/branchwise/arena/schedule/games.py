"""The games of a match, all settled before the first is played.

A game's opening, seats and seeds follow from the match's seed and the game's number alone, so a match that
was interrupted goes on with the games that it would have had.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from math import factorial
from typing import Protocol

from branchwise.arena.record import GamePlan


class OpeningSource(Protocol):
    """Gives the opening of each round, as actions from the start."""

    def __getitem__(self, round_number: int, /) -> tuple[int, ...]: ...


class Schedule(Sequence[GamePlan]):
    """The games of a match of as many bots as the game has players.

    With n players a round is n games from one opening, in which each bot plays each seat once: with two, a
    pair with seats exchanged. From round to round the order in which the bots sit changes too, through all
    (n - 1)! orders around the table, so that after as many rounds each bot has followed each other equally
    often. A number of games that is no multiple of n leaves the last round incomplete.

    >>> schedule = Schedule(2, 4, 1, [(3, 3), (0, 6)])
    >>> [(plan.round, plan.opening, plan.seating) for plan in schedule]
    [(0, (3, 3), (0, 1)), (0, (3, 3), (1, 0)), (1, (0, 6), (0, 1)), (1, (0, 6), (1, 0))]
    """

    def __init__(self, players: int, games: int, seed: int, openings: OpeningSource) -> None:
        self._players = players
        self._games = games
        self._seed = seed
        self._openings = openings

    def __len__(self) -> int:
        return self._games

    def __getitem__(self, number: int) -> GamePlan:  # type: ignore[override]
        if not 0 <= number < self._games:
            raise IndexError(number)
        round_number, index = divmod(number, self._players)
        return GamePlan(
            number=number,
            round=round_number,
            opening=tuple(self._openings[round_number]),
            seating=seating(self._players, round_number, index),
            seeds=tuple(derived_seed(self._seed, number, seat) for seat in range(self._players)),
        )

    def __iter__(self) -> Iterator[GamePlan]:
        return (self[number] for number in range(self._games))


class SoloSchedule(Sequence[GamePlan]):
    """The games of bots that play alone, all from the same starts.

    As many games in a row as there are bots have the same opening and the same seed; each bot plays one of
    them. A number of games that is no multiple of the bots leaves the last start to some of them.

    >>> schedule = SoloSchedule(2, 4, 1, [(3,), (0,)])
    >>> [(plan.round, plan.opening, plan.seating) for plan in schedule]
    [(0, (3,), (0,)), (0, (3,), (1,)), (1, (0,), (0,)), (1, (0,), (1,))]
    >>> schedule[0].seeds == schedule[1].seeds, schedule[0].seeds == schedule[2].seeds
    (True, False)
    """

    def __init__(self, bots: int, games: int, seed: int, openings: OpeningSource) -> None:
        self._bots = bots
        self._games = games
        self._seed = seed
        self._openings = openings

    def __len__(self) -> int:
        return self._games

    def __getitem__(self, number: int) -> GamePlan:  # type: ignore[override]
        if not 0 <= number < self._games:
            raise IndexError(number)
        start, bot = divmod(number, self._bots)
        seed = derived_seed(self._seed, start, 0)
        return GamePlan(number, start, tuple(self._openings[start]), (bot,), (seed,))

    def __iter__(self) -> Iterator[GamePlan]:
        return (self[number] for number in range(self._games))


def seating(players: int, round_number: int, index: int) -> tuple[int, ...]:
    """Return which bot plays each player in the game `index`, from 0, of a round.

    >>> [seating(3, 0, index) for index in range(3)], seating(3, 1, 0)
    ([(0, 1, 2), (1, 2, 0), (2, 0, 1)], (0, 2, 1))
    """
    order = (0, *_order_of_others(players, round_number))
    return order[index:] + order[:index]


def _order_of_others(players: int, round_number: int) -> tuple[int, ...]:
    """Return the order in which the bots after the first sit: one of (players - 1)!, by the round."""
    left, order = list(range(1, players)), []
    count = factorial(players - 1)
    wanted = round_number % count
    for size in range(players - 1, 0, -1):
        count //= size
        index, wanted = divmod(wanted, count)
        order.append(left.pop(index))
    return tuple(order)


def derived_seed(*parts: int | str) -> int:
    """Return a seed of 63 bits that follows from `parts`, the same on every machine."""
    digest = blake2b("/".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
