"""Small PettingZoo environments with the features that break adapters."""

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv


class Turns(AECEnv):
    """Agents in turn; a subclass says what `act(agent, action)` does, and what an agent sees."""

    metadata = {"name": "turns_v0", "render_modes": [], "is_parallelizable": False}
    agents_at_start = 2
    num_actions = 2

    def __init__(self):
        super().__init__()
        self.possible_agents = [f"player_{number}" for number in range(self.agents_at_start)]
        self.action_spaces = {agent: spaces.Discrete(self.num_actions) for agent in self.possible_agents}
        box = spaces.Box(-1000, 1000, (2,), np.float32)
        self.observation_spaces = dict.fromkeys(self.possible_agents, box)
        self.render_mode = None

    def action_space(self, agent):
        return self.action_spaces[agent]

    def observation_space(self, agent):
        return self.observation_spaces[agent]

    def reset(self, seed=None, options=None):
        if seed is not None or not hasattr(self, "random"):
            self.random = np.random.default_rng(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._skip_agent_selection = None
        self.steps = 0
        self.total = 0
        self.begin()

    def begin(self):
        pass

    def observe(self, agent):
        return np.array([self.total, self.possible_agents.index(self.agent_selection)], np.float32)

    def step(self, action):
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self.steps += 1
        self.act(agent, int(action))
        alive = [one for one in self.agents if not (self.terminations[one] or self.truncations[one])]
        order = self.agents[self.agents.index(agent) + 1 :] + self.agents
        self.agent_selection = next((one for one in order if one in alive), self.agents[0])
        self._accumulate_rewards()
        self._deads_step_first()

    def end(self):
        self.terminations = dict.fromkeys(self.agents, True)


class Race(Turns):
    """Two agents add 1 or 2, as actions 5 and 6. Reaching 10 wins; each step costs the other agent 0.25."""

    metadata = {**Turns.metadata, "name": "race_v0"}

    def __init__(self):
        super().__init__()
        self.action_spaces = {agent: spaces.Discrete(2, start=5) for agent in self.possible_agents}

    def act(self, agent, action):
        self.total += action - 4
        (other,) = (one for one in self.agents if one != agent)
        self.rewards[other] = -0.25
        if self.total >= 10:
            self.rewards[agent] = 1.0
            self.end()


class Duel(Turns):
    """Three agents: action 0 gives the actor 1. Action 1, legal from its second turn on, removes the next
    agent, which then loses 5. The last agent left gets 10. The game is over after 12 steps."""

    metadata = {**Turns.metadata, "name": "duel_v0"}
    agents_at_start = 3

    def begin(self):
        self.turns = dict.fromkeys(self.possible_agents, 0)
        self._mask()

    def act(self, agent, action):
        self.turns[agent] += 1
        left = [one for one in self.agents if not self.terminations[one]]
        if action == 0:
            self.rewards[agent] = 1.0
        else:
            victim = left[(left.index(agent) + 1) % len(left)]
            self.terminations[victim] = True
            self.rewards[victim] = -5.0
            left.remove(victim)
        if len(left) == 1:
            self.rewards[agent] += 10.0
            self.terminations[agent] = True
        if self.steps >= 12:
            self.truncations = dict.fromkeys(self.agents, True)
        self._mask()

    def observe(self, agent):
        turns = [self.turns[one] for one in self.possible_agents]
        return np.array([turns[0] * 100 + turns[1] * 10 + turns[2], len(self.agents)], np.float32)

    def _mask(self):
        for agent in self.agents:
            self.infos[agent] = {"action_mask": np.array([1, self.turns[agent] > 0], np.int8)}


class Coins(Turns):
    """Two agents: action 0 pays 0.4, action 1 a coin's toss; four turns each."""

    metadata = {**Turns.metadata, "name": "coins_v0"}

    def act(self, agent, action):
        self.rewards[agent] = 0.4 if action == 0 else float(self.random.integers(2))
        self.total += 1
        if self.steps == 8:
            self.end()


class Forgetful(Race):
    """A copy begins again."""

    metadata = {**Turns.metadata, "name": "forgetful_v0"}

    def __getstate__(self):
        return {**vars(self), "total": 0}


class Sharing(Race):
    """Copies count in the same list."""

    metadata = {**Turns.metadata, "name": "sharing_v0"}
    count = [0]

    def act(self, agent, action):
        self.count[0] += 1
        super().act(agent, action)

    def observe(self, agent):
        return np.array([self.count[0], 0], np.float32)


class Stale(Race):
    """Does not clear its rewards."""

    metadata = {**Turns.metadata, "name": "stale_v0"}

    def _clear_rewards(self):
        pass

    def _accumulate_rewards(self):
        last = dict.fromkeys(self.agents, 0.0)
        for agent in self.agents:
            self._cumulative_rewards[agent] += last[agent]


class OpenFile(Race):
    metadata = {**Turns.metadata, "name": "open_file_v0"}

    def begin(self):
        self.log = open(__file__)  # noqa: SIM115


class Cards(Coins):
    """Each agent has a card that only it sees."""

    metadata = {**Turns.metadata, "name": "cards_v0"}

    def begin(self):
        self.cards = {agent: int(self.random.integers(3)) for agent in self.possible_agents}

    def observe(self, agent):
        return np.array([self.cards[agent], self.total], np.float32)


class Vectors(Race):
    """Its actions are vectors."""

    metadata = {**Turns.metadata, "name": "vectors_v0"}

    def __init__(self):
        super().__init__()
        box = spaces.Box(-1, 1, (2,), np.float32)
        self.action_spaces = dict.fromkeys(self.possible_agents, box)
