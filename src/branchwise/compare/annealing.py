"""Simulated annealing of lines of actions, with the library simanneal.

Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", 1983.
"""

from __future__ import annotations

import random
import statistics
from typing import Any

from branchwise.compare.line_vectors import Decoder
from branchwise.compare.run import Record

_SAMPLE = 30
_COOLING = 1000.0


def anneal(decoder: Decoder, record: Record, seed: int) -> None:
    """Anneal lines until an `EnoughError` ends it when the budget is spent.

    A move changes one share of the line. The first temperature is the standard deviation of the scores of 30
    random lines, and the last one a thousandth of it. Cooling takes the whole budget; a budget in seconds is
    converted to steps at the speed of the random lines. If time is left, annealing restarts from the best
    line.
    """
    from simanneal import Annealer

    class Lines(Annealer):  # type: ignore[misc]
        copy_strategy = "slice"
        updates = 0

        def __init__(self, state: list[float], warmest: float, steps: int) -> None:
            # Not the library's constructor, which would handle Ctrl-C itself.
            self.state = state
            self.Tmax, self.Tmin, self.steps = warmest, warmest / _COOLING, steps

        def move(self) -> None:
            self.state[random.randrange(decoder.used)] = random.random()

        def energy(self) -> float:
            return -decoder.score(self.state, record)

    before = random.getstate()  # the library draws from here
    random.seed(seed)
    try:
        sample = [[random.random() for _ in range(decoder.length)] for _ in range(_SAMPLE)]
        scores = [decoder.score(shares, record) for shares in sample]
        state = sample[scores.index(max(scores))]
        warmest = statistics.pstdev(scores) or 1.0
        while True:
            annealer: Any = Lines(state, warmest, _steps_left(record))
            state, _ = annealer.anneal()
    finally:
        random.setstate(before)


def _steps_left(record: Record) -> int:
    """Return the number of steps left in the budget, at the speed so far."""
    limits = [1_000_000_000]
    if record.steps_left is not None:
        limits.append(record.steps_left)
    if record.seconds_left is not None:
        limits.append(int(record.seconds_left * record.steps / record.seconds))
    return max(1, min(limits))
