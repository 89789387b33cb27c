"""Information-set search in plain Python: for reading, and for checking the compiled search.

With the same c, scale and seed, `MCTS(playout="uniform")` must build the same tree from an information state,
node for node. Here a node is found by the history that the observer has seen, there by a hash of it.

The idea: the player does not know the state, so each simulation guesses one that fits what the player knows
and plays it. All simulations share one tree, whose nodes are what the player would know by then. So the
player chooses the same in states that look the same.

Source: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", 2012.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from branchwise.common.argument_checks import whole_number
from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.core.descents.sampled_roots import FEW_ATTEMPTS, FIRST_ATTEMPTS, KEPT_DEALS
from branchwise.game.kinds.game_kinds import written_rule
from branchwise.game.kinds.hidden_information import has_rule
from branchwise.game.kinds.random_numbers import Draws
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import facts_of
from branchwise.rules.knowledge.dealing import Replay, way_of, with_cards
from branchwise.rules.knowledge.information import Event, InformationState, Watcher
from branchwise.testing.reference import ORDER_STREAM, PLAYOUT_STREAM, Planner, Scale, Streams, ucb1

DEAL_STREAM = 3


@dataclass(slots=True)
class Edge:
    """The statistics of one move at a node; `value` is a sum of returns of the player who moves."""

    action: int
    visits: int = 0
    value: float = 0.0
    available: int = 1
    """How often the move was legal in a simulation through the node, since it was first tried."""
    nodes: list[InformationNode] = field(default_factory=list, repr=False)
    """What the observer may know after it: the nodes that were first reached by this move."""


@dataclass(slots=True)
class InformationNode:
    """What the observer knows at a moment of the game."""

    visits: int = 0
    edges: list[Edge] = field(default_factory=list, repr=False)
    """The moves of whoever is to move, in the order in which they were first tried; at the root all."""


History = tuple[tuple[Event, ...], int]
"""The events since the root, and the player to move."""


class InformationReferencePlanner(Planner):
    """SO-ISMCTS with uniform playouts, for games with hidden information that pay at the end.

    c, scale, seed : as in `ReferencePlanner`.

    >>> import branchwise as bw
    >>> from branchwise.games.kuhn_poker import KuhnPoker
    >>> known = bw.Playthrough(KuhnPoker(), "J K bet").information_state(1)
    >>> root = InformationReferencePlanner(seed=1).search(known, simulations=200)
    >>> max(root.edges, key=lambda edge: edge.visits).action    # a king calls
    1
    """

    def search(self, known: InformationState, simulations: int) -> InformationNode:
        """Run simulations and return the root of their tree. Raises `GameError` for rewards on the way."""
        facts = facts_of(known.view)
        if facts.pays:
            raise GameError(f"{known.name} pays rewards on the way, which this reference does not add up")
        whole_number("simulations", simulations, 1, 2**31 - 1)
        run = _Run(known, self.scale_of(facts), self.seed)
        for _ in range(simulations):
            run.simulate()
        return run.root


class _Run:
    """One search."""

    def __init__(self, known: InformationState, scale: Scale, seed: int) -> None:
        self.root = InformationNode()
        self._nodes: dict[History, InformationNode] = {}
        self._observer = known.player
        self._watcher = Watcher(known.game, known.player)
        self._scale = scale
        self._random = Streams(seed, 4)
        self._deals = Deals(known, self._random)

    def simulate(self) -> None:
        """Deal a state, go down the tree as far as it leads, play out, and add the outcome to the path."""
        state = self._deals.deal()
        node, history, path = self.root, tuple[Event, ...](), list[tuple[int, Edge, InformationNode | None]]()
        while not state.is_terminal():
            player = int(state.current_player())
            edge = self._choose(node, state, player)
            history = self._played(state, edge.action, history)
            while not state.is_terminal() and state.current_player() == CHANCE:
                outcome = self._random.outcome_of(state, PLAYOUT_STREAM)
                history = self._played(state, outcome, history)
            if state.is_terminal():
                path.append((player, edge, None))
                break
            key = (history, int(state.current_player()))
            is_new = key not in self._nodes
            if is_new:
                self._nodes[key] = InformationNode()
                edge.nodes.append(self._nodes[key])
            node = self._nodes[key]
            path.append((player, edge, node))
            if is_new:
                break
        returns = play_out(state, self._random)
        self._scale.note(dict(enumerate(returns)))
        for player, edge, reached in path:
            edge.visits += 1
            edge.value += returns[player]
            if reached is not None:
                reached.visits += 1
        self.root.visits += 1

    def _played(self, state: Game, action: int, history: tuple[Event, ...]) -> tuple[Event, ...]:
        """Apply an action, or an outcome of chance, and return the history of what the observer saw."""
        mover = int(state.current_player())
        before = state.observation(self._observer)
        seen = self._watcher.seen(state, action, mover)
        state.apply_action(action)
        event = self._watcher.event(before, state, action, mover, seen)
        return (*history, event) if event.is_visible else history

    def _choose(self, node: InformationNode, state: Game, player: int) -> Edge:
        """Return the edge to follow: a legal move that was not tried yet, or the one with the highest score.

        The observer's legal actions are the same in all states that look the same, so that all are available
        whenever the node is visited.
        """
        legal = [int(action) for action in state.legal_actions()]
        tried = {edge.action for edge in node.edges}
        untried = [action for action in legal if action not in tried]
        edges = [edge for edge in node.edges if edge.action in legal]
        is_own = player == self._observer
        if not (is_own and not untried):
            for edge in edges:
                edge.available += 1
        if untried:
            added = len(node.edges)
            in_order = self._random.in_random_order(untried, ORDER_STREAM)
            node.edges += [Edge(action) for action in islice(in_order, None if node is self.root else 1)]
            return node.edges[added]
        for edge in edges:
            if edge.visits == 0:
                return edge

        def score(edge: Edge) -> float:
            """Return UCB1, where N is how often the move could have been chosen."""
            times = node.visits if is_own else edge.available
            return ucb1(player, edge, np.float32(math.log(times)), self._scale)

        return max(edges, key=score)


class Deals:
    """States that look to a player as `known` does, each dealt by one or several attempts.

    Deals by attempts that can fail are kept. When a few attempts have failed, one of them is used again.
    """

    def __init__(self, known: InformationState, random: Streams) -> None:
        self._known = known
        self._random = random
        self._way = way_of(known.game)
        self._rejects = has_rule(known.game, "consistent")
        self._kept: list[Game] = []
        self._dealt = 0

    def deal(self) -> Game:
        """Return a state; raises `GameError` if none is found."""
        for _ in range(FEW_ATTEMPTS if self._kept else FIRST_ATTEMPTS):
            state = self._attempt()
            if state is not None and self._fits(state):
                self._keep(state)
                return state
        if not self._kept:
            raise GameError(f"no state of {self._known.name} fits what player {self._known.player} knows")
        self._dealt += 1
        return self._kept[self._random.below(len(self._kept), DEAL_STREAM)].copy()

    def _keep(self, state: Game) -> None:
        self._dealt += 1
        if len(self._kept) < KEPT_DEALS:
            self._kept.append(state.copy())
        else:
            self._kept[self._dealt % KEPT_DEALS] = state.copy()

    def _fits(self, state: Game) -> bool:
        rules: object = self._known.game
        return not self._rejects or bool(written_rule(rules.consistent)(state, self._known.player))  # type: ignore[attr-defined]

    def _attempt(self) -> Game | None:
        known, draws = self._known, self._random.draws_of(PLAYOUT_STREAM)
        if self._way == "pool":
            cards = list(known.unseen)
            draws.shuffle(cards)
            return with_cards(known, cards)
        if self._way == "determinize":
            state = known.view.copy()
            written_rule(known.game.determinize)(state, known.player, draws)  # type: ignore[attr-defined]
            return state
        return self._replayed(draws)

    def _replayed(self, draws: Draws) -> Game | None:
        """Play from the start along what the player saw; return None where that is impossible."""
        walk = Replay(self._known, self._known.game(), 0)
        while not walk.is_done:
            player = walk.player
            if player is None:
                return None
            if player == CHANCE:
                could = walk.play(self._random.outcome_of(walk.state, PLAYOUT_STREAM), draws)
            elif player == self._known.player:
                could = walk.own_action is not None and walk.play(walk.own_action, draws)
            else:
                could = self._play_hidden(walk, draws)
            if not could:
                return None
        return walk.state

    def _play_hidden(self, walk: Replay, draws: Draws) -> bool:
        """Play a random one of another player's moves that fit; returns whether there is one."""
        in_order = self._random.in_random_order(walk.state.legal_actions(), DEAL_STREAM)
        return any(walk.play(int(action), draws) for action in in_order)


def play_out(state: Game, random: Streams) -> list[float]:
    """Play random moves until the game is over, and return each player's return."""
    while not state.is_terminal():
        if state.current_player() == CHANCE:
            state.apply_action(random.outcome_of(state, PLAYOUT_STREAM))
        else:
            legal = state.legal_actions()
            state.apply_action(legal[random.below(len(legal), PLAYOUT_STREAM)])
    return [float(number) for number in state.returns()]
