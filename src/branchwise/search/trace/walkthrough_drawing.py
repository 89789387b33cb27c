"""Preparing a walk-through for drawing: the tree after each phase, and the boards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.core.tree.node_fields import ROOT
from branchwise.drawing.grid import player_symbols
from branchwise.game.rules_class import Game
from branchwise.pictures.simulation_report import PHASES, Move, Simulation
from branchwise.pictures.tree.tree import DrawnNode
from branchwise.pictures.walkthrough.walkthrough import Board, Frame, Lecture, Players
from branchwise.rules.facts.facts import GameFacts, apply_legal, copied
from branchwise.rules.facts.player_symbols import symbols_of_players
from branchwise.rules.knowledge.information import InformationState
from branchwise.search.settings.playout_policies import find_policy
from branchwise.search.trace.stepping import Seen
from branchwise.search.trace.tree_snapshots import NOWHERE, Known, Moment, moments
from branchwise.search.tree.view import SearchTree

_MOST_SIBLINGS = 8
"""Children of a node that are drawn besides those on a simulation's path; fewer in larger trees."""
_MOST_NODES = 120
_MOST_FILM_CELLS = 42
"""Maximum number of cells of a board on which short playouts are shown move by move."""


class Shown(Protocol):
    """What is drawn of a `search.trace.walkthrough.Walkthrough`."""

    @property
    def state(self) -> Any: ...
    @property
    def simulations(self) -> tuple[Simulation, ...]: ...
    @property
    def selection(self) -> str: ...
    @property
    def c(self) -> float: ...
    @property
    def playout(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def tree(self) -> SearchTree: ...
    @property
    def facts(self) -> GameFacts: ...
    @property
    def seen(self) -> tuple[Seen, ...]: ...
    @property
    def is_open(self) -> bool: ...
    @property
    def is_drawn(self) -> bool: ...
    @property
    def is_dealt(self) -> bool: ...
    @property
    def stretches(self) -> bool: ...


def draw_walkthrough(walk: Shown) -> Lecture:
    """Return the frames of a walk-through, and the data common to all of them."""
    facts, state = walk.facts, walk.state
    returns, player = (facts.min_return, facts.max_return), int(state.current_player())
    trees = moments(walk.simulations, player, returns)
    boards = [_boards(*of) for of in zip(walk.seen, walk.simulations, strict=True)]
    rules = state.game if isinstance(state, InformationState) else type(state)
    if issubclass(rules, Game):
        symbols = symbols_of_players(rules)
    else:
        grids = (grid for seen in boards for grid in (seen.leaf.grid, seen.end.grid))
        symbols = player_symbols(grids, facts.num_players)
    players = Players(facts.num_players, symbols, "known" if walk.is_dealt else "chance")
    order = _drawn(trees)
    over = _where_over(walk, trees[-1], order)
    frames = []
    for i, tree in enumerate(trees):
        number, place = divmod(i, len(PHASES))
        seen = boards[number]
        board = (seen.leaf, seen.node, seen.end, seen.node)[place]
        film = seen.film if PHASES[place] == "playout" else ()
        nodes = _draw(tree, order, over, players)
        frames.append(Frame(walk.simulations[number], PHASES[place], nodes, tree.fresh, board, film))
    policy = find_policy(walk.playout)
    root = trees[-1].nodes[ROOT]
    return Lecture(
        game=facts.name,
        players=players,
        player=player,
        returns=returns,
        rule=walk.selection,
        c=walk.c if walk.stretches else walk.c * facts.span,
        urgent=policy.urgent,
        policy=policy.policy,
        seed=walk.seed,
        start=_board(state),
        frames=tuple(frames),
        solved=root.bounds[0] if root.is_solved else None,
        stretches=walk.stretches,
        pays=facts.pays,
        discount=facts.discount,
        horizon=facts.horizon,
        is_open=walk.is_open,
        is_drawn=walk.is_drawn,
        is_dealt=walk.is_dealt,
    )


def _where_over(walk: Shown, tree: Moment, order: Sequence[int]) -> set[int]:
    """Return the nodes at which the game is over; none in an open loop, where nodes stand for many states."""
    if walk.is_open:
        return set()
    if walk.is_drawn:  # moves alone do not give the states again
        reader = walk.tree.reader
        return {node for node in order if int(reader.record(node)["player"]) == TERMINAL}
    return {node for node in order if _reached(walk.state, tree.nodes[node].moves).is_terminal()}


# --- trees ------------------------------------------------------------------------------------------------


def _drawn(trees: Sequence[Moment]) -> list[int]:
    """Return the nodes that some picture shows, parents before children, children as they were added.

    They are the nodes on the paths, and those of their siblings that have the most visits in the end.
    """
    nodes = trees[-1].nodes
    passed = {node for tree in trees for node in tree.path}
    children: dict[int, list[int]] = {}
    for known in sorted(nodes.values(), key=lambda known: (-known.visits, known.index)):
        if known.parent != NOWHERE:
            children.setdefault(known.parent, []).append(known.index)
    for siblings in range(_MOST_SIBLINGS, -1, -1):
        order: list[int] = []
        waiting = [ROOT]
        while waiting:
            node = waiting.pop()
            order.append(node)
            found = children.get(node, [])
            others = [child for child in found if child not in passed and _is_visible(nodes[child])]
            shown = passed.intersection(found).union(others[:siblings])
            waiting += sorted(shown, reverse=True)
        if len(order) <= _MOST_NODES:
            break
    return order


def _is_visible(known: Known) -> bool:
    """Whether a node has anything to show when no simulation is at it."""
    return known.visits > 0 or known.is_solved


def _draw(
    tree: Moment, order: Sequence[int], over: set[int], players: Players
) -> tuple[DrawnNode | None, ...]:
    """Return the current figures of each node in `order`; None for a node that does not exist yet.

    over : the nodes at which the game is over.
    """
    places = {node: place for place, node in enumerate(order)}
    shown = {
        node for node in order if node in tree.nodes and (node in tree.path or _is_visible(tree.nodes[node]))
    }
    left_out: dict[int, list[int]] = {}
    for known in tree.nodes.values():
        if known.index not in shown:
            left_out.setdefault(known.parent, []).append(known.visits)
    return tuple(
        _draw_node(tree, tree.nodes[node], places, left_out.get(node, []), node in over, players)
        if node in shown
        else None
        for node in order
    )


def _draw_node(
    tree: Moment,
    known: Known,
    places: Mapping[int, int],
    left_out: Sequence[int],
    is_over: bool,
    players: Players,
) -> DrawnNode:
    above = tree.nodes.get(known.parent)
    move = known.moves[-1] if known.moves else None
    total = max(above.visits, 1) if above is not None else max(known.visits, 1)
    return DrawnNode(
        index=known.index,
        parent=places.get(known.parent, NOWHERE),
        depth=len(known.moves),
        action=None if move is None else move.action,
        text="root" if move is None else players.move(move),
        visits=known.visits,
        share=known.visits / total,
        value=known.value,
        bounds=known.bounds,
        proven=known.bounds[0] if known.is_solved else None,
        prior=None,
        player=known.player,
        mover=known.mover,
        by_chance=move is not None and move.player == CHANCE,
        terminal=is_over,
        on_line=known.index in tree.path,
        more=len(left_out),
        more_visits=sum(left_out),
        more_share=sum(left_out) / max(known.visits, 1),
        below=known.player is None and known.visits > 1 and not is_over,
    )


# --- boards -----------------------------------------------------------------------------------------------


class _Boards(NamedTuple):
    """The leaf of a simulation, the node from which it played out, each move of that, and its end."""

    leaf: Board
    node: Board
    film: tuple[Board, ...]
    end: Board


def _boards(seen: Seen, simulation: Simulation) -> _Boards:
    games, played = simulation.playout.games, seen.played
    start = seen.node[0]
    end = _board(played[-1], start) if played else _board(start)
    cells = 0 if end.grid is None else len(end.grid.cells) * len(end.grid.cells[0])
    film: tuple[Board, ...] = ()
    is_whole = len(games) == 1 and len(played) == len(games[0].moves)
    if is_whole and 0 < cells <= _MOST_FILM_CELLS:
        film = tuple(_board(state, before) for before, state in pairwise((start, *played)))
    return _Boards(_board(*seen.leaf), _board(*seen.node), film, end)


def _reached(state: Any, moves: Iterable[Move]) -> Any:
    """Return the state after moves from `state`."""
    after = copied(state)
    for move in moves:
        apply_legal(after, move.action)
    return after


def _board(state: Any, before: Any = None) -> Board:
    """Return the board of a state; cells taken since `before`, or all that changed, are highlighted."""
    grid = state.to_grid() if isinstance(state, Game) else None
    if not isinstance(state, Game):
        return Board(str(state))
    marked: set[tuple[int, int]] = set()
    known = None if before is None else before.to_grid()
    if grid is not None and known is not None:
        changed = grid.changed(known)
        marked = {(r, c) for r, c in changed if grid.cells[r][c].owner != known.cells[r][c].owner} or changed
    has_own = type(state).to_svg is not Game.to_svg
    return Board(str(state), grid, frozenset(marked), state.to_svg() if has_own else None)
