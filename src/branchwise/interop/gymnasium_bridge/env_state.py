"""Gymnasium's environments as states that `MCTS` searches."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils.env_checker import data_equivalence

from branchwise.common.errors import GameError
from branchwise.game.kinds.continuous_actions import (
    Vector,
    check_vector,
    frozen,
    has_box,
    refuse,
    sample_vector,
    vector_text,
)
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.interop.shared.snapshots import CopiedEnv, SharedTables, exact_copy


class EnvState(CopiedEnv):
    """The current state of a Gymnasium environment, for `MCTS` to plan from.

    env : an environment that has been reset, with `Discrete` actions, or with those of a `Box` between finite
    bounds, which are vectors for the search; it is copied, and never stepped.
    info : the info that `reset` or `step` returned last. Actions masked out by its "action_mask", or by the
    environment's method `action_masks`, are not legal. Without either, all actions are legal.
    discount : weight of a reward that comes one step later.
    horizon : number of steps that a search looks ahead, 0 for all.
    shared : attributes of the unwrapped environment that no step changes, such as big tables; copies share
    them, which makes them faster.

    The end of an episode is the end of the game, also if a time limit truncates it. Copies draw their random
    numbers from the search's, so a plan cannot foresee the environment's chance. It does see the whole state
    of the environment, including parts that observations hide.

    >>> import gymnasium
    >>> import branchwise as bw
    >>> env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    >>> _, info = env.reset(seed=1)
    >>> bw.MCTS(seed=1).search(EnvState(env, info, discount=0.9), simulations=1000).best_action in (1, 2)
    True
    """

    num_players = 1
    ending = "episode"

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        info: Mapping[str, Any] | None = None,
        *,
        discount: float = 1.0,
        horizon: int = 0,
        shared: Collection[str] = (),
    ) -> None:
        space = env.action_space
        is_box = isinstance(space, spaces.Box) and space.is_bounded("both") and space.dtype.kind == "f"
        if not (is_box or isinstance(space, spaces.Discrete)):
            raise GameError(
                f"{env} has the actions {space}, but MCTS plans for Discrete actions of an environment, and "
                "for those of a Box of floating-point numbers between finite bounds"
            )
        self.discount = discount
        self.horizon = horizon
        self.num_actions = 0 if is_box else int(space.n)
        self._box: spaces.Box | None = space if is_box else None
        self.action_low: Vector | None = None
        self.action_high: Vector | None = None
        if self._box is not None:
            self.action_low = frozen(self._box.low.astype(np.float64).reshape(-1))
            self.action_high = frozen(self._box.high.astype(np.float64).reshape(-1))
        limit = None if env.spec is None else env.spec.max_episode_steps
        self.max_game_length = limit or Game.max_game_length
        self._name = str(env)
        self._first = 0 if is_box else int(space.start)
        self._begin(env, shared)
        self._reward = 0.0
        self._over = False
        masks = getattr(env.unwrapped, "action_masks", None)
        self._allow((info or {}).get("action_mask", None if masks is None else masks()))

    def current_player(self) -> int:
        """Return 0, the only player."""
        return 0

    def legal_actions(self) -> list[int]:
        """Return the legal actions, counted from 0. Raises `GameError` for those of a `Box`."""
        refuse(self, "cannot be listed")
        return list(self._legal)

    def apply_action(self, action: Any, random: Draws) -> None:
        """Step a copy of the environment; random : source of its random numbers."""
        if self._box is not None and not self._over:
            action = check_vector(self, action)
        elif self._over or action not in self._legal:
            raise self._illegal(action, self._legal)
        _, reward, terminated, truncated, info = self._env_to_step(random).step(self.env_action(action))
        self._reward = float(reward)
        self._over = bool(terminated or truncated)
        self._allow(info.get("action_mask"))

    def rewards(self) -> tuple[float]:
        """Return the reward of the last step."""
        return (self._reward,)

    def env_action(self, action: Any) -> Any:
        """Return the action of the environment for one of the search.

        They differ if the environment's first action is not 0. A vector gets the shape and the type of the
        environment's actions.
        """
        if self._box is not None:
            return np.asarray(action).astype(self._box.dtype).reshape(self._box.shape)
        return self._first + action

    def action_to_string(self, action: Any) -> str:
        """Return the number of the environment's action, or its numbers with commas between them."""
        return str(self.env_action(action)) if self._box is None else vector_text(action)

    def _allow(self, mask: Any) -> None:
        """Make the actions in a mask legal, or all if there is none."""
        self._legal = list(range(self.num_actions)) if mask is None else np.flatnonzero(mask).tolist()


def check_env_copies(
    env: gymnasium.Env[Any, Any], *, steps: int = 200, seed: int = 0, shared: Collection[str] = ()
) -> None:
    """Raise `GameError` unless copies of an environment step exactly like the original.

    The environment is reset and stepped with random actions. At each step two copies do the same with the
    same random numbers, one made just before and one made at the start of the episode. Observations, rewards
    and ends have to be equal. This finds environments that share state with their copies, lose state when
    copied, or draw random numbers from a generator outside the environment.
    shared : as in `EnvState`; the check includes that no step changes these attributes.

    >>> import gymnasium
    >>> check_env_copies(gymnasium.make("CartPole-v1"))
    """
    draws = Draws(seed)
    episode = taken = 0
    over = True
    tables = SharedTables(env, shared)
    for _ in range(steps):
        if over:
            _, info = env.reset(seed=seed + episode)
            follower = exact_copy(env, shared)
            episode, taken = episode + 1, 0
        state = EnvState(env, info, shared=shared)
        if has_box(state):
            action = state.env_action(sample_vector(state, draws))
        else:
            legal = state.legal_actions()
            action = state.env_action(legal[draws.below(len(legal))])
        twin = exact_copy(env, shared)
        told = {"the start": follower.step(action), "the step before": twin.step(action)}
        wanted = env.step(action)
        taken += 1
        for since, got in told.items():
            for part, mine, theirs in zip(_PARTS, wanted, got, strict=False):
                if not data_equivalence(mine, theirs, exact=True):
                    raise GameError(
                        f"copies of {env} step differently: after step {taken} of an episode {part} is "
                        f"{mine!r}, but {theirs!r} in a copy made at {since}",
                        mend="a copy has to hold the whole state and share none of it, and all chance has to "
                        "come from env.np_random",
                    )
        over, info = wanted[2] or wanted[3], wanted[4]
    tables.check()


_PARTS = ("the observation", "the reward", "the end", "the truncation")
