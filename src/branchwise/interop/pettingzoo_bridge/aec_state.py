"""PettingZoo's environments in which agents act in turn, as states that `MCTS` searches."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any, NamedTuple, Self

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.conversions import parallel_to_aec_wrapper

from branchwise.common.errors import GameError
from branchwise.game.kinds.game_kinds import Utility
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.interop.pettingzoo_bridge.zoo_agents import HIDES
from branchwise.interop.shared.snapshots import CopiedEnv, generator_states
from branchwise.rules.facts.game_type import check_kind, game_type

_HIDING = ("hanabi", "leduc_holdem", "texas_holdem", "texas_holdem_no_limit")
"""PettingZoo's own environments with hidden information, of which an environment itself says nothing."""


class AecState(CopiedEnv):
    """The current state of an environment without chance; `from_pettingzoo` makes one.

    env : an environment that has been reset; it is copied, and never stepped.
    The other arguments are those of `from_pettingzoo`.
    """

    ending = "game"

    def __init__(
        self,
        env: Any,
        *,
        utility: Utility,
        min_return: float,
        max_return: float,
        discount: float,
        horizon: int,
        shared: Collection[str],
    ) -> None:
        self.name = self._name = env_name(env)
        check_env_kind(env)
        self.utility = utility
        self.min_return, self.max_return = min_return, max_return
        self.discount, self.horizon = discount, horizon
        self.max_game_length = Game.max_game_length
        try:
            agent, is_out, self._over = turn(env)
        except AttributeError as error:
            raise GameError(f"{self.name} has no episode: {error}", mend="call env.reset() first") from error
        self._agents = tuple(env.possible_agents)
        self.num_players = len(self._agents)
        actions = [env.action_space(one) for one in self._agents]
        for one, space in zip(self._agents, actions, strict=True):
            if not isinstance(space, spaces.Discrete):
                raise GameError(
                    f"{one} of {self.name} has the actions {space}, but MCTS plans for Discrete actions here"
                )
        self._first = [int(space.start) for space in actions]
        self._counts = [int(space.n) for space in actions]
        self.num_actions = max(self._counts)
        if is_out and not self._over:
            raise GameError(
                f"the game of {agent} in {self.name} is over, so there is nothing to search",
                mend="call env.step(None) until an agent is to act",
            )
        self._player = self._agents.index(agent)
        self._rewards = (0.0,) * self.num_players
        self._legal: list[int] | None = self._listed(env)
        self._begin(env, shared)

    def current_player(self) -> int:
        """Return the number of the agent to act, its place in `possible_agents`."""
        return self._player

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the agent to act, counted from 0."""
        if self._legal is None:
            self._legal = self._listed(self._env)
        return list(self._legal)

    def apply_action(self, action: int) -> None:
        """Step a copy of the environment. Raises `GameError` if it draws random numbers."""
        env = self._env_to_step(_NO_DRAWS)
        before = generator_states(self._generators) if self._generators else b""
        self._step(env, action)
        if self._generators and generator_states(self._generators) != before:
            raise GameError(
                f"a step of {self.name} draws random numbers, so its result cannot be known",
                mend="call from_pettingzoo(env, chance=True)",
            )

    def rewards(self) -> tuple[float, ...]:
        """Return the rewards of the last step, one an agent."""
        return self._rewards

    def agent(self) -> str:
        """Return the name of the agent to act."""
        return str(self._agents[self._player])

    def env_action(self, action: int) -> int:
        """Return the environment's action for one of the search; they differ if its first is not 0."""
        return self._first[self._player] + int(action)

    def action_to_string(self, action: int) -> str:
        """Return the number of the environment's action."""
        return str(self.env_action(action))

    def clone(self) -> Self:
        """Return an independent copy."""
        self.legal_actions()  # which copies of the environment need not be made to show again
        return super().clone()

    def _step(self, env: Any, action: int) -> None:
        if self._over or (self._legal is not None and action not in self._legal):
            raise self._illegal(action, self._legal)
        env.step(self.env_action(action))
        paid = dict(env.rewards)
        agent, is_out, self._over = turn(env)
        while is_out and not self._over:
            env.step(None)
            agent, is_out, self._over = turn(env)
            for one, reward in env.rewards.items():
                paid[one] = paid.get(one, 0.0) + reward
        self._rewards = tuple(float(paid.get(one, 0.0)) for one in self._agents)
        self._legal = None
        if not self._over:
            self._player = self._agents.index(agent)

    def _listed(self, env: Any) -> list[int]:
        """Return the legal actions by the mask that an environment shows; all if it shows none."""
        if self._over:
            return []
        mask = shown_mask(env, self._agents[self._player])
        return list(range(self._counts[self._player])) if mask is None else np.flatnonzero(mask).tolist()


class AecSimulator(AecState):
    """The current state of an environment with chance."""

    def apply_action(self, action: int, random: Draws) -> None:  # type: ignore[override]
        """Step a copy of the environment; random : source of its random numbers."""
        self._step(self._env_to_step(random), action)


_NO_DRAWS = Draws(0)
"""Seeds of random generators that must not be drawn from."""


def env_name(env: Any) -> str:
    """Return the name of an environment, such as "chess_v6"."""
    return str(env.metadata.get("name", env))


def shown_mask(env: Any, agent: str) -> Any:
    """Return the mask of legal actions in an agent's info or observation; None if there is none."""
    mask = env.infos[agent].get("action_mask")
    if mask is None:
        seen = env.observe(agent)
        mask = seen.get("action_mask") if isinstance(seen, dict) else None
    return mask


class Turn(NamedTuple):
    """Whose turn it is in an environment.

    agent : the agent to act.   is_out : whether the game is over, or truncated, for this agent.
    is_over : whether it is for all agents.
    """

    agent: str
    is_out: bool
    is_over: bool


def turn(env: Any) -> Turn:
    """Return whose turn it is. Reads each attribute once, as wrappers make that slow."""
    agent, ends, cuts = env.agent_selection, env.terminations, env.truncations
    is_over = all(end or cuts[one] for one, end in ends.items())
    return Turn(agent, is_over or bool(ends[agent] or cuts[agent]), is_over)


def check_env_kind(env: Any) -> None:
    """Raise `GameError` for simultaneous moves and, as far as is known, for hidden information."""
    name = env_name(env)
    layer = env
    together = bool(env.metadata.get("is_parallelizable", False))
    while layer is not None and not together:
        together = isinstance(layer, parallel_to_aec_wrapper)
        layer = vars(layer).get("env")
    if together:
        raise GameError(
            f"{name} has players moving at once, and environments are searched only where agents act in turn",
            mend="if its agents act in turn and see what the others do, set "
            'env.metadata["is_parallelizable"] to False',
        )
    if name.rpartition("_v")[0] in _HIDING or env.metadata.get(HIDES, False):
        raise GameError(f"{name} has hidden information, which a search of its copies would see")
    pyspiel = sys.modules.get("pyspiel")
    for inner in vars(env.unwrapped).values() if pyspiel else ():
        if isinstance(inner, pyspiel.Game):  # type: ignore[union-attr]
            kind = inner.get_type()
            check_kind(f"{kind.short_name} in {name}", inner, game_type(inner))
