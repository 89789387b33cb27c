"""Games as PettingZoo environments in which agents act in turn."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv

from branchwise.boxes import box_varies, has_box
from branchwise.draws import Random
from branchwise.errors import BranchwiseError, GameError, nearest_name
from branchwise.game import Game
from branchwise.interop.episode import Episode, game_class
from branchwise.interop.observations import Floats, empty_parts, make_observer
from branchwise.rules.facts import game_facts

AecObservation = dict[str, NDArray[Any]]


class GameAecEnv(AECEnv[str, Any, Any]):
    """A game as an environment of PettingZoo; `to_pettingzoo` makes one.

    Agents are "player_0", "player_1" and so on, in the order of the game's players. A step is a decision of
    the agent to move with the outcomes of chance that follow it. All agents are rewarded at each step: by the
    rewards of the game, undiscounted, or by its returns at the last step. An episode of `max_game_length`
    moves is truncated.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self, game: str | type[Game], *, observation: str = "fields", render_mode: str | None = None
    ) -> None:
        super().__init__()
        rules = game_class(game, "connect_four")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise nearest_name("render_mode", render_mode, self.metadata["render_modes"])
        self.game = rules
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"{(rules._base or rules).name}_v0"}  # type: ignore[misc]
        self._facts = game_facts(rules.new_initial_state(Random(0)))
        self._observer = make_observer(rules, observation)
        self.possible_agents = [f"player_{player}" for player in range(self._facts.num_players)]
        self.action_spaces = {agent: _action_space(rules) for agent in self.possible_agents}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.agents: list[str] = []
        self._random, _ = seeding.np_random()
        self._episode: Episode | None = None

    @property
    def game_state(self) -> Game | None:
        """The state of the game; None before `reset`."""
        return None if self._episode is None else self._episode.state

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; `options` are ignored, as there are none.

        seed : the same seed gives the same chance; None: the random numbers go on.
        """
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self._episode = Episode(self.game, self._facts, self._random)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._show()

    def step(self, action: Any) -> None:
        """Take an action of the agent to move, then draw the outcomes of chance that follow.

        action : None for an agent whose game is over.   Raises `ActionError` for an illegal action.
        """
        agent, episode = self.agent_selection, self._begun()
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        rewards = episode.step(action)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, rewards.tolist(), strict=True))
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> AecObservation | Floats:
        """Return what an agent sees.

        A dict of "observation", see `to_pettingzoo`, and "action_mask", 1 for each legal action, which is
        all 0 for an agent that is not to move. With continuous actions, the observation alone.
        """
        state, player = self._begun().state, self.possible_agents.index(agent)
        vector, parts = empty_parts(self._observer)
        self._observer.write(state, player, parts)
        seen = parts.get("planes", vector)
        if has_box(self.game):
            return seen
        mask = self._legal.copy() if agent == self.agent_selection else np.zeros_like(self._legal)
        return {"observation": seen, "action_mask": mask}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions: those of the class."""
        return self.action_spaces[agent]

    def render(self) -> str | None:
        """Return the state as text if the render mode is "ansi"."""
        return None if self.render_mode is None else str(self._begun().state)

    def close(self) -> None:
        """Do nothing; there is nothing to release."""

    def _begun(self) -> Episode:
        if self._episode is None:
            raise BranchwiseError(f"no episode of {self.game.name} has begun", mend="call env.reset() first")
        return self._episode

    def _show(self) -> None:
        """Set everything that shows the state of the episode, apart from rewards."""
        episode = self._begun()
        self.terminations = dict.fromkeys(self.agents, episode.is_over)
        self.truncations = dict.fromkeys(self.agents, episode.is_truncated)
        over = episode.is_over or episode.is_truncated
        self.agent_selection = self.agents[0 if over else episode.state.current_player()]
        if not has_box(self.game):
            nothing = np.zeros(self.game.num_actions, np.int8)
            self._legal = nothing if over else episode.mask()
            masks = {
                agent: self._legal if agent == self.agent_selection else nothing for agent in self.agents
            }
            self.infos = {agent: {"action_mask": mask} for agent, mask in masks.items()}

    def _observation_space(self) -> spaces.Space[Any]:
        bounds = []
        for given in (self._observer.low, self._observer.high):
            vector, parts = empty_parts(self._observer)
            for name, part in parts.items():
                part[...] = given[name]
            bounds.append(parts.get("planes", vector))
        seen = spaces.Box(bounds[0], bounds[1], dtype=np.float32)
        if has_box(self.game):
            return seen
        mask = spaces.Box(0, 1, (self.game.num_actions,), np.int8)
        return spaces.Dict({"observation": seen, "action_mask": mask})


def _action_space(game: type[Game]) -> spaces.Space[Any]:
    """Return the space of a game's actions; raises `GameError` for a box that depends on the state."""
    if not has_box(game):
        return spaces.Discrete(game.num_actions)
    if box_varies(game):
        raise GameError(
            f"the box of actions of {game.name} depends on the state, and an agent of PettingZoo has one "
            "space of actions",
            mend="let action_low and action_high be constants",
        )
    facts = game_facts(game.new_initial_state(Random(0)))
    return spaces.Box(np.array(facts.low), np.array(facts.high), dtype=np.float64)
