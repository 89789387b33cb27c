"""Monte Carlo Tree Search in plain Python: to be read, and to check the compiled search against.

Given the same state, c and seed, the compiled search must build this very tree, node for node and to the
last bit of every value, with `MCTS(repeat=1, playout="uniform", proofs=False)`. So this text is also the
definition of what the fast code does.

The idea. To find a good move, play the game out at random many times over and keep count. Hold the counts
in a tree that grows by what the counts themselves find worth a look. One *simulation* has four phases:

    select    go down the tree from the root, at each node to the child that promises most
    expand    where the tree ends, give the leaf its children
    playout   from there on, play random moves to the end of the game
    backup    add the outcome to every node on the way

Nothing is known of the game but its rules, and nothing but counts is kept: a simulation finds the state
of a node by playing the moves that lead there.

Sources: Kocsis, Szepesvari, "Bandit based Monte-Carlo planning", 2006; Coulom, "Efficient selectivity and
backup operators in Monte-Carlo tree search", 2006; Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of
the multiarmed bandit problem", 2002; Steele, Lea, Flood, "Fast splittable pseudorandom number
generators", 2014.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from branchwise.core.children import grows_by_one
from branchwise.ranges import one_of, whole_number
from branchwise.rules.facts import GameFacts, apply_legal, check_searchable, copied, game_facts
from branchwise.testing.states import State

ORDER_STREAM = 0
PLAYOUT_STREAM = 1

_BITS_64 = 2**64 - 1


@dataclass(slots=True)
class Node:
    """What is kept of one position: statistics alone, no state.

    `value` is a sum of returns, from the point of view of the player who chose the action leading here.
    That is the player who has to compare this node with its siblings; whose turn comes next, after an
    extra turn, a pass or among three players, makes no difference to it.
    """

    action: int = -1
    """The action that leads here from the parent; -1 at the root."""
    visits: int = 0
    """Simulations that went through."""
    value: float = 0.0
    """Sum of their returns, for the player who moved into the node; 0 at the root."""
    player: int = -1
    """Who is to move here; known once the node has children, -1 before."""
    children: list[Node] = field(default_factory=list, repr=False)
    """One for each legal action, in the random order in which they are first tried; empty at a leaf.

    In games of many actions those that were tried have one; the root has them all.
    """
    lacks_children: bool = False
    """Whether some legal action has no child yet."""

    @property
    def mean(self) -> float:
        """Mean return of the player who moved into the node; not a number without visits."""
        return self.value / self.visits if self.visits else math.nan

    def best_child(self) -> Node:
        """Return the child to play: the most visited, which the search came to trust; ties by mean."""
        visited = [node for node in self.children if node.visits]
        return max(visited, key=lambda node: (node.visits, node.mean))

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it, each before its children."""
        yield self
        for node in self.children:
            yield from node.walk()


@dataclass
class Scale:
    """How much to explore, and which returns count 0 and 1.

    By default these are the least and the greatest return that the game's bounds allow. With `seen` they are,
    for each player, the least and the greatest that the player got so far.
    """

    c: float
    facts: GameFacts
    seen: bool
    ranges: dict[int, tuple[float, float]] = field(default_factory=dict)

    def note(self, returns: Sequence[float]) -> None:
        """Widen each player's range to hold the outcome of a simulation."""
        for player, value in enumerate(returns):
            low, high = self.ranges.get(player, (value, value))
            self.ranges[player] = (min(low, value), max(high, value))

    def gains(self, player: int, value: float, visits: int) -> float:
        """Return a sum of returns of `player`, `value` of `visits` simulations, with each from 0 to 1."""
        low, high = self.facts.min_return, self.facts.max_return
        if self.seen:
            low, high = self.ranges[player]
        return (value - low * visits) / (high - low) if low < high else visits / 2


class ReferencePlanner:
    """UCT with uniform playouts, for any state with OpenSpiel's methods and any number of players.

    c : how much to explore rather than to exploit, at least 0, for returns scaled to [0, 1].
    scale : "bounds" or "seen", the returns that count 0 and 1; see `Scale`.
    seed : any integer; the same seed gives the same search.

    >>> from branchwise.games.nim import Nim
    >>> root = ReferencePlanner(seed=1).search(Nim(chips=6), simulations=500)
    >>> best = root.best_child()
    >>> best.action, best.mean > 0.5        # take two and leave four: lost for the opponent
    (1, True)
    """

    def __init__(self, *, c: float = 1.0, scale: str = "bounds", seed: int = 0) -> None:
        one_of("scale", scale, ("bounds", "seen"))
        self.c = c
        self.scale = scale
        self.seed = seed

    def search(self, state: State, simulations: int) -> Node:
        """Return the root of the tree that `simulations` simulations from `state` build.

        state : unchanged.   simulations : at least 1, else `SettingsError`. Raises `GameError` if the
        state cannot be searched: the game is over, or something is missing.
        """
        facts = game_facts(state)
        check_searchable(state, facts)
        whole_number("simulations", simulations, 1, 2**31 - 1)
        scale = Scale(self.c, facts, self.scale == "seen")
        random = Streams(self.seed)
        root = Node()
        for _ in range(simulations):
            simulate(root, copied(state), scale, random)
        return root


def simulate(root: Node, state: State, scale: Scale, random: Streams) -> None:
    """Run one simulation: `state`, the root's, is played on to the end; the tree below `root` is updated."""
    # Select. The path is remembered: these are the nodes that learn from the outcome.
    node = root
    path = [root]
    while node.children and not node.lacks_children:
        node = best_child_by_ucb1(node, scale)
        apply_legal(state, node.action)
        path.append(node)
    # Expand. A leaf gets children only when it is reached a second time, which keeps the tree to the
    # size of what was learnt. The root gets them at once.
    if (node.visits > 0 or node is root) and not state.is_terminal():
        by_one = node is not root and grows_by_one(scale.facts.num_actions)
        node = expand(node, state, random, by_one=by_one)
        apply_legal(state, node.action)
        path.append(node)
    play_out(state, random)
    scale.note(state.returns())
    back_up(path, state.returns())


def best_child_by_ucb1(node: Node, scale: Scale) -> Node:
    """Return the child with the highest upper confidence bound, the first of several.

        value / n + c sqrt(ln N / n),    N the visits of the node, n those of the child

    value counts from 0, the worst return, to 1, the best; `Scale` says which these are. The mean says how
    good the child looked; the root, how much too low that may be. With more visits the second shrinks, so the
    best child is soon visited most; with more visits to the siblings it grows, slowly, so no child is given
    up for ever. Without any visit the bound is infinite. Since each child's value is that of the player who
    chooses here, "highest" is right at every node, whoever it is that chooses.
    """
    for child in node.children:
        if child.visits == 0:
            return child
    log_visits = np.float32(math.log(node.visits))
    return max(node.children, key=lambda child: ucb1(node.player, child, log_visits, scale))


def ucb1(player: int, child: Node, log_visits: np.float32, scale: Scale) -> float:
    """Return the upper confidence bound of a visited child; player : who chooses it.   log_visits : ln N.

    Half the usual precision is plenty for comparing, and twice as fast where it is compiled.
    """
    share = np.float32(1.0) / np.float32(child.visits)
    gains = np.float32(scale.gains(player, child.value, child.visits))
    return float(gains * share + np.float32(scale.c) * np.sqrt(log_visits * share))


def expand(leaf: Node, state: State, random: Streams, *, by_one: bool) -> Node:
    """Give `leaf`, the node of `state`, one child for each legal action, in random order; returns the first.

    The shuffle is Fisher and Yates's: each place in turn gets one of the actions not yet placed.
    by_one : add only one child, for an action that has none: most children in a wide game are never visited.
    """
    tried = {node.action for node in leaf.children}
    actions = [action for action in state.legal_actions() if action not in tried]
    added = len(leaf.children)
    for index in range(1 if by_one else len(actions)):
        chosen = index + random.below(len(actions) - index, ORDER_STREAM)
        actions[index], actions[chosen] = actions[chosen], actions[index]
        leaf.children.append(Node(actions[index]))
    leaf.player = state.current_player()
    leaf.lacks_children = by_one and len(actions) > 1
    return leaf.children[added]


def play_out(state: State, random: Streams) -> None:
    """Play uniformly random moves, one number drawn for each, until the game is over."""
    while not state.is_terminal():
        legal = state.legal_actions()
        apply_legal(state, legal[random.below(len(legal), PLAYOUT_STREAM)])


def back_up(path: Sequence[Node], returns: Sequence[float]) -> None:
    """Count the simulation at every node of the path, and credit each to the player who moved into it."""
    path[0].visits += 1
    for parent, node in pairwise(path):
        node.visits += 1
        node.value += returns[parent.player]


class Streams:
    """The random numbers of a search: SplitMix64, one stream for shuffling, one for playouts.

    A stream is a counter that goes up by an odd number; mixing its bits makes the number drawn.

    >>> Streams(0).below(6, PLAYOUT_STREAM) in range(6)
    True
    """

    def __init__(self, seed: int) -> None:
        sequence = np.random.SeedSequence(abs(seed) * 2 + (seed < 0))
        self.counters = [int(counter) for counter in sequence.generate_state(2, np.uint64)]

    def below(self, bound: int, stream: int) -> int:
        """Return a random number from 0 to bound - 1; bound : from 1, below 2**31."""
        z = self.counters[stream] = (self.counters[stream] + 0x9E3779B97F4A7C15) & _BITS_64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _BITS_64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _BITS_64
        z = z ^ (z >> 31)
        return (z >> 32) * bound >> 32
