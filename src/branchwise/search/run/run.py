"""Running one search: chunks of simulations, with the limits checked in between."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from branchwise.common.errors import GameError, RuleLeftError, SettingsError
from branchwise.common.pace import Reports, next_chunk
from branchwise.compile.stopping.time_limits import Limits, current_limits, limited
from branchwise.core.machine.kernel_status import Status
from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import REFUSED, ROOT, UNEXPANDED, USED, Tree
from branchwise.rules.checking.diagnosis import RULE_ERRORS, check_line, fault_error, raised_error
from branchwise.rules.facts.facts import copied
from branchwise.rules.facts.game_type import declared_sum
from branchwise.search.results.result import SearchResult
from branchwise.search.results.summary import result_of
from branchwise.search.run.halving import Halving
from branchwise.search.run.rollouts import Rollouts
from branchwise.search.session.search_session import Session
from branchwise.search.session.steering import Guide
from branchwise.search.settings.budget import MAX_SIMULATIONS, Budget

_LEAST_SECONDS = 0.1
_CHECK_SHARE = 0.005
_CHECK_SECONDS = 0.02
"""Length of a search from which on its expected line is checked; share of its time, most seconds for that."""
_CHUNK_SECONDS = 0.01
_TEAM_CHUNK_SECONDS = 0.04
_IDLE_SIMULATIONS = 100_000
_CHECKS = 64
"""Number of checks for `early_stop` in a budget of simulations."""


class NotConstantSumError(Exception):
    """Two players' returns did not have a constant sum, in a game that does not declare its `utility`.

    Proofs would be unsound, and so would values passed from one player to the other, so the search must begin
    again without them.
    """


class NoDealError(Exception):
    """No state was found that fits what the observer knows, so there is nothing to search."""


class Steering(Protocol):
    """Chooses, by `Runner.guide`, the actions with which the next simulations begin."""

    def choose(self, size: int, done: int, elapsed: float) -> int:
        """Return how many simulations to run next, at most `size`; see `Halving.choose`."""
        ...


@dataclass(frozen=True)
class Conduct:
    """How long one search goes on, and who hears of it.

    stop : ends the search when it is set.   progress : called with the result so far, about ten times a
    second, within a share of CPU time.   between : called with the run after every chunk of simulations.
    """

    budget: Budget
    stop: threading.Event
    progress: Callable[[SearchResult], object] | None = None
    between: Callable[[Run], object] | None = None


class Run:
    """One search of a session's root.

    started : time at which the budget of seconds began, by `time.perf_counter`.   steering : chooses where
    simulations begin; None: what the settings or the session's course ask for.
    """

    def __init__(
        self, session: Session, conduct: Conduct, started: float, steering: Steering | None = None
    ) -> None:
        self._between = conduct.between
        self._session = session
        self._runner = session.runner
        self._budget = conduct.budget
        self._stop = conduct.stop
        self._started = started
        self._reports = Reports(conduct.progress, time.perf_counter())
        self._visits_before = self._visits
        self._moves_before = self._session.runner.moves
        self._refused_before = self._refused
        self._done = 0
        self._asked = 0
        self._last_growth = 0
        if steering is None and session.settings.rollout:
            steering = Rollouts(session, conduct.budget)
        elif steering is None and session.settings.halving:
            steering = Halving(session, conduct.budget)
        elif steering is None and session.course.lines:
            steering = Guide(session, session.course.lines)
        self._steering = steering

    def to_end(self) -> SearchResult:
        """Search until a limit is reached, and return the result.

        The expected line is played again in plain Python if the rules are compiled and their moves certain.
        """
        result = self.result(self.finish())
        session = self._session
        plan = session.composition
        certain = not (plan.is_open or plan.is_drawn or plan.is_joint or plan.has_box) and not session.source
        if session.compiled and certain and result.seconds >= _LEAST_SECONDS:
            seconds = min(_CHECK_SHARE * result.seconds, _CHECK_SECONDS)
            check_line(session.state, result.principal_variation, seconds)
        return result

    def finish(self) -> str:
        """Search until a limit is reached; returns which one, as in `SearchResult.ended_by`."""
        end = None if self._budget.seconds is None else self._started + self._budget.seconds
        chunk = self._runner.first_chunk
        aim = _TEAM_CHUNK_SECONDS if self._session.settings.threads > 1 else _CHUNK_SECONDS
        ended_by = self._limit_reached() if self._visits_before else ""
        with limited(Limits(end, self._stop)):
            try:
                while not ended_by:
                    in_batches = self._session.settings.batch_size > 1
                    size = self._next_size(MAX_SIMULATIONS if in_batches else chunk)
                    before = time.perf_counter()
                    used = self._used
                    if self._steering is not None:
                        size = self._steering.choose(size, self._done, before - self._started)
                    self._simulate(size)
                    done = self._visits - self._visits_before
                    self._asked += done - self._done if in_batches else size
                    self._done = done
                    if self._used > used:
                        self._last_growth = self._done
                    chunk = next_chunk(size, time.perf_counter() - before, min(aim, self._seconds_left))
                    ended_by = self._limit_reached()
                    if not ended_by:
                        self._reports.offer(self.result)
                    if self._between is not None:
                        self._between(self)
            except KeyboardInterrupt as interrupt:
                if isinstance(interrupt.__context__, RuleLeftError):  # the rules were in an endless loop
                    raise self._raised(interrupt.__context__) from interrupt.__context__
                self._done = self._visits - self._visits_before
                if self._visits == 0:
                    raise
                ended_by = "interrupted"
            return ended_by

    def result(self, ended_by: str = "") -> SearchResult:
        """Return the result so far."""
        self._done = self._visits - self._visits_before
        return result_of(
            self._session,
            simulations=self._done,
            moves=self._session.runner.moves - self._moves_before,
            seconds=time.perf_counter() - self._started,
            ended_by=ended_by,
            memory_full=self._refused > self._refused_before and ended_by != "nodes",
        )

    @property
    def _visits(self) -> int:
        return sum(int(tree.nodes[ROOT]["visits"]) for tree in self._session.trees)

    @property
    def _used(self) -> int:
        return sum(int(tree.counters[USED]) for tree in self._session.trees)

    @property
    def _refused(self) -> int:
        return sum(int(tree.counters[REFUSED]) for tree in self._session.trees)

    @property
    def _seconds_left(self) -> float:
        """Remaining seconds of the budget, which limit the next chunk; infinite without a limit."""
        if self._budget.seconds is None:
            return math.inf
        return max(self._budget.seconds - (time.perf_counter() - self._started), 0.0)

    def _next_size(self, chunk: int) -> int:
        most = MAX_SIMULATIONS if self._budget.simulations is None else self._budget.simulations
        most -= self._asked
        if self._session.settings.early_stop:
            most = min(most, self._between_checks - self._asked % self._between_checks)
        return max(1, min(chunk, most))

    @property
    def _between_checks(self) -> int:
        """Simulations between two checks of the lead; independent of speed for a budget of simulations."""
        if self._budget.simulations is None:
            return MAX_SIMULATIONS
        return max(1, self._budget.simulations // _CHECKS)

    def _simulate(self, size: int) -> None:
        session = self._session
        session.read_lines()
        facts = session.facts
        # Moves of a state that was dealt lead nowhere in what the observer sees of it.
        state = session.state if session.source is None else type(session.state)()
        try:
            status = self._runner.run(size)
        except RULE_ERRORS as error:
            raise self._raised(error) from error
        if status is Status.HALTED:
            self._must_have_a_result()
            return
        if status is Status.DONE and any(map(_was_left_unexpanded, session.trees)):
            if self._refused:
                raise SettingsError(
                    f"the tree has no room for the first moves of {facts.name}",
                    mend="give more memory_mb or more max_nodes",
                )
            raise GameError(
                f"{facts.name}.is_terminal is false for this state in plain Python, but true when compiled",
                mend="compare both with branchwise check",
            )
        if status is Status.NOT_CONSTANT_SUM and declared_sum(state, facts) is None:
            raise NotConstantSumError
        if status is Status.SCORE_IS_NO_NUMBER:
            raise SettingsError(
                f"the selection rule {session.composition.rule.name} returned NaN as a score",
                mend="return a number for every child; an unvisited child, if it is scored, has 0 visits",
            )
        if status is Status.NO_DEAL:
            raise NoDealError
        if status is Status.DEAL_DIFFERS:
            raise GameError(
                f"dealing {facts.name} anew changed what player {session.viewer} sees",
                mend="let determinize fill only what the player does not see: branchwise check",
            )
        if status is not Status.DONE:
            path = self._runner.path_to_fault() if session.source is None else []
            raise fault_error(copied(state), facts, status, path)

    def _raised(self, error: Exception) -> GameError:
        session = self._session
        if session.source is not None:
            return raised_error(type(session.state)(), session.facts, error)
        return raised_error(session.state, session.facts, error, self._runner.trail())

    def _must_have_a_result(self) -> None:
        """Raise `GameError` if the search had to end before its first simulation did; Ctrl-C comes first."""
        current_limits().ask()
        time.sleep(0)  # a Ctrl-C from the time in the kernel is raised here
        if self._visits == 0 and self._session.source is not None and not self._session.was_dealt:
            raise NoDealError
        if self._visits == 0:
            elapsed = time.perf_counter() - self._started
            raise GameError(
                f"no game of {self._session.facts.name} from this state was over after {elapsed:.1f} s",
                mend="give more time, or a smaller max_game_length, or evaluate and a cutoff",
            )

    def _limit_reached(self) -> str:
        budget = self._budget
        roots = [tree.nodes[ROOT] for tree in self._session.trees]
        solved = [bool(root["lower"] >= root["upper"]) for root in roots]
        if all(solved):
            return "proven"
        # With a budget in simulations, each of several trees is searched to its end, so that the result
        # does not depend on which thread is faster.
        if budget.simulations is not None and self._asked >= budget.simulations:
            return "proven" if any(solved) else "simulations"
        if any(solved) and budget.simulations is None:
            return "proven"
        if self._done >= MAX_SIMULATIONS:
            return "simulations"
        elapsed = time.perf_counter() - self._started
        if budget.seconds is not None and elapsed >= budget.seconds:
            return "seconds"
        if budget.max_nodes is not None:
            full = any(len(tree.nodes) == budget.max_nodes for tree in self._session.trees)
            if self._refused > self._refused_before and full:
                return "nodes"
            idle = self._done - self._last_growth
            only_nodes = budget.simulations is None and budget.seconds is None
            if only_nodes and idle > max(_IDLE_SIMULATIONS, self._last_growth):
                return "complete"
        if self._session.settings.early_stop and self._is_decided(elapsed):
            return "decided"
        return "stopped" if self._stop.is_set() else ""

    def _is_decided(self, elapsed: float) -> bool:
        """Whether no action can overtake the most visited one within the remaining budget."""
        by_simulations = self._budget.simulations is not None and self._budget.seconds is None
        if self._done == 0 or (by_simulations and self._asked % self._between_checks):
            return False
        left = np.inf
        if self._budget.simulations is not None:
            left = self._budget.simulations - self._done
        if self._budget.seconds is not None:
            left = min(left, self._done / max(elapsed, 1e-9) * (self._budget.seconds - elapsed))
        return bool(lead_of_best(self._session) > left) and self.result().leads_by_visits


def _was_left_unexpanded(tree: Tree) -> bool:
    """Whether the root has visits but no children."""
    root = tree.nodes[ROOT]
    return bool(root["first"] == UNEXPANDED and root["visits"] > 0)


def lead_of_best(session: Session) -> int:
    """Return the lead, in visits, of the most visited action at the root."""
    visits: dict[int, int] = {}
    for tree in session.trees:
        children = children_of_one(tree.nodes, ROOT)
        counts = (tree.edge_visits if tree.links.size else tree.nodes["visits"])[children]
        for action, count in zip(tree.nodes["action"][children].tolist(), counts.tolist(), strict=True):
            visits[action] = visits.get(action, 0) + count
    first, second = [*sorted(visits.values(), reverse=True), 0][:2]
    return first - second
