"""One thread's search for the best line: its memory, and the kernel that continues it."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.call import call, keep_on_disk
from branchwise.compile.native import NativeRecords
from branchwise.compile.rules import compiled_type
from branchwise.compile.watch import RulesInPython, current_limits
from branchwise.core.interpret import interpreted
from branchwise.core.kernel import Kernel
from branchwise.core.lines import (
    DEPTH,
    FRESH,
    GREATEST,
    HORIZON,
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
)
from branchwise.core.nested import Frames, search_nested
from branchwise.core.nrpa import FREE, USED, Policy, Steps, adapt_policies, follow, move_codes
from branchwise.core.random import new_streams
from branchwise.core.status import Status
from branchwise.core.tree import MAX_CHILDREN
from branchwise.errors import GameError, SettingsError
from branchwise.optimise.improving import Improver
from branchwise.optimise.problem import InterpretedProblem
from branchwise.rules.facts import GameFacts
from branchwise.rules.trail import Trail
from branchwise.search.interrupts import HeldInterrupts

keep_on_disk()

_IMPROVEMENTS = 256
_FIRST_MOVES = 1024
_FIRST_CODES = 4096
_FIRST_PLACES = 2**13
_MB = 2**20


class Improvement(NamedTuple):
    """The time at which a new best line was found, and its score."""

    seconds: float
    playouts: int
    score: float
    moves: int


class Walker:
    """A search for the best line from `state` in one thread.

    top : level of a run.   way : how playouts choose; see `core.lines`.   runs : number of runs after which
    it ends; 0: no limit.   compiled : whether the rules, which are vetted, run compiled.   improver :
    improves the lines of level 1 and the best line; None: lines are not improved.
    """

    def __init__(
        self,
        state: Any,
        facts: GameFacts,
        *,
        top: int,
        way: int,
        runs: int,
        seed: int,
        thread: int,
        compiled: bool,
        improver: Improver | None,
    ) -> None:
        actions = min(facts.num_actions, MAX_CHILDREN)
        self.task = Task(
            facts=np.zeros(NUM_FACTS, np.int64),
            numbers=np.array([facts.discount, facts.min_return, facts.max_return]),
            streams=new_streams(seed, thread),
            legal=np.zeros(actions, np.int32),
            shares=np.zeros(actions),
            paid=np.zeros(1),
            returns=np.zeros(1),
            improvements=np.zeros((_IMPROVEMENTS, 3)),
        )
        moves = min(facts.max_game_length, _FIRST_MOVES) + 1
        self.lines = Lines(
            actions=np.zeros((top + 2, moves), np.int32),
            length=np.zeros(top + 2, np.int64),
            score=np.full(top + 2, -np.inf),
        )
        self._set(TOP, top)
        self._set(WAY, way)
        self._set(RUNS_WANTED, runs)
        self._set(FRESH, 1)
        self._set(MOST_MOVES, facts.max_game_length)
        self._set(HORIZON, facts.horizon)
        self._set(PAUSES, int(improver is not None))
        self._improver = improver
        self._compiled = compiled
        self._state: Any
        if compiled:
            self._state = NativeRecords(compiled_type(type(state)), top + 2)
            self._state.records[0] = state.to_record()
        else:
            self._state = InterpretedProblem(state, facts, [])
        self._improvements: list[Improvement] = []

    # --- results --------------------------------------------------------------------------------------

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
        return tuple(self.lines.actions[-1, : self.lines.length[-1]].tolist())

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
        """Return the actions of the current line."""
        depth = min(int(self.task.facts[DEPTH]), self.lines.actions.shape[1])
        path: list[int] = self.lines.actions[self._row, :depth].tolist()
        return path

    def trail(self) -> Trail:
        """Return the trail of the line in which the rules raised an exception."""
        path = self.path_to_fault()
        return Trail(leaf=path, path=path)

    # --- running --------------------------------------------------------------------------------------

    def prepare(self) -> None:
        """Load or compile the code."""
        if self._compiled:
            self._run(0)

    def run(self, playouts: int) -> Status:
        """Run playouts, fewer if it is over or this thread is asked to end; returns DONE or a fault."""
        until = self.playouts + playouts
        while self.playouts < until and not self.is_over:
            before = self.playouts
            status = self._run(until - self.playouts)
            noted = int(self.task.facts[NOTED])
            self._note_improvements()
            if status == PAUSED:
                assert self._improver is not None
                self._improve(self._improver)
                if self.playouts == until:
                    self._run(0)
            elif status == NO_ROOM:
                self._lengthen()
            elif status == NO_ROOM_FOR_CODES:
                self._add_places()
            elif status != Status.DONE:
                return Status(status)
            elif self.playouts == before or noted < _IMPROVEMENTS:
                break
        return Status.DONE

    def _run(self, playouts: int) -> int:
        if self._compiled:
            return int(call(self._kernel, self._state, *self._arguments, playouts))
        limits = current_limits()
        kernel = interpreted(self._kernel)
        status = 0
        # Ctrl-C waits for the end of a playout, so that no line is half copied.
        with HeldInterrupts(limits.ask), RulesInPython(), np.errstate(over="ignore"):
            for _ in range(max(1, playouts)):
                status = int(kernel(self._state, *self._arguments, min(1, playouts)))
                if status != Status.DONE or limits.was_asked or self.is_over:
                    break
        return status

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
        with HeldInterrupts(current_limits().ask):
            self._set(MOVES, self.moves + len(better))
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
        self._set(NOTED, 0)

    def _set(self, place: int, value: int) -> None:
        self.task.facts[place] = value

    # --- specific to each method ------------------------------------------------------------------------

    @property
    def _kernel(self) -> Kernel:
        raise NotImplementedError

    @property
    def _arguments(self) -> tuple[Any, ...]:
        raise NotImplementedError

    @property
    def _row(self) -> int:
        """The row of the current line."""
        return 0

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
        self.lines = self.lines._replace(actions=_widened(self.lines.actions, moves))

    def _add_places(self) -> None:
        raise NotImplementedError


class NestedWalker(Walker):
    """Nested Monte Carlo search."""

    def __init__(self, state: Any, facts: GameFacts, **options: Any) -> None:
        super().__init__(state, facts, **options)
        rows = options["top"] + 1
        self._frames = Frames(
            facts=np.zeros(1, np.int64),
            legal=np.zeros((rows, self.task.legal.size), np.int32),
            counts=np.zeros(rows, np.int64),
            tried=np.zeros(rows, np.int64),
            depth=np.zeros(rows, np.int64),
            total=np.zeros(rows),
            weight=np.zeros(rows),
        )

    @property
    def _kernel(self) -> Kernel:
        return search_nested

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.task, self.lines, self._frames

    def _improve(self, improver: Improver) -> None:
        line = tuple(self.lines.actions[1, : self.lines.length[1]].tolist())
        self._keep_improved(improver, line, float(self.lines.score[1]))


class PolicyWalker(Walker):
    """Nested rollout policy adaptation.

    iterations, each, most_repeats, alpha, bias : see `core.nrpa`.   memory_mb : maximum memory for lines and
    weights.
    """

    def __init__(
        self,
        state: Any,
        facts: GameFacts,
        *,
        iterations: int,
        each: int,
        most_repeats: int,
        alpha: float,
        bias: float,
        memory_mb: float,
        **options: Any,
    ) -> None:
        super().__init__(state, facts, **options)
        self._name = facts.name
        self._memory = int(memory_mb * _MB)
        self._memory_mb = memory_mb
        levels = options["top"] + 1
        rows, moves = self.lines.actions.shape
        self._steps = Steps(
            ends=np.zeros((rows - 1, moves), np.int64),
            chosen=np.zeros((rows - 1, moves), np.int64),
            codes=np.zeros((rows - 1, _FIRST_CODES), np.int64),
            biases=np.zeros((rows - 1, _FIRST_CODES if options["way"] else 0)),
            places=np.zeros((rows - 1, _FIRST_CODES), np.uint32),
            known=np.zeros(rows - 1, np.bool_),
            factors=np.zeros(_FIRST_CODES),
        )
        self._policy = _new_policy(
            levels, _FIRST_PLACES, np.array([iterations, each, most_repeats, 0]), np.array([alpha, bias])
        )
        self._check_memory()

    @property
    def _kernel(self) -> Kernel:
        return adapt_policies

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.task, self.lines, self._steps, self._policy

    @property
    def _row(self) -> int:
        return int(self._policy.rows[0])

    def prepare(self) -> None:
        super().prepare()
        if self._compiled and self._improver is not None:
            self._follow(())

    def _improve(self, improver: Improver) -> None:
        row = int(self._policy.rows[1])
        line = tuple(self.lines.actions[row, : self.lines.length[row]].tolist())
        better = improver.improved(line)
        if better == line:
            return
        score = float(self.lines.score[row])
        with HeldInterrupts(current_limits().ask):
            status, found = self._follow(better)
        if status != Status.DONE:
            improver.played(better)
            raise GameError(
                f"an improved line of {self._name} can be played in plain Python, but not in compiled form",
                mend="compare both with branchwise check",
            )
        improver.check(found, score)

    def _follow(self, line: tuple[int, ...]) -> tuple[int, float]:
        """Make a line that of level 1 if it is better; returns a status and the line's score."""
        row = self._row
        while len(line) >= self.lines.actions.shape[1]:
            self._lengthen_lines()
        while True:
            self.lines.actions[row, : len(line)] = line
            self.lines.length[row] = len(line)
            if self._compiled:
                status = int(call(follow, self._state, *self._arguments))
            else:
                with RulesInPython(), np.errstate(over="ignore"):
                    status = int(interpreted(follow)(self._state, *self._arguments))
            self._note_improvements()
            if status == NO_ROOM:
                self._widen_codes()
            elif status == NO_ROOM_FOR_CODES:
                self._add_places()
            else:
                return status, float(self.lines.score[row])

    def _lengthen(self) -> None:
        if self.task.facts[DEPTH] == self.lines.actions.shape[1]:
            self._lengthen_lines()
        else:
            self._widen_codes()
        self._check_memory()

    def _lengthen_lines(self) -> None:
        super()._lengthen_lines()
        steps, moves = self._steps, self.lines.actions.shape[1]
        self._steps = steps._replace(ends=_widened(steps.ends, moves), chosen=_widened(steps.chosen, moves))

    def _widen_codes(self) -> None:
        """Make room for more choices along a line."""
        steps = self._steps
        codes = 2 * steps.codes.shape[1]
        self._steps = steps._replace(
            codes=_widened(steps.codes, codes),
            biases=_widened(steps.biases, codes if steps.biases.size else 0),
            places=_widened(steps.places, codes),
            factors=np.zeros(codes),
        )

    def _add_places(self) -> None:
        """Make room for more codes."""
        policy = self._policy
        larger = _new_policy(
            policy.rows.size, 2 * policy.keys.size, policy.facts.copy(), policy.numbers
        )._replace(
            rows=policy.rows,
            tries=policy.tries,
            rounds=policy.rounds,
            repeats=policy.repeats,
            used_before=policy.used_before,
        )
        larger.facts[USED] = 0
        self._steps.known[:] = False
        self._policy = larger
        self._check_memory()
        levels = policy.rows.size - 1
        if self._compiled:
            call(move_codes, policy, larger, levels)
        else:
            with np.errstate(over="ignore"):
                interpreted(move_codes)(policy, larger, levels)

    def _check_memory(self) -> None:
        arrays = (*self.lines, *self._steps, *self._policy)
        if sum(array.nbytes for array in arrays) > self._memory:
            raise SettingsError(
                f"the weights and lines of NRPA for {self._name} need more than {self._memory_mb:g} MB",
                mend="give more memory_mb, or let action_code tell fewer actions apart",
            )


def _new_policy(levels: int, places: int, facts: NDArray[np.int64], numbers: NDArray[np.float64]) -> Policy:
    """Return an empty table for the levels from 0 on."""
    return Policy(
        facts=facts.astype(np.int64),
        numbers=numbers,
        shift=np.array([65 - places.bit_length()], np.uint64),
        keys=np.full(places, FREE, np.int64),
        weights=np.ones((levels, places + 1)),
        changes=np.zeros(places),
        order=np.zeros(places, np.int32),
        rows=np.arange(levels, dtype=np.int64),
        tries=np.zeros(levels, np.int64),
        rounds=np.zeros(levels, np.int64),
        repeats=np.zeros(levels, np.int64),
        used_before=np.zeros(levels, np.int64),
    )


def _widened(array: NDArray[Any], columns: int) -> NDArray[Any]:
    """Return a copy with more columns."""
    wider = np.zeros((array.shape[0], columns), array.dtype)
    wider[:, : array.shape[1]] = array
    return wider
