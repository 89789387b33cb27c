"""What PettingZoo's two kinds of environments of a game have in common: agents, spaces, what agents see."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray

from branchwise.common.errors import BranchwiseError, nearest_name
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.game.rules_class import Game
from branchwise.interop.shared.episode import Episode, episode_facts, game_class
from branchwise.interop.shared.legal_actions import space_of_actions
from branchwise.interop.shared.observations import Floats, empty_parts, make_observer

HIDES = "hides_information"
"""Key of the metadata of an environment: whether agents do not see everything."""
Observed = dict[str, NDArray[Any]] | Floats


class GameAgents:
    """A game whose players are agents: "player_0", "player_1" and so on, in the order of the players.

    The arguments are those of `to_pettingzoo`.
    """

    numbered_actions: ClassVar[type[spaces.Discrete]] = spaces.Discrete
    """The space of an agent's actions that are numbers."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self, game: str | type[Game], *, observation: str = "fields", render_mode: str | None = None
    ) -> None:
        super().__init__()
        rules = game_class(game, "connect_four")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise nearest_name("render_mode", render_mode, self.metadata["render_modes"])
        self.game = rules
        self.render_mode = render_mode
        self._facts = episode_facts(rules, "PettingZoo")
        self.metadata = {  # type: ignore[misc]
            **type(self).metadata,
            "name": f"{(rules._base or rules).name}_v0",
            "is_parallelizable": self._facts.joint,
            HIDES: hides_information(rules),
        }
        self._observer = make_observer(rules, observation)
        self.possible_agents = [f"player_{player}" for player in range(self._facts.num_players)]
        self.action_spaces = {
            agent: space_of_actions(rules, self._facts, self.numbered_actions, "an agent of PettingZoo")
            for agent in self.possible_agents
        }
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.agents: list[str] = []
        self._random, _ = seeding.np_random()
        self._episode: Episode | None = None

    @property
    def game_state(self) -> Game | None:
        """The state of the game, which tells everything; None before `reset`."""
        return None if self._episode is None else self._episode.state

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions: those of the class."""
        return self.action_spaces[agent]

    def render(self) -> str | None:
        """Return the state as text if the render mode is "ansi"; it tells what is hidden, too."""
        return None if self.render_mode is None else str(self._begun().state)

    def close(self) -> None:
        """Do nothing; there is nothing to release."""

    def _begin(self, seed: int | None) -> Episode:
        """Begin an episode with all agents."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self._episode = Episode(self.game, self._facts, self._random)
        self.agents = list(self.possible_agents)
        return self._episode

    def _begun(self) -> Episode:
        if self._episode is None:
            raise BranchwiseError(f"no episode of {self.game.name} has begun", mend="call env.reset() first")
        return self._episode

    def _nothing(self) -> NDArray[np.int8]:
        """Return the mask of an agent that is not to move."""
        return np.zeros(self.game.num_actions, np.int8)

    def _seen(self, agent: str, mask: NDArray[np.int8] | None) -> Observed:
        """Return what an agent sees; mask : of its actions, None if they are continuous."""
        vector, parts = empty_parts(self._observer)
        self._observer.write(self._begun().state, self.possible_agents.index(agent), parts)
        seen = parts.get("planes", vector)
        return seen if mask is None else {"observation": seen, "action_mask": mask}

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
