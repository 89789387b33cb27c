"""From the records of games to what statistics take: scores of pairs, and orders of finish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from branchwise.arena.record import GameRecord, points
from branchwise.arena.statistics.score import Score


def score_of(records: Iterable[GameRecord], bot: int) -> Score:
    """Return what a bot, by its place, made of games of two against the same other one.

    Games of a round are a pair; one whose partner is not among them counts by itself.
    """
    rounds: dict[int, list[float]] = {}
    for record in records:
        rounds.setdefault(record.plan.round, []).append(points_of(record, bot))
    pairs = [(found[0], found[1]) for found in rounds.values() if len(found) == 2]
    return Score.from_results(pairs, (found[0] for found in rounds.values() if len(found) == 1))


def points_of(record: GameRecord, bot: int) -> float:
    """Return the points of a bot, by its place, that took part in a game."""
    return points(record.returns)[record.plan.seating.index(bot)]


def order_of(record: GameRecord, names: Sequence[str]) -> list[list[str]]:
    """Return how a game ended: the names of its bots, the best first, those with the same return together."""
    seats = sorted(range(len(record.returns)), key=lambda seat: -record.returns[seat])
    return [
        [names[record.plan.seating[seat]] for seat in tied]
        for _, tied in groupby(seats, key=lambda seat: record.returns[seat])
    ]


def distinct(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: a number follows one that has come before.

    >>> distinct(["random", "mcts", "random"])
    ['random', 'mcts', 'random #2']
    """
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found
