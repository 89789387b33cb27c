"""Games as PettingZoo environments in which all agents act at once."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv

from branchwise.common.errors import ActionError, GameError
from branchwise.common.players import NO_ACTION, SIMULTANEOUS
from branchwise.game.rules_class import Game
from branchwise.interop.pettingzoo_bridge.zoo_agents import GameAgents, Observed
from branchwise.interop.shared.legal_actions import LegalActions

AllSteps = tuple[
    dict[str, Observed], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class GameParallelEnv(GameAgents, ParallelEnv[str, Any, Any]):
    """A game in which players move at once as an environment; `to_pettingzoo(game, parallel=True)` makes one.

    A step takes an action of each agent, and draws the outcomes of chance that follow. The action of an agent
    without a choice, whose mask is all 0, is ignored. Rewards and the end are those of `GameAecEnv`.
    """

    numbered_actions = LegalActions

    def __init__(
        self, game: str | type[Game], *, observation: str = "fields", render_mode: str | None = None
    ) -> None:
        super().__init__(game, observation=observation, render_mode=render_mode)
        if not self._facts.joint:
            raise GameError(
                f"players of {self.game.name} move in turn",
                mend="leave parallel out: agents of bw.to_pettingzoo(game) act one after another",
            )

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observed], dict[str, dict[str, Any]]]:
        """Begin an episode; `options` are ignored, as there are none.

        seed : the same seed gives the same chance; None: the random numbers go on.
        """
        self._begin(seed)
        return self._shown()

    def step(self, actions: dict[str, Any]) -> AllSteps:
        """Take an action of each agent. Raises `ActionError` for one that is illegal or missing."""
        episode, agents = self._begun(), self.agents
        if not agents:
            raise ActionError(f"this episode of {self.game.name} is over", mend="call reset")
        choosing = [self.possible_agents[player] for player in episode.choosing()]
        for agent in choosing:
            if agent not in actions:
                raise ActionError(f"{agent} has to choose an action", mend="give one for each agent")
        chosen = [actions[agent] if agent in choosing else NO_ACTION for agent in agents]
        joint = episode.state.current_player() == SIMULTANEOUS
        rewards = episode.step(tuple(chosen) if joint else actions[choosing[0]])
        over, cut = episode.is_over, episode.is_truncated
        seen, infos = self._shown()
        if over or cut:
            self.agents = []
        paid = dict(zip(agents, rewards.tolist(), strict=True))
        return seen, paid, dict.fromkeys(agents, over), dict.fromkeys(agents, cut), infos

    def _shown(self) -> tuple[dict[str, Observed], dict[str, dict[str, Any]]]:
        """Return what each agent sees, and the infos; the spaces of actions draw from what is legal now."""
        episode = self._begun()
        choosing = episode.choosing()
        seen: dict[str, Observed] = {}
        infos: dict[str, dict[str, Any]] = {}
        for player, agent in enumerate(self.agents):
            mask = episode.mask(player) if player in choosing else self._nothing()
            seen[agent] = self._seen(agent, mask)
            infos[agent] = {"action_mask": mask.copy()}
            space = self.action_spaces[agent]
            assert isinstance(space, LegalActions)
            space.mask = mask.copy()
        return seen, infos
