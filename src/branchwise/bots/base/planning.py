"""What bots have in common that search with `MCTS` by what their player knows, never from a state."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from branchwise.bots.base.bot import Bot, seeded
from branchwise.search.planner import MCTS
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit, tightened

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult

DEFAULT_SECONDS = 1.0
_OF_STATES = ("perfect_information", "transpositions", "open_loop", "evaluator", "batch_size")
"""Settings of `MCTS` that only searches of a state take."""


class PlanningBot(Bot):
    """A bot that searches with `MCTS`.

    simulations, seconds : limits of a move; default one second.   settings : any of `MCTS` that apply.
    own : the bot's other options, as `options` shows them.
    """

    restricts = True

    def __init__(
        self,
        simulations: int | None,
        seconds: float | None,
        seed: int | None,
        settings: Mapping[str, Any],
        own: Mapping[str, object],
    ) -> None:
        self._has_own = simulations is not None or seconds is not None
        self._budget = Budget(simulations, seconds if self._has_own else DEFAULT_SECONDS)
        self._random = seeded(seed)
        self._planner = MCTS(**settings)
        self.result: SearchResult | None = None
        """Result of the last search."""
        self.progress: Callable[[SearchResult], object] | None = None
        self._options: dict[str, object] = {
            "simulations": simulations,
            "seconds": seconds,
            **own,
            **{name: value for name, value in self._planner.settings.changed.items() if name != "seed"},
            "seed": seed,
        }

    @classmethod
    def option_names(cls) -> list[str]:
        own = [name for name in super().option_names() if name != "settings"]
        known = [name for name in inspect.signature(MCTS).parameters if name not in _OF_STATES]
        return list(dict.fromkeys([*own, *known]))

    def _search(self, known: Any, limit: Limit | None) -> SearchResult:
        """Return the result of a search by what is known, with a new seed, within the bot's limits."""
        budget = tightened(self._budget if self._has_own else None, limit) or self._budget
        self._planner.seed = self._random.getrandbits(63)
        self.result = self._planner.search(
            known,
            simulations=budget.simulations,
            seconds=budget.seconds,
            progress=self.progress,
            **({} if limit is None else limit.restriction),
        )
        return self.result

    def stop(self) -> None:
        self._planner.stop()

    def options(self) -> dict[str, object]:
        return self._options
