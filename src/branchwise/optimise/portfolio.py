"""A portfolio of nested searches and NRPA, for problems of which nothing is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from branchwise.common.errors import SettingsError
from branchwise.optimise.late_acceptance import LateAcceptance
from branchwise.optimise.nested import NestedSearch
from branchwise.optimise.nrpa import NRPA
from branchwise.optimise.optimiser import Optimiser, Progress
from branchwise.optimise.result import OptimisationResult
from branchwise.optimise.run import Effort
from branchwise.optimise.walkers.arms_walker import DEFAULT_SECONDS, ArmsWalker
from branchwise.rules.facts.facts import GameFacts


class Portfolio(Optimiser):
    """The best line of a problem of one player by the method that suits it, which it finds out itself.

    Its arms are NRPA of four levels of 30 iterations with each `code` that suits the class, NRPA with four
    playouts before each adaptation, late acceptance, and nested search of level 2; if the class has
    `improve`, NRPA of four levels of 10 takes the place of the second and third. They have equal shares of a
    first fifteenth of the budget; the better half goes on with as much again, until the best one has four
    fifths, and equal arms share these. Arms of NRPA and nested search use the class's `prior` and
    `playout_action`, all but late acceptance its `improve`. The result says which arm found the line, and
    what the class could add.

    Without a limit, a search takes ten seconds. With `patience` alone, arms are chosen as in ten seconds.

    threads, parallel, seed, compiled : as for `NRPA`; threads choose arms each for itself.

    >>> import branchwise as bw
    >>> result = bw.Portfolio(seed=1).search(bw.load_game("left_move(moves=8)")(), playouts=2000)
    >>> result.best_score, result.method
    (8.0, 'portfolio: nrpa(level=4,iterations=30,code=previous)')
    """

    def __init__(
        self,
        *,
        threads: int = 1,
        parallel: str | None = None,
        seed: int | None = None,
        compiled: bool | None = None,
    ) -> None:
        super().__init__(3, False, threads, parallel, seed, compiled)

    def __repr__(self) -> str:
        return "branchwise.Portfolio()"

    @property
    def method(self) -> str:
        return "portfolio"

    def _search(
        self, state: Any, effort: Effort, start: tuple[int, ...], progress: Progress | None
    ) -> OptimisationResult:
        if effort.runs is not None:
            raise SettingsError(
                "a portfolio shares its budget among methods, and has no runs",
                mend="give playouts or seconds",
            )
        if effort.has_no_limit:
            effort = replace(effort, seconds=DEFAULT_SECONDS)
        self.improve = callable(getattr(state, "improve", None))
        return super()._search(state, effort, start, progress)

    def _walker(self, state: Any, facts: GameFacts, **options: Any) -> ArmsWalker:
        return ArmsWalker({arm.method: arm._walker(state, facts, **options) for arm in arms_of(state)})


def arms_of(state: Any) -> list[NRPA | LateAcceptance | NestedSearch]:
    """Return the planners that a portfolio tries from `state`, the first of equals first."""
    own = "own" if callable(getattr(state, "action_code", None)) else "action"
    codes = own, "previous", "step"
    deep = [NRPA(level=4, iterations=30, code=code) for code in codes]
    if callable(getattr(state, "improve", None)):  # which is slow, and soon has something to improve
        return [*deep, *(NRPA(level=4, iterations=10, code=code) for code in codes), NestedSearch()]
    return [*deep, NRPA(playouts=4, code=own), LateAcceptance(), NestedSearch()]
