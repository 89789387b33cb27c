"""One thread's search for the best line: its memory, and the kernel that continues it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_limits import RulesInPython, current_limits
from branchwise.core.interpret import interpreted
from branchwise.core.lines.solution_lines import (
    DEPTH,
    FRESH,
    GREATEST,
    HORIZON,
    IMPROVEMENTS,
    MOST_MOVES,
    MOVES,
    NO_ROOM,
    NO_ROOM_FOR_CODES,
    NOTED,
    NUM_FACTS,
    PAUSED,
    PAUSES,
    PLAYOUTS,
    RUNS,
    RUNS_WANTED,
    TOP,
    WAY,
    Lines,
    Task,
    Team,
)
from branchwise.core.machine.kernel import Kernel
from branchwise.core.machine.kernel_status import Status
from branchwise.core.numbers.random_streams import new_streams
from branchwise.core.tree.node_fields import MAX_CHILDREN
from branchwise.optimise.walkers.line_improvement import Improver
from branchwise.optimise.walkers.playout_helpers import Helpers
from branchwise.optimise.walkers.problem import InterpretedProblem
from branchwise.rules.checking.fault_replay import Trail
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.drivers.interrupts import HeldInterrupts

keep_on_disk()

FIRST_MOVES = 1024


class Improvement(NamedTuple):
    """The time at which a new best line was found, and its score."""

    seconds: float
    playouts: int
    score: float
    moves: int


class Walker:
    """A search for the best line from `state` in one thread, or led by it.

    top : level of a run.   rows : rows of lines besides the best one and the helpers'.   way : how playouts
    choose; see `core.lines.solution_lines`.   runs : number of runs after which it ends; 0: no limit.
    helpers : number of threads that help with playouts.   compiled : whether the rules, which are vetted, run
    compiled. improver : improves the lines of level 1 and the best line; None: lines are not improved.
    """

    def __init__(
        self,
        state: Any,
        facts: GameFacts,
        *,
        top: int,
        rows: int,
        way: int,
        runs: int,
        seed: int,
        thread: int,
        helpers: int,
        compiled: bool,
        improver: Improver | None,
    ) -> None:
        actions = min(facts.num_actions, MAX_CHILDREN)
        self.task = Task(
            facts=np.zeros(NUM_FACTS, np.int64),
            numbers=np.array([facts.discount, facts.min_return, facts.max_return, 0.0]),
            streams=new_streams(seed, thread),
            legal=np.zeros(actions, np.int32),
            shares=np.zeros(actions),
            paid=np.zeros(1),
            returns=np.zeros(1),
            improvements=np.zeros((IMPROVEMENTS + helpers, 3)),
        )
        moves = min(facts.max_game_length, FIRST_MOVES) + 1
        rows += helpers + 1
        self.lines = Lines(
            actions=np.zeros((rows, moves), np.int32),
            length=np.zeros(rows, np.int64),
            score=np.full(rows, -np.inf),
        )
        self.task.facts[[TOP, WAY, RUNS_WANTED, FRESH]] = top, way, runs, 1
        self.task.facts[[MOST_MOVES, HORIZON]] = facts.max_game_length, facts.horizon
        self.task.facts[PAUSES] = improver is not None
        self._improver = improver
        self.is_compiled = compiled
        self._state: Any
        if compiled:
            self._state = NativeRecords(compiled_type(type(state)), top + 3)
            self._state.records[0] = state.to_record()
        else:
            self._state = InterpretedProblem(state, facts, [])
        self._improvements: list[Improvement] = []
        self._until = 0
        self._helpers = Helpers(helpers, self._state, self.task, seed) if helpers else None

    # --- results --------------------------------------------------------------------------------------

    found_by = ""
    scores: ClassVar[Mapping[str, float]] = {}
    """The method that found the best line, and the scores of all, where a search has several."""

    @property
    def playouts(self) -> int:
        return int(self.task.facts[PLAYOUTS])

    @property
    def runs(self) -> int:
        return int(self.task.facts[RUNS])

    @property
    def moves(self) -> int:
        """Total number of actions played, each of which entered a state."""
        return int(self.task.facts[MOVES])

    @property
    def best_score(self) -> float:
        """Score of the best line; -inf without a line."""
        return float(self.lines.score[-1])

    @property
    def best_line(self) -> tuple[int, ...]:
        return self._line_in(-1)

    def _line_in(self, row: int) -> tuple[int, ...]:
        return tuple(self.lines.actions[row, : self.lines.length[row]].tolist())

    @property
    def has_best_possible(self) -> bool:
        """Whether no line can be better, by the rules' bounds."""
        return self.best_score >= float(self.task.numbers[GREATEST])

    @property
    def is_over(self) -> bool:
        """Whether the search is complete."""
        wanted = self.task.facts[RUNS_WANTED]
        return self.has_best_possible or bool(0 < wanted <= self.task.facts[RUNS])

    def new_improvements(self) -> list[Improvement]:
        """Return the improvements since the last call; `seconds` is a time of `time.perf_counter`."""
        self._note_improvements()  # an interrupt may have come before the end of `run`
        found, self._improvements = self._improvements, []
        return found

    def path_to_fault(self) -> list[int]:
        """Return the actions of the current line, or of a faulty one of the helpers."""
        line, depth = self._fault()
        row, start = self._row, 0
        if self._helpers is not None and line > 0:
            row, start = self._row_of(line - 1), self._helpers.start
        path: list[int] = self.lines.actions[self._row, :start].tolist()
        rest: list[int] = self.lines.actions[row, start : min(depth, self.lines.actions.shape[1])].tolist()
        return path + rest

    def _fault(self) -> tuple[int, int]:
        """Return the helpers' line with a fault, from 1 (0: this thread's), and the depth that it reached."""
        return (0, int(self.task.facts[DEPTH])) if self._helpers is None else self._helpers.fault()

    def trail(self) -> Trail:
        """Return the trail of the line in which the rules raised an exception."""
        path = self.path_to_fault()
        return Trail(leaf=path, path=path)

    # --- running --------------------------------------------------------------------------------------

    def allot(self, playouts: int | None, seconds: float | None) -> None:
        """Begin with a budget, which this search need not know."""

    def prepare(self) -> None:
        """Load or compile the code."""
        if self._helpers is not None:
            self._help(self._helpers, 0)
        if self.is_compiled:
            self._run(0)

    def run(self, playouts: int) -> Status:
        """Run playouts, fewer if it is over or this thread is asked to end; returns DONE or a fault.

        With helpers, a step of a playout in each thread is never cut short, so there may be some more. The
        next call runs fewer.
        """
        self._until += playouts
        while self.playouts < self._until and not self.is_over:
            before = self.playouts
            status = self._run(self._until - self.playouts)
            noted = int(self.task.facts[NOTED])
            self._note_improvements()
            if status == PAUSED:
                assert self._improver is not None
                self._improve(self._improver)
                if self.playouts >= self._until:
                    self._run(0)
                if current_limits().asked:
                    break
            elif status == NO_ROOM:
                self._lengthen()
            elif status == NO_ROOM_FOR_CODES:
                self._add_places()
            elif status != Status.DONE:
                return Status(status)
            elif self.playouts == before or noted < IMPROVEMENTS:
                break
        return Status.DONE

    def _run(self, playouts: int) -> int:
        if self.is_compiled:
            lead = partial(self._call, self._kernel, self._state, *self._arguments, playouts)
            return lead() if self._helpers is None else self._helpers.run(lead, self._help)
        limits = current_limits()
        status = 0
        with HeldInterrupts(limits.ask):  # Ctrl-C waits for the end of a playout: no line is half copied
            for _ in range(max(1, playouts)):
                status = self._call(self._kernel, self._state, *self._arguments, min(1, playouts))
                if status != Status.DONE or limits.was_asked or self.is_over:
                    break
        return status

    def _call(self, kernel: Kernel, *arguments: Any) -> int:
        """Call a kernel, which is interpreted as the rules are; returns its status."""
        if self.is_compiled:
            return int(call(kernel, *arguments))
        with RulesInPython(), np.errstate(over="ignore"):
            return int(interpreted(kernel)(*arguments))

    def improve_best(self) -> None:
        """Improve the best line of all."""
        if self._improver is not None and self.best_line:
            self._keep_improved(self._improver, self.best_line, self.best_score)

    def _keep_improved(self, improver: Improver, line: tuple[int, ...], score: float) -> None:
        """Improve a line, and keep the result if it is the best line of all."""
        better = improver.improved(line)
        if better == line:
            return
        found = improver.played(better).score
        improver.check(found, score)
        self._keep_given(better, found)

    def begin_from(self, line: tuple[int, ...], score: float) -> None:
        """Begin with a line, which has a score, as the best line."""
        self._keep_given(line, score)

    def _keep_given(self, better: tuple[int, ...], found: float) -> None:
        """Keep a line from elsewhere if it is the best line of all."""
        with HeldInterrupts(current_limits().ask):
            self.task.facts[MOVES] += len(better)
            if found > self.best_score:
                while len(better) >= self.lines.actions.shape[1]:
                    self._lengthen_lines()
                self.lines.actions[-1, : len(better)] = better
                self.lines.length[-1] = len(better)
                self.lines.score[-1] = found
                self._improvements.append(Improvement(time.perf_counter(), self.playouts, found, self.moves))

    def _note_improvements(self) -> None:
        now = time.perf_counter()
        noted = int(self.task.facts[NOTED])
        for playouts, score, moves in self.task.improvements[:noted].tolist():
            self._improvements.append(Improvement(now, int(playouts), score, int(moves)))
        self.task.facts[NOTED] = 0

    # --- specific to each method ------------------------------------------------------------------------

    _kernel: ClassVar[Kernel]
    """Continues the search."""

    @property
    def _arguments(self) -> tuple[Any, ...]:
        raise NotImplementedError

    @property
    def _team(self) -> Team | None:
        return None if self._helpers is None else self._helpers.team

    def _help(self, helpers: Helpers, number: int) -> None:
        """Help with playouts, as one of the helpers, from 0 on, until the leader finishes."""
        raise NotImplementedError

    @property
    def _row(self) -> int:
        """The row of the current line."""
        return 0

    def _row_of(self, line: int) -> int:
        """The row of a line of the helpers, numbered from 0."""
        raise NotImplementedError

    def _improve(self, improver: Improver) -> None:
        """Improve the line found by level 1."""
        raise NotImplementedError

    def _lengthen(self) -> None:
        """Enlarge the arrays that were too small for a playout."""
        self._lengthen_lines()

    def _lengthen_lines(self) -> None:
        """Make room for longer lines."""
        most = int(self.task.facts[MOST_MOVES]) + 1
        moves = min(2 * self.lines.actions.shape[1], most)
        self.lines = self.lines._replace(actions=widened(self.lines.actions, moves))

    def _add_places(self) -> None:
        raise NotImplementedError


def widened(array: NDArray[Any], columns: int) -> NDArray[Any]:
    """Return a copy with more columns."""
    wider = np.zeros((array.shape[0], columns), array.dtype)
    wider[:, : array.shape[1]] = array
    return wider
