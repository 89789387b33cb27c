"""Search of simultaneous moves in plain Python: for reading, and for checking the compiled search.

With the same method, c, scale and seed, `MCTS(joint=..., playout="uniform")` must build the same tree, node
for node. Here a node is found by the moves that led to it, there by a hash of them.

The idea: at a joint node each player has a bandit of their own. It sees its own actions and what they
brought, never what the others chose. Sources of the methods are in `core.descents.joint_moves`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from branchwise.common.argument_checks import one_of, whole_number
from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE, NO_ACTION, SIMULTANEOUS
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, facts_of
from branchwise.testing.reference import ORDER_STREAM, PLAYOUT_STREAM, Planner, Streams, best_by_ucb1

STRATEGY_STREAM = 3
METHODS = ("decoupled_uct", "exp3", "regret_matching")

Move = tuple[object, ...]
History = tuple[Move, ...]


@dataclass(slots=True)
class JointEdge:
    """The statistics of one player's action; `value` is a sum of that player's returns."""

    action: int
    visits: int = 0
    value: float = 0.0
    gained: float = 0.0
    """The same in gains, returns scaled from 0 to 1: regrets are sums of their differences."""
    regret: float = 0.0
    """With Exp3, the sum of estimated gains."""
    strategy: float = 0.0
    """The sum of the probabilities with which the strategy played the action."""


@dataclass(slots=True)
class JointNode:
    """A decision: of all players, or of one."""

    visits: int = 0
    edges: dict[int, list[JointEdge]] = field(default_factory=dict)
    """By player: the actions, in the order in which they are first tried."""


@dataclass(slots=True)
class Cell:
    """What a joint action led to: visits, and the sum of each player's returns."""

    visits: int = 0
    values: list[float] = field(default_factory=list)
    gained: list[float] = field(default_factory=list)


class JointReferencePlanner(Planner):
    """MCTS with uniform playouts for games in which players move at once, and which pay at the end.

    method : one of METHODS.   gamma : share of uniform play.   c, scale, seed : as in `ReferencePlanner`.

    >>> from branchwise.games.rock_paper_scissors import RockPaperScissors
    >>> planner = JointReferencePlanner("regret_matching", gamma=0.2, seed=3)
    >>> run = planner.search(RockPaperScissors.configured(biased=True)(), simulations=3000)
    >>> [round(share, 1) for share in run.mean_strategy(0).values()]
    [0.1, 0.6, 0.3]
    """

    def __init__(
        self,
        method: str = "decoupled_uct",
        *,
        gamma: float = 0.0,
        c: float = 1.0,
        scale: str = "bounds",
        seed: int = 0,
    ) -> None:
        one_of("method", method, METHODS)
        super().__init__(c=c, scale=scale, seed=seed)
        self.method, self.gamma = method, gamma

    def search(self, state: Game, simulations: int) -> JointRun:
        """Run simulations and return their tree. Raises `GameError` for rewards on the way."""
        facts = facts_of(state, joint=True)
        if facts.pays:
            raise GameError(f"{facts.name} pays rewards on the way, which this reference does not add up")
        whole_number("simulations", simulations, 1, 2**31 - 1)
        run = JointRun(self, state, facts)
        for _ in range(simulations):
            run.simulate()
        return run


class JointRun:
    """One search: its nodes and cells by the moves that led to them."""

    def __init__(self, planner: JointReferencePlanner, state: Game, facts: GameFacts) -> None:
        self.nodes: dict[History, JointNode] = {(): JointNode()}
        self.cells: dict[tuple[History, Move], Cell] = {}
        self._state = state
        self._facts = facts
        self._method = planner.method
        self._gamma = planner.gamma
        self._scale = planner.scale_of(facts)
        self._random = Streams(planner.seed, 4)

    def mean_strategy(self, player: int) -> dict[int, float]:
        """Return the mean strategy of a player at the root, by action."""
        edges = self.nodes[()].edges[player]
        total = sum(edge.strategy for edge in edges)
        return {edge.action: edge.strategy / total for edge in sorted(edges, key=lambda edge: edge.action)}

    # --- one simulation -----------------------------------------------------------------------------

    def simulate(self) -> None:
        """Go down the tree as far as it leads, play out, and let every bandit on the path learn."""
        state, history = self._state.copy(), tuple[Move, ...]()
        path: list[tuple[History, dict[int, JointEdge], Move | None]] = []
        is_new = False
        while not state.is_terminal() and not is_new:
            node = self.nodes[history]
            if state.current_player() == SIMULTANEOUS:
                chosen = self._choose_together(node, state)
                joint = tuple(
                    chosen[player].action if player in chosen else NO_ACTION
                    for player in range(self._facts.num_players)
                )
                is_new = (history, joint) not in self.cells
                if is_new:
                    self.cells[history, joint] = self._new_cell()
                path.append((history, chosen, joint))
                history = (*history, joint)
                state.apply_actions(joint)
            else:
                player = int(state.current_player())
                edges = self._edges(node, state, player)
                edge = best_by_ucb1(player, edges, node.visits, self._scale)
                is_new = edge.visits == 0
                path.append((history, {player: edge}, None))
                history = (*history, (edge.action,))
                state.apply_action(edge.action)
            while not state.is_terminal() and state.current_player() == CHANCE:
                outcome = self._random.outcome_of(state, PLAYOUT_STREAM)
                history = (*history, ("chance", outcome))
                state.apply_action(outcome)
                is_new = False
            if not state.is_terminal():
                is_new = is_new or history not in self.nodes
                self.nodes.setdefault(history, JointNode())
        self._learn(path, history, self._play_out(state))

    def _learn(
        self,
        path: list[tuple[History, dict[int, JointEdge], Move | None]],
        history: History,
        returns: list[float],
    ) -> None:
        """Add the outcome to the nodes, edges and cells of a path that ends after `history`."""
        self._scale.note(dict(enumerate(returns)))
        for before, _, _ in path:
            self.nodes[before].visits += 1
        if history in self.nodes and (not path or path[-1][0] != history):
            self.nodes[history].visits += 1
        for before, chosen, joint in reversed(path):
            if joint is not None:
                cell = self.cells[before, joint]
                cell.visits += 1
                for player, value in enumerate(returns):
                    cell.values[player] += value
                    cell.gained[player] += self._gain(value)
            for player, edge in chosen.items():
                edge.visits += 1
                edge.value += returns[player]
                edge.gained += self._gain(returns[player])
            if joint is not None and self._method == "exp3":
                for player, edge in chosen.items():
                    edges = self.nodes[before].edges[player]
                    probability = self._drawn_with(self._weighted(edges)[edges.index(edge)], len(edges))
                    edge.regret += self._scale.gains(player, returns[player], 1) / probability
            elif joint is not None and self._method == "regret_matching":
                self._learn_regrets(before, chosen, joint, returns)

    def _learn_regrets(
        self, before: History, chosen: dict[int, JointEdge], joint: Move, returns: list[float]
    ) -> None:
        """Add to the regrets of all actions at a joint node."""
        node = self.nodes[before]
        if self._facts.num_players > 2:
            for player, edge in chosen.items():
                won = self._gain(returns[player])
                for other in node.edges[player]:
                    if other is not edge:
                        instead = (*joint[:player], other.action, *joint[player + 1 :])
                        other.regret += self._mean_of(before, instead, player, won) - won
            return
        shares = {player: self._matched(edges) for player, edges in node.edges.items()}
        for player, edges in node.edges.items():
            visits = sum(edge.visits for edge in edges)
            usual = sum(edge.gained for edge in edges) / visits
            rivals = node.edges.get(1 - player, [JointEdge(NO_ACTION)])
            against = []
            for edge in edges:
                found = 0.0
                for rival, share in zip(rivals, shares.get(1 - player, [1.0]), strict=True):
                    if share > 0:
                        pair = (edge.action, rival.action) if player == 0 else (rival.action, edge.action)
                        found += share * self._mean_of(before, pair, player, usual)
                against.append(found)
            mean = 0.0
            for share, found in zip(shares[player], against, strict=True):
                mean += share * found
            for edge, found in zip(edges, against, strict=True):
                edge.regret += found - mean

    def _mean_of(self, before: History, joint: Move, player: int, otherwise: float) -> float:
        """Return the mean gain of a joint action, or `otherwise` if it was never played."""
        cell = self.cells.get((before, joint))
        if cell is None or not cell.visits:
            return otherwise
        return cell.gained[player] / cell.visits

    def _gain(self, value: float) -> float:
        return (value - self._facts.no_gain) * (1.0 / self._facts.span)

    def _new_cell(self) -> Cell:
        players = self._facts.num_players
        return Cell(values=[0.0] * players, gained=[0.0] * players)

    # --- choosing -----------------------------------------------------------------------------------

    def _edges(self, node: JointNode, state: Game, player: int) -> list[JointEdge]:
        """Return the edges of a player, in random order since the first time."""
        if player not in node.edges:
            legal = state.legal_actions(player)
            if not legal:
                return []
            in_order = self._random.in_random_order(legal, ORDER_STREAM)
            node.edges[player] = [JointEdge(action) for action in in_order]
        return node.edges[player]

    def _choose_together(self, node: JointNode, state: Game) -> dict[int, JointEdge]:
        """Return the edge that each player with a choice follows."""
        chosen = {}
        for player in range(self._facts.num_players):
            edges = self._edges(node, state, player)
            if not edges:
                continue
            if self._method == "decoupled_uct":
                chosen[player] = best_by_ucb1(player, edges, node.visits, self._scale)
            else:
                chosen[player] = self._drawn(edges)
        return chosen

    def _drawn(self, edges: list[JointEdge]) -> JointEdge:
        """Draw an edge by the strategy, gamma of the time uniformly."""
        shares = self._matched(edges) if self._method == "regret_matching" else self._weighted(edges)
        aim = self._random.below(2**32, STRATEGY_STREAM) * 2.0**-32
        passed, found = 0.0, None
        for edge, share in zip(edges, shares, strict=True):
            edge.strategy += share
            passed += self._drawn_with(share, len(edges))
            if found is None and passed > aim:
                found = edge
        return found or edges[-1]

    def _drawn_with(self, share: float, count: int) -> float:
        """Return the probability with which an action is drawn that the strategy plays with `share`."""
        gamma = float(np.float32(self._gamma))
        return (1.0 - gamma) * share + gamma * (1.0 / count)

    def _matched(self, edges: list[JointEdge]) -> list[float]:
        """Return the strategy of regret matching."""
        positive = [max(edge.regret, 0.0) for edge in edges]
        total = sum(positive)
        return [regret / total if total > 0 else 1.0 / len(edges) for regret in positive]

    def _weighted(self, edges: list[JointEdge]) -> list[float]:
        """Return the strategy of Exp3."""
        gamma = float(np.float32(self._gamma))
        most = max(edge.regret for edge in edges)
        weights = [math.exp((edge.regret - most) * gamma / len(edges)) for edge in edges]
        total = sum(weights)
        return [weight / total for weight in weights]

    # --- random games -------------------------------------------------------------------------------

    def _play_out(self, state: Game) -> list[float]:
        """Play random moves until the game is over, and return each player's return."""
        while not state.is_terminal():
            player = int(state.current_player())
            if player == CHANCE:
                state.apply_action(self._random.outcome_of(state, PLAYOUT_STREAM))
            elif player == SIMULTANEOUS:
                state.apply_actions([self._random_action(state, p) for p in range(self._facts.num_players)])
            else:
                state.apply_action(self._random_action(state, player))
        return [float(number) for number in state.returns()]

    def _random_action(self, state: Game, player: int) -> int:
        legal = state.legal_actions(player)
        return legal[self._random.below(len(legal), PLAYOUT_STREAM)] if legal else NO_ACTION
