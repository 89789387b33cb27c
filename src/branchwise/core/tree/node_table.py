"""The hash tables of nodes: by what an observer knows, and by the content of drawn outcomes.

The first grows with the tree: a search looks up a node at every step, and the memory of a small tree stays
near. Searches: `core.descents.one_observer`, `core.descents.drawn_outcomes`.
"""

from __future__ import annotations

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.core.machine.kernel import kernel
from branchwise.core.tree.node_fields import USED

SLOTS = 7
"""Index in search.dealing of the slots of the first table in use; see `core.descents.sampled_roots`."""
_FIRST_SLOTS = 1024


@kernel
def find_known(search, key):
    """Return the slot of the table that contains the node for `key`, not 0, or where it would go."""
    if search.counters[USED] > search.dealing[SLOTS] // 2:
        enter_known(search)
    mask = np.uint64(search.dealing[SLOTS] - 1)
    place = key & mask
    while search.table[place] != 0 and search.keys[search.table[place] - 1] != key:
        place = (place + np.uint64(1)) & mask
    return place


@kernel
def enter_known(search):
    """Refill the table, in a part of it that is large enough for twice the nodes in use."""
    slots = np.int64(_FIRST_SLOTS)
    while slots < 4 * search.counters[USED]:
        slots *= 2
    slots = min(slots, np.int64(search.table.size))
    search.dealing[SLOTS] = slots
    mask = np.uint64(slots - 1)
    search.table[:slots] = 0
    for node in range(1, search.counters[USED]):
        if search.keys[node] != 0 and (search.is_joint or search.nodes[node].player != CHANCE):
            place = search.keys[node] & mask
            while search.table[place] != 0:
                place = (place + np.uint64(1)) & mask
            search.table[place] = node + 1


@kernel
def enter_outcomes(search):
    """Rebuild the hash table from all outcomes."""
    search.table[:] = 0
    for node in range(1, search.counters[USED]):
        if search.keys[node] != 0 and search.nodes[node].player != CHANCE:
            search.table[slot_of_outcome(search, search.keys[node])] = node + 1


@kernel
def slot_of_outcome(search, key):
    """Return the slot of the table that contains `key`, or where it would go."""
    mask = np.uint64(search.table.size - 1)
    place = key & mask
    while search.table[place] != 0 and search.keys[search.table[place] - 1] != key:
        place = (place + np.uint64(1)) & mask
    return place
