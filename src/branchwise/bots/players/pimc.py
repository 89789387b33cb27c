"""A bot for games with hidden information: determinised search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.bots.base.bot import check_hides, check_not_over
from branchwise.bots.base.planning import BudgetBot
from branchwise.game.rules_class import Game
from branchwise.search.determinized import PIMC, PIMCResult
from branchwise.search.planner import MCTS
from branchwise.search.settings.move_limit import Limit


class PIMCBot(BudgetBot):
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
    takes_settings_of = MCTS
    leaves_out = ("perfect_information",)

    def __init__(
        self,
        *,
        deals: int = 32,
        simulations: int | None = None,
        seconds: float | None = None,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        own = MCTS(**settings).settings.changed
        super().__init__(PIMC(deals=deals, **settings), simulations, seconds, seed, own)
        self._options = {"deals": deals if deals != 32 else None, **self._options}
        self.deals: PIMCResult | None = None
        """Result of the last search."""

    def check_game(self, game: type[Game]) -> None:
        check_hides(game, "so pimc has nothing to deal")
        self._planner.check_game(game)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        deals: PIMCResult = self._search(state, limit)
        self.deals = deals
        return deals.best_action
