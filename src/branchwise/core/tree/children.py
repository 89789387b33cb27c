"""Children that are added one at a time, when they are first visited.

In a wide game most children are never visited. If a search keeps nothing about unvisited children, a node
gets a child only on its first visit: the state is at hand then, so the untried actions can be listed again.
Only the root gets all of its children at once.

Children that come one by one lie in blocks of 3, 7, 15, 31, 63, 63 ... slots, each followed by one that leads
to the next block. So nodes never move while others read them. A node has the flag PARTIAL until each of its
legal actions has a child, and IN_BLOCKS from its first child on.

Where all children are added together, `search.grows` is False, and they are contiguous.
"""

from __future__ import annotations

import numpy as np

from branchwise.common.players import NO_PLAYER
from branchwise.core.machine.atomic import (
    add_bits_to_field,
    add_to_item,
    clear_bits_in_field,
    publish_field,
)
from branchwise.core.machine.kernel import kernel
from branchwise.core.tree.node_fields import (
    GROWING,
    IN_BLOCKS,
    LINK,
    NO_ACTION,
    PARTIAL,
    REFUSED,
    SPARE,
    UNEXPANDED,
    USED,
)
from branchwise.core.tree.statistic_kernels import begin_statistics

MOST_AT_ONCE = 81
"""Maximum number of distinct actions for adding all children together; in smaller games that is faster."""

FIRST_BLOCK = 3
LARGEST_BLOCK = 63
"""Children in the first block of a node, and in any; each block has room for one more than twice the last."""

MOST_MARKED = 2**24
"""Maximum number of distinct actions for which a mark is kept for each."""

NO_ROOM = -3
"""In place of a child: there is no memory. Differs from selection's values in place of a child."""


def grows_by_one(num_actions: int) -> bool:
    """Whether games with this many distinct actions get children one at a time, if the search allows it."""
    return MOST_AT_ONCE < num_actions <= MOST_MARKED


@kernel
def next_child(search, child):
    """Return the index of the child after `child`; the first comes after nodes[node].first - 1."""
    child += 1
    if search.grows and search.nodes[np.uint64(child)].flags & LINK != 0:
        child = np.int64(search.nodes[np.uint64(child)].first)
    return child


@kernel
def next_choice(search, child):
    """The same at a decision: in a search from a belief, children of these nodes are contiguous."""
    return next_child(search, child) if search.grows_by_one else child + 1


@kernel
def child_at(search, node, place):
    """Return the index of child number `place`, from 0, of `node`; int64."""
    child = np.int64(search.nodes[node].first)
    if search.grows and search.nodes[node].flags & IN_BLOCKS != 0:
        size = FIRST_BLOCK
        while place >= size:
            child = np.int64(search.nodes[child + size].first)
            place -= size
            size = min(2 * size + 1, LARGEST_BLOCK)
    return child + place


@kernel
def lacks_children(search, node):
    """Whether some legal action at `node`, an expanded node, has no child."""
    return search.grows and search.nodes[node].flags & PARTIAL != 0


@kernel
def can_grow(search, node):
    """Whether `node` lacks children and no expansion has run out of memory so far."""
    return lacks_children(search, node) and search.counters[REFUSED] == 0


@kernel
def claim(search, node):
    """Claim the right to add children to `node`; returns False if another thread has it."""
    if not search.shared:
        return True
    return add_bits_to_field(search.nodes, node, "flags", np.uint8(GROWING)) & GROWING == 0


@kernel
def release(search, node):
    """Give up the right to add children to `node`."""
    if search.shared:
        clear_flags(search, node, GROWING)


@kernel
def set_flags(search, node, flags):
    """Set flags of `node`, atomically if threads share the tree."""
    if search.shared:
        add_bits_to_field(search.nodes, node, "flags", np.uint8(flags))
    else:
        search.nodes[node].flags |= np.uint8(flags)


@kernel
def clear_flags(search, node, flags):
    """Clear flags of `node`, atomically if threads share the tree."""
    if search.shared:
        clear_bits_in_field(search.nodes, node, "flags", np.uint8(flags))
    else:
        search.nodes[node].flags &= ~np.uint8(flags)


@kernel
def list_untried(search, node, count):
    """Move actions in search.actions[:count] without a child at `node` to the front; returns their number.

    They keep their order. Actions must be in range (not checked).
    """
    tried = np.int64(search.nodes[node].count)
    if tried == 0:
        return count
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(tried):
        child = next_child(search, child)
        search.marks[search.nodes[child].action] = 1
    untried = 0
    for i in range(count):
        action = search.actions[i]
        if search.marks[action] == 0:
            search.actions[untried] = action
            untried += 1
    child = np.int64(search.nodes[node].first) - 1
    for _ in range(tried):
        child = next_child(search, child)
        search.marks[search.nodes[child].action] = 0
    return np.int64(untried)


@kernel
def add_child(search, node, action):
    """Add a child to `node`, which this thread has claimed; returns its index, or NO_ROOM.

    Other threads see the child at once. The node's player and flags must be set already.
    """
    nodes = search.nodes
    count = np.int64(nodes[node].count)
    child = _next_slot(search, node, count)
    if child == NO_ROOM:
        return child
    write_child(search, child, action)
    if count == 0:
        nodes[node].count = np.uint16(1)
        publish_field(nodes, node, "first", np.int32(child))
    else:
        publish_field(nodes, node, "count", np.uint16(count + 1))
    return child


@kernel
def _next_slot(search, node, count):
    """Return the slot for the next child of `node`, which has `count`; adds a block if necessary."""
    nodes = search.nodes
    if count == 0:
        return _new_block(search, FIRST_BLOCK)
    block = np.int64(nodes[node].first)
    size = FIRST_BLOCK
    place = count
    while place > size:
        block = np.int64(nodes[block + size].first)
        place -= size
        size = min(2 * size + 1, LARGEST_BLOCK)
    if place < size:
        return block + place
    added = _new_block(search, min(2 * size + 1, LARGEST_BLOCK))
    if added != NO_ROOM:
        publish_field(nodes, block + size, "first", np.int32(added))
    return added


@kernel
def _new_block(search, size):
    """Return the first slot of a new block for `size` children, or NO_ROOM."""
    first = take(search, size + 1)
    if first != NO_ROOM:
        for slot in range(first, first + size + 1):
            write_child(search, slot, NO_ACTION)
            search.nodes[slot].flags = np.uint8(SPARE)
        search.nodes[first + size].flags = np.uint8(LINK)
    return first


@kernel
def write_child(search, index, action):
    """Write an unvisited node."""
    child = search.nodes[index]
    child.value = 0.0
    child.visits = 0
    child.first = UNEXPANDED
    child.action = action
    child.count = 0
    child.player = NO_PLAYER
    child.flags = 0
    child.lower = search.min_return
    child.upper = search.max_return
    begin_statistics(search, index)


@kernel
def has_room(search, count):
    """Whether there is memory for `count` children; if not, the refusal is counted."""
    size, slots, left = FIRST_BLOCK, 0, count
    while left > 0:
        slots += size + 1
        left -= size
        size = min(2 * size + 1, LARGEST_BLOCK)
    if search.counters[USED] + slots <= search.nodes.size:
        return True
    if search.shared:
        add_to_item(search.counters, REFUSED, 1)
    else:
        search.counters[REFUSED] += 1
    return False


@kernel
def take(search, count):
    """Take memory for `count` contiguous nodes; returns the index of the first, int64, or NO_ROOM."""
    if search.shared:
        first = add_to_item(search.counters, USED, count)
        if first + count > search.nodes.size:
            add_to_item(search.counters, USED, -count)
            add_to_item(search.counters, REFUSED, 1)
            return np.int64(NO_ROOM)
        return first
    first = search.counters[USED]
    if first + count > search.nodes.size:
        search.counters[REFUSED] += 1
        return np.int64(NO_ROOM)
    search.counters[USED] = first + count
    return first
