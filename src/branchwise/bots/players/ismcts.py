"""A bot for games with hidden information: information-set search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.bots.base.bot import check_hides, check_not_over
from branchwise.bots.base.planning import PlanningBot
from branchwise.common.errors import GameError
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import random_action
from branchwise.rules.knowledge.information import InformationState
from branchwise.search.settings.move_limit import Limit


class ISMCTSBot(PlanningBot):
    """Searches by what its player knows, and plays the most visited action.

    It gets an information state, never the state. simulations, seconds : limits of a move; default one
    second.   temperature : from 0; above 0 the action is drawn by `SearchResult.policy`, so that the other
    players cannot tell from it what the player holds.   random_moves : the share of moves that are random
    instead of searched, 0 to 1; it makes a weaker player.   settings : any of `MCTS` that apply.
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
        random_moves: float = 0.0,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(simulations, seconds, seed, settings, self._weaken(temperature, random_moves))

    def check_game(self, game: type[Game]) -> None:
        check_hides(game, "which ismcts is for")
        self._planner.check_game(game)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        if not isinstance(state, InformationState):
            raise GameError(
                f"ismcts searches by what a player knows, not from a {type(state).__name__}",
                mend="give Playthrough(...).information_state(player)",
            )
        if self._is_random_move():
            self.result = None
            return int(random_action(state, self._random))
        return int(self._drawn(self._search_known(state, limit)))
