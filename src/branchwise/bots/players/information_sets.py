"""Bots for games with hidden information that search the information sets of all players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from branchwise.bots.base.bot import Bot, check_not_over, seeded
from branchwise.common.argument_checks import one_of
from branchwise.common.errors import GameError
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.information_sets.checks import checked_facts, sum_of_two
from branchwise.information_sets.multi_observer import MOISMCTS
from branchwise.information_sets.outcome_sampling import OOS
from branchwise.information_sets.result import InformationSetResult
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.move_limit import Limit, tightened

DEFAULT_SECONDS = 1.0
CHOICES = ("mixed", "best")


class _InformationSetBot(Bot):
    """What both bots have in common; `method` is the planner's name for errors."""

    method: ClassVar[str]

    def __init__(
        self,
        planner: OOS | MOISMCTS,
        simulations: int | None,
        seconds: float | None,
        choice: str,
        seed: int | None,
        options: dict[str, object],
    ) -> None:
        one_of("choice", choice, CHOICES)
        self._has_own = simulations is not None or seconds is not None
        self._budget = Budget(simulations, seconds if self._has_own else DEFAULT_SECONDS)
        self._choice = choice
        self._random = seeded(seed)
        self._planner = planner
        self.found: InformationSetResult | None = None
        """Result of the last search."""
        self._options = {"simulations": simulations, "seconds": seconds, **options, "seed": seed}

    def check_game(self, game: type[Game]) -> None:
        if not hides_information(game):
            raise GameError(
                f"{game.name} hides nothing, so {self.name} is not for it", mend="use the bot mcts"
            )
        checked_facts(game, self.method)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        budget = tightened(self._budget if self._has_own else None, limit) or self._budget
        self._planner.seed = self._random.getrandbits(63)
        self.found = self._planner.search(state, simulations=budget.simulations, seconds=budget.seconds)
        if self._choice == "best" and self.found.visits:
            return self.found.best_action
        policy = self.found.policy()
        return self._random.choices(list(policy), list(policy.values()))[0]

    def stop(self) -> None:
        self._planner.stop()

    def options(self) -> dict[str, object]:
        return self._options


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
    method = "OOS"

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        exploration: float = 0.6,
        targeting: float = 0.9,
        baseline_step: float = 0.1,
        memory_mb: float = 1024,
        choice: str = "mixed",
        seed: int | None = None,
    ) -> None:
        planner = OOS(
            exploration=exploration, targeting=targeting, baseline_step=baseline_step, memory_mb=memory_mb
        )
        shown = {**planner.changed, "choice": None if choice == "mixed" else choice}
        super().__init__(planner, simulations, seconds, choice, seed, shown)
        self._kept = planner

    def check_game(self, game: type[Game]) -> None:
        super().check_game(game)
        sum_of_two(game, self.method)

    def new_game(self) -> None:
        self._kept.new_game()


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
    method = "MOISMCTS"

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        c: float = 0.7,
        memory_mb: float = 1024,
        choice: str = "best",
        seed: int | None = None,
    ) -> None:
        planner = MOISMCTS(c=c, memory_mb=memory_mb)
        shown = {**planner.changed, "choice": None if choice == "best" else choice}
        super().__init__(planner, simulations, seconds, choice, seed, shown)
