"""Late acceptance as a planner."""

from __future__ import annotations

from typing import Any

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import SettingsError
from branchwise.core.lines.solution_lines import UNIFORM
from branchwise.optimise.optimiser import Optimiser
from branchwise.optimise.walkers.late_acceptance_walker import MOST_HISTORY, LateAcceptanceWalker
from branchwise.rules.facts.facts import GameFacts


class LateAcceptance(Optimiser):
    """Local search for the best line of a problem of one player, by late acceptance [Burke17].

    A line is changed and played again, as far as the changed one is legal; it is kept unless it is worse than
    the one before, and than the one that was kept `history` lines ago. It suits problems in which most
    actions of a good line could be played in another order, as routes and schedules.

    history : lines that the first run looks back, from 1 to 65,536; each further one looks back four times as
    far.
    threads : 1 to 256, each with a search of its own.   seed, compiled : as for `NestedSearch`.

    [Burke17]: Burke, Bykov, "The late acceptance hill-climbing heuristic", 2017.

    >>> import branchwise as bw
    >>> bw.LateAcceptance(seed=1).search(bw.load_game("left_move(moves=8)")(), playouts=2000).best_score
    8.0
    """

    def __init__(
        self,
        *,
        history: int = 10,
        threads: int = 1,
        parallel: str | None = None,
        seed: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        whole_number("history", history, 1, MOST_HISTORY)
        if parallel == "leaf":
            raise SettingsError('parallel="leaf" is for searches by playouts', mend='give "root"')
        super().__init__(1, False, threads, parallel, seed, compiled)
        self.history = history

    def __repr__(self) -> str:
        return f"branchwise.LateAcceptance(history={self.history})"

    @property
    def method(self) -> str:
        return f"late_acceptance(history={self.history})"

    def _walker(self, state: Any, facts: GameFacts, **options: Any) -> LateAcceptanceWalker:
        options["helpers"] = 0  # as an arm of a portfolio: it has no playouts that could be shared
        return LateAcceptanceWalker(state, facts, way=UNIFORM, history=self.history, **options)
