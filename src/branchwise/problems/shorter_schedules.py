"""Tabu search for shorter schedules: it exchanges neighbours on machines, even if the schedule gets longer.

In a block, operations follow each other on a machine without a gap, and each of them delays the end if it is
delayed. The first two or the last two are exchanged: Nowicki, Smutnicki, "A fast taboo search algorithm for
the job shop problem", 1996. The new end is estimated: Taillard, "Parallel taboo search techniques for the job
shop scheduling problem", 1994.
"""

from __future__ import annotations

from typing import NamedTuple

_LEAST_TIME = 2.0**-10
"""Time of operations that take none, so that each begins after those that it waits for."""
_BANNED = 8
_MORE_BANNED = 5
"""Steps during which an exchange is not undone: _BANNED, and up to _MORE_BANNED more."""


class Shop(NamedTuple):
    """Operations by number; those of a job are in their order.

    jobs, machines, times : of each operation; times are whole numbers.   job_free, machine_free : when each
    job and each machine is free.
    """

    jobs: list[int]
    machines: list[int]
    times: list[float]
    job_free: list[float]
    machine_free: list[float]


def shorter(shop: Shop, order: list[int], patience: int, most: int) -> list[float]:
    """Return when each operation begins in the shortest schedule found, or in the given one.

    order : all operations in the order in which they are scheduled, each as early as possible.
    patience, most : the search ends after that many steps without a shorter schedule, and in all.

    >>> shop = Shop([0, 0, 1, 1], [0, 1, 0, 1], [5, 1, 1, 5], [0, 0], [0, 0])
    >>> shorter(shop, [0, 1, 2, 3], 2, 2)
    [1, 6, 0, 1]
    """
    shop = shop._replace(times=[max(_LEAST_TIME, time) for time in shop.times])
    turned = shop._replace(
        job_free=[0.0] * len(shop.job_free), machine_free=[0.0] * len(shop.machine_free)
    )  # in which time runs back, from the end
    least, best, found = float("inf"), list[float](), 0
    banned = dict[tuple[int, int], int]()
    for step in range(most + 1):
        ahead, behind = _timed(shop, order), _timed(turned, order[::-1])
        if ahead.end < least:
            least, best, found = ahead.end, ahead.begins, step
        pairs = _neighbours(shop, order, ahead, behind)
        if not pairs or step - found >= patience:
            break
        ranks = []
        for pair, estimate in zip(pairs, _ends_after(pairs, shop.times, ahead, behind), strict=True):
            until = banned.get(pair, 0)
            is_allowed = until <= step or estimate < least
            ranks.append((False, estimate, pair) if is_allowed else (True, until, pair))
        first, second = min(ranks)[2]
        banned[second, first] = step + _BANNED + step % _MORE_BANNED
        keys = list(ahead.begins)
        keys[first], keys[second] = keys[second] - _LEAST_TIME / 4, keys[second] - _LEAST_TIME / 2
        order = sorted(order, key=keys.__getitem__)
    return best


class _Timed(NamedTuple):
    """When each operation begins, when its job and its machine are free for it, and the end of the last."""

    begins: list[float]
    by_job: list[float]
    by_machine: list[float]
    end: float


def _timed(shop: Shop, order: list[int]) -> _Timed:
    jobs, machines, times = shop.jobs, shop.machines, shop.times
    begins, by_job, by_machine = ([0.0] * len(times) for _ in range(3))
    job_free, machine_free = list(shop.job_free), list(shop.machine_free)
    for one in order:
        job, machine = jobs[one], machines[one]
        ready = by_job[one] = job_free[job]
        free = by_machine[one] = machine_free[machine]
        begin = begins[one] = ready if ready > free else free
        job_free[job] = machine_free[machine] = begin + times[one]
    return _Timed(begins, by_job, by_machine, max(job_free))


def _neighbours(shop: Shop, order: list[int], ahead: _Timed, behind: _Timed) -> list[tuple[int, int]]:
    """Return the pairs of neighbours at the edges of blocks."""
    blocks = list[list[int]]()
    last: dict[int, list[int]] = {}
    begins, tails, times, end = ahead.begins, behind.begins, shop.times, ahead.end
    for one in order:
        if begins[one] + times[one] + tails[one] == end:
            machine = shop.machines[one]
            block = last.get(machine)
            if block and begins[block[-1]] + times[block[-1]] == begins[one]:
                block.append(one)
            else:
                last[machine] = [one]
                blocks.append(last[machine])
    edges = (pair for block in blocks for pair in (block[:2], block[-2:]) if len(block) > 1)
    return [(first, second) for first, second in edges if shop.jobs[first] != shop.jobs[second]]


def _ends_after(
    pairs: list[tuple[int, int]], times: list[float], ahead: _Timed, behind: _Timed
) -> list[float]:
    """Return the length of the longest way through each pair of neighbours if they are exchanged."""
    _, job_before, machine_before, _ = ahead
    _, job_behind, machine_behind, _ = behind
    found = []
    for first, second in pairs:
        begin = max(job_before[second], machine_before[first])
        tail = max(job_behind[first], machine_behind[second]) + times[first]
        ways_of_first = max(job_before[first], begin + times[second]) + tail
        found.append(max(ways_of_first, begin + times[second] + max(job_behind[second], tail)))
    return found
