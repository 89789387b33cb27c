"""Search from a belief: nodes are histories of a planner's own actions and observations (POMCP).

Each simulation begins in a particle of the belief (`core.roots`). A move takes two levels of the tree: an
edge for the action, and below it a node for each observation that followed. A node is found in a hash table
by the numbers of its actions and observations since the root, never by a state. Where the problem is over,
the path ends at the edge, and nothing is observed.

Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010. Many or continuous observations: see
`core.weighted_search`.
"""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.core.expand import publish
from branchwise.core.kernel import kernel, phase, text
from branchwise.core.logarithms import bits_of
from branchwise.core.observed import KNOWN, VIEW, enter_seen, known_after
from branchwise.core.random import mixed
from branchwise.core.select import NO_SCORE
from branchwise.core.simulate import step
from branchwise.core.status import BAD_OBSERVATION, DONE, SCORE_IS_NO_NUMBER, TREE_FULL
from branchwise.core.tree import UNEXPANDED

MOST_NUMBERS = 1024
"""Maximum number of numbers in an observation."""

_STEP = np.uint64(0x9E3779B97F4A7C15)


@text
def simulate_from_belief(search, root, state):
    """Run one simulation; returns a status."""
    search.begin_path(search)
    status = search.draw_root(search, root, state)
    if status != DONE:
        return status
    search.begin_history(search)
    depth = 0
    over = False
    while depth < search.max_depth and not over:
        player = state.current_player()
        chosen = search.decide(search, state, depth, player)
        if chosen < 0:
            if chosen != -TREE_FULL:
                return -chosen
            break
        depth += 1
        action = chosen >> 1
        search.move(search, state, depth, action)
        status = search.pass_chance(search, state, depth)
        if status != DONE:
            return status
        if state.is_terminal():
            over = True
            break
        reached = search.enter_observation(search, root, state, depth, action)
        if reached < 0:
            return -reached
        depth = reached >> 1
        over = search.ends(search, state, depth)
        if reached & 1:
            break
    status = search.evaluate(search, state, depth, over)
    if status == DONE:
        status = search.back_up(search, depth, over)
    return status


@phase()
def begin_history(search):
    """Begin with nothing observed."""
    search.watched[KNOWN] = 0
    search.watched[VIEW] = 0


@text
def enter_observation(search, root, state, depth, action):
    """Observe, and step from the path's edge at `depth` to the node for what was observed.

    Returns as `enter_numbers`.
    """
    count = state.write_observation(action, search.randomness(search.streams), search.observed)
    return search.enter_numbers(search, depth, action, count)


@phase(int64, int64, int64)
def enter_numbers(search, depth, action, count):
    """Step from the path's edge at `depth` to the node for search.observed[:count], seen after `action`.

    Returns 2 * the depth there, + 1 if it is a new node, or a negative status. Without memory for it, the
    path ends at the edge.
    """
    status = check_observation(search, count)
    if status != DONE:
        return np.int64(-status)
    told = np.int64(hash_of_observation(search, count) >> np.uint64(1))
    search.watched[KNOWN] = known_after(search.watched[KNOWN], np.uint64(0), action, told, np.uint64(0))
    reached = enter_seen(search, depth, np.int64(0))
    if reached == 2 * depth + 1:  # rewards after the edge are those of the next decision
        search.nodes[search.levels[depth].node].player = 0
    return reached


@kernel
def check_observation(search, count):
    """Return DONE, or BAD_OBSERVATION if search.observed[:count] is no observation."""
    if count < 1 or count > search.observed.size:
        return BAD_OBSERVATION
    for place in range(count):
        if search.observed[place] != search.observed[place]:
            return BAD_OBSERVATION
    return DONE


@kernel
def hash_of_observation(search, count):
    """Return a hash of search.observed[:count], uint64; 0 and -0 are the same."""
    total = np.uint64(count)
    for place in range(count):
        total = mixed(total ^ bits_of(search.observed[place] + 0.0)) + _STEP
    return total


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
    child = search.choose(search, node, depth)
    if child == NO_SCORE:
        return np.int64(-SCORE_IS_NO_NUMBER)
    step(search, node, child, depth)
    search.depth[0] = depth + 1
    return 2 * np.int64(search.nodes[child].action)
