"""A bot that plays an optimal policy of a game that is small enough to be solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from branchwise.bots.base.bot import Bot, check_not_over, seeded
from branchwise.common.argument_checks import number
from branchwise.equilibrium.policy import Policy
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import copied
from branchwise.rules.facts.given_to_bots import Shown
from branchwise.rules.playthrough.joint_choice import JointChoice
from branchwise.search.settings.move_limit import Limit
from branchwise.solving.solve import solve
from branchwise.solving.state_policy import StatePolicy


class OptimalBot(Bot):
    """Solves the game exactly before its first move, and plays the policy; for games that are small enough.

    It draws its action where the policy mixes: with hidden information, and where players move at once. With
    a horizon it looks that far ahead from each state.
    seconds : of processor time for listing states.   policy : a file that `branchwise solve --output` wrote,
    in place of solving.

    >>> import branchwise as bw
    >>> from branchwise.games.nim import Nim
    >>> OptimalBot().choose(Nim(chips=6))
    1
    """

    name = "optimal"

    def __init__(self, *, seconds: float = 1.0, policy: str | None = None, seed: int | None = None) -> None:
        number("seconds", seconds, 0.0, 1e9, above=True)
        self._seconds, self._file, self._seed = seconds, policy, seed
        self._random = seeded(seed)
        self._known: dict[type[Game], Any] = {}
        """Policies, of information states where a game hides information, else of states."""

    def check_game(self, game: type[Game]) -> None:
        if game not in self._known:
            self._known[game] = self._policy(game)

    def choose(self, state: Any, limit: Limit | None = None, moves: Sequence[int] | None = None) -> int:
        check_not_over(state)
        if isinstance(state, Shown) and not isinstance(state, JointChoice):
            known: Any = state
            self.check_game(known.game)
            shares = self._known[known.game](known)
        else:
            here, player = (state.state, state.player) if isinstance(state, JointChoice) else (state, None)
            here, game = copied(here), type(here)
            left = game.horizon or None
            policy = self._known.get(game)
            # Without a file the game is solved from this state if its policy is not known yet.
            if policy is None or (self._file is None and policy.find(here, left) < 0):
                policy = self._known[game] = self._policy(here)
            shares = policy.probabilities(here, player, left)
        return int(self._random.choices(list(shares), list(shares.values()))[0])

    def _policy(self, asked: type[Game] | Game) -> Any:
        if self._file is None:
            return solve(asked, seconds=self._seconds).policy
        game = asked if isinstance(asked, type) else type(asked)
        return (Policy if hides_information(game) else StatePolicy).load(self._file, game)

    def options(self) -> dict[str, object]:
        seconds = None if self._seconds == 1.0 else self._seconds
        return {"seconds": seconds, "policy": self._file, "seed": self._seed}
