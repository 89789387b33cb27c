"""Search from a belief in plain Python: for reading, and for checking the compiled search.

With the same c, scale, limits of observations and seed, `MCTS(playout="uniform")` must build the same tree
from equally likely particles, node for node. Here a node is found by the observation itself, there by a hash
of it; here a node's particles are a list, there a stack of links.

The idea: the planner does not know the state, so each simulation begins in one of the belief's states. All
simulations share one tree, whose nodes are what the planner did and observed. So a plan depends only on what
the planner will have observed by then.

Sources: Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010; Sunberg, Kochenderfer, "Online
algorithms for POMDPs with continuous state, action, and observation spaces", 2018.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, apply_legal, facts_of, reward_of
from branchwise.testing.reference import ORDER_STREAM, PLAYOUT_STREAM, Planner, Streams, best_by_ucb1

SELECT_STREAM = 2
STATE_STREAM = 3


@dataclass(slots=True)
class ActionEdge:
    """The statistics of one action at a node; `value` is a sum of returns."""

    action: int
    visits: int = 0
    value: float = 0.0
    nodes: list[BeliefNode] = field(default_factory=list, repr=False)
    """The observations after it, in the order in which they first came."""


@dataclass(slots=True)
class BeliefNode:
    """What the planner observed after an action; or the root."""

    observation: Any = None
    visits: int = 0
    frequency: int = 0
    """How often this very observation came."""
    edges: list[ActionEdge] = field(default_factory=list, repr=False)
    """The actions, in the random order in which they are first tried; none before the second visit."""
    particles: list[tuple[Game, float, float]] = field(default_factory=list, repr=False)
    """States here, each with its weight and the reward before it; only with limited observations."""


class BeliefReferencePlanner(Planner):
    """POMCP with uniform playouts; with limited observations, POMCPOW. For problems that pay rewards.

    c, scale, seed : as in `ReferencePlanner`.   outcome_widening, outcome_widening_power : as in `MCTS`.

    >>> from branchwise.problems.tiger import Tiger
    >>> root = BeliefReferencePlanner(seed=1).search([Tiger(tiger=0), Tiger(tiger=1)], simulations=300)
    >>> max(root.edges, key=lambda edge: edge.visits).action    # listen first
    0
    """

    def __init__(
        self,
        *,
        c: float = 1.0,
        scale: str = "seen",
        seed: int = 0,
        outcome_widening: float | None = None,
        outcome_widening_power: float = 0.5,
    ) -> None:
        super().__init__(c=c, scale=scale, seed=seed)
        self.widening = outcome_widening
        self.power = outcome_widening_power

    def search(self, particles: Sequence[Game], simulations: int) -> BeliefNode:
        """Run simulations from equally likely states and return the root of their tree."""
        whole_number("simulations", simulations, 1, 2**31 - 1)
        facts = facts_of(particles[0])
        if not facts.pays:
            raise GameError(f"{facts.name} pays no rewards on the way, which this reference adds up")
        run = _Run(self, facts, particles)
        for _ in range(simulations):
            run.simulate()
        return run.root


class _Run:
    """One search."""

    def __init__(self, planner: BeliefReferencePlanner, facts: GameFacts, particles: Sequence[Game]) -> None:
        self.root = BeliefNode()
        self._planner = planner
        self._facts = facts
        self._particles = particles
        self._random = Streams(planner.seed, 4)
        self._draws = self._random.draws_of(PLAYOUT_STREAM)
        self._scale = planner.scale_of(facts)

    def simulate(self) -> None:
        """Begin in a particle, go down the tree, play out, and add the outcome to the path."""
        state = self._particles[self._random.below(len(self._particles), STATE_STREAM)].copy()
        node, is_new, later = self.root, False, 0.0
        path: list[tuple[ActionEdge, float, BeliefNode | None]] = []
        while not is_new and not self._is_at_horizon(len(path)):
            edge = self._choose(node, state)
            reward = self._played(state, edge.action)
            if state.is_terminal():
                path.append((edge, reward, None))
                break
            observation = state.observe(edge.action, self._draws)  # type: ignore[attr-defined]
            node, is_new = self._enter(edge, observation)
            if self._planner.widening is not None:
                state, reward = self._weighted(node, edge.action, state, reward, is_new)
            path.append((edge, reward, node))
        if not state.is_terminal() and not self._is_at_horizon(len(path)):
            later = self._play_out(state, len(path))
        for edge, reward, reached in reversed(path):
            if reached is not None:
                later *= self._facts.discount
                self._scale.note({0: later})
                reached.visits += 1
            later += reward
            self._scale.note({0: later})
            edge.visits += 1
            edge.value += later
        self.root.visits += 1

    def _is_at_horizon(self, decisions: int) -> bool:
        return 0 < self._facts.horizon <= decisions

    def _choose(self, node: BeliefNode, state: Game) -> ActionEdge:
        """Return the edge to follow: one that was never followed, or the one with the highest score."""
        if not node.edges:
            in_order = self._random.in_random_order(state.legal_actions(), ORDER_STREAM)
            node.edges = [ActionEdge(int(action)) for action in in_order]
        return best_by_ucb1(0, node.edges, node.visits, self._scale)

    def _played(self, state: Game, action: int) -> float:
        """Apply an action, let chance move after it, and return the reward."""
        reward = reward_of(state, apply_legal(state, action, self._draws), self._facts)[0]
        while not state.is_terminal() and state.current_player() == CHANCE:
            drawn = self._random.outcome_of(state, PLAYOUT_STREAM)
            reward += reward_of(state, apply_legal(state, drawn), self._facts)[0]
        return reward

    def _enter(self, edge: ActionEdge, observation: Any) -> tuple[BeliefNode, bool]:
        """Return the node for an observation after an action, and whether it is new.

        Once there are as many as may be, it is one of them, drawn by how often it came.
        """
        node = next((node for node in edge.nodes if node.observation == observation), None)
        is_new = node is None
        if node is None:
            if edge.nodes and len(edge.nodes) >= self._most_observations(edge.visits):
                left = self._random.below(sum(node.frequency for node in edge.nodes), STATE_STREAM)
                for node in edge.nodes:
                    left -= node.frequency
                    if left < 0:
                        break
                assert node is not None
                return node, False
            node = BeliefNode(observation)
            edge.nodes.append(node)
        node.frequency += 1
        return node, is_new

    def _most_observations(self, visits: int) -> float:
        if self._planner.widening is None:
            return math.inf
        return math.ceil(
            np.float32(self._planner.widening) * np.float32(visits) ** np.float32(self._planner.power)
        )

    def _weighted(
        self, node: BeliefNode, action: int, state: Game, reward: float, is_new: bool
    ) -> tuple[Game, float]:
        """Add a state to a node's particles; return the one to go on from, and its reward."""
        density = float(state.observation_density(action, node.observation))  # type: ignore[attr-defined]
        node.particles.append((state.copy(), density, reward))
        if is_new:
            return state, reward
        weights = list(accumulate(weight for _, weight, _ in node.particles))
        aim = self._random.below(2**32, STATE_STREAM) * 2.0**-32 * weights[-1]
        place = next((place for place, weight in enumerate(weights) if weight > aim), len(weights) - 1)
        drawn, _, paid = node.particles[place]
        return drawn.copy(), paid

    def _play_out(self, state: Game, decisions: int) -> float:
        """Play random actions to the end or the horizon, and return the sum of their rewards.

        Rules that draw at random have a stream to themselves.
        """
        rules_draw = self._facts.simulates and not self._facts.num_outcomes
        stream = SELECT_STREAM if rules_draw else PLAYOUT_STREAM
        total, weight = 0.0, 1.0
        while not state.is_terminal() and not self._is_at_horizon(decisions):
            legal = state.legal_actions()
            action = legal[self._random.below(len(legal), stream)]
            total += weight * self._played(state, action)
            weight *= self._facts.discount
            decisions += 1
        return total
