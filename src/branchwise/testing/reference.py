"""Monte Carlo Tree Search in plain Python: for reading, and for checking the compiled search.

With the same state, c and seed, `MCTS(repeat=1, playout="uniform", proofs=False)` must build the same tree:
node for node, and to the last bit of every value. So this text also defines what the compiled code does.

The idea: to find a good move, play the game out at random many times and keep statistics. They are kept in a
tree, which grows where the statistics are most promising. One *simulation* has four phases:

    select    go down the tree from the root, at each node to the child with the highest score
    expand    where the tree ends, add the children of the leaf
    playout   from there, play random moves to the end of the game
    backup    add the outcome to every node on the path

The search knows nothing of the game except its rules, and stores nothing except statistics. A simulation
finds the state of a node by playing the moves that lead to it.

Sources: Kocsis, Szepesvari, "Bandit based Monte-Carlo planning", 2006; Coulom, "Efficient selectivity and
backup operators in Monte-Carlo tree search", 2006; Auer, Cesa-Bianchi, Fischer, "Finite-time analysis of
the multiarmed bandit problem", 2002; Steele, Lea, Flood, "Fast splittable pseudorandom number
generators", 2014.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, TypeVar

import numpy as np

from branchwise.common.argument_checks import one_of, whole_number
from branchwise.core.tree.children import grows_by_one
from branchwise.game.kinds.continuous_actions import samples_numbers
from branchwise.game.kinds.random_numbers import Draws
from branchwise.rules.facts.dice import possible_outcomes
from branchwise.rules.facts.facts import (
    GameFacts,
    apply_legal,
    check_searchable,
    copied,
    game_facts,
    reward_of,
)
from branchwise.testing.state_interface import State

ORDER_STREAM = 0
PLAYOUT_STREAM = 1

_BITS_64 = 2**64 - 1


@dataclass(slots=True)
class Node:
    """The statistics of one position; its state is not stored.

    `value` is a sum of returns of the player who chose the action that leads here, because that player
    compares this node with its siblings. It does not matter whose turn comes next, be it after an extra turn,
    a pass, or among three players.
    """

    action: int = -1
    """The action that leads here from the parent; -1 at the root."""
    visits: int = 0
    """Number of simulations through the node."""
    value: float = 0.0
    """Sum of their returns, for the player who moved into the node; 0 at the root."""
    player: int = -1
    """The player to move here; -1 until the node has children."""
    children: list[Node] = field(default_factory=list, repr=False)
    """One per legal action, in the random order in which they are first tried; empty at a leaf.

    In games with many actions only the actions that were tried have a child, except at the root.
    """
    lacks_children: bool = False
    """Whether a legal action still has no child."""

    @property
    def mean(self) -> float:
        """Mean return of the player who moved into the node; NaN without visits."""
        return self.value / self.visits if self.visits else math.nan

    def best_child(self) -> Node:
        """Return the child to play: the most visited one; ties go to the higher mean."""
        visited = [node for node in self.children if node.visits]
        return max(visited, key=lambda node: (node.visits, node.mean))

    def walk(self) -> Iterator[Node]:
        """Yield the node and all its descendants, each before its children."""
        yield self
        for node in self.children:
            yield from node.walk()


@dataclass
class Scale:
    """The exploration constant, and the returns that are scaled to 0 and 1.

    By default these are the least and the greatest return within the game's bounds. With `seen` they are, for
    each player, the least and the greatest return of that player so far.
    """

    c: float
    facts: GameFacts
    seen: bool
    ranges: dict[int, tuple[float, float]] = field(default_factory=dict)

    def note(self, returns: Mapping[int, float]) -> None:
        """Widen players' ranges to include these returns."""
        for player, value in returns.items():
            low, high = self.ranges.get(player, (value, value))
            self.ranges[player] = (min(low, value), max(high, value))

    def gains(self, player: int, value: float, visits: int) -> float:
        """Return `value`, a sum of `visits` returns of `player`, with each return scaled to [0, 1]."""
        low, high = self.facts.no_gain, self.facts.no_gain + self.facts.span
        if self.seen:
            low, high = self.ranges[player]
        return (value - low * visits) / (high - low) if low < high else visits / 2


class Planner:
    """The settings of a reference search: see `ReferencePlanner`."""

    def __init__(self, *, c: float = 1.0, scale: str = "bounds", seed: int = 0) -> None:
        one_of("scale", scale, ("bounds", "seen"))
        self.c = c
        self.seed = seed
        self._takes_seen = scale == "seen"

    def scale_of(self, facts: GameFacts) -> Scale:
        """Return the scale of a new search."""
        return Scale(self.c, facts, self._takes_seen)


class ReferencePlanner(Planner):
    """UCT with uniform playouts, for any state with OpenSpiel's methods and any number of players.

    Games of chance are not supported; rewards on the way, a discount and a horizon are.

    c : exploration constant, at least 0, for returns scaled to [0, 1].
    scale : "bounds" or "seen": the returns that are scaled to 0 and 1; see `Scale`.
    seed : any integer; the same seed gives the same search.

    >>> from branchwise.games.nim import Nim
    >>> root = ReferencePlanner(seed=1).search(Nim(chips=6), simulations=500)
    >>> best = root.best_child()
    >>> best.action, best.mean > 0.5        # take two and leave four: lost for the opponent
    (1, True)
    """

    def search(self, state: State, simulations: int) -> Node:
        """Run simulations from `state` and return the root of their tree.

        state : not modified.   simulations : at least 1, else `SettingsError`. Raises `GameError` if the
        state cannot be searched: the game is over, or a method is missing.
        """
        facts = game_facts(state)
        check_searchable(state, facts)
        whole_number("simulations", simulations, 1, 2**31 - 1)
        scale, random = self.scale_of(facts), Streams(self.seed)
        root = Node()
        for _ in range(simulations):
            simulate(root, copied(state), scale, random)
        return root


def simulate(root: Node, state: State, scale: Scale, random: Streams) -> None:
    """Run one simulation from `root`; `state`, that of the root, is played to the end in place."""
    # Select. The path lists the nodes to update, and `paid` the rewards for moving there.
    facts = scale.facts
    node = root
    path = [root]
    paid: list[Sequence[float]] = []
    while node.children and not node.lacks_children:
        node = best_by_ucb1(node.player, node.children, node.visits, scale)
        paid.append(rewards_of(state, node.action, facts))
        path.append(node)
    # Expand. A leaf gets children only when it is reached for the second time, which keeps the tree small.
    # The root gets them at once.
    if (node.visits > 0 or node is root) and not is_over(state, len(paid), facts):
        by_one = node is not root and grows_by_one(scale.facts.num_actions)
        node = expand(node, state, random, by_one=by_one)
        paid.append(rewards_of(state, node.action, facts))
        path.append(node)
    returns = play_out(state, random, len(paid), facts)
    if not facts.pays:
        scale.note(dict(enumerate(returns)))
    back_up(path, paid, returns, scale)


def rewards_of(state: State, action: int, facts: GameFacts) -> Sequence[float]:
    """Apply `action` to `state`, and return the rewards, one per player; all are 0 if the game pays none."""
    given = apply_legal(state, action)
    return reward_of(state, given, facts) if facts.pays else [0.0] * facts.num_players


def is_over(state: State, decisions: int, facts: GameFacts) -> bool:
    """Whether the game is over or the horizon is reached."""
    return state.is_terminal() or (facts.horizon > 0 and decisions >= facts.horizon)


class Visited(Protocol):
    """A child, or an edge to one: its visits, and the sum of their returns."""

    visits: int
    value: float


VisitedT = TypeVar("VisitedT", bound=Visited)


def best_by_ucb1(player: int, children: Sequence[VisitedT], visits: int, scale: Scale) -> VisitedT:
    """Return the child with the highest upper confidence bound; ties go to the first.

        value / n + c sqrt(ln N / n),    N the `visits` of the node, n those of the child

    The value is scaled so that 0 is the worst return and 1 the best; see `Scale`. The mean is the estimate of
    how good the child is; the square root measures its uncertainty. That falls with visits to the child, so
    good children are soon visited most. It grows slowly with visits to the siblings, so no child is given up
    for ever. A child without visits comes first. Each child's value is that of the player who chooses here,
    so the highest is right at every node, whichever player chooses.
    """
    for child in children:
        if child.visits == 0:
            return child
    log_visits = np.float32(math.log(max(visits, 1)))
    return max(children, key=lambda child: ucb1(player, child, log_visits, scale))


def ucb1(player: int, child: Visited, log_visits: np.float32, scale: Scale) -> float:
    """Return the upper confidence bound of a visited child for `player`, who chooses; log_visits : ln N.

    Single precision is enough for comparing, and twice as fast in compiled code.
    """
    share = np.float32(1.0) / np.float32(child.visits)
    gains = np.float32(scale.gains(player, child.value, child.visits))
    return float(gains * share + np.float32(scale.c) * np.sqrt(log_visits * share))


def expand(leaf: Node, state: State, random: Streams, *, by_one: bool) -> Node:
    """Add children of `leaf` in random order, and return the first of them; state : that of the leaf.

    All legal actions get a child, in the order of a Fisher-Yates shuffle.
    by_one : add only one child, for an action without one. In wide games most children are never visited.
    """
    tried = {node.action for node in leaf.children}
    actions = [action for action in state.legal_actions() if action not in tried]
    added = len(leaf.children)
    in_order = random.in_random_order(actions, ORDER_STREAM)
    leaf.children += [Node(action) for action in islice(in_order, 1 if by_one else None)]
    leaf.player = state.current_player()
    leaf.lacks_children = by_one and len(actions) > 1
    return leaf.children[added]


def play_out(state: State, random: Streams, decisions: int, facts: GameFacts) -> list[float]:
    """Play uniformly random moves until the game is over; each takes one random number.

    Returns each player's return; with rewards on the way it is their sum, discounted from the first move on.
    """
    total = [0.0] * facts.num_players
    weight = 1.0
    while not is_over(state, decisions, facts):
        if samples_numbers(state):
            action = int(
                state.sample_action(  # type: ignore[attr-defined]
                    random.draws_of(PLAYOUT_STREAM)
                )
            )
        else:
            legal = state.legal_actions()
            action = legal[random.below(len(legal), PLAYOUT_STREAM)]
        rewards = rewards_of(state, action, facts)
        total = [sum_so_far + weight * reward for sum_so_far, reward in zip(total, rewards, strict=True)]
        weight *= facts.discount
        decisions += 1
    return total if facts.pays else list(state.returns())


def back_up(
    path: Sequence[Node], paid: Sequence[Sequence[float]], returns: list[float], scale: Scale
) -> None:
    """Add the simulation to every node of the path, with the return of the player who moved into the node.

    That return begins with the reward for the move; later rewards are discounted.
    """
    for parent, node, rewards in reversed([*zip(path, path[1:], paid, strict=False)]):
        discount = scale.facts.discount
        returns = [reward + discount * rest for reward, rest in zip(rewards, returns, strict=True)]
        if scale.facts.pays:
            scale.note({parent.player: returns[parent.player]})
        node.visits += 1
        node.value += returns[parent.player]
    path[0].visits += 1


class Streams:
    """The random numbers of a search: SplitMix64, with one stream for shuffling and one for playouts.

    count : of streams; a search has further ones, for other purposes.

    A stream is a counter that grows by an odd number; the random number is a mix of its bits.

    >>> Streams(0).below(6, PLAYOUT_STREAM) in range(6)
    True
    """

    def __init__(self, seed: int, count: int = 2) -> None:
        sequence = np.random.SeedSequence(abs(seed) * 2 + (seed < 0))
        self.counters = [int(counter) for counter in sequence.generate_state(count, np.uint64)]

    def draws_of(self, stream: int) -> Draws:
        """Return the source from which rules draw, whose numbers are those of a stream."""
        return _DrawsOf(self, stream)

    def below(self, bound: int, stream: int) -> int:
        """Return a random number from 0 to bound - 1; bound : from 1, below 2**31."""
        z = self.counters[stream] = (self.counters[stream] + 0x9E3779B97F4A7C15) & _BITS_64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & _BITS_64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _BITS_64
        z = z ^ (z >> 31)
        return (z >> 32) * bound >> 32

    def in_random_order(self, actions: Sequence[Any], stream: int) -> Iterator[Any]:
        """Yield actions in random order, by a Fisher-Yates shuffle that goes as far as its caller does."""
        left = list(actions)
        for place in range(len(left)):
            chosen = place + self.below(len(left) - place, stream)
            left[place], left[chosen] = left[chosen], left[place]
            yield left[place]

    def outcome_of(self, state: Any, stream: int) -> int:
        """Return an outcome of chance, drawn by its probabilities."""
        share = self.below(2**32, stream) * 2.0**-32
        drawn, total = -1, 0.0
        for outcome, chance in possible_outcomes(state):
            drawn = outcome
            total += chance
            if total > share:
                break
        return drawn


class _DrawsOf(Draws):
    """The source of random numbers of one stream."""

    def __init__(self, streams: Streams, stream: int) -> None:
        self._streams, self._stream = streams, stream

    @property
    def counter(self) -> int:
        return self._streams.counters[self._stream]

    @counter.setter
    def counter(self, value: int) -> None:
        self._streams.counters[self._stream] = value
