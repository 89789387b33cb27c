"""A bot for games with hidden information: information-set search."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.bot import Bot, check_not_over, seeded
from branchwise.errors import GameError
from branchwise.game import Game
from branchwise.hidden import hides_information
from branchwise.ranges import number
from branchwise.rules.information import InformationState
from branchwise.search.budget import Budget
from branchwise.search.limit import Limit, tightened
from branchwise.search.planner import MCTS

if TYPE_CHECKING:
    from branchwise.search.result import SearchResult

DEFAULT_SECONDS = 1.0
_OF_STATES = ("perfect_information", "transpositions", "open_loop", "evaluator", "batch_size")
"""Settings of `MCTS` that a search by what a player knows does not take."""


class ISMCTSBot(Bot):
    """Searches by what its player knows, and plays the most visited action.

    It gets an information state, never the state. simulations, seconds : limits of a move; default one
    second.   temperature : from 0; above 0 the action is drawn by `SearchResult.policy`, so that the other
    players cannot tell from it what the player holds.   settings : any of `MCTS` that apply.
    progress : called with the result so far while the bot thinks.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> ISMCTSBot(simulations=500, seed=1).choose(known)
    1
    """

    name = "ismcts"

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        temperature: float = 0.0,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        self._has_own = simulations is not None or seconds is not None
        if not self._has_own:
            seconds = DEFAULT_SECONDS
        self._budget = Budget(simulations, seconds)
        number("temperature", temperature, 0.0, 1e6)
        self._temperature = temperature
        self._random = seeded(seed)
        self._planner = MCTS(**settings)
        self.result: SearchResult | None = None
        """Result of the last search."""
        self.progress: Callable[[SearchResult], object] | None = None
        self._options: dict[str, object] = {
            "simulations": simulations,
            "seconds": seconds if self._has_own else None,
            "temperature": temperature or None,
            **{name: value for name, value in self._planner.settings.changed.items() if name != "seed"},
            "seed": seed,
        }

    @classmethod
    def option_names(cls) -> list[str]:
        own = [name for name in super().option_names() if name != "settings"]
        known = [name for name in inspect.signature(MCTS).parameters if name not in _OF_STATES]
        return list(dict.fromkeys([*own, *known]))

    def check_game(self, game: type[Game]) -> None:
        if not hides_information(game):
            raise GameError(f"{game.name} hides nothing, which ismcts is for", mend="use the bot mcts")

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        if not isinstance(state, InformationState):
            raise GameError(
                f"ismcts searches by what a player knows, not from a {type(state).__name__}",
                mend="give Playthrough(...).information_state(player)",
            )
        budget = tightened(self._budget if self._has_own else None, limit) or self._budget
        self._planner.seed = self._random.getrandbits(63)
        self.result = self._planner.search(
            state, simulations=budget.simulations, seconds=budget.seconds, progress=self.progress
        )
        if not self._temperature:
            return int(self.result.best_action)
        policy = self.result.policy(self._temperature)
        return int(self._random.choices(list(policy), list(policy.values()))[0])

    def stop(self) -> None:
        self._planner.stop()

    def options(self) -> dict[str, object]:
        return self._options
