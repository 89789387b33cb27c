"""Problems of one player as Gymnasium environments."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from branchwise.common.errors import ActionError, GameError, SettingsError, nearest_name
from branchwise.game.kinds.continuous_actions import has_box, refuse
from branchwise.game.kinds.fields import Field
from branchwise.game.rules_class import Game
from branchwise.interop.gymnasium_bridge.pixels import check_can_render, pixels
from branchwise.interop.shared.episode import Episode, episode_facts, game_class
from branchwise.interop.shared.legal_actions import LegalActions, space_of_actions
from branchwise.interop.shared.observations import field_dtype, field_range

ILLEGAL = ("error", "nothing")
"""Ways to handle an illegal action."""

Observation = dict[str, NDArray[Any]]


class GameEnv(gymnasium.Env[Observation, Any]):
    """A problem of one player as an environment; `make_env` makes one.

    An observation is a dict of arrays, one for each field of the state; a number is an array of length 1.
    `gymnasium.wrappers.FlattenObservation` makes one vector of them.

    A step is a decision with the chance that follows it, drawn from `np_random`; its reward is the sum of
    both, undiscounted. A problem with `returns` pays them with its last step. An episode of
    `max_game_length` moves is truncated.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}

    def __init__(
        self, game: str | type[Game], *, illegal: str = "nothing", render_mode: str | None = None
    ) -> None:
        rules = game_class(game, "frozen_lake")
        self._facts = episode_facts(rules, "Gymnasium")
        if self._facts.num_players != 1:
            raise GameError(
                f"{rules.name} has {self._facts.num_players} players; an environment of Gymnasium has one"
            )
        if illegal not in ILLEGAL:
            raise nearest_name("effect of illegal actions", illegal, ILLEGAL)
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise nearest_name("render_mode", render_mode, self.metadata["render_modes"])
        if render_mode == "rgb_array":
            check_can_render(rules)
        self.game = rules
        self.illegal = illegal
        self.render_mode = render_mode
        owner = "an environment of Gymnasium"
        self.action_space = space_of_actions(rules, self._facts, LegalActions, owner)
        self.observation_space = spaces.Dict({field.name: _space(field) for field in rules._fields})
        self._episode: Episode | None = None
        self._whole = np.array(self._facts.whole, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; there are no options."""
        super().reset(seed=seed)
        if options:
            raise SettingsError(f"{self.game.name} has no options for reset, such as {next(iter(options))!r}")
        self._episode = Episode(self.game, self._facts, self.np_random)
        return self._seen()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and draw the outcomes of chance that follow it.

        Raises `ActionError` for an action outside the space; for an illegal one if `illegal` is "error".
        """
        episode = self._episode
        if episode is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if episode.is_over:
            raise ActionError(f"this episode of {self.game.name} is over", mend="call reset")
        waits = False
        if not has_box(self.game):
            action = int(action)
            is_illegal = action in self.action_space and not episode.mask()[action]
            waits = is_illegal and self.illegal == "nothing"
        elif self._whole.any() and action in self.action_space:
            action = np.where(self._whole, np.rint(action), action)
        rewards = episode.wait() if waits else episode.step(action)
        observation, info = self._seen()
        return observation, float(rewards[0]), episode.is_over, episode.is_truncated, info

    @property
    def state(self) -> Game | None:
        """The state of the problem; None before `reset`."""
        return None if self._episode is None else self._episode.state

    def action_masks(self) -> NDArray[np.int8]:
        """Return 1 for each action that is legal now, else 0; as `info["action_mask"]`.

        Raises `GameError` for continuous actions, which have no mask.
        """
        if self._episode is None:
            refuse(self.game, "have no mask")
            return np.zeros(self.game.num_actions, np.int8)
        return self._episode.mask()

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the state as text if the render mode is "ansi", as pixels if it is "rgb_array".

        Pixels are uint8 [height, width, 3]. Raises `ResetNeeded` before `reset`.
        """
        if self.render_mode is None:
            return None
        if self.state is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return pixels(self.state) if self.render_mode == "rgb_array" else str(self.state)

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        assert self.state is not None
        observation = {
            field.name: np.array(getattr(self.state, field.name), field_dtype(field)).reshape(
                field.shape or (1,)
            )
            for field in self.game._fields
        }
        if not isinstance(self.action_space, LegalActions):
            return observation, {}
        self.action_space.mask = self.action_masks()
        return observation, {"action_mask": self.action_masks()}


def make_env(game: str | type[Game], *, illegal: str = "nothing", render_mode: str | None = None) -> GameEnv:
    """Return a problem of one player as a Gymnasium environment.

    game : a name such as "frozen_lake", with options if you like, or a class.
    illegal : effect of an illegal action. "nothing": the step changes and pays nothing, because learners may
    take any action of the space, and so does Gymnasium's `check_env`. "error" raises `ActionError`.
    `info["action_mask"]` marks the legal actions, and `env.action_space.sample()` draws from those.
    render_mode : None, "ansi" for text, or "rgb_array" for pixels.

    >>> env = make_env("frozen_lake(is_slippery=False)", render_mode="ansi")
    >>> observation, info = env.reset(seed=1)
    >>> observation["place"], info["action_mask"]
    (array([0], dtype=int16), array([1, 1, 1, 1], dtype=int8))
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> print(env.render())
    4  S F F F
    3  @ H F H
    2  F F F H
    1  H F F G
       a b c d
    """
    env = GameEnv(game, illegal=illegal, render_mode=render_mode)
    env.spec = EnvSpec(
        id=f"branchwise/{(env.game._base or env.game).name}-v0",
        entry_point="branchwise.interop.gymnasium:make_env",
        kwargs={"game": game, "illegal": illegal, "render_mode": render_mode},
    )
    return env


def _space(field: Field) -> spaces.Box:
    """Return the space of a field's values."""
    low, high = field_range(field)
    return spaces.Box(low, high, field.shape or (1,), field_dtype(field).type)
