"""Flat Monte Carlo: random games after each legal action, without a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.base.bot import Bot, check_not_over, check_sees_all, seeded
from branchwise.common.argument_checks import one_of
from branchwise.rules.facts.facts import check_is_state
from branchwise.search.planner import MCTS
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit, tightened

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

DEFAULT_SIMULATIONS = 1000
ALLOCATIONS = ("ucb", "uniform")
_EVEN = 1e6


class FlatBot(Bot):
    """Plays random games from every action of the root and compares their mean returns.

    allocation : "ucb" gives promising actions more games, by UCB1 with weight `c`, and plays the action
    with the most games; "uniform" gives all the same number and plays the one with the highest mean.
    simulations, seconds : the limit of one choice; default 1000 simulations.

    This is a search whose tree ends one move below the root, so it uses the same kernels as `mcts`. For
    "uniform", the weight of exploration is so large that values do not matter.
    """

    name = "flat"

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        allocation: str = "ucb",
        c: float = 1.0,
        seed: int | None = None,
    ) -> None:
        self._has_own = simulations is not None or seconds is not None
        if not self._has_own:
            simulations = DEFAULT_SIMULATIONS
        self._budget = Budget(simulations, seconds)
        self._uniform = one_of("allocation", allocation, ALLOCATIONS) == "uniform"
        self._random = seeded(seed)
        self.plays_uncompiled = seconds is None
        self._planner = MCTS(c=_EVEN if self._uniform else c, max_depth=1, playout="uniform", proofs=False)
        self._options: dict[str, object] = {
            "simulations": simulations,
            "seconds": seconds,
            "allocation": allocation if self._uniform else None,
            "c": c if c != 1.0 else None,
            "seed": seed,
        }

    def check_game(self, game: type[Game]) -> None:
        check_sees_all(game, self.name)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> Any:
        check_not_over(state)
        check_is_state(state)
        self._planner.seed = self._random.getrandbits(63)
        if self.impatient:
            self._planner.settings = self._planner.settings.impatient
        budget = tightened(self._budget if self._has_own else None, limit) or self._budget
        self.result = self._planner.search(state, simulations=budget.simulations, seconds=budget.seconds)
        if not self._uniform:
            return self.result.best_action
        tried = [child for child in self.result.children if child.value is not None]
        return max(tried, key=lambda child: child.value or 0.0).action

    def stop(self) -> None:
        self._planner.stop()

    def options(self) -> dict[str, object]:
        return self._options
