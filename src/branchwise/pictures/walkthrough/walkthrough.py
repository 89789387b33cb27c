"""A walk through some simulations, as a lecture: a frame for each phase of each simulation.

A search describes its work as a `Lecture`; text, SVG and HTML are drawn from it.
`pictures.walkthrough.captions` has the words for a frame. Values, scores and bounds are returns for the
player named beside them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from branchwise.common.players import CHANCE, named
from branchwise.drawing.grid import Grid
from branchwise.pictures.simulation_report import Move, Simulation
from branchwise.pictures.tree.tree import DrawnNode, TreeDrawing, span_of


@dataclass(frozen=True)
class Board:
    """A state to show: as text and, if it has a board, as a grid with some cells highlighted.

    picture : the game's own SVG, if it draws one.
    """

    text: str
    grid: Grid | None = None
    marked: frozenset[tuple[int, int]] = frozenset()
    picture: str | None = None


@dataclass(frozen=True)
class Frame:
    """One phase of a simulation, and the tree after it.

    nodes : each node of the picture in its current form, None while it is not shown; the same nodes in every
    frame, each before its children.
    fresh : indices of nodes that the phase added or changed.
    board : the board of the node reached, or of the playout's end.   film : each move of a short playout.
    """

    simulation: Simulation
    phase: str
    nodes: tuple[DrawnNode | None, ...]
    fresh: frozenset[int]
    board: Board
    film: tuple[Board, ...] = ()


@dataclass(frozen=True)
class Players:
    """Names of the players: their symbols on the board if they have any, else their numbers."""

    count: int
    symbols: tuple[str, ...] = ()
    others: str = "chance"
    """What is named in place of a player at outcomes of chance, or at what is known after a move."""

    def name(self, player: int) -> str:
        return self.symbols[player] if self.symbols and player != CHANCE else named(player)

    def move(self, move: Move) -> str:
        """Return a move with its player, as "X a1", "P0 a1" or "chance 6".

        In single-player games the player is left out.
        """
        if move.player == CHANCE:
            return f"{self.others} {move.text}"
        if self.count == 1:
            return move.text
        return f"{self.symbols[move.player] if self.symbols else f'P{move.player}'} {move.text}"


@dataclass(frozen=True)
class Lecture:
    """All frames, and their common data.

    player : the player to move at the root.   returns : the lowest and the highest return of the game.
    returns are infinite if a game that pays on the way does not declare them. rule, c : the selection rule,
    and its weight of exploration: on the scale of returns, or, if the search stretches, of those seen.
    urgent, policy : the choice of moves in playouts, as in `search.settings.playout_policies`. start : the
    state that is searched.   solved : the proven value of the root for the player to move, if that ended the
    search.   pays : whether rewards are paid on the way; discount, horizon : as in `Game`. is_open : whether
    nodes stand for decisions only.   is_drawn : whether drawn outcomes have nodes. is_dealt : whether each
    simulation begins in a state that is dealt, and nodes are what a player knows.
    """

    game: str
    players: Players
    player: int
    returns: tuple[float, float]
    rule: str
    c: float
    urgent: str
    policy: str
    seed: int
    start: Board
    frames: tuple[Frame, ...]
    solved: float | None
    stretches: bool = False
    pays: bool = False
    discount: float = 1.0
    horizon: int = 0
    is_open: bool = False
    is_drawn: bool = False
    is_dealt: bool = False

    @cached_property
    def tree(self) -> TreeDrawing:
        """Every node that any frame shows, in its final form."""
        nodes = self.frames[-1].nodes
        return TreeDrawing("", tuple(node for node in nodes if node is not None), self.returns, self.scale)

    @cached_property
    def scale(self) -> tuple[float, float]:
        """The ends of bars and colours: the bounds of returns, or the least and the greatest value shown."""
        low, high = self.returns
        if math.isfinite(high - low):
            return low, high
        values: list[float | None] = []
        for frame in self.frames:
            simulation = frame.simulation
            values += [sibling.value for choice in simulation.choices for sibling in choice.siblings]
            values += [update.value_after for update in simulation.backup.updates]
            values += simulation.playout.returns
        return span_of(values)
