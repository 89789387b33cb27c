"""Reading the result of a search from the trees of its session."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from branchwise.core.tree import PARTIAL, ROOT
from branchwise.rules.facts import copied
from branchwise.search.choice import in_order, lower_bound
from branchwise.search.result import Child, SearchResult, Source, UnreadLine
from branchwise.search.session import Session
from branchwise.search.spread import spread_of
from branchwise.search.tree.reader import Reader
from branchwise.search.tree.view import SearchTree


def result_of(
    session: Session, *, simulations: int, moves: int, seconds: float, ended_by: str, memory_full: bool
) -> SearchResult:
    """Return the result of a session's trees at its root."""
    state, facts = copied(session.state), session.facts
    is_closed = not (session.composition.is_open or session.composition.is_drawn)
    has_chance = facts.simulates or facts.samples or facts.num_outcomes > 0
    trees = [
        SearchTree(search.tree, state, facts, session.seed, simulations, seconds, session.lease, search)
        for search in session.runner.searches
    ]
    largest = max(trees, key=lambda tree: tree.root.visits)
    player = largest.root.player
    assert player is not None
    scale = _scale(session, player)
    return SearchResult(
        state=state,
        player=player,
        children=in_order(
            _read_children(session, trees, scale or (facts.min_return, facts.max_return)),
            "halving" if session.settings.halving else session.settings.choice,
            facts,
            session.settings.risk,
        ),
        simulations=simulations,
        seconds=seconds,
        ended_by=ended_by,
        memory_full=memory_full,
        seed=session.seed,
        facts=facts,
        scale=scale,
        is_open=session.composition.is_open,
        is_drawn=session.composition.is_drawn,
        moves=moves if is_closed or not has_chance else None,
        _source=Source(largest, session.stand, session.unread),
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

    @property
    def is_proven(self) -> bool:
        return self.lower >= self.upper


def _read_children(session: Session, trees: list[SearchTree], scale: tuple[float, float]) -> list[Child]:
    """Return the statistics of each action at the root over all trees; scale : bounds of the returns."""
    found: dict[Any, list[_Seen]] = {}
    for number, tree in enumerate(trees):
        for action, seen in _read_root(tree._reader):
            # Each tree has different continuous actions.
            found.setdefault((number, action) if session.facts.dimensions else action, []).append(seen)
    leading = {
        a: seen[0] if len(seen) == 1 else max(seen, key=lambda it: (it.is_proven, it.visits))
        for a, seen in found.items()
    }
    lines = _Lines(list(leading.values()))
    session.unread.add(lines)
    children = []
    for number, (key, of_trees) in enumerate(found.items()):
        action = of_trees[0].reader.move_of(of_trees[0].node)
        visits = sum(seen.visits for seen in of_trees)
        lower = max(seen.lower for seen in of_trees)
        upper = min(seen.upper for seen in of_trees)
        value = bound = proven = None
        if visits:
            value = math.fsum(seen.value * seen.visits for seen in of_trees if seen.visits) / visits
            bound = max(lower_bound(value, visits, *scale), lower)
        if lower >= upper:
            value = bound = proven = lower
        leader = leading[key]
        moves = leader.reader.moves_to_end(leader.node) if proven is not None and leader.is_proven else None
        children.append(
            Child(
                action,
                visits,
                value,
                bound,
                UnreadLine(action, lines, number),
                prior=of_trees[0].prior,
                proven=proven,
                lower=lower,
                upper=upper,
                moves_to_end=None if moves is None else moves + 1,
                spread=None if session.facts.dimensions else spread_of(session.runner.of_threads, action),
            )
        )
    return children if session.facts.dimensions else children + _without_nodes(session, set(found))


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
    columns = (
        reader.actions(nodes),
        nodes,
        reader.visits(nodes),
        reader.values(nodes),
        reader.column("lower", nodes),
        reader.column("upper", nodes),
    )
    for action, *known in zip(*(column.tolist() for column in columns), priors, strict=True):
        yield action, _Seen(reader, *known)


class _Lines:
    """The lines of one result, read from the trees on first access or before the trees change."""

    def __init__(self, leading: list[_Seen]) -> None:
        self._leading = leading
        self._lines: list[list[int]] | None = None
        self._reading = threading.Lock()

    def read(self) -> list[list[int]]:
        """Return the line below each action at the root, as actions."""
        with self._reading:
            if self._lines is None:
                self._lines = _read_lines(self._leading)
                self._leading = []
            return self._lines


def _read_lines(leading: list[_Seen]) -> list[list[int]]:
    """Return the principal variation below each of these, as actions."""
    lines: dict[int, list[int]] = {}
    for reader in {id(seen.reader): seen.reader for seen in leading}.values():
        rows = [i for i, seen in enumerate(leading) if seen.reader is reader]
        below = reader.lines(np.array([leading[i].node for i in rows]))
        for i, line in zip(rows, below, strict=True):
            lines[i] = reader.moves(line)
    return [lines[i] for i in range(len(leading))]
