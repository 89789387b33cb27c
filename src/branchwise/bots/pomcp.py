"""A bot for partially observed problems: it keeps a belief, and searches from it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.bot import Bot, check_not_over, seeded
from branchwise.errors import GameError
from branchwise.game import Game
from branchwise.ranges import whole_number
from branchwise.rules.history import History
from branchwise.search.belief import Belief
from branchwise.search.budget import Budget
from branchwise.search.limit import Limit, tightened
from branchwise.search.planner import MCTS
from branchwise.traits import is_partially_observed

if TYPE_CHECKING:
    from branchwise.search.result import SearchResult

DEFAULT_SECONDS = 1.0
_OF_STATES = ("perfect_information", "transpositions", "open_loop", "evaluator", "batch_size")
"""Settings of `MCTS` that a search from a belief does not take."""


class POMCPBot(Bot):
    """Keeps a belief along its own actions and observations, and plays the best action of a search from it.

    It gets a `History`, never the state. simulations, seconds : limits of a move; default one second.
    particles : of the belief.   settings : any of `MCTS` that apply; with `outcome_widening` this is POMCPOW.
    progress : called with the result so far while the bot thinks.

    >>> import branchwise as bw
    >>> played = bw.Playthrough(bw.load_game("tiger")(), random=bw.Random(1))
    >>> POMCPBot(simulations=2000, seed=1).choose(played.shown(0))
    0
    """

    name = "pomcp"

    def __init__(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        particles: int = 1000,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        self._has_own = simulations is not None or seconds is not None
        if not self._has_own:
            seconds = DEFAULT_SECONDS
        self._budget = Budget(simulations, seconds)
        whole_number("particles", particles, 1, 100_000_000)
        self._particles = particles
        self._random = seeded(seed)
        self._planner = MCTS(**settings)
        self.belief: Belief | None = None
        """What the bot believed when it chose last."""
        self.result: SearchResult | None = None
        """Result of the last search."""
        self.progress: Callable[[SearchResult], object] | None = None
        self._options: dict[str, object] = {
            "simulations": simulations,
            "seconds": seconds if self._has_own else None,
            "particles": particles if particles != 1000 else None,
            **{name: value for name, value in self._planner.settings.changed.items() if name != "seed"},
            "seed": seed,
        }

    @classmethod
    def option_names(cls) -> list[str]:
        own = [name for name in super().option_names() if name != "settings"]
        known = [name for name in inspect.signature(MCTS).parameters if name not in _OF_STATES]
        return list(dict.fromkeys([*own, *known]))

    def check_game(self, game: type[Game]) -> None:
        if not is_partially_observed(game):
            raise GameError(
                f"{game.name} has no observe, so there is nothing to believe", mend="use the bot mcts"
            )

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        if not isinstance(state, History):
            raise GameError(
                f"pomcp chooses by what was observed, not from a {type(state).__name__}",
                mend="give Playthrough(...).shown(0)",
            )
        budget = tightened(self._budget if self._has_own else None, limit) or self._budget
        belief = self._followed(state)
        self._planner.seed = self._random.getrandbits(63)
        self.result = self._planner.search(
            belief, simulations=budget.simulations, seconds=budget.seconds, progress=self.progress
        )
        return int(self.result.best_action)

    def _followed(self, history: History) -> Belief:
        """Return the belief after a history, from that of the last choice if this one goes on from there."""
        belief = self.belief
        if (
            belief is None
            or belief.game is not history.game
            or not _equal(belief.history, history.events[: len(belief.history)])
        ):
            compiled = self._planner.settings.compiled is not False
            belief = Belief(
                history.game, self._particles, seed=self._random.getrandbits(63), compiled=compiled
            )
        for action, observation in history.events[len(belief.history) :]:
            belief.update(action, observation)
        self.belief = belief
        return belief

    def stop(self) -> None:
        self._planner.stop()

    def new_game(self) -> None:
        """Forget the last episode."""
        self.belief = None

    def options(self) -> dict[str, object]:
        return self._options


def _equal(known: Sequence[Any], events: Sequence[Any]) -> bool:
    """Whether a belief's history is the beginning of another; observations may be arrays."""
    return len(known) == len(events) and str(known) == str(events)
