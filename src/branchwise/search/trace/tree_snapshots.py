"""Rebuilding the tree after each phase from the reports of single simulations.

Only nodes that the simulations met are known: those on their paths, and their siblings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from branchwise.common.players import CHANCE, credited
from branchwise.core.tree.node_fields import ROOT
from branchwise.pictures.simulation_report import Bounds, Move, NewChild, Sibling, Simulation

NOWHERE = -1


@dataclass(frozen=True)
class Known:
    """A node at one time; values and bounds are for its mover, at the root for the player to move.

    parent : NOWHERE at the root.   moves : from the root to the node.   player : the player to move, if the
    node has known children.   mover : the player who moved into it, or before chance did; None at the root.
    """

    index: int
    parent: int
    moves: tuple[Move, ...]
    visits: int
    value: float | None
    bounds: Bounds
    player: int | None = None
    mover: int | None = None

    @property
    def is_solved(self) -> bool:
        return self.bounds[0] >= self.bounds[1]


@dataclass(frozen=True)
class Moment:
    """The tree after one phase.

    nodes : by index, parents before their children.   path : of the simulation so far.   fresh : nodes that
    the phase added or changed.
    """

    nodes: dict[int, Known]
    path: tuple[int, ...]
    fresh: frozenset[int]


def moments(simulations: Sequence[Simulation], player: int, returns: Bounds) -> list[Moment]:
    """Return the tree after each phase of each simulation; player : the player to move at the root."""
    nodes = _nodes_before(simulations, player, returns)
    found = []
    for simulation in simulations:
        for moment in _phases(simulation, nodes, returns):
            nodes = moment.nodes
            found.append(moment)
    return found


def _nodes_before(simulations: Sequence[Simulation], player: int, returns: Bounds) -> dict[int, Known]:
    """Return the nodes as they were before the first of the simulations.

    Only simulations change nodes, and a simulation reports each node before it changes it. So the first
    report of a node shows it as it was at the beginning.
    """
    first = simulations[0]
    root = first.backup.updates[-1]
    proven = [proof.before for proof in first.expansion.proofs if proof.node == ROOT]
    bounds = proven[0] if proven else root.bounds_before
    nodes = {ROOT: Known(ROOT, NOWHERE, (), root.visits_before, None, bounds, player)}
    added = {child.node for simulation in simulations for child in simulation.expansion.children}
    added |= {
        outcome.siblings[outcome.chosen].node
        for simulation in simulations
        if (outcome := simulation.expansion.outcome) is not None
    }
    for simulation in simulations:
        for choice in simulation.selection.choices:
            if choice.node in nodes:
                nodes[choice.node] = replace(nodes[choice.node], player=choice.player)
                for sibling in choice.siblings:
                    if sibling.node not in added and sibling.node not in nodes:
                        nodes[sibling.node] = _known(sibling, nodes[choice.node])
    return nodes


def _phases(simulation: Simulation, nodes: dict[int, Known], returns: Bounds) -> Iterator[Moment]:
    selection, expansion, updates = simulation.selection, simulation.expansion, simulation.backup.updates
    path = (ROOT, *(choice.siblings[choice.chosen].node for choice in selection.choices))
    nodes = dict(nodes)
    for choice in selection.choices:
        for sibling in choice.siblings:
            if sibling.node not in nodes:  # a new move that led to what was known before
                nodes[sibling.node] = _known(sibling, nodes[choice.node])
    yield Moment(nodes, path, frozenset())

    nodes = dict(nodes)
    fresh = {proof.node for proof in expansion.proofs}
    for proof in expansion.proofs:
        nodes[proof.node] = replace(nodes[proof.node], bounds=proof.after)
    leaf = nodes[selection.leaf]
    if expansion.choice is not None:
        leaf = nodes[leaf.index] = replace(leaf, player=expansion.choice.player)
    for child in expansion.children:
        nodes[child.node] = _new(child, leaf, returns)
        fresh |= {child.node} if child.settled is not None else set()
    if expansion.outcome is not None:
        above = nodes[expansion.outcome.node] = replace(nodes[expansion.outcome.node], player=CHANCE)
        found = expansion.outcome.siblings[expansion.outcome.chosen]
        nodes[found.node] = _new(NewChild(found.node, found.move, None, None), above, returns)
    path = (*path, *(choice.siblings[choice.chosen].node for choice in expansion.choices))
    if not nodes[path[-1]].visits:
        fresh.add(path[-1])
    yield Moment(nodes, path, frozenset(fresh))
    yield Moment(nodes, path, frozenset())

    nodes = dict(nodes)
    for update in updates:
        nodes[update.node] = replace(
            nodes[update.node],
            visits=update.visits_after,
            value=update.value_after,
            bounds=update.bounds_after,
        )
    yield Moment(nodes, path, frozenset(path))


def _known(sibling: Sibling, above: Known) -> Known:
    value = sibling.value if sibling.visits else None
    moves = (*above.moves, sibling.move)
    mover = credited(above.mover, sibling.move.player)
    return Known(sibling.node, above.index, moves, sibling.visits, value, sibling.bounds, mover=mover)


def _new(child: NewChild, above: Known, returns: Bounds) -> Known:
    bounds = returns if child.settled is None else (child.settled, child.settled)
    mover = credited(above.mover, child.move.player)
    return Known(child.node, above.index, (*above.moves, child.move), 0, None, bounds, mover=mover)
