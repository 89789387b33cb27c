"""Proving values: bounds under best play are passed up the tree from finished games.

A node's bounds are for the player who moved into it, like its value. The player to move at a node is sure of
the best lower bound among its children, and can get no more than the best upper bound; for the other of two
players in a game of constant sum the negated bounds apply. So bounds are exact for two players, with any set
of returns, for one player, and across a player's successive turns. With three players or more, one player's
best choice says nothing about the others' returns: bounds are not passed on there, and stay sound. The bounds
of a node of chance are the means of its outcomes' bounds.
Sources: Winands, Bjornsson, Saito, "Monte-Carlo tree search solver", 2008; Cazenave, Saffidine, "Score
bounded Monte-Carlo tree search", 2010.
"""

from __future__ import annotations

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.core.backup.rewards import with_reward
from branchwise.core.machine.atomic import lower_field, raise_field
from branchwise.core.machine.kernel import kernel
from branchwise.core.machine.kernel_status import DONE, NOT_CONSTANT_SUM
from branchwise.core.tree.children import lacks_children, next_child, set_flags
from branchwise.core.tree.node_fields import BARRED, HAS_BOUNDED_CHILD, ROOT

_TOLERANCE = 1e-6
_ROUNDING = 3e-7
"""Upper limit of the relative rounding error of float32."""


@kernel
def check_sum(search):
    """Return DONE, or NOT_CONSTANT_SUM if the sum of two players' returns differs from other games."""
    returns = search.returns
    if returns.size == 2:
        if abs(returns[0] + returns[1] - search.sum_of_two) * search.gain_per_return > _TOLERANCE:
            return NOT_CONSTANT_SUM
    return DONE


@kernel
def settle(search, node, value):
    """Mark `node` as the end of the game; value : the return of the player who moved into it."""
    tighten(search, node, np.float32(value), np.float32(value))


@kernel
def tighten(search, node, lower, upper):
    """Tighten the bounds of `node` to these, float32; returns whether either changed."""
    nodes = search.nodes
    if search.shared:
        raised = raise_field(nodes, node, "lower", lower)
        lowered = lower_field(nodes, node, "upper", upper)
        return raised or lowered
    changed = lower > nodes[node].lower or upper < nodes[node].upper
    nodes[node].lower = max(lower, nodes[node].lower)
    nodes[node].upper = min(upper, nodes[node].upper)
    return changed


@kernel
def prove_upwards(search, depth):
    """Tighten the bounds of search.levels[depth] from its children, and so on upwards while any changes."""
    for level in range(depth, -1, -1):
        if not prove(search, level):
            return


@kernel
def prove(search, level):
    """Tighten the bounds of search.levels[level] from its children; returns whether anything changed."""
    nodes = search.nodes
    index = np.int64(search.levels[level].node)
    node = nodes[index]
    lower = np.float32(search.min_return)
    upper = lower
    if lacks_children(search, index) or node.flags & BARRED != 0:
        upper = np.float32(search.max_return)
    child = np.int64(node.first) - 1
    for _ in range(np.int64(node.count)):
        child = next_child(search, child)
        place = search.place(search, child)
        if search.keeps_edge_rewards:
            least = search.behind_edge(search, child, np.float64(nodes[place].lower))
            most = search.behind_edge(search, child, np.float64(nodes[place].upper))
            solved = nodes[place].lower >= nodes[place].upper
            lower = max(lower, np.float32(least) if solved else below(least))
            upper = max(upper, np.float32(most) if solved else above(most))
            continue
        lower = max(lower, nodes[place].lower)
        upper = max(upper, nodes[place].upper)
    if node.flags & HAS_BOUNDED_CHILD == 0:
        set_flags(search, index, HAS_BOUNDED_CHILD)
    player = node.player
    mover = player if level == 0 else search.levels[level].mover
    if search.has_chance and player == CHANCE:
        return _prove_chance(search, level)
    if mover != player:
        if search.num_players != 2:
            return False
        total = np.float32(search.sum_of_two)
        lower, upper = total - upper, total - lower
    if search.pays and not search.keeps_edge_rewards:
        return tighten_behind_reward(search, level, np.float64(lower), np.float64(upper), lower >= upper)
    return tighten(search, index, lower, upper)


@kernel
def tighten_behind_reward(search, level, lower, upper, solved):
    """Tighten the bounds of the node at `level` of the path, adding the reward of the move to it; see
    `tighten`.

    lower, upper : bounds without that reward, float64, rounded outward here unless `solved`.
    """
    if level > 0:
        lower = with_reward(search, level, lower)
        upper = with_reward(search, level, upper)
    index = np.int64(search.levels[level].node)
    if solved:
        return tighten(search, index, np.float32(lower), np.float32(lower))
    return tighten(search, index, below(lower), above(upper))


@kernel
def below(number):
    """Return a float32 that is not above `number`, float64."""
    return np.float32(number - _ROUNDING * abs(number))


@kernel
def above(number):
    """Return a float32 that is not below `number`, float64."""
    return np.float32(number + _ROUNDING * abs(number))


@kernel
def _prove_chance(search, level):
    """Tighten the bounds of a node of chance; returns whether anything changed.

    They are the means of the outcomes' bounds, rounded outward. If all outcomes are solved, so is the node,
    regardless of rounding.
    """
    nodes = search.nodes
    index = np.int64(search.levels[level].node)
    lower = 0.0
    upper = 0.0
    solved = True
    child = np.int64(nodes[index].first) - 1
    for _ in range(np.int64(nodes[index].count)):
        child = next_child(search, child)
        place = search.place(search, child)
        least, most = np.float64(nodes[place].lower), np.float64(nodes[place].upper)
        if search.keeps_edge_rewards:
            least = search.behind_edge(search, child, least)
            most = search.behind_edge(search, child, most)
        lower += search.probabilities[child] * least
        upper += search.probabilities[child] * most
        solved = solved and nodes[place].lower >= nodes[place].upper
    if search.pays and not search.keeps_edge_rewards:
        return tighten_behind_reward(search, level, lower, upper, solved)
    if solved:
        return tighten(search, index, np.float32(lower), np.float32(lower))
    if search.pays:
        return tighten(search, index, below(lower), above(upper))
    slack = _ROUNDING * max(abs(search.min_return), abs(search.max_return))
    return tighten(search, index, np.float32(lower - slack), np.float32(upper + slack))


@kernel
def root_is_solved(search):
    """Whether the root is solved, so that the search can end."""
    return search.nodes[ROOT].lower >= search.nodes[ROOT].upper
