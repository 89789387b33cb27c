"""Games as PettingZoo environments in which agents act one after another."""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from branchwise.common.players import NO_ACTION, SIMULTANEOUS
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.simultaneous_moves import check_choice
from branchwise.interop.pettingzoo_bridge.zoo_agents import GameAgents, Observed


class GameAecEnv(GameAgents, AECEnv[str, Any, Any]):
    """A game as an environment of PettingZoo; `to_pettingzoo` makes one.

    A step is a decision of the agent to move with the outcomes of chance that follow it. All agents are
    rewarded at each step: by the rewards of the game, undiscounted, or by its returns at the last step. An
    episode of `max_game_length` moves is truncated.

    Where all players move at once, the agents with a choice act one after another, and none sees what the
    others have chosen; the step of the last of them makes the move.
    """

    _chosen: dict[int, int]
    """Actions of players who move at once, until all have chosen."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode; `options` are ignored, as there are none.

        seed : the same seed gives the same chance; None: the random numbers go on.
        """
        self._begin(seed)
        self._chosen = {}
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
        state, rewards = episode.state, None
        if state.current_player() == SIMULTANEOUS:
            player = self.agents.index(agent)
            self._chosen[player] = check_choice(state, player, action)
            if set(episode.choosing()) <= set(self._chosen):
                action = tuple(self._chosen.get(one, NO_ACTION) for one in range(len(self.agents)))
                self._chosen = {}
        if not self._chosen:
            rewards = episode.step(action).tolist()
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, rewards or [0.0] * len(self.agents), strict=True))
        self._accumulate_rewards()
        self._show()

    def observe(self, agent: str) -> Observed:
        """Return what an agent sees.

        A dict of "observation", see `to_pettingzoo`, and "action_mask", 1 for each legal action, which is
        all 0 for an agent that is not to move. With continuous actions, the observation alone.
        """
        self._begun()
        return self._seen(agent, None if has_box(self.game) else self._masks[agent].copy())

    def _show(self) -> None:
        """Set everything that shows the state of the episode, apart from rewards."""
        episode = self._begun()
        self.terminations = dict.fromkeys(self.agents, episode.is_over)
        self.truncations = dict.fromkeys(self.agents, episode.is_truncated)
        waiting = [player for player in episode.choosing() if player not in self._chosen]
        self.agent_selection = self.agents[waiting[0] if waiting else 0]
        if not has_box(self.game):
            self._masks = {
                agent: episode.mask(player) if player in waiting else self._nothing()
                for player, agent in enumerate(self.agents)
            }
            self.infos = {agent: {"action_mask": mask} for agent, mask in self._masks.items()}
