"""From game records to the input of statistics: scores in pairs, and orders of finish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from branchwise.arena.records.record import GameRecord, points
from branchwise.arena.statistics.score import Score


def score_of(records: Iterable[GameRecord], bot: int) -> Score:
    """Return the score of `bot`, by number, in games of two against one opponent.

    The two games of a round are a pair. A game whose partner is missing counts as a single game.
    """
    rounds: dict[int, list[float]] = {}
    for record in records:
        rounds.setdefault(record.plan.round, []).append(points_of(record, bot))
    pairs = [(found[0], found[1]) for found in rounds.values() if len(found) == 2]
    return Score.from_results(pairs, (found[0] for found in rounds.values() if len(found) == 1))


def points_of(record: GameRecord, bot: int) -> float:
    """Return the points of `bot`, by number, in a game that it played."""
    return points(record.returns)[record.plan.seating.index(bot)]


def order_of(record: GameRecord, names: Sequence[str]) -> list[list[str]]:
    """Return a game's order of finish: its bots' names, the best first; equal returns form one group."""
    seats = sorted(range(len(record.returns)), key=lambda seat: -record.returns[seat])
    return [
        [names[record.plan.seating[seat]] for seat in tied]
        for _, tied in groupby(seats, key=lambda seat: record.returns[seat])
    ]


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names made distinct: a repeated name is followed by its number.

    >>> distinct(["random", "mcts", "random"])
    ['random', 'mcts', 'random #2']
    """
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found
