"""Nested rollout policy adaptation in one thread, or led by it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import GameError, SettingsError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.stopping.time_limits import current_limits
from branchwise.core.lines.beam import Beam
from branchwise.core.lines.line_sweep import LEVEL, TRIAL, new_sweep, with_room
from branchwise.core.lines.nrpa import adapt_policies, follow, help_nrpa
from branchwise.core.lines.nrpa_policy import FREE, USED, Policy, Steps, move_codes
from branchwise.core.lines.solution_lines import NO_ROOM, NO_ROOM_FOR_CODES
from branchwise.core.machine.kernel_status import Status
from branchwise.optimise.walkers.line_improvement import Improver
from branchwise.optimise.walkers.playout_helpers import Helpers
from branchwise.optimise.walkers.walker import Walker, widened
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.drivers.interrupts import HeldInterrupts

keep_on_disk()

FIRST_CODES = 4096
FIRST_PLACES = 2**13
_MB = 2**20


class PolicyWalker(Walker):
    """Nested rollout policy adaptation.

    iterations, each, most_repeats, coding, alpha, bias, spare : see `core.lines.nrpa_policy`; `each` counts
    the playouts of one thread.   clamp : largest size of the logarithm of a weight.   beam : lines of each
    level, from level 1; None: one each.   sweeps : over the line of each level, from level 1; None: none.
    memory_mb : maximum memory for lines and weights.
    """

    _kernel = staticmethod(adapt_policies)

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
        spare: float,
        coding: int,
        clamp: float,
        beam: tuple[int, ...] | None,
        sweeps: tuple[int, ...] | None,
        memory_mb: float,
        **options: Any,
    ) -> None:
        levels = options["top"] + 1
        widths = (0, *(beam or (1,) * (levels - 1)))
        rows = 1 + sum(widths) + (0 if sweeps is None else 2)
        super().__init__(state, facts, rows=rows, **options)
        self._beam = None if beam is None else _new_beam(widths, self.lines.score.size)
        moves = self.lines.actions.shape[1]
        self._sweep = None if sweeps is None else new_sweep((0, *sweeps), moves, 1 + sum(widths))
        helpers = options["helpers"]
        greatest = math.exp(clamp)
        self._name = facts.name
        self._memory = int(memory_mb * _MB)
        self._memory_mb = memory_mb
        all_rows = rows + helpers
        self._steps = Steps(
            ends=np.zeros((all_rows, moves), np.int64),
            chosen=np.zeros((all_rows, moves), np.int64),
            codes=np.zeros((all_rows, FIRST_CODES), np.int64),
            biases=np.zeros((all_rows, FIRST_CODES if options["way"] else 0)),
            places=np.zeros((all_rows, FIRST_CODES), np.uint32),
            known=np.zeros(all_rows, np.bool_),
            factors=np.zeros(FIRST_CODES),
            slots=np.zeros(FIRST_CODES, np.uint32),
        )
        starts = np.cumsum((0, *(max(1, width) for width in widths)), dtype=np.int64)
        self._policy = Policy(
            **_empty_table(starts[-1], FIRST_PLACES, spare > 0.0),
            facts=np.array([iterations, each * (helpers + 1), most_repeats, 0, coding], np.int64),
            numbers=np.array([alpha, bias, spare, 1.0 / greatest, greatest]),
            starts=starts,
            rows=np.array([*range(levels), *range(rows, all_rows)], np.int64),
            tries=np.zeros(levels, np.int64),
            rounds=np.zeros(levels, np.int64),
            repeats=np.zeros(levels, np.int64),
            used_before=np.zeros(levels, np.int64),
        )
        self._check_memory()

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.task, self.lines, self._steps, self._policy, self._beam, self._sweep, self._team

    def _help(self, helpers: Helpers, number: int) -> None:
        memory, task = helpers.states.part(number), helpers.tasks[number]
        arrays = self.lines, self._steps, self._policy, helpers.team
        call(help_nrpa, self._state, memory, task, *arrays, number)

    def _row_of(self, line: int) -> int:
        return int(self._policy.rows[self._policy.tries.size + line])

    @property
    def _row(self) -> int:
        if self._sweep is not None and self._sweep.facts[LEVEL] > 0:
            return int(self._sweep.facts[TRIAL])
        return int(self._policy.rows[0])

    def prepare(self) -> None:
        super().prepare()
        if self.is_compiled and self._improver is not None:
            self._follow(())

    def begin_from(self, line: tuple[int, ...], score: float) -> None:
        super().begin_from(line, score)
        if self._beam is None:
            self.run(1)  # which begins the levels
            self._until = 0
            self._follow(line)

    def _improve(self, improver: Improver) -> None:
        row = int(self._policy.rows[1])
        line = self._line_in(row)
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
            status = self._call(follow, self._state, *self._arguments[:4])
            self._note_improvements()
            if status == NO_ROOM:
                self._widen_codes()
            elif status == NO_ROOM_FOR_CODES:
                self._add_places()
            else:
                return status, float(self.lines.score[row])

    def _lengthen(self) -> None:
        if self._fault()[1] == self.lines.actions.shape[1]:
            self._lengthen_lines()
        else:
            self._widen_codes()
        self._check_memory()

    def _lengthen_lines(self) -> None:
        super()._lengthen_lines()
        steps, moves = self._steps, self.lines.actions.shape[1]
        self._steps = steps._replace(ends=widened(steps.ends, moves), chosen=widened(steps.chosen, moves))
        if self._sweep is not None:
            self._sweep = with_room(self._sweep, moves)

    def _widen_codes(self) -> None:
        """Make room for more choices along a line."""
        steps = self._steps
        codes = 2 * steps.codes.shape[1]
        self._steps = steps._replace(
            codes=widened(steps.codes, codes),
            biases=widened(steps.biases, codes if steps.biases.size else 0),
            places=widened(steps.places, codes),
            factors=np.zeros(codes),
            slots=np.zeros(codes, np.uint32),
        )

    def _add_places(self) -> None:
        """Make room for more codes."""
        policy = self._policy
        table = _empty_table(policy.weights.shape[0], 2 * policy.keys.size, policy.later.size > 0)
        larger = policy._replace(facts=policy.facts.copy(), **table)
        larger.facts[USED] = 0
        self._steps.known[:] = False
        self._policy = larger
        self._check_memory()
        self._call(move_codes, policy, larger)

    def _check_memory(self) -> None:
        arrays = (*self.lines, *self._steps, *self._policy, *(self._beam or ()), *(self._sweep or ()))
        if sum(array.nbytes for array in arrays) > self._memory:
            raise SettingsError(
                f"the weights and lines of NRPA for {self._name} need more than {self._memory_mb:g} MB",
                mend="give more memory_mb, or let action_code tell fewer actions apart",
            )


def _empty_table(rows: int, places: int, spares: bool) -> dict[str, NDArray[Any]]:
    """Return the fields of a `Policy` for codes, of which there are none yet; rows : of weights."""
    return {
        "shift": np.array([65 - places.bit_length()], np.uint64),
        "keys": np.full(places, FREE, np.int64),
        "weights": np.ones((rows, places + 1)),
        "changes": np.zeros(places),
        "later": np.zeros(places if spares else 0, np.int32),
        "order": np.zeros(places, np.int32),
    }


def _new_beam(widths: tuple[int, ...], rows: int) -> Beam:
    """Return empty beams for the levels from 0 on; rows : of lines, with the best one."""
    levels, widest = len(widths), max(widths)
    weights = np.zeros((levels, widest), np.int64)
    first = 1
    for level in range(1, levels):
        weights[level, : widths[level]] = range(first, first + widths[level])
        first += widths[level]
    return Beam(
        widths=np.array(widths),
        sizes=np.zeros(levels, np.int64),
        counts=np.zeros(levels, np.int64),
        turns=np.zeros(levels, np.int64),
        rows=np.zeros((levels, widest), np.int64),
        origins=np.zeros((levels, widest), np.int64),
        weights=weights,
        order=np.zeros(widest, np.int64),
        taken=np.zeros(widest, np.bool_),
        free=np.zeros(rows, np.int64),
    )
