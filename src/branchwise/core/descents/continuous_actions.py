"""Continuous actions: vectors in a box; a node tries a growing number of them.

A node has at most ceil(widening * visits ** widening_power) children: progressive widening, Couetoux, Hoock,
Sokolovska, Teytaud, Bonnard, "Continuous upper confidence trees", 2011. A child's action in the tree is its
number among the children of its parent; the vector is in `search.vectors`.

A share of the new vectors, `refinement`, is drawn near the best child, so that the best action improves
beyond the best of the first samples. This is the child with the highest mean after one more simulation
with the mean of all. Each number of the vector gets a normal distribution with a random width, from the whole
side of the box down to the side divided by the square of the number of children; all orders of magnitude
between are equally likely. Good actions get neighbours in Yee, Lisy, Bowling, "Monte Carlo tree search in
continuous action spaces with execution uncertainty", 2016, too; there kernel regression finds them. All other
vectors are drawn by the rules' `sample_action`, or uniformly from the box.

Where `search.whole` has a bit, the number of an action with its index is whole: it is drawn from the whole
numbers between its bounds, and refined by rounding.

The descent advances the state, as in `core.descents.open_loop`, because the box may depend on the state. With
random transitions, children outside this simulation's box are left out.
"""

from __future__ import annotations

import math

import numpy as np
from numba import int64

from branchwise.core.descents.open_loop import best_available, enter_chosen
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import (
    ACTION_OUTSIDE_BOX,
    BAD_BOX,
    DONE,
    PLAYER_OUT_OF_RANGE,
    TREE_FULL,
)
from branchwise.core.numbers.random_streams import (
    ORDER_STREAM,
    PLAYOUT_STREAM,
    advanced,
    draw_precise_normal,
    draw_share,
    next_counter,
)
from branchwise.core.simulation.steering import guided_child
from branchwise.core.tree.children import NO_ROOM, add_child, next_child, set_flags
from branchwise.core.tree.node_fields import IN_BLOCKS, MAX_CHILDREN, REFUSED, ROOT, UNEXPANDED

_NEW = -1000
"""Returned in place of a choice if the node gets one more child."""

_FINEST = 2.0
"""The narrowest distribution is as wide as the box divided by the number of children to this power."""


# --- one choice -------------------------------------------------------------------------------------------


@text
def choose_in_box(search, state, depth, player):
    """Choose an action at the path's node at `depth`, write it into search.vector, and step to its child.

    Returns 2 * the action, + 1 if it is the child's first visit; -TREE_FULL if the node itself is to be
    evaluated, on its first visit or for lack of memory; or another negative status.
    """
    if search.box_varies:
        state.write_box(search.low, search.high)
    chosen = search.choose_tried(search, depth, player)
    if chosen == _NEW:
        if not search.refine(search, depth):
            search.draw_vector(search, state)
        chosen = search.enter_drawn(search, depth)
    return chosen


@phase(int64, int64)
def choose_tried(search, depth, player):
    """Step from the path's node at `depth` to its best child; returns the same as `choose_in_box`.

    Returns _NEW if the node must get another child first.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    if player < 0 or player >= search.num_players:
        return np.int64(-PLAYER_OUT_OF_RANGE)
    if search.box_varies and not _is_box(search):
        return np.int64(-BAD_BOX)
    if nodes[node].first == UNEXPANDED:
        if nodes[node].visits == 0 and node != ROOT:
            return np.int64(-TREE_FULL)
        set_flags(search, node, IN_BLOCKS)
    nodes[node].player = player
    if search.guided > depth:  # along the root's first child, which has the vector in search.vector
        if np.int64(nodes[node].count) == 0:
            return np.int64(_NEW)
        return _enter(search, node, guided_child(search, node, depth), depth)
    fitting = _count_fitting(search, node)
    if fitting == 0 or _takes_another(search, node, fitting):
        if search.counters[REFUSED] == 0 and np.int64(nodes[node].count) < MAX_CHILDREN:
            return np.int64(_NEW)
    return _enter(search, node, best_available(search, node), depth)


@phase(int64)
def enter_drawn(search, depth):
    """Add a child with the action in search.vector to the path's node at `depth`, and step to it.

    If it has one with this action already, the choice is among its children. Returns the same as
    `choose_in_box`.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    status = check_vector(search)
    if status != DONE:
        return np.int64(-status)
    if _is_tried(search, node):
        return _enter(search, node, best_available(search, node), depth)
    child = add_child(search, node, np.int32(nodes[node].count))
    if child == NO_ROOM:
        return _enter(search, node, best_available(search, node), depth)
    for i in range(search.dimensions):
        search.vectors[child * search.dimensions + i] = search.vector[i]
    search.available[child] = 1
    search.choosers[child] = nodes[node].player
    return _enter(search, node, child, depth)


@kernel
def _enter(search, node, child, depth):
    if child >= 0:
        for i in range(search.dimensions):
            search.vector[i] = search.vectors[child * search.dimensions + i]
    return enter_chosen(search, node, child, depth)


@kernel
def _takes_another(search, node, count):
    """Whether `node`, with `count` available children, gets another one."""
    visits = np.float64(search.nodes[node].visits)
    return count < math.ceil(np.float64(search.widening) * visits ** np.float64(search.widening_power))


@kernel
def _is_tried(search, node):
    """Whether a child of `node` that may be chosen has the action in search.vector."""
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        same = fits(search, node, child)
        for i in range(search.dimensions):
            same = same and search.vectors[child * search.dimensions + i] == search.vector[i]
        if same:
            return True
    return False


@kernel
def fits(search, node, child):
    """Whether the player to move at `node` may choose `child` in this simulation's state."""
    if search.choosers[child] != search.nodes[node].player:
        return False
    if search.box_varies:
        for i in range(search.dimensions):
            number = search.vectors[child * search.dimensions + i]
            if not search.low[i] <= number <= search.high[i]:
                return False
    return True


@kernel
def _count_fitting(search, node):
    """Mark each child that may be chosen as available; returns their number, int64."""
    fitting = 0
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if fits(search, node, child):
            search.available[child] += 1
            fitting += 1
    return fitting


# --- new actions ------------------------------------------------------------------------------------------


@phase(int64)
def refine(search, depth):
    """Write an action near that of the best child of the path's node at `depth` into search.vector.

    Returns False, and writes nothing, if there is no such child yet or the random draw decides against it.
    If simulations are guided, the first action at the root is the one already in search.vector.
    """
    node = np.int64(search.levels[depth].node)
    if search.guided > depth and np.int64(search.nodes[node].count) == 0:
        return True
    counter = next_counter(search.streams, ORDER_STREAM)
    if draw_share(counter) >= search.refinement:
        return False
    best = _best_mean(search, node)
    if best == NO_ROOM:
        return False
    count = np.float64(search.nodes[node].count)
    for i in range(search.dimensions):
        counter = advanced(counter)
        side = search.high[i] - search.low[i]
        width = side * (count + 1.0) ** (-_FINEST * draw_share(counter))
        counter = advanced(counter)
        number = search.vectors[best * search.dimensions + i] + width * draw_precise_normal(counter)
        if _is_whole(search, i):
            number = np.floor(number + 0.5)
        search.vector[i] = min(max(number, search.low[i]), search.high[i])
    search.streams[ORDER_STREAM] = counter
    return True


@kernel
def _best_mean(search, node):
    """Return the child with the highest mean after one more simulation like the mean of all; or NO_ROOM."""
    total, visits = 0.0, 0
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if fits(search, node, child):
            total += search.nodes[child].value
            visits += search.nodes[child].visits
    best = np.int64(NO_ROOM)
    if visits == 0:
        return best
    usual = total / visits
    best_mean = -np.inf
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        if fits(search, node, child):
            mean = (search.nodes[child].value + usual) / (search.nodes[child].visits + 1)
            if mean > best_mean:
                best_mean = mean
                best = child
    return best


@text
def draw_by_rules(search, state):
    """Write an action drawn by the rules' `sample_action` into search.vector."""
    state.draw_action(search.randomness(search.streams), search.vector)


@text
def draw_uniformly(search, state):
    """Write a uniformly random action of the box in search.low and search.high into search.vector."""
    search.draw_in_box(search)


@phase()
def draw_in_box(search):
    """Write a uniformly random action of the box in search.low and search.high into search.vector."""
    counter = search.streams[PLAYOUT_STREAM]
    for i in range(search.dimensions):
        counter = advanced(counter)
        side = search.high[i] - search.low[i]
        if _is_whole(search, i):
            number = np.floor(search.low[i] + (side + 1.0) * draw_share(counter))
        else:
            number = search.low[i] + side * draw_share(counter)
        search.vector[i] = min(number, search.high[i])
    search.streams[PLAYOUT_STREAM] = counter


@kernel
def _is_box(search):
    """Whether search.low and search.high are finite, none of low is above high, and whole ones are whole."""
    for i in range(search.dimensions):
        low, high = search.low[i], search.high[i]
        if not (low <= high and math.isfinite(low) and math.isfinite(high)):
            return False
        if _is_whole(search, i) and not (np.floor(low) == low and np.floor(high) == high):
            return False
    return True


@phase()
def check_box(search):
    """Return DONE, or BAD_BOX if search.low and search.high are not a valid box."""
    return DONE if _is_box(search) else BAD_BOX


@kernel
def check_vector(search):
    """Return DONE, or ACTION_OUTSIDE_BOX unless search.vector is in the box, and whole where it must be."""
    for i in range(search.dimensions):
        number = search.vector[i]
        if not search.low[i] <= number <= search.high[i]:
            return ACTION_OUTSIDE_BOX
        if _is_whole(search, i) and np.floor(number) != number:
            return ACTION_OUTSIDE_BOX
    return DONE


@kernel
def _is_whole(search, i):
    """Whether number `i` of an action is whole."""
    return search.whole != 0 and (search.whole >> i) & 1 != 0


# --- moves ------------------------------------------------------------------------------------------------


@text
def move_by_vector(search, state, depth, action):
    """Apply the action in search.vector, which leads to the path's node at `depth`."""
    search.move_given(search, state, depth, search.vector)


@text
def play_in_box(search, state, player, place):
    """Play a drawn action in a random game; returns a status."""
    if player < 0 or player >= search.num_players:
        return PLAYER_OUT_OF_RANGE
    if search.box_varies:
        state.write_box(search.low, search.high)
        status = search.check_box(search)
        if status != DONE:
            return status
    search.draw_vector(search, state)
    if search.draws_by_rules:
        status = search.check_drawn(search)
        if status != DONE:
            return status
    search.apply(search, state, search.vector)
    return DONE


@phase()
def check_drawn(search):
    """Return DONE, or ACTION_OUTSIDE_BOX unless the rules drew an action in the box."""
    return check_vector(search)
