"""A bot that plays the policy of a network, without a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from branchwise.bots.base.bot import Bot, check_not_over, check_sees_all, seeded
from branchwise.common.argument_checks import number
from branchwise.networks.network_file import load_network
from branchwise.rules.facts.facts import check_is_state
from branchwise.search.settings.move_limit import Limit

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game


class NetBot(Bot):
    """Plays the action to which a network gives the greatest probability.

    file : the network, as `branchwise train` wrote it.   temperature : from 0; above 0 the action is drawn
    from the probabilities, to the power of 1 / temperature.
    """

    name = "net"
    plays_uncompiled = True

    def __init__(self, *, file: str, temperature: float = 0.0, seed: int | None = None) -> None:
        number("temperature", temperature, 0.0, 1e6)
        self._file, self._temperature, self._seed = file, temperature, seed
        self._random = seeded(seed)

    def check_game(self, game: type[Game]) -> None:
        check_sees_all(game, self.name)
        load_network(self._file, game)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        check_is_state(state)
        _, policy = load_network(self._file, type(state)).evaluate(state)
        if not self._temperature:
            return max(policy, key=policy.__getitem__)
        greatest = max(policy.values())
        weights = [(share / greatest) ** (1.0 / self._temperature) for share in policy.values()]
        return self._random.choices(list(policy), weights)[0]

    def options(self) -> dict[str, object]:
        return {"file": self._file, "temperature": self._temperature or None, "seed": self._seed}
