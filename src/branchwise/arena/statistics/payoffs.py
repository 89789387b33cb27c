"""Mean returns of bots, for games in which points for wins and draws do not say everything."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from branchwise.arena.records.record import GameRecord
from branchwise.arena.statistics.interval import LEVEL
from branchwise.arena.statistics.means import Mean, Returns, mean_of
from branchwise.common.errors import ResultsError


@dataclass(frozen=True)
class Payoff:
    """The returns of one bot that has played games.

    mean : per game; None in a game for one player for a bot that failed in any game, because no return
    measures a fault.   seats : the same by player, None for a seat that the bot has not played yet.   best :
    the highest return of a game without a fault by the bot, or None; None where there is no mean.
    """

    mean: Mean | None
    seats: tuple[Mean | None, ...]
    best: float | None


def round_of(record: GameRecord) -> int:
    """Return the round of a game. All games of a round have the same opening."""
    return record.plan.round


def payoffs(
    records: Sequence[GameRecord],
    bots: int,
    *,
    together: Callable[[GameRecord], int] = round_of,
    level: float = LEVEL,
) -> tuple[Payoff | None, ...]:
    """Return each bot's mean return per game, with intervals; None for a bot without games.

    together : maps games with the same opening to the same number; they count as one result for the
    intervals.
    """
    ends = _ends(records)
    found: list[Payoff | None] = []
    for bot in range(bots):
        mine = [record for record in records if bot in record.plan.seating]
        if not mine:
            found.append(None)
            continue
        if any(record.is_void for record in mine):
            found.append(Payoff(None, (None,), None))
            continue
        players = len(mine[0].returns)
        whole = mean_of(_grouped(mine, bot, together), ends, level)
        seats = tuple(
            mean_of(_grouped(there, bot, together), ends, level) if there else None
            for there in ([r for r in mine if r.plan.seating[seat] == bot] for seat in range(players))
        )
        fair = [_return_of(record, bot) for record in mine if record.bot_at_fault != bot]
        found.append(Payoff(whole, seats, max(fair, default=None)))
    return tuple(found)


def difference(
    records: Sequence[GameRecord],
    bot: int,
    other: int,
    *,
    together: Callable[[GameRecord], int] = round_of,
    level: float = LEVEL,
) -> Mean:
    """Return how much more `bot` got per game than `other` from the same openings.

    The `games` of the result count openings; only those that both have played are used. What an opening gives
    to both cancels out, so the interval is narrower than those of the two means. Raises `ResultsError` if
    there is no common opening, and for a bot that failed in a game for one player.
    """
    return gaps(records, bot, other, together=together).interval(level)


def gaps(
    records: Sequence[GameRecord],
    bot: int,
    other: int,
    *,
    together: Callable[[GameRecord], int] = round_of,
) -> Returns:
    """Return how much more `bot` got per game than `other`, for each opening that both have played.

    An opening in which one of them failed, in a game for one player, counts as failed. Raises `ResultsError`
    if there is no common opening.
    """
    mine, theirs = (_by_round(records, one, together) for one in (bot, other))
    both = sorted(mine.keys() & theirs.keys())
    failed = {
        together(record) for record in records if record.is_void and record.plan.seating[0] in (bot, other)
    }.intersection(both)
    if not both:
        raise ResultsError("no opening has been played by both bots, and a difference takes at least one")
    low, high = _ends(records) or (0.0, 0.0)
    apart = high - low
    found = (
        sum(mine[at]) / len(mine[at]) - sum(theirs[at]) / len(theirs[at]) for at in both if at not in failed
    )
    return Returns(tuple(found), (-apart, apart), len(failed))


def payoff_words(bots: Sequence[str], found: Sequence[Payoff | None]) -> list[str]:
    """Return one line for each bot with games: its mean return, or that it failed and has none."""
    pairs = zip(bots, found, strict=True)
    return [
        f"{bot}: failed, no mean return" if payoff.mean is None else f"{bot}: mean return {payoff.mean}"
        for bot, payoff in pairs
        if payoff is not None
    ]


def are_plain(records: Sequence[GameRecord]) -> bool:
    """Whether all games were won, drawn or lost between two, so that points say everything."""
    sums = {round(sum(record.returns), 9) for record in records}
    numbers = {number for record in records for number in record.returns}
    return all(len(record.returns) == 2 for record in records) and len(sums) <= 1 and len(numbers) <= 3


def _ends(records: Sequence[GameRecord]) -> tuple[float, float] | None:
    """Return the least and the greatest return of games with a result, or None."""
    returns = [number for record in records if not record.is_void for number in record.returns]
    return (min(returns), max(returns)) if returns else None


def _return_of(record: GameRecord, bot: int) -> float:
    return record.returns[record.plan.seating.index(bot)]


def _by_round(
    records: Sequence[GameRecord], bot: int, together: Callable[[GameRecord], int]
) -> dict[int, list[float]]:
    rounds: defaultdict[int, list[float]] = defaultdict(list)
    for record in records:
        if bot in record.plan.seating:
            rounds[together(record)].append(_return_of(record, bot))
    return dict(rounds)


def _grouped(
    records: Sequence[GameRecord], bot: int, together: Callable[[GameRecord], int]
) -> list[list[float]]:
    return list(_by_round(records, bot, together).values())
