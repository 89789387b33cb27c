"""When to end a match: its rounds, judged in the order of the schedule.

Games that are played at the same time end in any order, the short ones first. A round is judged only when it
and all rounds before it are complete, so it does not matter which game ended sooner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from branchwise.arena.records.record import GameRecord
from branchwise.arena.statistics.score import Score
from branchwise.arena.statistics.scoring import points_of
from branchwise.arena.statistics.sprt import Sprt, SprtState, Verdict

Judge = Callable[[tuple[GameRecord, ...]], "str | None"]
"""Called with the games of a round, in the order of the schedule; returns why to end the match, or None."""

_AT_ONCE = 10_000


class RoundsInOrder:
    """Passes each round of a match to the judges, once it and all rounds before it are complete.

    size : games of a round.
    """

    def __init__(self, size: int, judges: Sequence[Judge]) -> None:
        self._size = size
        self._judges = judges
        self._judged = 0
        self._waiting: dict[int, GameRecord] = {}

    def __call__(self, record: GameRecord) -> str:
        """Add a finished game; returns why to end the match, or ''."""
        self._waiting[record.number] = record
        while True:
            numbers = range(self._judged * self._size, (self._judged + 1) * self._size)
            if any(number not in self._waiting for number in numbers):
                return ""
            self._judged += 1
            round_ = tuple(self._waiting.pop(number) for number in numbers)
            reasons = [judge(round_) for judge in self._judges]
            reason = next((reason for reason in reasons if reason), None)
            if reason:
                return reason


class SprtJudge:
    """A judge that runs a sequential test on pairs; `state` is the state of the test."""

    def __init__(self, sprt: Sprt) -> None:
        self._sprt = sprt
        self._score = Score()
        self.state = sprt.state(self._score)

    def __call__(self, pair: tuple[GameRecord, ...]) -> str | None:
        first, second = (points_of(record, 0) for record in pair)
        self._score = self._score.with_pair(first, second)
        self.state = self._sprt.state(self._score)
        return None if self.state.verdict is Verdict.CONTINUE else self.state.verdict.value


def first_verdict(sprt: Sprt, records: Iterable[GameRecord]) -> tuple[SprtState, int | None]:
    """Return the state of a test after the games of a match, and the number of games that decided it.

    records : in order; any that follow a missing pair are ignored. The number is None without a verdict.
    """
    pairs = _pairs_in_order(records)
    counts = np.zeros((len(pairs), 5))
    counts[np.arange(len(pairs)), pairs] = 1
    counts = counts.cumsum(axis=0)
    for start in range(0, len(pairs), _AT_ONCE):
        ratios = sprt.llr_of_counts(counts[start : start + _AT_ONCE], 2)
        decided = np.flatnonzero((ratios >= sprt.upper) | (ratios <= sprt.lower))
        if len(decided):
            at = start + int(decided[0])
            return sprt.state(_score(counts[at])), 2 * (at + 1)
    return sprt.state(_score(counts[-1]) if pairs else Score()), None


def _pairs_in_order(records: Iterable[GameRecord]) -> list[int]:
    """Return the first bot's half points in each pair, up to the first pair that is not complete."""
    halves = []
    for number, record in enumerate(records):
        if record.number != number:
            break
        halves.append(round(2 * points_of(record, 0)))
    return [one + other for one, other in zip(halves[::2], halves[1::2], strict=False)]


def _score(counts: np.ndarray) -> Score:
    none, half, one, more, two = (int(count) for count in counts)
    return Score(pairs=(none, half, one, more, two))
