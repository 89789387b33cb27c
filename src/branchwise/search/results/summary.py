"""Reading the result of a search from the trees of its session."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from branchwise.common.players import SIMULTANEOUS
from branchwise.core.tree.node_fields import PARTIAL, ROOT
from branchwise.rules.facts.facts import copied
from branchwise.search.results.joint_summary import joint_result_of
from branchwise.search.results.read_once import ReadOnce
from branchwise.search.results.result import Child, SearchResult, Source, Unread
from branchwise.search.results.return_distribution import spread_of
from branchwise.search.results.root_choice import in_order, lower_bound
from branchwise.search.session.belief import Belief
from branchwise.search.session.search_session import Session
from branchwise.search.tree.node_reader import Reader
from branchwise.search.tree.view import SearchTree


def result_of(session: Session, moves: int, simulations: int, seconds: float, **spent: Any) -> SearchResult:
    """Return the result of a session's trees at its root; spent : what it took, as in `SearchResult`."""
    state, facts = copied(session.state), session.facts
    is_closed = not (session.composition.is_open or session.composition.is_drawn)
    has_chance = facts.simulates or facts.samples or facts.num_outcomes > 0
    trees = [
        SearchTree(search.tree.whole, state, facts, session.seed, simulations, seconds, session.lease, search)
        for search in session.runner.searches
    ]
    largest = max(trees, key=lambda tree: tree.root.visits)
    player = largest.root.player
    assert player is not None
    if player == SIMULTANEOUS:
        return joint_result_of(session, largest, state, simulations=simulations, seconds=seconds, **spent)
    scale = _scale(session, player)
    found = _read_children(session, trees, scale or (facts.min_return, facts.max_return))
    children = in_order(found, session.choice, facts, session.settings.risk)
    if session.leading is not None:
        children = tuple(sorted(children, key=lambda child: child.action != session.leading))
    return SearchResult(
        state=session.known or state,
        player=player,
        children=children,
        simulations=simulations,
        seconds=seconds,
        seed=session.seed,
        facts=facts,
        scale=scale,
        is_open=session.composition.is_open,
        is_drawn=session.composition.is_drawn,
        deals=session.deals,
        belief=session.known if isinstance(session.known, Belief) else None,
        moves=moves if is_closed or not has_chance else None,
        _source=Source(largest, session.stand, session.unread),
        **spent,
    )


def _scale(session: Session, player: int) -> tuple[float, float] | None:
    """Return the returns of `player` that selection scales to 0 and 1, over all trees."""
    facts = session.facts
    if not session.composition.stretches:
        return facts.min_return, facts.max_return
    ranges = [search.tree.ranges[player] for search in session.runner.searches]
    low, high = min(float(r["low"]) for r in ranges), max(float(r["high"]) for r in ranges)
    if low > high:
        return None
    return facts.no_gain + facts.span * low, facts.no_gain + facts.span * high


class _Seen(NamedTuple):
    """The statistics of an action at the root in one tree; value : nan without visits."""

    reader: Reader
    node: int
    visits: int
    value: float
    lower: float
    upper: float
    prior: float | None
    available: int | None = None

    @property
    def is_proven(self) -> bool:
        return self.lower >= self.upper


def _read_children(session: Session, trees: list[SearchTree], scale: tuple[float, float]) -> list[Child]:
    """Return the statistics of each action at the root over all trees; scale : bounds of the returns."""
    is_continuous = session.facts.dimensions > 0
    keeps_spread = session.composition.keeps_spread and not is_continuous
    found: dict[Any, list[_Seen]] = {}
    for number, tree in enumerate(trees):
        for action, seen in _read_root(tree._reader):
            # Each tree has different continuous actions.
            found.setdefault((number, action) if is_continuous else action, []).append(seen)
    leading = {
        a: seen[0] if len(seen) == 1 else max(seen, key=lambda it: (it.is_proven, it.visits))
        for a, seen in found.items()
    }
    lines: ReadOnce[list[Any]] = ReadOnce(partial(_read_lines, list(leading.values())))
    moves: ReadOnce[list[Any]] = ReadOnce(partial(_read_moves, list(leading.values())))
    session.unread.update((lines, moves))
    children = []
    for number, (key, of_trees) in enumerate(found.items()):
        seen = _together(of_trees)
        action = seen.reader.move_of(seen.node) if is_continuous else key
        visits, lower, upper = seen.visits, seen.lower, seen.upper
        value = bound = proven = None
        if visits:
            value = seen.value
            bound = max(lower_bound(value, visits, *scale), lower)
        if lower >= upper:
            value = bound = proven = lower
        children.append(
            Child(
                action,
                visits,
                value,
                bound,
                (key,) if session.composition.is_joint else _later(lines, number),
                prior=seen.prior,
                proven=proven,
                lower=lower,
                upper=upper,
                moves_to_end=_later(moves, number) if leading[key].is_proven else None,
                spread=spread_of(session.runner.of_threads, action) if keeps_spread else None,
                available=_available(session, seen),
            )
        )
    return children if is_continuous else children + _without_nodes(session, set(found))


def _available(session: Session, seen: _Seen) -> int | None:
    """Return how often an action at the root was legal; None where one state is searched."""
    if session.source is None:
        return None
    if session.known is None:
        return seen.available
    return sum(int(tree.nodes[ROOT]["visits"]) for tree in session.trees)  # it follows from what is known


def _together(of_trees: list[_Seen]) -> _Seen:
    """Return the statistics of one action over several trees."""
    one = of_trees[0]
    if len(of_trees) == 1:
        return one
    visits = sum(seen.visits for seen in of_trees)
    gained = math.fsum(seen.value * seen.visits for seen in of_trees if seen.visits)
    return one._replace(
        visits=visits,
        value=gained / visits if visits else math.nan,
        lower=max(seen.lower for seen in of_trees),
        upper=min(seen.upper for seen in of_trees),
        available=None if one.available is None else sum(seen.available or 0 for seen in of_trees),
    )


def _later(of_all: ReadOnce[list[Any]], number: int) -> Any:
    """Return what stands for an attribute of the action of this number, among those of all actions."""
    return Unread(lambda: of_all.value[number])


def _without_nodes(session: Session, known: set[int]) -> list[Child]:
    """Return the legal actions without a child in any tree, which a root from `advance` may have."""
    if not any(search.tree.nodes[ROOT]["flags"] & PARTIAL for search in session.runner.searches):
        return []
    facts = session.facts
    return [
        Child(int(action), 0, None, None, (), lower=facts.min_return, upper=facts.max_return)
        for action in session.state.legal_actions()
        if int(action) not in known
    ]


def _read_root(reader: Reader) -> Iterator[tuple[int, _Seen]]:
    """Yield each action at the root with its statistics in one tree."""
    nodes, _ = reader.children(np.array([ROOT]))
    priors = [None] * nodes.size if reader.priors is None else reader.priors[nodes].tolist()
    counts = reader.available
    available = [None] * nodes.size if counts is None else counts[nodes].tolist()
    columns = (
        reader.actions(nodes),
        nodes,
        reader.visits(nodes),
        reader.values(nodes),
        reader.column("lower", nodes),
        reader.column("upper", nodes),
    )
    for action, *known in zip(*(column.tolist() for column in columns), priors, available, strict=True):
        yield action, _Seen(reader, *known)


def _read_moves(leading: list[_Seen]) -> list[int | None]:
    """Return the moves to the end of each proven game, the action's included; None where there is none."""
    below = [seen.reader.moves_to_end(seen.node) if seen.is_proven else None for seen in leading]
    return [None if moves is None else moves + 1 for moves in below]


def _read_lines(leading: list[_Seen]) -> list[tuple[Any, ...]]:
    """Return the principal variation that begins with each of these, as actions."""
    lines: dict[int, tuple[Any, ...]] = {}
    for reader in {id(seen.reader): seen.reader for seen in leading}.values():
        rows = [i for i, seen in enumerate(leading) if seen.reader is reader]
        below = reader.lines(np.array([leading[i].node for i in rows]))
        for i, line in zip(rows, below, strict=True):
            lines[i] = (reader.move_of(leading[i].node), *reader.moves(line))
    return [lines[i] for i in range(len(leading))]
