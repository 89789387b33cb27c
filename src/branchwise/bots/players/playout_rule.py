"""A bot that plays by the game's playout policy, without a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.base.bot import Bot, check_not_over, check_sees_all, seeded
from branchwise.common.errors import GameError
from branchwise.game.kinds.random_numbers import Random
from branchwise.rules.facts.facts import check_is_state, copied, legal_action
from branchwise.search.settings.move_limit import Limit

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game


class RuleBot(Bot):
    """Plays the game's `playout_action`: the policy that a search must improve on.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> state = ConnectFour.from_actions("a b a b a b")
    >>> state.action_to_string(RuleBot(seed=1).choose(state))
    'a4'
    """

    name = "rule"
    plays_uncompiled = True

    def __init__(self, *, seed: int | None = None) -> None:
        self._seed = seed
        self._random = Random(seeded(seed).getrandbits(63))

    def check_game(self, game: type[Game]) -> None:
        check_sees_all(game, self.name)
        _check_has_rule(game, game.name)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        check_is_state(state)
        _check_has_rule(state, type(state).__name__)
        action: int = legal_action(state, int(copied(state).playout_action(self._random)))
        return action

    def options(self) -> dict[str, object]:
        return {"seed": self._seed}


def _check_has_rule(game: Any, name: str) -> None:
    if not callable(getattr(game, "playout_action", None)):
        raise GameError(
            f"{name} has no playout_action, so the bot rule cannot play it",
            mend="add a method playout_action(self, random), or choose another bot",
        )
