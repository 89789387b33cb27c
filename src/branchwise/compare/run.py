"""One run of one method: its budget and its results."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from branchwise.common.argument_checks import number, whole_number
from branchwise.common.errors import SettingsError
from branchwise.search.settings.budget import MAX_SECONDS

MAX_STEPS = 10**12


@dataclass(frozen=True)
class Budget:
    """Limits of one run, which ends at the first. steps : in the method's unit, see `METHODS`.

    Raises `SettingsError` without a limit, or for a value outside its range.
    """

    seconds: float | None = None
    steps: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is None and self.steps is None:
            raise SettingsError("a comparison needs a limit", mend="give seconds or steps")
        if self.seconds is not None:
            number("seconds", self.seconds, 0.0, MAX_SECONDS, above=True)
        whole_number("steps", self.steps, 1, MAX_STEPS, optional=True)


class Better(NamedTuple):
    """The time and score of an improvement; see `MethodRun`."""

    seconds: float
    steps: int
    score: float
    entered: int


@dataclass(frozen=True)
class MethodRun:
    """The results of one run of a method.

    method : the method's text as given.   best_score, best_line : None and () if no complete line was found.
    steps : in the unit `Method.counts`.   entered : number of states reached by actions, repetitions
    included, counted alike for all methods.   history : every improvement.
    ended_by : "seconds", "steps", "best possible", "solved" (no line is better), "complete" (nothing is left
    to expand), "states" (the maximum number is stored), or "interrupted".
    is_optimal : whether the method proved that no line is better.
    """

    method: str
    seed: int
    best_score: float | None
    best_line: tuple[int, ...]
    steps: int
    entered: int
    seconds: float
    history: tuple[Better, ...] = field(repr=False)
    ended_by: str
    is_optimal: bool = False


class EnoughError(BaseException):
    """Ends a run; its text is the reason. Not an `Exception`, so libraries that log those let it pass."""


class Record:
    """The best line so far of a run in progress, and the rest of its budget."""

    def __init__(self, budget: Budget, greatest: float) -> None:
        self.budget = budget
        self.steps = 0
        self.entered = 0
        self.history: list[Better] = []
        self.line: tuple[int, ...] = ()
        self._greatest = greatest
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._began

    @property
    def best_score(self) -> float | None:
        return self.history[-1].score if self.history else None

    @property
    def steps_left(self) -> int | None:
        return None if self.budget.steps is None else self.budget.steps - self.steps

    @property
    def seconds_left(self) -> float | None:
        return None if self.budget.seconds is None else self.budget.seconds - self.seconds

    def check(self) -> None:
        """Raise `EnoughError` if the budget is spent."""
        if self.steps_left is not None and self.steps_left <= 0:
            raise EnoughError("steps")
        if self.seconds_left is not None and self.seconds_left <= 0.0:
            raise EnoughError("seconds")

    def found(self, score: float, line: Sequence[int]) -> None:
        """Record a line; raises `EnoughError` if none can be better."""
        if self.best_score is None or score > self.best_score:
            self.history.append(Better(self.seconds, self.steps, score, self.entered))
            self.line = tuple(line)
        if math.isfinite(self._greatest) and score >= self._greatest:
            raise EnoughError("best possible")

    def run(self, method: str, seed: int, ended_by: str) -> MethodRun:
        """Return the results."""
        return MethodRun(
            method=method,
            seed=seed,
            best_score=self.best_score,
            best_line=self.line,
            steps=self.steps,
            entered=self.entered,
            seconds=self.seconds,
            history=tuple(self.history),
            ended_by=ended_by,
            is_optimal=ended_by in ("best possible", "solved"),
        )
