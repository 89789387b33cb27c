"""Fixed pairings of tournaments: round robin, gauntlet and chain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from branchwise.arena.records.record import GamePlan
from branchwise.arena.schedule.match_games import OpeningSource, PlannedGames, paired_game

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


class PairingSchedule(PlannedGames):
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
        super().__init__(len(groups) * games, seed, openings)
        self._groups = groups

    def _plan(self, number: int) -> GamePlan:
        round_number, index = divmod(number, len(self._groups[0]))
        opening, pairing = divmod(round_number, len(self._groups))
        group = self._groups[pairing]
        return paired_game(number, group, round_number, opening, index, self._seed, self._openings)
