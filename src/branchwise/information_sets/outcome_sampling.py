"""Online outcome sampling: a search for two players that converges to equilibrium."""

from __future__ import annotations

import numpy as np

from branchwise.common.argument_checks import number
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.core.information_sets.outcome_sampling import (
    BASELINE_STEP,
    EXPLORATION,
    NUM_COLUMNS,
    NUM_OPTIONS,
    STRATEGY,
    SUM,
    TARGETING,
    Sampling,
    sample_outcomes,
)
from branchwise.game.rules_class import Game
from branchwise.information_sets.checks import sum_of_two
from branchwise.information_sets.consistent_histories import KnownRoutes
from branchwise.information_sets.planner import (
    Planner,
    share_of_time,
    time_left,
)
from branchwise.information_sets.search_memory import Table
from branchwise.rules.knowledge.dealing import continues
from branchwise.rules.knowledge.information import InformationState
from branchwise.search.settings.budget import Budget

keep_on_disk()


class OOS(Planner):
    """Online outcome sampling (OOS): outcome-sampling Monte Carlo CFR with a growing table, and targeting.

    For zero-sum games of two players with a list of outcomes of chance. Each simulation plays one game from
    the start and improves both players' strategies at all information sets on its way. The answer is the
    average strategy, which converges to an equilibrium.

    exploration : share of uniform choices of the player whose regrets a simulation updates, above 0 to 1.
    targeting : share of simulations, 0 to below 1, that are sent along histories that look to the player as
    the information state does; importance weights correct for it.   baseline_step : step from 0 to 1 by
    which estimates of action values that lower the variance (baselines) follow the samples; 0: without.
    memory_mb : limit of the table, beyond which no information set is added.   seed : None: a new one each
    time.

    The planner never sees the state: it gets an `InformationState`. It keeps its table for later moments of
    the same game. With the same seeds and budgets in simulations, results are the same for all states that
    look the same to the player.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> policy = OOS(seed=1).solve(KuhnPoker, simulations=100_000)
    >>> bw.exploitability(policy) < 0.03
    True
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> OOS(seed=1).search(known, simulations=2000).best_action
    1
    """

    _of_searches = (*Planner._of_searches, "_known", "_table", "_sampling")
    num_columns = NUM_COLUMNS
    answer = STRATEGY

    def __init__(
        self,
        *,
        exploration: float = 0.6,
        targeting: float = 0.9,
        baseline_step: float = 0.1,
        memory_mb: float = 1024,
        seed: int | None = None,
    ) -> None:
        super().__init__(
            seed, memory_mb, exploration=exploration, targeting=targeting, baseline_step=baseline_step
        )
        number("exploration", exploration, 0.0, 1.0, above=True)
        number("targeting", targeting, 0.0, 0.999)
        number("baseline_step", baseline_step, 0.0, 1.0)

    def _begin(self) -> None:
        super()._begin()
        self._known: InformationState | None = None
        self._table: Table | None = None

    def _search(
        self, known: InformationState, budget: Budget, seed: int
    ) -> tuple[Table, KnownRoutes, tuple[int, float], int]:
        if self._known is None or self._table is None or not continues(self._known, known):
            self._table = None
            self._table = self._new_table(known.game, seed)
        self._known = None  # an error leaves a table that is not kept
        table = self._table
        routes = KnownRoutes(known.game, table.facts, known, seed, share_of_time(budget))
        ran = self._run(table, routes, time_left(budget, routes.seconds))
        self._known = known
        return table, routes, ran, 0

    def _run_from_start(self, table: Table, budget: Budget) -> object:
        return self._run(table, KnownRoutes(table.game, table.facts, None), budget)

    def new_game(self) -> None:
        """Forget the table."""
        self._known = self._table = None

    def _new_table(self, game: type[Game], seed: int) -> Table:
        options = np.zeros(NUM_OPTIONS)
        options[EXPLORATION] = self._given["exploration"]
        options[TARGETING] = self._given["targeting"]
        options[BASELINE_STEP] = self._given["baseline_step"]
        options[SUM] = sum_of_two(game, "OOS")
        table = super()._new_table(game, seed)
        levels = len(table.path.sets)
        self._sampling = Sampling(
            options=options,
            strategy=np.zeros((levels, table.choices)),
            reach=np.zeros(levels),
            ratio=np.zeros(levels),
            chance=np.zeros(levels),
        )
        return table

    def _run(self, table: Table, routes: KnownRoutes, budget: Budget) -> tuple[int, float]:
        def kernel(count: int) -> int:
            args = table.memory, table.sets, table.path, routes.routes, self._sampling, count
            return int(call(sample_outcomes, *args))

        return table.run(kernel, budget, self._stop)
