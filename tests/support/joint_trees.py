"""Trees of simultaneous moves by the moves that led to each node, for comparisons."""

import numpy as np

from branchwise.common.players import CHANCE, NO_ACTION, SIMULTANEOUS
from branchwise.core.tree.child_indices import children_of_one
from branchwise.core.tree.node_fields import ROOT


def nodes_of(result):
    """Return, by history: visits, edges of each player in their order, and the cells of joint actions."""
    tree = result.tree._reader.tree
    return nodes_in(tree, result.facts)


def nodes_in(tree, facts):
    nodes, choosers = tree.nodes, tree.choosers
    found, cells, waiting = {}, {}, [((), ROOT)]
    keeps = tree.strategies.size > 0

    def edge_of(place):
        record = nodes[place]
        visits = int(record["visits"])
        value = facts.no_gain * visits + facts.span * float(record["value"])
        learnt = (float(tree.regrets[place]), float(tree.strategies[place])) if keeps else (0.0, 0.0)
        return int(record["action"]), visits, value, *learnt

    def after(history, place):
        """Go on from the end of a move: to a decision, or through chance to several."""
        if nodes[place]["player"] == CHANCE:
            waiting.extend(
                ((*history, "chance", n), child) for n, child in enumerate(_children(nodes, place))
            )
        elif nodes[place]["player"] >= SIMULTANEOUS:
            waiting.append((history, place))

    while waiting:
        history, node = waiting.pop()
        children = _children(nodes, node)
        edges = {}
        for child in children:
            edges.setdefault(int(choosers[child]), []).append(edge_of(child))
        found[history] = int(nodes[node]["visits"]), edges
        if nodes[node]["player"] != SIMULTANEOUS:
            for child in children:
                after((*history, (int(nodes[child]["action"]),)), child)
            continue
        for child in children:
            for cell in _children(nodes, child):
                chain = [cell]
                while len(chain) < facts.num_players:
                    chain.append(int(nodes[chain[-1]]["first"]))
                joint = tuple(int(nodes[place]["action"]) for place in chain)
                cells[history, joint] = (
                    int(nodes[cell]["visits"]),
                    [edge_of(place)[2] for place in chain],
                )
                after((*history, joint), chain[-1])
    return found, cells


def reference_nodes(run):
    """Return the same of a `JointRun`, with the outcomes of chance by the order in which they came."""
    numbers, orders = {}, {}

    def shown(history):
        steps, so_far, plain = [], (), ()
        outcomes = ()
        for move in (*history, None):
            if move is not None and move[0] == "chance":
                outcomes = (*outcomes, move)
                plain = (*plain, move)
                continue
            if outcomes:
                place = numbers.setdefault((so_far, outcomes), orders.setdefault(so_far, 0))
                if place == orders[so_far]:
                    orders[so_far] += 1
                steps += ["chance", place]
                outcomes = ()
            if move is not None:
                steps.append(move)
                plain = (*plain, move)
            so_far = plain
        return tuple(steps)

    found, cells = {}, {}
    for history, node in run.nodes.items():
        found[shown(history)] = (
            node.visits,
            {
                player: [(e.action, e.visits, e.value, e.regret, e.strategy) for e in edges]
                for player, edges in node.edges.items()
            },
        )
    for (history, joint), cell in run.cells.items():
        cells[shown(history), joint] = (cell.visits, cell.values)
    return found, cells


def assert_same(mine, theirs):
    """Compare trees from `nodes_of` and `reference_nodes`."""
    for one, other in zip(mine, theirs, strict=True):
        assert one.keys() == other.keys()
    for history, (visits, edges) in mine[0].items():
        assert visits == theirs[0][history][0], history
        assert edges.keys() == theirs[0][history][1].keys()
        for player, of_one in edges.items():
            others = theirs[0][history][1][player]
            assert [e[:2] for e in of_one] == [e[:2] for e in others], history
            np.testing.assert_allclose([e[2:] for e in of_one], [e[2:] for e in others], rtol=1e-9, atol=1e-6)
    for place, (visits, values) in mine[1].items():
        assert visits == theirs[1][place][0], place
        np.testing.assert_allclose(values, theirs[1][place][1], rtol=1e-9, atol=1e-6)


def _children(nodes, node):
    return children_of_one(nodes, node).tolist() if nodes[node]["first"] > ROOT else []


__all__ = ["NO_ACTION", "assert_same", "nodes_in", "nodes_of", "reference_nodes"]
