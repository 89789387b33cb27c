"""Bots for games with hidden information that search the information sets of all players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from branchwise.bots.base.bot import check_hides, check_not_over
from branchwise.bots.base.planning import BudgetBot
from branchwise.common.argument_checks import one_of
from branchwise.game.rules_class import Game
from branchwise.information_sets.checks import checked_facts, sum_of_two
from branchwise.information_sets.multi_observer import MOISMCTS
from branchwise.information_sets.outcome_sampling import OOS
from branchwise.information_sets.result import InformationSetResult
from branchwise.search.settings.move_limit import Limit

CHOICES = ("mixed", "best")


class _InformationSetBot(BudgetBot):
    """What both bots have in common."""

    takes_settings_of: ClassVar[type[OOS | MOISMCTS]]
    usual_choice: ClassVar[str]
    """The default of `choice`."""

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        choice: str | None = None,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        self._choice = self.usual_choice if choice is None else one_of("choice", choice, CHOICES)
        planner = self.takes_settings_of(**settings)
        own = {**planner.changed, "choice": None if self._choice == self.usual_choice else choice}
        super().__init__(planner, simulations, seconds, seed, own)
        self.found: InformationSetResult | None = None
        """Result of the last search."""

    def check_game(self, game: type[Game]) -> None:
        check_hides(game, f"so {self.name} is not for it")
        checked_facts(game, self.takes_settings_of.__name__)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        found: InformationSetResult = self._search(state, limit)
        self.found = found
        if self._choice == "best" and found.visits:
            return found.best_action
        policy = found.policy()
        return self._random.choices(list(policy), list(policy.values()))[0]


class OOSBot(_InformationSetBot):
    """Searches by online outcome sampling, and draws its action from the mixed strategy that it finds.

    It gets what its player knows, never the state, and keeps its table from move to move.
    simulations, seconds : limits of a move; default one second.   exploration, targeting, baseline_step,
    memory_mb : as in `OOS`.   choice : "mixed" draws the action; "best" plays the most probable one.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> OOSBot(simulations=500, choice="best", seed=1).choose(known)
    1
    """

    name = "oos"
    takes_settings_of = OOS
    usual_choice = "mixed"

    def check_game(self, game: type[Game]) -> None:
        super().check_game(game)
        sum_of_two(game, OOS.__name__)

    def new_game(self) -> None:
        self._planner.new_game()


class MOISMCTSBot(_InformationSetBot):
    """Searches by multiple-observer information-set MCTS, and plays the most visited action.

    It gets what its player knows, never the state. simulations, seconds : limits of a move; default one
    second.   c, memory_mb : as in `MOISMCTS`.   choice : "best" plays the most visited action; "mixed" draws
    one in proportion to visits.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> MOISMCTSBot(simulations=500, seed=1).choose(known)
    1
    """

    name = "moismcts"
    takes_settings_of = MOISMCTS
    usual_choice = "best"
