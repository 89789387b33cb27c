"""A bot that plays uniformly at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.bots.base.bot import Bot, check_not_over, seeded
from branchwise.rules.facts.facts import random_action
from branchwise.search.settings.move_limit import Limit


class RandomBot(Bot):
    """Chooses among the legal actions with equal probability; a continuous action as playouts do."""

    name = "random"
    plays_uncompiled = True

    def __init__(self, *, seed: int | None = None) -> None:
        self._seed = seed
        self._random = seeded(seed)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> Any:
        check_not_over(state)
        return random_action(state, self._random)

    def options(self) -> dict[str, object]:
        return {"seed": self._seed}
