"""Problems of one player as Gymnasium environments."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from numpy.typing import NDArray

from branchwise.boxes import box_varies, has_box, refuse
from branchwise.draws import Random
from branchwise.errors import ActionError, GameError, SettingsError, nearest_name
from branchwise.fields import Field
from branchwise.game import Game
from branchwise.games import load_game
from branchwise.interop.pixels import check_can_render, pixels
from branchwise.players import CHANCE
from branchwise.rules.dice import Dice
from branchwise.rules.facts import apply_legal, game_facts, reward_of

ILLEGAL = ("error", "nothing")
"""Ways to handle an illegal action."""

Observation = dict[str, NDArray[Any]]


class LegalActions(spaces.Discrete):
    """The actions of a problem; without a mask given, `sample` draws from the actions that are legal now.

    mask : mask of the actions that are legal now; the environment updates it.
    """

    mask: NDArray[np.int8] | None = None

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.float64] | None = None
    ) -> np.int64:
        """Return a random action."""
        if mask is None and probability is None:
            mask = self.mask
        action: np.int64 = super().sample(mask, probability)
        return action


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
        self, game: str | type[Game], *, illegal: str = "error", render_mode: str | None = None
    ) -> None:
        rules = load_game(game) if isinstance(game, str) else game
        if not (isinstance(rules, type) and issubclass(rules, Game)):
            raise GameError(f"{game!r} is no game", mend='give a class, or a name such as "frozen_lake"')
        self._facts = game_facts(rules())
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
        self.action_space = self._space_of_actions(rules)
        self.observation_space = spaces.Dict({field.name: _space(field) for field in rules._fields})
        self.state: Game | None = None
        """The state of the problem; None before `reset`."""
        self._moves = 0
        self._owed = 0.0
        self._whole = np.array(self._facts.whole, np.bool_)

    def _space_of_actions(self, rules: type[Game]) -> spaces.Discrete | spaces.Box:
        """Return the space of the actions; raises `GameError` for a box that depends on the state."""
        if not has_box(rules):
            return LegalActions(rules.num_actions)
        if box_varies(rules):
            raise GameError(
                f"the box of actions of {rules.name} depends on the state, and an environment of Gymnasium "
                "has one space of actions",
                mend="let action_low and action_high be constants",
            )
        return spaces.Box(np.array(self._facts.low), np.array(self._facts.high), dtype=np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; there are no options."""
        super().reset(seed=seed)
        if options:
            raise SettingsError(f"{self.game.name} has no options for reset, such as {next(iter(options))!r}")
        self.state = self.game.new_initial_state(Random(self._drawn()))
        self._moves = 0
        self._owed = self._let_chance_happen()
        return self._seen()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action, and draw the outcomes of chance that follow it.

        Raises `ActionError` for an illegal action, unless `illegal` is "nothing".
        """
        state = self.state
        if state is None:
            raise gymnasium.error.ResetNeeded("call reset before step")
        if state.is_terminal():
            raise ActionError(f"this episode of {self.game.name} is over", mend="call reset")
        reward, self._owed = self._owed, 0.0
        self._moves += 1
        if has_box(self.game):
            is_illegal = action not in self.action_space
            if self._whole.any() and not is_illegal:
                action = np.where(self._whole, np.rint(action), action)
        else:
            action = int(action)
            is_illegal = action in self.action_space and action not in state.legal_actions()
        if self.illegal == "error" or not is_illegal:
            given = apply_legal(state, state.check_action(action), Random(self._drawn()))
            reward += self._paid(given) + self._let_chance_happen()
        over = bool(state.is_terminal())
        if over and not self._facts.pays:
            reward += float(state.returns()[0])
        observation, info = self._seen()
        return observation, reward, over, not over and self._moves >= self.game.max_game_length, info

    def action_masks(self) -> NDArray[np.int8]:
        """Return 1 for each action that is legal now, else 0; as `info["action_mask"]`.

        Raises `GameError` for continuous actions, which have no mask.
        """
        refuse(self.game, "have no mask")
        mask = np.zeros(self.game.num_actions, np.int8)
        if self.state is not None and not self.state.is_terminal():
            mask[self.state.legal_actions()] = 1
        return mask

    def render(self) -> str | NDArray[np.uint8] | None:
        """Return the state as text if the render mode is "ansi", as pixels if it is "rgb_array".

        Pixels are uint8 [height, width, 3]. Raises `ResetNeeded` before `reset`.
        """
        if self.render_mode is None:
            return None
        if self.state is None:
            raise gymnasium.error.ResetNeeded("call reset before render")
        return pixels(self.state) if self.render_mode == "rgb_array" else str(self.state)

    def _let_chance_happen(self) -> float:
        """Draw outcomes of chance until the player is to move, and return their rewards."""
        state, paid = self.state, 0.0
        assert state is not None
        dice: Dice | None = None
        while not state.is_terminal() and state.current_player() == CHANCE:
            dice = dice or Dice(self._drawn())
            paid += self._paid(apply_legal(state, dice.roll(state)))
            self._moves += 1
        return paid

    def _paid(self, given: object) -> float:
        return reward_of(self.state, given, self._facts)[0] if self._facts.pays else 0.0

    def _drawn(self) -> int:
        """Return a seed from `np_random`."""
        return int(self.np_random.integers(2**63))

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        assert self.state is not None
        observation = {
            field.name: np.array(getattr(self.state, field.name), _dtype(field)).reshape(field.shape or (1,))
            for field in self.game._fields
        }
        if not isinstance(self.action_space, LegalActions):
            return observation, {}
        self.action_space.mask = self.action_masks()
        return observation, {"action_mask": self.action_masks()}


def make_env(game: str | type[Game], *, illegal: str = "error", render_mode: str | None = None) -> GameEnv:
    """Return a problem of one player as a Gymnasium environment.

    game : a name such as "frozen_lake", with options if you like, or a class.
    illegal : effect of an illegal action: "error" raises `ActionError`; "nothing": the step changes and pays
    nothing. `info["action_mask"]` marks the legal actions, and `env.action_space.sample()` draws from
    those.   render_mode : None, or "ansi" for text.

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


def _dtype(field: Field) -> np.dtype[Any]:
    return np.dtype(np.int8) if field.dtype.kind == "b" else field.dtype


def _space(field: Field) -> spaces.Box:
    """Return the space of a field's values: the range of its type, as far as a `Box` can sample from it."""
    dtype = _dtype(field)
    low: float
    high: float
    if field.dtype.kind == "b":
        low, high = 0, 1
    elif dtype.kind == "f":
        high = float(np.finfo(dtype).max) / 2
        low = -high
    else:
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        if dtype.itemsize == 8:
            high -= 1
    return spaces.Box(low, high, field.shape or (1,), dtype.type)
