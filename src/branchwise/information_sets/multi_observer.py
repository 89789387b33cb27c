"""Multiple-observer information-set MCTS."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import number
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.information_sets.multi_observer import NUM_COLUMNS, TOTAL, VISITS, search_observers
from branchwise.information_sets.consistent_histories import KnownRoutes
from branchwise.information_sets.planner import (
    Planner,
    share_of_time,
    time_left,
)
from branchwise.information_sets.search_memory import Table
from branchwise.information_sets.starts import Starts, dealt, ends_of, start_of_game
from branchwise.rules.knowledge.information import InformationState
from branchwise.search.settings.budget import Budget

keep_on_disk()


class MOISMCTS(Planner):
    """Multiple-observer information-set MCTS (MO-ISMCTS), for any number of players.

    Each simulation begins in a state that the player to move thinks possible. All players choose by upper
    confidence bounds at information sets of their own, so what others do depends on what they know, and not
    on what they do not know. There is one table for all players. The answer is the action with the most
    visits, or a mixed strategy in proportion to visits; neither converges to an equilibrium.

    c : exploration constant, from 0, for returns scaled to [0, 1] by the game's bounds. memory_mb : limit
    of the table, beyond which no information set is added.   seed : None: a new one each time.

    The planner never sees the state: it gets an `InformationState`. With the same seeds and budgets in
    simulations, results are the same for all states that look the same to the player. Histories that look so
    are all found, with their probabilities, or drawn at random if there are too many. The moves of others are
    taken as given, as in `rules.knowledge.dealing`. If none is found, states are dealt by the rules
    (`result.dealt`), and others know what they see in these states; if none can be dealt, no simulation is
    run.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> result = MOISMCTS(seed=1).search(known, simulations=2000)
    >>> known.action_to_string(result.best_action), result.histories
    ('bet', 2)
    """

    num_columns = NUM_COLUMNS
    answer = VISITS

    def __init__(self, *, c: float = 0.7, memory_mb: float = 1024, seed: int | None = None) -> None:
        super().__init__(seed, memory_mb, c=c)
        number("c", c, 0.0, 1e6)

    def _search(
        self, known: InformationState, budget: Budget, seed: int
    ) -> tuple[Table, KnownRoutes, tuple[int, float], int]:
        table = self._new_table(known.game, seed)
        routes = KnownRoutes(known.game, table.facts, known, seed, share_of_time(budget))
        starts: Starts | None = ends_of(routes)
        left = time_left(budget, routes.seconds)
        if not len(routes):
            began = time.perf_counter()
            starts = dealt(known, routes.key, seed, share_of_time(left))
            left = time_left(left, time.perf_counter() - began)
        ran = (0, 0.0) if starts is None else self._run(table, starts, left)
        return table, routes, ran, 0 if len(routes) or starts is None else len(starts.shares)

    def _values(self, row: NDArray[np.float64]) -> list[float | None]:
        return [float(total / visits) if visits else None for visits, total in row[:, [VISITS, TOTAL]]]

    def _run_from_start(self, table: Table, budget: Budget) -> object:
        return self._run(table, start_of_game(table.game), budget)

    def _run(self, table: Table, starts: Starts, budget: Budget) -> tuple[int, float]:
        memory = NativeRecords(compiled_type(table.game))
        c = float(self._given["c"])

        def kernel(count: int) -> int:
            states, known, views, shares = starts
            args = states, memory, table.sets, table.path, known, views, shares, c, count
            return int(call(search_observers, *args))

        return table.run(kernel, budget, self._stop)
