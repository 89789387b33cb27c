"""Comparing methods on one problem with several seeds, by best score as the budget grows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from branchwise.arena.cluster.choice import current_engine
from branchwise.arena.statistics.means import Mean, mean_of
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.compare.methods import METHODS, check_method, find_method, run_method
from branchwise.compare.run import Budget, MethodRun
from branchwise.rules.facts.facts import GameFacts, copied, game_facts

POINTS = 40
"""Maximum number of points in a curve."""
STATES = "states entered"
"""Name of `Better.entered` in tables: steps counted alike for all methods."""
COLUMNS = ("method", "by", "at", "runs", "mean", "low", "high")

Progress = Callable[[str, int, int], object]


@dataclass(frozen=True)
class Point:
    """The mean of the best scores of a method's runs after `at` seconds or steps."""

    at: float
    mean: Mean


@dataclass(frozen=True)
class MethodSummary:
    """The runs of one method.

    counts : unit of its steps.   best : best score of all runs; None if no line was found.   mean : mean best
    score of the runs; None if a run found no line.   seconds_to_best, steps_to_best, entered_to_best : mean
    budget spent until each run's best line.   steps, entered : means over the runs.
    """

    method: str
    counts: str
    runs: tuple[MethodRun, ...] = field(repr=False)

    @property
    def scores(self) -> list[float]:
        """Best scores of the runs that found a line."""
        return [run.best_score for run in self.runs if run.best_score is not None]

    @property
    def best(self) -> float | None:
        return max(self.scores, default=None)

    @property
    def mean(self) -> Mean | None:
        return mean_of([score] for score in self.scores) if len(self.scores) == len(self.runs) else None

    @property
    def steps(self) -> float:
        return math.fsum(run.steps for run in self.runs) / len(self.runs)

    @property
    def entered(self) -> float:
        return math.fsum(run.entered for run in self.runs) / len(self.runs)

    @property
    def seconds_to_best(self) -> float | None:
        return _average(run.history[-1].seconds for run in self.runs if run.history)

    @property
    def steps_to_best(self) -> float | None:
        return _average(run.history[-1].steps for run in self.runs if run.history)

    @property
    def entered_to_best(self) -> float | None:
        return _average(run.history[-1].entered for run in self.runs if run.history)

    @property
    def is_optimal(self) -> bool:
        """Whether every run proved its line optimal."""
        return all(run.is_optimal for run in self.runs)

    @property
    def ended_by(self) -> tuple[str, ...]:
        """The distinct reasons for which runs ended."""
        return tuple(dict.fromkeys(run.ended_by for run in self.runs))

    def curve(self, by: str) -> list[Point]:
        """Return the mean best score as the budget grows, from the point where all runs have a line.

        by : "seconds", "steps" or "entered". A run that ended early keeps its score to the end of the longest
        one.
        """
        if any(not run.history for run in self.runs):
            return []
        times = sorted({getattr(better, by) for run in self.runs for better in run.history})
        start = max(getattr(run.history[0], by) for run in self.runs)
        end = max(getattr(run, by) for run in self.runs)
        inner = _thinned([start, *(at for at in times if at > start)])
        points = [*inner, end] if end > inner[-1] else inner
        return [Point(at, mean_of([_score_at(run, by, at)] for run in self.runs)) for at in points]


@dataclass(frozen=True)
class ComparisonResult:
    """Outcome of a comparison; `is_complete` is False after Ctrl-C."""

    state: Any = field(repr=False)
    facts: GameFacts = field(repr=False)
    methods: tuple[MethodSummary, ...]
    budget: Budget
    seeds: tuple[int, ...]
    is_complete: bool

    def rows(self) -> list[dict[str, int | float | str | None]]:
        """Return the curves as rows with the columns `COLUMNS`; intervals are for 95 %."""
        return [
            {
                "method": one.method,
                "by": {"seconds": by, "steps": one.counts, "entered": STATES}[by],
                "at": point.at,
                "runs": point.mean.games,
                "mean": point.mean.mean,
                "low": point.mean.low,
                "high": point.mean.high,
            }
            for one in self.methods
            for by in ("seconds", "steps", "entered")
            for point in one.curve(by)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values for JSON."""
        return {
            "problem": self.facts.name,
            "start": str(self.state),
            "seconds": self.budget.seconds,
            "steps": self.budget.steps,
            "seeds": list(self.seeds),
            "is_complete": self.is_complete,
            "methods": [_to_dict(one) for one in self.methods],
            "curves": self.rows(),
        }


def compare(
    state: Any,
    methods: Sequence[str],
    *,
    seconds: float | None = None,
    steps: int | None = None,
    seeds: int = 5,
    seed: int = 0,
    compiled: bool | None = None,
    progress: Progress | None = None,
) -> ComparisonResult:
    """Run each method on the problem, `seeds` times with the seeds from `seed` on.

    seconds, steps : limits of each run; `METHODS` defines steps. Methods without random numbers run once.
    progress : called before each run with the method, and the number of the run and of all runs.
    The methods take turns, seed by seed, so that temporary load on the machine affects all of them.
    In a block of `on_executor` they run at the same time on its engine, and count their seconds there.
    Ctrl-C ends the comparison after the current run; methods without a run are left out.

    Raises `SettingsError` for an invalid budget or a missing extra, and `GameError` for a problem on which a
    method cannot run; both before anything runs.

    >>> import branchwise as bw
    >>> state = bw.load_game("left_move(moves=6)")()
    >>> result = compare(state, ["dfs", "nrpa(level=1)"], steps=200, seeds=2, compiled=False)
    >>> [(one.method, one.best) for one in result.methods]
    [('dfs', 6.0), ('nrpa(level=1)', 6.0)]
    """
    budget = Budget(seconds, steps)
    whole_number("seeds", seeds, 1, 10_000)
    if not methods:
        raise SettingsError("a comparison needs a method", mend=f"one of {', '.join(METHODS)}")
    for number, text in enumerate(methods):
        check_method(text, state)
        if text in methods[:number]:
            raise SettingsError(f"{text} is given twice")
    chosen = range(seed, seed + seeds)
    plan = [
        (text, one) for one in chosen for text in methods if find_method(text)[0].draws or one == chosen[0]
    ]
    is_complete = True
    calls = [(text, state, budget, one, compiled) for text, one in plan]
    found: dict[int, MethodRun] = {}
    try:
        for number, run in _all_runs(calls, progress):
            found[number] = run
            if run.ended_by == "interrupted":
                is_complete = False
                break
    except KeyboardInterrupt:
        is_complete = False
    runs = {text: tuple(found[n] for n in sorted(found) if plan[n][0] == text) for text in methods}
    return ComparisonResult(
        state=copied(state),
        facts=game_facts(state),
        methods=tuple(
            MethodSummary(text, find_method(text)[0].counts, ended) for text, ended in runs.items() if ended
        ),
        budget=budget,
        seeds=tuple(chosen),
        is_complete=is_complete,
    )


def _all_runs(calls: Sequence[tuple[Any, ...]], progress: Progress | None) -> Iterator[tuple[int, MethodRun]]:
    """Yield number and results of each run: in turn, or as they end on the engine of the block."""
    engine = current_engine()
    if engine is not None:
        from branchwise.arena.cluster.calls import Calls

        runs = Calls(engine, _run_numbered, 1, len(calls), lambda numbered: numbered[1][0])
        with closing(runs):
            for numbered in enumerate(calls):
                runs.begin(numbered)
            while runs.open:
                for ((number, call),), found in runs.ended(1.0):
                    if progress is not None:
                        progress(call[0], len(calls) - runs.open, len(calls))
                    yield number, found
        return
    for number, call in enumerate(calls):
        if progress is not None:
            progress(call[0], number + 1, len(calls))
        yield number, run_method(*call)


def _run_numbered(calls: tuple[tuple[int, tuple[Any, ...]], ...]) -> MethodRun:
    return run_method(*calls[0][1])


def _score_at(run: MethodRun, by: str, at: float) -> float:
    return max(better.score for better in run.history if getattr(better, by) <= at)


def _thinned(times: list[float]) -> list[float]:
    """Return at most `POINTS` of the times, including the first and the last."""
    if len(times) <= POINTS:
        return times
    return [times[round(n * (len(times) - 1) / (POINTS - 1))] for n in range(POINTS)]


def _average(numbers: Iterable[float]) -> float | None:
    found = list(numbers)
    return math.fsum(found) / len(found) if found else None


_SHOWN = ("method", "counts", "best", "seconds_to_best", "steps_to_best", "entered_to_best", "is_optimal")
_SHOWN_OF_RUN = ("seed", "best_score", "best_line", "steps", "entered", "seconds", "ended_by")


def _to_dict(one: MethodSummary) -> dict[str, Any]:
    ends = ("mean", "low", "high")
    return {
        **{name: getattr(one, name) for name in _SHOWN},
        **{name: None if one.mean is None else getattr(one.mean, name) for name in ends},
        "runs": [
            {name: getattr(run, name) for name in _SHOWN_OF_RUN}
            | {"history": [better._asdict() for better in run.history]}
            for run in one.runs
        ],
    }
