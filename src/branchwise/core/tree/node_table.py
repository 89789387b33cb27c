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
    return slot_of(search.table, search.keys, key, search.dealing[SLOTS])


@kernel
def slot_of(table, keys, key, slots):
    """Return the slot of a hash table that contains the entry for `key`, or where it would go.

    table : number of an entry + 1, or 0 for a free slot; its first `slots` are in use, a power of 2.   keys :
    uint64, by number.
    """
    mask = np.uint64(slots - 1)
    slot = key & mask
    while table[slot] != 0 and keys[table[slot] - 1] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def enter_known(search):
    """Refill the table, in a part of it that is large enough for twice the nodes in use."""
    slots = np.int64(_FIRST_SLOTS)
    while slots < 4 * search.counters[USED]:
        slots *= 2
    slots = min(slots, np.int64(search.table.size))
    search.dealing[SLOTS] = slots
    search.table[:slots] = 0
    for node in range(1, search.counters[USED]):
        if search.keys[node] != 0 and (search.is_joint or search.nodes[node].player != CHANCE):
            search.table[slot_of(search.table, search.keys, search.keys[node], slots)] = node + 1


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
    return slot_of(search.table, search.keys, key, search.table.size)
