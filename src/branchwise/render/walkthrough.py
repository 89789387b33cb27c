"""A walk through some simulations as a lecture: a frame for each phase of each.

A search describes what it did as a `Lecture`; text, SVG and HTML are drawn from that. What is said of a
frame: `render.walkthrough_words`. Values, scores, bounds: returns, for the player beside whom they stand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from branchwise.render.grid import Grid
from branchwise.render.tree import DrawnNode, TreeDrawing
from branchwise.simulation import Move, Simulation


@dataclass(frozen=True)
class Board:
    """A state to be shown: as text, and as a grid of which some cells are set off, where it has a board.

    picture : the game's own SVG, where it draws one.
    """

    text: str
    grid: Grid | None = None
    marked: frozenset[tuple[int, int]] = frozenset()
    picture: str | None = None


@dataclass(frozen=True)
class Frame:
    """What one phase of a simulation did, and the tree after it.

    nodes : for each node of the picture what is known of it now, None while it is not shown; the same nodes
    in every frame, each before its children.
    fresh : indices of nodes that the phase added or whose numbers it changed.
    board : of the node reached; after a playout, of its end.   film : each move of a short playout.
    """

    simulation: Simulation
    phase: str
    nodes: tuple[DrawnNode | None, ...]
    fresh: frozenset[int]
    board: Board
    film: tuple[Board, ...] = ()


@dataclass(frozen=True)
class Players:
    """What players are called: by their symbols on the board, where there are any, else by number."""

    count: int
    symbols: tuple[str, ...] = ()

    def name(self, player: int) -> str:
        return self.symbols[player] if self.symbols else f"player {player}"

    def move(self, move: Move) -> str:
        """Return a move with who plays it, as "X a1" or "P0 a1", unless there is but one player."""
        if self.count == 1:
            return move.text
        return f"{self.symbols[move.player] if self.symbols else f'P{move.player}'} {move.text}"


@dataclass(frozen=True)
class Lecture:
    """All frames, and what holds for every one of them.

    player : who is to move at the root.   returns : the least and the greatest of the game.
    rule, c : the selection rule, and its weight of exploration for returns.   urgent, policy : how moves of
    playouts are chosen, as in `search.playouts`.   start : the state that is searched.
    solved : what the root is proven to be worth to the player to move, if that ended the search.
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

    @cached_property
    def tree(self) -> TreeDrawing:
        """Every node that some frame shows, as it is in the end."""
        nodes = self.frames[-1].nodes
        return TreeDrawing("", tuple(node for node in nodes if node is not None), self.returns)
