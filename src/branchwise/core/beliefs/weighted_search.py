"""Search from a belief with many or continuous observations: weighted particles in nodes (POMCPOW).

If no two observations are equal, each would get a node of its own, which no later simulation reaches: plans
would not look past the next action. So the visits of an action limit how many observations get a node after
it. Beyond the limit, a new observation is replaced by one that has a node, drawn in proportion to how often
it came.

The simulation's state is then added to that node's particles, weighted by the density of the node's
observation, and the simulation goes on from a particle drawn by weight. So a node has a belief of its own.
Sunberg, Kochenderfer, "Online algorithms for POMDPs with continuous state, action, and observation spaces",
2018, with the reward that belongs to the particle drawn. An observation that has a node is not replaced.

A node's particles are a stack with cumulative weights. Each links to the one below, and to one further down,
so that one is drawn in logarithmic time: Myers, "An applicative random-access stack", 1983.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int64

from branchwise.core.beliefs.belief_search import NO_NODE, add_observation, enter_node, look_up
from branchwise.core.descents.drawn_outcomes import drawn_child, outcome_limit
from branchwise.core.descents.sampled_roots import NUM_ROOTS, STORED, TOLD
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import BAD_DENSITY, DONE
from branchwise.core.numbers.random_streams import OUTCOME_STREAM, draw_share, next_counter
from branchwise.core.tree.children import NO_ROOM
from branchwise.core.tree.node_fields import REFUSED

NO_PARTICLE = -1


@text
def enter_weighted(search, root, state, depth, action):
    """Observe, step from the path's edge at `depth` to a node, and go on from one of its particles.

    Returns 2 * the depth there, + 1 if it is a new node, or a negative status. Without memory for it, the
    path ends at the edge.
    """
    random = search.randomness(search.streams)
    count = state.write_observation(action, random, search.observed)
    reached = search.enter_limited(search, depth, count)
    if reached < 0 or reached >> 1 == depth:
        return reached
    weight = state.weigh_observation(action, random, search.observed[: search.told_count(search, depth)])
    if not 0.0 <= weight < np.inf:
        return -BAD_DENSITY
    place = search.push_particle(search, depth, weight)
    if place >= 0:
        root.at(place).copy_from(state)
    if reached & 1 == 0:
        place = search.draw_particle(search, depth)
        if place >= 0:
            state.copy_from(root.at(place))
    return reached


@phase(int64, int64)
def enter_limited(search, depth, count):
    """Step from the path's edge at `depth` to a node for search.observed[:count], or for another observation.

    Returns as `enter_weighted`. Search.observed is then that node's observation.
    """
    status, edge, key, node = look_up(search, depth, count)
    if status != DONE:
        return np.int64(-status)
    is_new = node == NO_NODE
    if is_new:
        if search.nodes[edge].count > 0 and search.nodes[edge].count >= outcome_limit(search, edge):
            node = drawn_child(search, edge, search.frequency)
            enter_node(search, node, depth)
            _read_told(search, node)
            return np.int64(2 * (depth + 1))
        if search.dealing[TOLD] + count + 1 > search.told.size:
            search.counters[REFUSED] += 1
        node = add_observation(search, edge, key)
        if node == NO_ROOM:
            return np.int64(2 * depth + 1)
        _write_told(search, node, count)
    enter_node(search, node, depth)
    search.frequency[node] += 1
    search.frequency[edge] += 1
    return np.int64(2 * (depth + 1) + is_new)


@kernel
def _write_told(search, node, count):
    """Keep search.observed[:count] as the observation of `node`."""
    start = search.dealing[TOLD]
    search.told_from[node] = start
    search.told[start] = count
    for place in range(count):
        search.told[start + 1 + place] = search.observed[place]
    search.dealing[TOLD] = start + 1 + count


@kernel
def _read_told(search, node):
    """Make search.observed the observation of `node`."""
    start = np.int64(search.told_from[node])
    for place in range(np.int64(search.told[start])):
        search.observed[place] = search.told[start + 1 + place]


@phase(int64)
def told_count(search, depth):
    """Return how many numbers the observation of the node after the path's edge at `depth` has."""
    node = np.int64(search.levels[depth + 1].node)
    return np.int64(search.told[search.told_from[node]])


@phase(int64, float64)
def push_particle(search, depth, weight):
    """Add a particle to the node after the path's edge at `depth`.

    Returns where its state is to be kept in the array of root states, or NO_PARTICLE without memory: the
    simulation then goes on from the particles that the node has, or from its own state if it has none.
    """
    new = search.dealing[STORED]
    if new >= search.older.size:
        return np.int64(NO_PARTICLE)
    search.dealing[STORED] = new + 1
    node = np.int64(search.levels[depth + 1].node)
    top = np.int64(search.newest[node])
    if top < 0:
        search.heaped[new] = weight
        search.height[new] = 0
        search.further[new] = new
    else:
        search.heaped[new] = search.heaped[top] + weight
        search.height[new] = search.height[top] + 1
        further = np.int64(search.further[top])
        furthest = np.int64(search.further[further])
        is_even = (
            search.height[top] - search.height[further] == search.height[further] - search.height[furthest]
        )
        search.further[new] = furthest if is_even else top
    search.older[new] = top
    search.newest[node] = new
    if search.pays:
        search.paid_then[new] = search.rewards[depth]
    return search.dealing[NUM_ROOTS] + new


@phase(int64)
def draw_particle(search, depth):
    """Draw a particle of the node after the path's edge at `depth`, by weight, with its reward.

    Returns where its state is, or NO_PARTICLE.
    """
    node = np.int64(search.levels[depth + 1].node)
    place = np.int64(search.newest[node])
    if place < 0:
        return np.int64(NO_PARTICLE)
    aim = draw_share(next_counter(search.streams, OUTCOME_STREAM)) * search.heaped[place]
    while True:
        further = np.int64(search.further[place])
        below = np.int64(search.older[place])
        if further != place and search.heaped[further] > aim:
            place = further
        elif below >= 0 and search.heaped[below] > aim:
            place = below
        else:
            break
    if search.pays:
        search.rewards[depth] = search.paid_then[place]
    return search.dealing[NUM_ROOTS] + place
