"""The games of a match, all determined before the first is played.

A game's opening, seats and seeds depend only on the match's seed and the game's number, so that an
interrupted match continues with the same games.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from hashlib import blake2b
from math import factorial
from typing import Protocol

from branchwise.arena.records.record import GamePlan
from branchwise.game.kinds.continuous_actions import Plain


class OpeningSource(Protocol):
    """Provides the opening of each round, as actions from the start of the game."""

    def __getitem__(self, round_number: int, /) -> tuple[Plain, ...]: ...


class PlannedGames(Sequence[GamePlan], ABC):
    """Games that are all planned in advance; openings : by the number that `_plan` asks for."""

    def __init__(self, games: int, seed: int, openings: OpeningSource) -> None:
        self._games = games
        self._seed = seed
        self._openings = openings

    def __len__(self) -> int:
        return self._games

    def __getitem__(self, number: int) -> GamePlan:  # type: ignore[override]
        if not 0 <= number < self._games:
            raise IndexError(number)
        return self._plan(number)

    @abstractmethod
    def _plan(self, number: int) -> GamePlan:
        """Return the plan of a game."""


class Schedule(PlannedGames):
    """The games of a match with as many bots as the game has players.

    With n players a round is n games from one opening, in which each bot plays each seat once. With two, that
    is a pair with seats exchanged. Chance has the same dice in all games of a round. The order of the bots
    around the table changes from round to round. Over all (n - 1)! orders each bot follows every other
    equally often. If the number of games is no multiple of n, the last round is incomplete.

    >>> schedule = Schedule(2, 4, 1, [(3, 3), (0, 6)])
    >>> [(plan.round, plan.opening, plan.seating) for plan in schedule]
    [(0, (3, 3), (0, 1)), (0, (3, 3), (1, 0)), (1, (0, 6), (0, 1)), (1, (0, 6), (1, 0))]
    """

    def __init__(self, players: int, games: int, seed: int, openings: OpeningSource) -> None:
        super().__init__(games, seed, openings)
        self._players = players

    def _plan(self, number: int) -> GamePlan:
        round_number, index = divmod(number, self._players)
        group = range(self._players)
        return paired_game(number, group, round_number, round_number, index, self._seed, self._openings)


class SoloSchedule(PlannedGames):
    """The games of bots in a one-player game, all from the same starts.

    With n bots, each run of n games has the same opening and the same seed, and each bot plays one of them.
    If the number of games is no multiple of n, only some of the bots play from the last start.

    >>> schedule = SoloSchedule(2, 4, 1, [(3,), (0,)])
    >>> [(plan.round, plan.opening, plan.seating) for plan in schedule]
    [(0, (3,), (0,)), (0, (3,), (1,)), (1, (0,), (0,)), (1, (0,), (1,))]
    >>> schedule[0].seeds == schedule[1].seeds, schedule[0].seeds == schedule[2].seeds
    (True, False)
    """

    def __init__(self, bots: int, games: int, seed: int, openings: OpeningSource) -> None:
        super().__init__(games, seed, openings)
        self._bots = bots

    def _plan(self, number: int) -> GamePlan:
        start, bot = divmod(number, self._bots)
        seed = derived_seed(self._seed, start, 0)
        dice = dice_seed(self._seed, start)
        return GamePlan(number, start, tuple(self._openings[start]), (bot,), (seed,), dice)


def paired_game(
    number: int,
    group: Sequence[int],
    round_number: int,
    opening: int,
    index: int,
    seed: int,
    openings: OpeningSource,
) -> GamePlan:
    """Return a game between the bots of `group`.

    round_number : of the tournament.   opening : number of the opening, which is also the round of the group.
    index : of the game in its round.
    """
    return GamePlan(
        number=number,
        round=round_number,
        opening=tuple(openings[opening]),
        seating=tuple(group[at] for at in seating(len(group), opening, index)),
        seeds=tuple(derived_seed(seed, number, seat) for seat in range(len(group))),
        dice=dice_seed(seed, round_number),
    )


def seating(players: int, round_number: int, index: int) -> tuple[int, ...]:
    """Return which bot plays each seat in game `index`, from 0, of a round.

    >>> [seating(3, 0, index) for index in range(3)], seating(3, 1, 0)
    ([(0, 1, 2), (1, 2, 0), (2, 0, 1)], (0, 2, 1))
    """
    order = (0, *_order_of_others(players, round_number))
    return order[index:] + order[:index]


def _order_of_others(players: int, round_number: int) -> tuple[int, ...]:
    """Return the order in which the bots after the first sit: one of (players - 1)!, chosen by the round."""
    left, order = list(range(1, players)), []
    count = factorial(players - 1)
    wanted = round_number % count
    for size in range(players - 1, 0, -1):
        count //= size
        index, wanted = divmod(wanted, count)
        order.append(left.pop(index))
    return tuple(order)


def dice_seed(seed: int, round_number: int) -> int:
    """Return the seed of the outcomes of chance in the games of a round.

    The same dice for all bots leave less of a round's result to luck.
    """
    return derived_seed(seed, "dice", round_number)


def derived_seed(*parts: int | str) -> int:
    """Return a 63-bit seed derived from `parts`, the same on every machine."""
    digest = blake2b("/".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
