"""Nodes of chance, whose children are outcomes with probabilities.

All outcomes get a child at once. A simulation draws one of them, from a dedicated stream. No player chooses
an outcome, so its value and bounds are those of the player who moved into the node of chance, like the
node's own, and nothing is negated on the way up.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64

from branchwise.common.players import CHANCE, PROBABILITY_TOLERANCE
from branchwise.core.backup.prove import prove_upwards
from branchwise.core.machine.atomic import publish_field, swap_field_if
from branchwise.core.machine.kernel import kernel, leave_to_llvm, phase, text
from branchwise.core.machine.kernel_status import (
    BAD_OUTCOME,
    BAD_PROBABILITY,
    CLAIMED_BY_OTHER,
    DONE,
    TREE_FULL,
)
from branchwise.core.numbers.random_streams import (
    OUTCOME_STREAM,
    PLAYOUT_STREAM,
    draw_share,
    next_counter,
)
from branchwise.core.tree.children import NO_ROOM, next_child, take, write_child
from branchwise.core.tree.node_fields import CLAIMED, UNEXPANDED

leave_to_llvm(__name__)


@text
def expand_chance(search, state, depth):
    """Add the outcomes of the leaf at `depth`, where chance moves, and draw one; returns a status.

    state : the leaf's, modified in place.
    """
    count = state.fill_chance_outcomes(search.faces, search.odds)
    first = search.add_outcomes(search, depth, count)
    if first < 0:
        return -first
    listed = search.num_listed(search)
    mover = search.mover_into(search, depth)
    status, found = search.look_ahead(search, state, search.faces, mover, first, listed)
    if status != DONE:
        search.give_up_outcomes(search, depth, first)
        return status
    search.move(search, state, depth + 1, search.enter_outcome(search, depth, first, found))
    return DONE


@phase()
def num_listed(search):
    """Return the number of possible outcomes that `add_outcomes` kept."""
    return search.num_faces[0]


@phase(int64)
def mover_into(search, depth):
    """Return the player whose move led to the node of the path at `depth`; 0 at the root."""
    return np.int64(search.levels[depth].mover) if depth > 0 else np.int64(0)


@phase(int64, int64)
def add_outcomes(search, depth, count):
    """Add the outcomes of the leaf at `depth`; returns the index of the first, or a negative status.

    count : number of outcomes in search.faces and of probabilities in search.odds; impossible ones are
    dropped.
    """
    nodes = search.nodes
    node = np.int64(search.levels[depth].node)
    status, possible = check_outcomes(search, count)
    if status != DONE:
        return np.int64(-status)
    if search.shared and not swap_field_if(nodes, node, "first", UNEXPANDED, CLAIMED):
        return np.int64(-CLAIMED_BY_OTHER)
    first = take(search, possible)
    if first == NO_ROOM:
        if search.shared:
            publish_field(nodes, node, "first", UNEXPANDED)
        return np.int64(-TREE_FULL)
    for i in range(possible):
        write_child(search, first + i, search.faces[i])
        search.probabilities[first + i] = search.odds[i]
    nodes[node].player = CHANCE
    nodes[node].count = np.uint16(possible)
    search.num_faces[0] = possible
    return first


@kernel
def check_outcomes(search, count):
    """Move possible outcomes to the front and scale probabilities to add up to 1; returns status and count.

    search : its faces and odds, with an entry for each outcome of the game, are modified in place.
    """
    if count < 1 or count > search.faces.size:
        return BAD_OUTCOME, np.int64(0)
    total = 0.0
    possible = 0
    for i in range(count):
        if search.faces[i] < 0 or search.faces[i] >= search.faces.size:
            return BAD_OUTCOME, np.int64(0)
        for j in range(possible):
            if search.faces[j] == search.faces[i]:
                return BAD_OUTCOME, np.int64(0)
        if not search.odds[i] >= 0.0:
            return BAD_PROBABILITY, np.int64(0)
        total += search.odds[i]
        if search.odds[i] > 0.0:
            search.faces[possible] = search.faces[i]
            search.odds[possible] = search.odds[i]
            possible += 1
    if not abs(total - 1.0) <= PROBABILITY_TOLERANCE:
        return BAD_PROBABILITY, np.int64(0)
    for i in range(possible):
        search.odds[i] /= total
    return DONE, np.int64(possible)


@phase(int64, int64)
def give_up_outcomes(search, depth, first):
    """After a fault, abandon the leaf's new outcomes."""
    publish_field(search.nodes, np.int64(search.levels[depth].node), "first", np.int32(first))


@phase(int64, int64, boolean)
def enter_outcome(search, depth, first, found):
    """Step from the leaf, whose outcomes begin at `first`, into one of them; returns the outcome.

    found : whether bounds of the outcomes are known.
    """
    node = np.int64(search.levels[depth].node)
    publish_field(search.nodes, node, "first", np.int32(first))
    if (found and search.proofs) or search.keeps_graph:
        prove_upwards(search, depth)
    child = draw_outcome(search, node, depth)
    step_into_outcome(search, node, child, depth)
    search.depth[0] = depth + 1
    return np.int64(search.nodes[child].action)


@kernel
def draw_outcome(search, node, depth):
    """Return the child of `node`, the path's node at `depth`, for the outcome drawn in this simulation."""
    left = draw_share(next_counter(search.streams, OUTCOME_STREAM))
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(np.int64(search.nodes[node].count)):
        child = next_child(search, child)
        left -= search.probabilities[child]
        if left < 0.0:
            break
    search.follow_new(search, np.int64(search.levels[depth].mover), child, depth)
    return child


@kernel
def step_into_outcome(search, node, child, depth):
    """Append the outcome `child` to the path; returns the node that stands for it."""
    place = search.place(search, child)
    level = search.levels[depth + 1]
    level.node = place
    level.edge = child
    level.action = search.nodes[child].action
    level.mover = search.levels[depth].mover
    search.note_outcome(search, depth, np.int64(search.nodes[child].action))
    return place


@phase()
def draw_share_for_playout(search):
    """Return a float64 in [0, 1] from the playouts' stream, which selects an outcome in a playout."""
    return draw_share(next_counter(search.streams, PLAYOUT_STREAM))
