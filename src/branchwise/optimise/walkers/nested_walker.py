"""Nested Monte Carlo search in one thread, or led by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.core.lines.nested import Frames, help_nested, search_nested
from branchwise.core.lines.solution_lines import MIN_PRIOR
from branchwise.optimise.walkers.line_improvement import Improver
from branchwise.optimise.walkers.playout_helpers import Helpers
from branchwise.optimise.walkers.walker import Walker
from branchwise.rules.facts.facts import GameFacts

keep_on_disk()


class NestedWalker(Walker):
    """Nested Monte Carlo search.

    min_prior : see `NestedSearch`.   width, samples : also there, for each level from 2 on; a width of 0: all
    actions.
    """

    _kernel = staticmethod(search_nested)

    def __init__(
        self,
        state: Any,
        facts: GameFacts,
        *,
        min_prior: float,
        width: Sequence[int],
        samples: Sequence[int],
        **options: Any,
    ) -> None:
        rows = options["top"] + 1
        super().__init__(state, facts, rows=rows, **options)
        self.task.numbers[MIN_PRIOR] = min_prior
        actions = self.task.legal.size
        self._frames = Frames(
            facts=np.zeros(1, np.int64),
            width=np.array([0, 0, *width], np.int64),
            samples=np.array([0, 0, *samples], np.int64),
            legal=np.zeros((rows, actions), np.int32),
            counts=np.zeros(rows, np.int64),
            tried=np.zeros(rows, np.int64),
            sampled=np.zeros(rows, np.int64),
            value=np.zeros((rows, actions)),
            depth=np.zeros(rows, np.int64),
            total=np.zeros(rows),
            weight=np.zeros(rows),
        )

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.task, self.lines, self._frames, self._team

    def _help(self, helpers: Helpers, number: int) -> None:
        leaf, state = self._state.part(1), helpers.states.part(number)
        call(help_nested, leaf, state, helpers.tasks[number], self.lines, helpers.team, number)

    def _row_of(self, line: int) -> int:
        return self._frames.depth.size + line

    def _improve(self, improver: Improver) -> None:
        self._keep_improved(improver, self._line_in(1), float(self.lines.score[1]))
