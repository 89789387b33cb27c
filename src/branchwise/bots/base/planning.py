"""What bots have in common that let a planner search."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from branchwise.bots.base.bot import Bot, seeded
from branchwise.common.argument_checks import number
from branchwise.search.planner import MCTS
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit, tightened

if TYPE_CHECKING:
    from branchwise.search.results.result import SearchResult

_OF_STATES = ("perfect_information", "transpositions", "open_loop", "evaluator", "batch_size", "network")
"""Settings of `MCTS` that only searches of a state take."""


class PlannerBot(Bot):
    """A bot with a planner.

    planner : can be stopped.   seed : of the bot's random numbers.   shown : the bot's options, as `options`
    shows them.
    """

    takes_settings_of: ClassVar[Callable[..., object] | None] = None
    """The planner whose settings the constructor takes as `settings`."""

    leaves_out: ClassVar[tuple[str, ...]] = ()
    """Those of these settings that the bot does not take."""

    def __init__(self, planner: Any, seed: int | None, shown: Mapping[str, object]) -> None:
        self._planner = planner
        self._random = seeded(seed)
        self._options: dict[str, object] = {**shown, "seed": seed}

    @classmethod
    def option_names(cls) -> list[str]:
        names = super().option_names()
        if cls.takes_settings_of is not None:
            names += inspect.signature(cls.takes_settings_of).parameters
        return [name for name in dict.fromkeys(names) if name not in ("settings", *cls.leaves_out)]

    def _weaken(self, temperature: float, random_moves: float) -> dict[str, object]:
        """Note how the bot is to play less well; returns the two as `options` shows them.

        temperature : above 0 actions are drawn by `SearchResult.policy`.   random_moves : the share of moves
        that are random.   Raises `SettingsError` for a value outside its range.
        """
        number("temperature", temperature, 0.0, 1e6)
        number("random_moves", random_moves, 0.0, 1.0)
        self._temperature, self._random_moves = temperature, random_moves
        return {"temperature": temperature or None, "random_moves": random_moves or None}

    def _is_random_move(self) -> bool:
        """Whether the next move is to be random instead of searched."""
        return bool(self._random_moves) and self._random.random() < self._random_moves

    def _drawn(self, result: SearchResult) -> Any:
        """Return the best action, or one drawn by the temperature."""
        if not self._temperature:
            return result.best_action
        policy = result.policy(self._temperature)
        return self._random.choices([child.action for child in result.children], list(policy.values()))[0]

    def stop(self) -> None:
        self._planner.stop()

    def options(self) -> dict[str, object]:
        return self._options


class BudgetBot(PlannerBot):
    """A bot with a budget for each move.

    simulations, seconds : limits of a move; without either, it is `usual_budget`.   own : the bot's other
    options, as `options` shows them.
    """

    usual_budget: ClassVar[Budget] = Budget(seconds=1.0)

    def __init__(
        self,
        planner: Any,
        simulations: int | None,
        seconds: float | None,
        seed: int | None,
        own: Mapping[str, object],
    ) -> None:
        super().__init__(planner, seed, {"simulations": simulations, "seconds": seconds, **own})
        self._has_own = simulations is not None or seconds is not None
        self._budget = Budget(simulations, seconds) if self._has_own else self.usual_budget

    def _search(self, known: Any, limit: Limit | None, **more: Any) -> Any:
        """Return the result of the planner's search, with a new seed, within the bot's limits."""
        budget = tightened(self._budget if self._has_own else None, limit) or self._budget
        self._planner.seed = self._random.getrandbits(63)
        return self._planner.search(known, simulations=budget.simulations, seconds=budget.seconds, **more)


class PlanningBot(BudgetBot):
    """A bot that searches with `MCTS` by what its player knows, never from a state.

    simulations, seconds : limits of a move; default one second.   settings : any of `MCTS` that apply.
    own : the bot's other options, as `options` shows them.
    """

    restricts = True
    takes_settings_of = MCTS
    leaves_out = _OF_STATES

    def __init__(
        self,
        simulations: int | None,
        seconds: float | None,
        seed: int | None,
        settings: Mapping[str, Any],
        own: Mapping[str, object],
    ) -> None:
        planner = MCTS(**settings)
        super().__init__(planner, simulations, seconds, seed, {**own, **planner.settings.changed})
        self.progress: Callable[[SearchResult], object] | None = None

    def _search_known(self, known: Any, limit: Limit | None) -> SearchResult:
        """Return the result of a search by what is known; reports on it meanwhile."""
        restriction = {} if limit is None else limit.restriction
        result: SearchResult = self._search(known, limit, progress=self.progress, **restriction)
        self.result = result
        return result
