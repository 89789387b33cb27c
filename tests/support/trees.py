"""Search trees made by hand and at random, for tests of code that reads them."""

import numpy as np
from hypothesis import strategies as st

from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import GROWING, LINK, ROOT, SPARE, USED, new_tree
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.tree.view import SearchTree

FACTS = GameFacts("made", 2, 1000, -1.0, 1.0, 100)


def made_tree(children, *, visits=None, means=None, bounds=None, players=None, state=None, priors=None):
    """Return the tree in which node i has the children children[i], which are contiguous.

    means : of visited nodes, for their movers.   players : to move at each node; by depth if not given.
    """
    size = len(children)
    tree = new_tree(size + 3)  # with room to spare
    tree.counters[USED] = size
    view = SearchTree(tree, state, FACTS)
    scale = view._reader.scale
    depth = [0] * size
    for node, found in enumerate(children):
        for child in found:
            depth[child] = depth[node] + 1
    for node in range(size):
        record = tree.nodes[node : node + 1]
        found = children[node]
        count = 1 if visits is None else visits[node]
        record["visits"] = count
        record["first"] = found[0] if found else -1
        record["count"] = len(found)
        record["action"] = -1 if node == ROOT else node
        record["player"] = (players[node] if players else depth[node] % 2) if found else -1
        record["flags"] = 0
        record["lower"], record["upper"] = (-1.0, 1.0) if bounds is None else bounds[node]
        mean = 0.0 if means is None else means[node]
        record["value"] = count * (mean - scale.zero) / scale.unit if node != ROOT and count else 0.0
    if priors is None:
        return view
    kept = tree.with_arrays(priors=np.zeros(len(tree.nodes), np.float32))
    kept.priors[:size] = priors
    return SearchTree(kept, state, FACTS)


@st.composite
def shapes(draw, most=60, widest=7):
    """Draw the children of each node of a tree; node 0 is the root, and children are contiguous."""
    counts = draw(st.lists(st.integers(0, widest), max_size=most // 2))
    children, used = [[]], 1
    for node, count in enumerate(counts):
        if node >= used:
            break
        here = list(range(used, min(used + count, most)))
        children[node] = here
        children += [[] for _ in here]
        used += len(here)
    return children


LEVELS = (-1.0, -0.5, 0.0, 0.5, 1.0)


@st.composite
def random_trees(draw):
    """Draw a tree with few different visits, values and bounds, so that many are equal."""
    children = draw(shapes())
    size = len(children)
    low_high = st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)).map(sorted)
    return made_tree(
        children,
        visits=draw(st.lists(st.integers(0, 4), min_size=size, max_size=size)),
        means=draw(st.lists(st.sampled_from(LEVELS), min_size=size, max_size=size)),
        bounds=draw(st.lists(low_high, min_size=size, max_size=size)),
    )


def made_graph(children, links, edge_visits, **numbers):
    """Return a tree in which node i links to node links[i] and has edge_visits[i] visits."""
    tree = made_tree(children, **numbers)._tree
    room = len(tree.nodes)
    kept = tree.with_arrays(links=np.arange(room, dtype=np.int32), edge_visits=np.zeros(room, np.int32))
    kept.links[: len(links)], kept.edge_visits[: len(links)] = links, edge_visits
    return SearchTree(kept, None, FACTS)


def check_tree(tree, simulations, *, kept=False):
    """Check every invariant of a tree; kept : whether its root was once below another node."""
    nodes, used = tree.nodes, int(tree.counters[USED])
    assert used <= nodes.size
    assert nodes[ROOT]["visits"] == simulations
    real = nodes["flags"][:used] & (LINK | SPARE) == 0
    expanded = np.flatnonzero(real & (nodes["first"][:used] >= 0))
    assert not (nodes["flags"][:used] & GROWING).any()
    assert set(np.unique(nodes["first"][:used])) & {-2} == set()
    seen = np.zeros(used, np.int64)
    at_once = 0  # nodes that two threads reached first together: each saw the other's visit as earlier
    for i in expanded:
        children = children_of_one(nodes, i)
        assert i < children.min() <= children.max() < used
        seen[children] += 1
        own = int(nodes["visits"][i]) - int(nodes["visits"][children].sum())
        assert own == 0 if i == ROOT and not kept else own >= 0
        at_once += i != ROOT and own == 0
    assert at_once <= max(expanded.size // 100, 2)
    assert (seen[1:] == real[1:]).all()
    assert ((nodes["value"][:used] >= 0) & (nodes["value"][:used] <= nodes["visits"][:used])).all()
    assert (nodes["lower"][:used] <= nodes["upper"][:used]).all()


def same_arrays(one, other):
    """Whether two results have the same trees, to the last bit."""
    mine, theirs = one.tree._tree, other.tree._tree
    used = one.tree.reader.used
    in_tables = int(mine.tables.prod())
    return used == other.tree.reader.used and all(
        (getattr(mine, name)[:size] == getattr(theirs, name)[:size]).all()
        for name in mine.names
        for size in [in_tables if name == "all_moves" else used]
        if name not in ("counters", "keys", "table") and getattr(mine, name).size
    )


def all_facts(root):
    """Return all that is known of a tree, node by node; of nodes that several moves lead to, once."""
    found, waiting, seen = [], [root], set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            facts = (node.action, node.visits, node.value, node.bounds, node.mover, node.player)
            found.append((*facts, node.num_children))
            waiting += node.children
    return found
