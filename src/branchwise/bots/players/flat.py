"""Flat Monte Carlo: random games after each legal action, without a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.base.bot import check_not_over, check_sees_all
from branchwise.bots.base.planning import BudgetBot
from branchwise.common.argument_checks import one_of
from branchwise.rules.facts.facts import check_is_state
from branchwise.search.planner import MCTS
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

DEFAULT_SIMULATIONS = 1000
ALLOCATIONS = ("ucb", "uniform")
_EVEN = 1e6


class FlatBot(BudgetBot):
    """Plays random games from every action of the root and compares their mean returns.

    allocation : "ucb" gives promising actions more games, by UCB1 with weight `c`, and plays the action
    with the most games; "uniform" gives all the same number and plays the one with the highest mean.
    simulations, seconds : the limit of one choice; default 1000 simulations.

    This is a search whose tree ends one move below the root, so it uses the same kernels as `mcts`. For
    "uniform", the weight of exploration is so large that values do not matter.
    """

    name = "flat"
    usual_budget = Budget(DEFAULT_SIMULATIONS)

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        allocation: str = "ucb",
        c: float = 1.0,
        seed: int | None = None,
    ) -> None:
        self._uniform = one_of("allocation", allocation, ALLOCATIONS) == "uniform"
        planner = MCTS(c=_EVEN if self._uniform else c, max_depth=1, playout="uniform", proofs=False)
        own = {"allocation": allocation if self._uniform else None, "c": c if c != 1.0 else None}
        super().__init__(planner, simulations, seconds, seed, own)
        self._options["simulations"] = self._budget.simulations
        self.plays_uncompiled = seconds is None

    def check_game(self, game: type[Game]) -> None:
        check_sees_all(game, self.name)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> Any:
        check_not_over(state)
        check_is_state(state)
        if self.impatient:
            self._planner.settings = self._planner.settings.impatient
        self.result = result = self._search(state, limit)
        if not self._uniform:
            return result.best_action
        tried = [child for child in result.children if child.value is not None]
        return max(tried, key=lambda child: child.value).action
