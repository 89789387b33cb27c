"""Results by name, prepared for computing ratings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from branchwise.arena.statistics.davidson_luce import Choices
from branchwise.arena.statistics.score import Score
from branchwise.common.errors import ResultsError

MOST_AT_ONCE = 12
"""Maximum number of players in one game; up to 2^12 sets of them may come next."""

Order = Sequence[Sequence[str]]
"""How a game ended: the best first; players who tie form one group."""


class RatingData:
    """The games of all players. Players are numbered in the order in which they are first named.

    Raises `ResultsError` for results that cannot be rated; see `ratings.rate`.

    >>> data = RatingData({("a", "b"): Score.from_counts(wins=2, draws=1)}, [[["c"], ["a", "b"]]])
    >>> data.names, data.share
    (['a', 'b', 'c'], [0.6, 0.2, 1.0])
    """

    def __init__(self, scores: Mapping[tuple[str, str], Score], orders: Iterable[Order]) -> None:
        self.choices = Choices()
        self.games: Counter[int] = Counter()
        """Number of games, by player."""
        self.met: Counter[tuple[int, int]] = Counter()
        """Number of games that two players had together, by the two; the lower number comes first."""
        self.duels: list[tuple[int, int, Score]] = []
        """The games of two that were given as scores."""
        self.total = 0
        """Number of games in all."""
        self._numbers: dict[str, int] = {}
        self._opponents: Counter[int] = Counter()  # summed over all games
        self._outdone: defaultdict[int, float] = defaultdict(float)  # of these opponents; ties count half
        for (first, second), score in scores.items():
            if first == second:
                raise ResultsError(f"{first} cannot be rated by games against itself")
            if score.games:
                self._add_score(self._number(first), self._number(second), score)
        for order in orders:
            self._add_order(order)
        if not self.total:
            raise ResultsError("no games have been played, and ratings take at least one")

    @property
    def names(self) -> list[str]:
        """The names of the players, by number."""
        return list(self._numbers)

    @property
    def share(self) -> list[float]:
        """By player: the share of opponents that the player finished ahead of; ties count half."""
        return [self._outdone[player] / self._opponents[player] for player in range(len(self._numbers))]

    def likeness(self, virtual_draws: float) -> dict[tuple[int, int], float]:
        """Return the number of virtual draws between any two players who met."""
        return {
            (one, other): virtual_draws * (count / self._opponents[one] + count / self._opponents[other])
            for (one, other), count in self.met.items()
            if virtual_draws
        }

    def need_beatable(self, groups: Sequence[Sequence[int]]) -> None:
        """Raise `ResultsError` if a player's rating would be infinite [Ford57].

        [Ford57] Ford, "Solution of a ranking problem from binary comparisons", American Mathematical Monthly
        64.
        """
        names = self.names
        above: dict[int, set[int]] = {player: set() for player in range(len(names))}
        below: dict[int, set[int]] = {player: set() for player in range(len(names))}
        for stage in (self.choices.first, self.choices.later):
            for left, counts in stage.items():
                for tied in counts:
                    for winner in tied:
                        above[winner].update(left)
                        for loser in left:
                            below[loser].add(winner)
        for group in groups:
            everyone = set(group)
            for direction, did in ((above, "won"), (below, "lost")):
                some = reachable(group[0], direction)
                if some != everyone:
                    few = some if did == "lost" else everyone - some
                    unbeaten = ", ".join(sorted(names[player] for player in few))
                    raise ResultsError(
                        f"no finite ratings: {unbeaten} won every game against the other players",
                        mend="virtual_draws above 0",
                    )

    def _number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    def _add_score(self, first: int, second: int, score: Score) -> None:
        self.duels.append((first, second, score))
        for order, count in (
            ([[first], [second]], score.wins),
            ([[second], [first]], score.losses),
            ([[first, second]], score.draws),
        ):
            if count:
                self._count(order, count)

    def _add_order(self, order: Order) -> None:
        names = [name for tied in order for name in tied]
        if any(isinstance(tied, str) for tied in order):
            raise ResultsError(f"{order!r} is no order of finish", mend='such as [["a"], ["b", "c"]]')
        if not 2 <= len(names) <= MOST_AT_ONCE:
            raise ResultsError(f"a game of {len(names)} players cannot be rated", mend=f"2 to {MOST_AT_ONCE}")
        if len(set(names)) < len(names):
            raise ResultsError(f"a player is named twice in the order {order!r}")
        self._count([[self._number(name) for name in tied] for tied in order if tied], 1)

    def _count(self, order: Sequence[Sequence[int]], count: int) -> None:
        self.choices.add(order, count)
        self.total += count
        players = [player for tied in order for player in tied]
        for one, other in combinations(sorted(players), 2):
            self.met[one, other] += count
        behind = len(players)
        for tied in order:
            behind -= len(tied)
            for player in tied:
                self.games[player] += count
                self._opponents[player] += count * (len(players) - 1)
                self._outdone[player] += count * (behind + (len(tied) - 1) / 2)


def components(nodes: int, edges: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the groups of nodes, numbered from 0, that edges connect; the largest first.

    >>> components(5, [(0, 3), (4, 3), (1, 2)])
    [[0, 3, 4], [1, 2]]
    """
    near: dict[int, set[int]] = {node: set() for node in range(nodes)}
    for one, other in edges:
        near[one].add(other)
        near[other].add(one)
    groups = []
    left = set(range(nodes))
    while left:
        found = reachable(min(left), near)
        groups.append(sorted(found))
        left -= found
    return sorted(groups, key=lambda group: (-len(group), group))


def reachable(start: int, next_: Mapping[int, Iterable[int]]) -> set[int]:
    """Return the nodes that can be reached from `start`, including itself.

    >>> sorted(reachable(1, {0: [1], 1: [2], 2: []}))
    [1, 2]
    """
    found, ahead = {start}, [start]
    while ahead:
        for node in next_[ahead.pop()]:
            if node not in found:
                found.add(node)
                ahead.append(node)
    return found
