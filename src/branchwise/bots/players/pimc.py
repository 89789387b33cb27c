"""A bot for games with hidden information: determinised search."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from branchwise.bots.base.bot import Bot, check_not_over, seeded
from branchwise.common.errors import GameError
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.search.determinized import PIMC, PIMCResult
from branchwise.search.planner import MCTS
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit, tightened

DEFAULT_SECONDS = 1.0


class PIMCBot(Bot):
    """Searches states that its player thinks possible, and plays the action with the most votes.

    It gets what its player knows, never the state. deals : states for one move.   simulations, seconds :
    limits of a move, for all deals together; default one second.   settings : any of `MCTS`.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> PIMCBot(simulations=500, deals=5, seed=1).choose(known)
    1
    """

    name = "pimc"

    def __init__(
        self,
        *,
        deals: int = 32,
        simulations: int | None = None,
        seconds: float | None = None,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        self._has_own = simulations is not None or seconds is not None
        if not self._has_own:
            seconds = DEFAULT_SECONDS
        self._budget = Budget(simulations, seconds)
        self._random = seeded(seed)
        self._planner = PIMC(deals=deals, **settings)
        self.deals: PIMCResult | None = None
        """Result of the last search."""
        self._options: dict[str, object] = {
            "deals": deals if deals != 32 else None,
            "simulations": simulations,
            "seconds": seconds if self._has_own else None,
            **{name: value for name, value in MCTS(**settings).settings.changed.items() if name != "seed"},
            "seed": seed,
        }

    @classmethod
    def option_names(cls) -> list[str]:
        own = [name for name in super().option_names() if name != "settings"]
        known = [name for name in inspect.signature(MCTS).parameters if name != "perfect_information"]
        return list(dict.fromkeys([*own, *known]))

    def check_game(self, game: type[Game]) -> None:
        if not hides_information(game):
            raise GameError(
                f"{game.name} hides nothing, so pimc has nothing to deal", mend="use the bot mcts"
            )
        self._planner.check_game(game)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        budget = tightened(self._budget if self._has_own else None, limit) or self._budget
        self._planner.seed = self._random.getrandbits(63)
        self.deals = self._planner.search(state, simulations=budget.simulations, seconds=budget.seconds)
        return self.deals.best_action

    def stop(self) -> None:
        self._planner.stop()

    def options(self) -> dict[str, object]:
        return self._options
