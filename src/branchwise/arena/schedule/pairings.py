"""Fixed pairings of tournaments: round robin, gauntlet and chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from branchwise.arena.records.record import GamePlan
from branchwise.arena.schedule.match_games import OpeningSource, derived_seed, dice_seed, seating

ROUND_ROBIN, GAUNTLET, CHAIN, KNOCKOUT = "round-robin", "gauntlet", "chain", "knockout"
FORMATS = {
    ROUND_ROBIN: "everybody meets everybody",
    GAUNTLET: "the first meets all others",
    CHAIN: "each meets the next",
    KNOCKOUT: "who loses is out",
}


def pairings(form: str, bots: int, players: int) -> list[tuple[int, ...]]:
    """Return the groups of `players` bots that meet, out of `bots`, by number.

    form : "round-robin", every group; "gauntlet", every group with the first bot; "chain", groups of
    neighbours.

    >>> pairings("round-robin", 3, 2), pairings("gauntlet", 4, 3)
    ([(0, 1), (0, 2), (1, 2)], [(0, 1, 2), (0, 1, 3), (0, 2, 3)])
    >>> pairings("chain", 4, 2)
    [(0, 1), (1, 2), (2, 3)]
    """
    if form == CHAIN:
        return [tuple(range(first, first + players)) for first in range(bots - players + 1)]
    groups = list(combinations(range(bots), players))
    return groups if form == ROUND_ROBIN else [group for group in groups if group[0] == 0]


class PairingSchedule(Sequence[GamePlan]):
    """The games of fixed pairings.

    Each pairing of n bots plays `games` games, a multiple of n, in rounds of n from one opening, like the
    bots of a match; see `Schedule`. All pairings play their first round, then their second, and so on, so
    that all bots are equally far if the tournament is interrupted. All first rounds have the first opening.

    >>> plans = PairingSchedule([(0, 1), (0, 2)], 4, 1, [(3,), (5,)])
    >>> [(plan.round, plan.opening, plan.seating) for plan in plans][2:6]
    [(1, (3,), (0, 2)), (1, (3,), (2, 0)), (2, (5,), (0, 1)), (2, (5,), (1, 0))]
    """

    def __init__(
        self, groups: Sequence[tuple[int, ...]], games: int, seed: int, openings: OpeningSource
    ) -> None:
        self._groups = groups
        self._games = games
        self._seed = seed
        self._openings = openings

    def __len__(self) -> int:
        return len(self._groups) * self._games

    def __getitem__(self, number: int) -> GamePlan:  # type: ignore[override]
        if not 0 <= number < len(self):
            raise IndexError(number)
        players = len(self._groups[0])
        round_number, index = divmod(number, players)
        opening, pairing = divmod(round_number, len(self._groups))
        return paired_game(
            number, self._groups[pairing], round_number, opening, index, self._seed, self._openings
        )

    def __iter__(self) -> Iterator[GamePlan]:
        return (self[number] for number in range(len(self)))


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
