"""Late acceptance in one thread."""

from __future__ import annotations

from typing import Any

from branchwise.compile.code.call_kernel import keep_on_disk
from branchwise.core.lines.late_acceptance import climb, new_past
from branchwise.core.lines.solution_lines import FRESH
from branchwise.optimise.walkers.walker import Walker, widened
from branchwise.rules.facts.facts import GameFacts

keep_on_disk()

MOST_HISTORY = 1 << 16


class LateAcceptanceWalker(Walker):
    """Late acceptance; history : see `LateAcceptance`."""

    _kernel = staticmethod(climb)

    def __init__(self, state: Any, facts: GameFacts, *, history: int, **options: Any) -> None:
        super().__init__(state, facts, top=1, rows=2, **options)
        self._past = new_past(history, MOST_HISTORY, self.lines.actions.shape[1])

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.task, self.lines, self._past

    def begin_from(self, line: tuple[int, ...], score: float) -> None:
        super().begin_from(line, score)
        self.lines.actions[1] = self.lines.actions[-1]
        self.lines.length[1], self.lines.score[1] = len(line), score
        self._past.scores[:] = score
        self.task.facts[FRESH] = 0

    def _lengthen_lines(self) -> None:
        super()._lengthen_lines()
        wishes = widened(self._past.wishes[None], self.lines.actions.shape[1])[0]
        self._past = self._past._replace(wishes=wishes)
