"""Running one search: chunks of playouts in one thread or several, with the limits checked in between."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from branchwise.common.argument_checks import number, whole_number
from branchwise.common.errors import ActionError, GameError, RuleLeftError, SettingsError
from branchwise.common.pace import Reports, next_chunk
from branchwise.compile.stopping.time_limits import Limits, current_limits, limited
from branchwise.core.machine.kernel_status import Status
from branchwise.optimise.result import OptimisationResult
from branchwise.optimise.walkers.arms_walker import ArmsWalker
from branchwise.optimise.walkers.problem import chance_error, is_chance_at, replayed
from branchwise.optimise.walkers.walker import Improvement, Walker
from branchwise.rules.checking.diagnosis import RULE_ERRORS, check_line, fault_error, raised_error
from branchwise.rules.facts.facts import GameFacts, copied
from branchwise.search.drivers.interrupts import HeldInterrupts
from branchwise.search.parallel.runners import first_failed, shares
from branchwise.search.settings.budget import MAX_SECONDS

MAX_PLAYOUTS = 10**15
_CHUNK_SECONDS = 0.02
_TEAM_CHUNK_SECONDS = 0.05
_CHECK_SHARE = 0.01
_CHECK_SECONDS = 0.2
"""Share of the time of a search, and most seconds, to play its line again and lines beside it."""
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Effort:
    """Limits of one search, which ends at the first. Without a limit, each thread makes one run.

    Raises `SettingsError` for a value outside its range.
    """

    playouts: int | None = None
    seconds: float | None = None
    runs: int | None = None
    patience: float | None = None

    def __post_init__(self) -> None:
        whole_number("playouts", self.playouts, 1, MAX_PLAYOUTS, optional=True)
        whole_number("runs", self.runs, 1, MAX_PLAYOUTS, optional=True)
        for name in ("seconds", "patience"):
            if getattr(self, name) is not None:
                number(name, getattr(self, name), 0.0, MAX_SECONDS, above=True)

    @property
    def has_no_limit(self) -> bool:
        return self == Effort()


@dataclass(eq=False)
class Run:
    """One search of `state` by walkers, each in its own thread.

    effort : the limits; the walkers already know its `runs`.   start : a line to begin from; () : none.
    stop : ends the search when set.   progress : called with the result so far, about ten times a second.
    """

    state: Any
    facts: GameFacts
    method: str
    walkers: Sequence[Walker | ArmsWalker]
    effort: Effort
    seed: int
    start: tuple[int, ...]
    stop: threading.Event
    progress: Callable[[OptimisationResult], object] | None

    def __post_init__(self) -> None:
        self.state = copied(self.state)
        self._faulty = self.walkers[0]
        """The walker that met a fault of the rules, if there was one."""
        self._asked = 0
        self._history: list[Improvement] = []

    def to_end(self) -> OptimisationResult:
        """Search until a limit is reached, and return the best line."""
        self.walkers[0].prepare()  # loads or compiles the code, so that no budget pays for it
        if self.start:
            score = self._start_score()
            for walker in self.walkers:
                walker.begin_from(self.start, score)
        self._started = time.perf_counter()
        playouts, count = self.effort.playouts, len(self.walkers)
        for place, walker in enumerate(self.walkers):
            share = None if playouts is None else shares(0, playouts, count)[place]
            walker.allot(share, self.effort.seconds)
        self._reports = Reports(self.progress, self._started)
        seconds = self.effort.seconds
        end = None if seconds is None else self._started + seconds
        with limited(Limits(end, self.stop)):
            ended_by = self._search()
            if ended_by != "interrupted":
                self._best.improve_best()
                self._note()
            return self._result(ended_by)

    def _start_score(self) -> float:
        """Return the score of the line to begin from, in plain Python."""
        try:
            return replayed(self.state, self.facts, self.start).score
        except ActionError as error:
            raise GameError(
                f"the line to start from is not one of this {self.facts.name}: {error.problem}",
                mend="start from a plan for the same instance and position",
            ) from error

    def _search(self) -> str:
        chunk = 1
        aim = _TEAM_CHUNK_SECONDS if len(self.walkers) > 1 else _CHUNK_SECONDS
        ended_by = ""
        try:
            while not ended_by:
                before, played = time.perf_counter(), self._playouts
                asked = self._next_sizes(chunk)
                self._run(asked)
                self._asked += sum(asked)
                spent = time.perf_counter() - before
                done = min(chunk, (self._playouts - played) // len(self.walkers))  # arms may run fewer
                chunk = next_chunk(done, spent, min(aim, self._seconds_left))
                self._note()
                ended_by = self._limit_reached()
                if not ended_by and self._best.best_line:
                    self._reports.offer(lambda: self._result(""))
        except KeyboardInterrupt as interrupt:
            if isinstance(interrupt.__context__, RuleLeftError):
                raise self._raised(interrupt.__context__) from interrupt.__context__
            self._note()
            if self._best.best_score == -math.inf:
                raise
            ended_by = "interrupted"
        return ended_by

    @property
    def _seconds_left(self) -> float:
        """Remaining seconds of the budget; infinite without a limit."""
        if self.effort.seconds is None:
            return math.inf
        return max(0.0, self.effort.seconds - (time.perf_counter() - self._started))

    def _next_sizes(self, chunk: int) -> list[int]:
        """Return the number of playouts that each walker runs next; the sum depends only on the budget."""
        count = len(self.walkers)
        if self.effort.playouts is None:
            return [chunk] * count
        after = min(self._asked + chunk * count, self.effort.playouts)
        return shares(self._asked, after, count)

    def _run(self, sizes: Sequence[int]) -> None:
        try:
            if len(self.walkers) == 1:
                status = self.walkers[0].run(sizes[0])
            else:
                status = self._run_together(sizes)
        except SettingsError:  # too little memory
            raise
        except RULE_ERRORS as error:
            raise self._raised(error) from error
        if status is Status.DONE:
            return
        if status is Status.HALTED:
            self._must_have_a_line()
            return
        path = self._faulty.path_to_fault()
        if status is Status.PLAYER_OUT_OF_RANGE and is_chance_at(self.state, path):
            raise chance_error(self.facts, self.method.partition("(")[0])
        raise fault_error(copied(self.state), self.facts, status, path)

    def _run_together(self, sizes: Sequence[int]) -> Status:
        """Run every walker in a thread; returns DONE or the fault of the first that failed."""
        limits = current_limits()
        threads = ThreadPoolExecutor(len(sizes), thread_name_prefix="branchwise")
        with threads as pool, HeldInterrupts(limits.ask):
            futures: list[Future[Status]] = [
                pool.submit(copy_context().run, walker.run, size)
                for walker, size in zip(self.walkers, sizes, strict=True)
            ]
            wait(futures)
        failed = first_failed(futures)
        if failed is None:
            return Status.DONE
        self._faulty = self.walkers[failed]
        return futures[failed].result()

    def _raised(self, error: Exception) -> GameError:
        return raised_error(self.state, self.facts, error, self._faulty.trail())

    def _must_have_a_line(self) -> None:
        """Raise `GameError` if the search ended without a complete line; Ctrl-C takes precedence."""
        current_limits().ask()
        time.sleep(0)  # a Ctrl-C pressed during the kernel is raised here
        if self._best.best_score == -math.inf:
            elapsed = time.perf_counter() - self._started
            raise GameError(
                f"not one line of {self.facts.name} from here was over after {elapsed:.1f} s",
                mend="give more time, or a smaller max_game_length",
            )

    @property
    def _best(self) -> Walker | ArmsWalker:
        """The walker with the best line; the first of several."""
        return max(self.walkers, key=lambda walker: walker.best_score)

    @property
    def _playouts(self) -> int:
        return sum(walker.playouts for walker in self.walkers)

    @property
    def _moves(self) -> int:
        return sum(walker.moves for walker in self.walkers)

    def _limit_reached(self) -> str:
        effort = self.effort
        if all(walker.has_best_possible for walker in self.walkers):
            return "best possible"
        by_count = effort.playouts is not None or effort.runs is not None
        if not by_count and any(walker.has_best_possible for walker in self.walkers):
            return "best possible"
        if all(walker.is_over for walker in self.walkers):
            return "best possible" if self._best.has_best_possible else "runs"
        if effort.playouts is not None and self._asked >= effort.playouts:
            return "playouts"
        spent = time.perf_counter() - self._started
        if effort.seconds is not None and spent >= effort.seconds:
            return "seconds"
        improved = self._history[-1].seconds if self._history else 0.0
        if effort.patience is not None and spent - improved >= effort.patience:
            return "patience"
        return "stopped" if self.stop.is_set() else ""

    def _note(self) -> None:
        """Add the walkers' new improvements to the history."""
        alone = len(self.walkers) == 1
        for walker in self.walkers:
            for found in walker.new_improvements():
                if not self._history or found.score > self._history[-1].score:
                    self._history.append(
                        Improvement(
                            seconds=found.seconds - self._started,
                            playouts=found.playouts if alone else self._playouts,
                            score=found.score,
                            moves=found.moves if alone else self._moves,
                        )
                    )

    def _result(self, ended_by: str) -> OptimisationResult:
        best = self._best
        line = best.best_line
        if ended_by:
            self._check(line, best.best_score)
        return OptimisationResult(
            state=copied(self.state),
            method=f"{self.method}: {best.found_by}" if best.found_by else self.method,
            arms=dict(best.scores),
            best_score=best.best_score,
            best_line=line,
            playouts=self._playouts,
            moves=self._moves,
            runs=sum(walker.runs for walker in self.walkers),
            seconds=time.perf_counter() - self._started,
            history=tuple(self._history),
            ended_by=ended_by,
            seed=self.seed,
            facts=self.facts,
        )

    def _check(self, line: tuple[int, ...], score: float) -> None:
        """Raise unless plain Python gives the best line the same score."""
        if not line:
            raise SettingsError("the search ended before its first playout", mend="give it more time")
        if self.walkers[0].is_compiled:
            spent = time.perf_counter() - self._started
            check_line(self.state, line, min(_CHECK_SHARE * spent, _CHECK_SECONDS))
        again = replayed(self.state, self.facts, line).score
        if not abs(again - score) <= _TOLERANCE * max(1.0, abs(score)):
            raise GameError(
                f"a line of {self.facts.name} has the score {score:g} in compiled form, and {again:g} in "
                "plain Python",
                mend="compare both with branchwise check",
            )
