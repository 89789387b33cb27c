"""A bot for partially observed problems: it keeps a belief, and searches from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.bots.base.bot import check_not_over
from branchwise.bots.base.planning import PlanningBot
from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import GameError
from branchwise.game.kinds.game_kinds import is_partially_observed
from branchwise.game.rules_class import Game
from branchwise.rules.knowledge.planner_history import History
from branchwise.search.session.belief import Belief
from branchwise.search.settings.move_limit import Limit

_PARTICLES = 1000


class POMCPBot(PlanningBot):
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
        particles: int = _PARTICLES,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        whole_number("particles", particles, 1, 100_000_000)
        changed = particles if particles != _PARTICLES else None
        super().__init__(simulations, seconds, seed, settings, {"particles": changed})
        self._particles = particles
        self.belief: Belief | None = None
        """What the bot believed when it chose last."""

    def check_game(self, game: type[Game]) -> None:
        if not is_partially_observed(game):
            raise GameError(
                f"{game.name} has no observe, so there is nothing to believe", mend="use the bot mcts"
            )
        self._planner.check_game(game)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        if not isinstance(state, History):
            raise GameError(
                f"pomcp chooses by what was observed, not from a {type(state).__name__}",
                mend="give Playthrough(...).shown(0)",
            )
        return int(self._search_known(self._followed(state), limit).best_action)

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

    def new_game(self) -> None:
        """Forget the last episode."""
        self.belief = None


def _equal(known: Sequence[Any], events: Sequence[Any]) -> bool:
    """Whether a belief's history is the beginning of another; observations may be arrays."""
    return len(known) == len(events) and str(known) == str(events)
