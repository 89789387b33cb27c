"""Search from a belief: nodes are histories of a planner's own actions and observations (POMCP).

Each simulation begins in a particle of the belief (`core.descents.sampled_roots`). A move takes two levels of
the tree: an edge for the action, and below it a node for each observation that followed. A node is found by
its edge and the numbers of its observation, never by a state: among the edge's first observations, which lie
side by side, or else in a hash table. Where the problem is over, the path ends at the edge, and nothing is
observed.

The text of a simulation is that of `core.descents.one_observer`; this module has what is different from
information sets. Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010. Many or continuous
observations: see `core.beliefs.weighted_search`.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.common.players import CHANCE
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import BAD_OBSERVATION, DONE, SCORE_IS_NO_NUMBER
from branchwise.core.machine.prefetch import prefetch
from branchwise.core.numbers.logarithms import bits_of
from branchwise.core.simulation.expand import publish
from branchwise.core.simulation.select import NO_SCORE
from branchwise.core.simulation.simulate import step
from branchwise.core.simulation.steering import guided_child
from branchwise.core.tree.children import FIRST_BLOCK, NO_ROOM, add_child, set_flags
from branchwise.core.tree.node_fields import IN_BLOCKS, REFUSED, UNEXPANDED
from branchwise.core.tree.node_table import find_known

NO_NODE = -1
"""In place of a node: an observation has none yet."""
MOST_NUMBERS = 1024
"""Maximum number of numbers in an observation."""

_STEP = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@text
def begin_unseen(search, state):
    """Begin with nothing observed; returns a status."""
    return DONE


@text
def move_unseen(search, state, depth, player, action):
    """Apply the planner's action, which leads to the path's node at `depth`; what it shows comes later."""
    search.move(search, state, depth, action)


@text
def enter_observation(search, root, state, depth, action):
    """Observe, and step from the path's edge at `depth` to the node for what was observed.

    Returns 2 * the depth there, + 1 if it is a new node, or a negative status.
    """
    count = state.write_observation(action, search.randomness(search.streams), search.observed)
    return search.enter_numbers(search, depth, count)


@phase(int64, int64)
def enter_numbers(search, depth, count):
    """Step from the path's edge at `depth` to the node for the observation search.observed[:count].

    Returns as `enter_observation`. Without memory for the node, the path ends at the edge.
    """
    status, edge, key, node = look_up(search, depth, count)
    if status != DONE:
        return np.int64(-status)
    is_new = node == NO_NODE
    if is_new:
        node = add_observation(search, edge, key)
        if node == NO_ROOM:
            return np.int64(2 * depth + 1)
    enter_node(search, node, depth)
    return np.int64(2 * (depth + 1) + is_new)


@kernel
def look_up(search, depth, count):
    """Look for the node for search.observed[:count] after the path's edge at `depth`.

    Returns a status, the edge, the observation's key, and the node, or NO_NODE.
    """
    edge = np.int64(search.levels[depth].node)
    status = check_observation(search.observed, count)
    if status != DONE:
        return status, edge, np.uint64(0), np.int64(NO_NODE)
    key = _key_of_observation(search, edge, count)
    return status, edge, key, _find_observation(search, edge, key)


@kernel
def check_observation(numbers, count):
    """Return DONE, or BAD_OBSERVATION if the first `count` of `numbers` are no observation."""
    if count < 1 or count > numbers.size:
        return BAD_OBSERVATION
    for place in range(count):
        if numbers[place] != numbers[place]:
            return BAD_OBSERVATION
    return DONE


@kernel
def _key_of_observation(search, edge, count):
    """Return a hash of `edge` and of search.observed[:count], uint64, not 0; 0 and -0 are the same."""
    total = np.uint64(edge) * _STEP + np.uint64(count)
    for place in range(count):
        total = (total ^ bits_of(search.observed[place] + 0.0)) * _STEP
        total ^= total >> _HALF
    return max(total, np.uint64(1))


@kernel
def _find_observation(search, edge, key):
    """Return the node after `edge` for an observation with this `key`, or NO_NODE.

    The first observations of an edge lie side by side, and the others are in the table.
    """
    nodes, keys = search.nodes, search.keys
    first = np.int64(nodes[edge].first)
    if first < 0:
        return np.int64(NO_NODE)
    is_second = keys[first + 1] == key
    is_third = keys[first + 2] == key
    if (keys[first] == key) | is_second | is_third:
        return first + np.int64(is_second) + 2 * np.int64(is_third)
    if nodes[edge].count <= FIRST_BLOCK:
        return np.int64(NO_NODE)
    return np.int64(search.table[find_known(search, key)]) - 1


@kernel
def add_observation(search, edge, key):
    """Add a node after `edge` for an observation; returns it, or NO_ROOM once any node found no memory."""
    nodes = search.nodes
    if search.counters[REFUSED] > 0:
        return np.int64(NO_ROOM)
    if nodes[edge].first == UNEXPANDED:
        set_flags(search, edge, IN_BLOCKS)
        nodes[edge].player = CHANCE
    number = np.int64(nodes[edge].count)
    node = add_child(search, edge, np.int32(number))
    if node != NO_ROOM:
        search.keys[node] = key
        search.choosers[node] = 0
        if number >= FIRST_BLOCK:
            search.table[find_known(search, key)] = node + 1
    return node


@kernel
def enter_node(search, node, depth):
    """Append the node for an observation to the path after its edge at `depth`."""
    level = search.levels[depth + 1]
    level.node = node
    level.edge = node
    level.action = search.nodes[node].action
    level.mover = 0
    search.depth[0] = depth + 1


@phase(int64)
def decisions_before(search, depth):
    """Return how many decisions led to the path's node at `depth`; every second level is one."""
    return np.int64((depth + 1) >> 1)


# --- choosing ---------------------------------------------------------------------------------------------


@text
def decide(search, state, depth, player):
    """Choose an action at the path's node at `depth`, and step to its edge.

    Returns 2 * the action, or a negative status; -TREE_FULL if the path ends here for lack of memory. A node
    gets all of its edges on its second visit. Legal actions follow from what was observed, so all states that
    come here have the same ones.
    """
    if search.lacks_edges(search, depth):
        count = state.fill_legal_actions(search.actions)
        if search.barred.size > 0:
            count = search.leave_out(search, depth, player, count)
        first = search.grow(search, depth, player, count)
        if first < 0:
            return first
        status = search.weigh(search, state, first, count)
        search.open_edges(search, depth, first)
        if status != DONE:
            return -status
    return search.choose_edge(search, depth)


@phase(int64)
def lacks_edges(search, depth):
    """Whether the path's node at `depth` has no edges yet."""
    return search.nodes[search.levels[depth].node].first == UNEXPANDED


@phase(int64, int64)
def open_edges(search, depth, first):
    """Let the path's node at `depth` have its new edges, which begin at `first`."""
    publish(search, np.int64(search.levels[depth].node), first)


@phase(int64)
def choose_edge(search, depth):
    """Choose an edge of the path's node at `depth`; returns as `decide`."""
    node = np.int64(search.levels[depth].node)
    child = np.int64(NO_ROOM)
    if search.steers:
        child = guided_child(search, node, depth)
    if child == NO_ROOM:
        child = search.choose(search, node, depth)
    if child == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    step(search, node, child, depth)
    search.depth[0] = depth + 1
    _fetch_observations(search, child)
    return 2 * np.int64(search.nodes[child].action)


@kernel
def _fetch_observations(search, edge):
    """Fetch the first two nodes after `edge`, one of which is often next, while the rules play the action."""
    first = np.int64(search.nodes[edge].first)
    prefetch(search.nodes, first)
    prefetch(search.nodes, first + 1)
