"""The common part of Hex, Y and Havannah: stones on hexagons; connected stones of a player are a group.

A cell is an action. The empty cells are a list without order, from which a cell is removed in one step;
listing moves would take most of the time of random games otherwise. So the same stones placed in another
order are another state, and `MCTS(transpositions=True)` finds few equal ones.
"""

import numpy as np

from branchwise.boards.layer import NO_CELL
from branchwise.boards.style import BoardStyle
from branchwise.drawing.grid import column_names
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers
from branchwise.games.boards import place_piece
from branchwise.games.symmetries import HEXAGON, MovesCells, symmetries_of

STONE = 1
"""Lowest bit of a stone; the bits above stand for sides."""


class Connection(MovesCells, TwoPlayers, Game):
    """A game has a field `board` [places], a class method `layout`, and sets two constants in `configure`.

    bits : of one player's stones in `board`; those of player 1 are above those of player 0.
    ends : bits of a place to which a bridge can lead.
    """

    empty: Array[np.uint16, "cells"] = 0
    """The empty cells, before cells that are taken."""
    where: Array[np.uint16, "cells"] = 0
    """The place of each empty cell in `empty`."""
    left: np.uint16 = 0
    """Number of empty cells."""
    last: np.int16 = -1
    """Cell of the last stone."""
    mover: np.int8 = 0
    won: bool = False
    """Whether the player who moved last has won."""

    @classmethod
    def layout(cls):
        """Return the coordinates (x, y) of the cells in rows from the top, steps to neighbours, and `around`.

        around(x, y) : the number of the place beyond the board, from 0, that has these coordinates.
        """
        return (((0, 0),),), HEXAGON, lambda x, y: 0

    @classmethod
    def configure(cls):
        rows, steps, around = cls.layout()
        in_order = sorted((place for row in rows for place in row), key=lambda place: place[::-1])
        number = {place: cell for cell, place in enumerate(in_order)}
        cls.ways = symmetries_of(in_order, steps)
        cls.symmetries = len(cls.ways)
        cls.cells = cls.num_actions = cls.max_game_length = len(number)
        near = [[(x + right, y + up) for right, up in steps] for x, y in number]
        cls.neighbours = np.array(
            [[number.get(place, cls.cells + around(*place)) for place in row] for row in near], np.uint16
        )
        """[cell, 6]: the places next to each cell, in a circle."""
        cls.places = int(cls.neighbours.max()) + 1
        columns = max(x for x, _ in number) + 1
        letters = column_names(columns)
        cls.names = tuple(f"{letters[x]}{y + 1}" for x, y in number)
        row_of = {y: row for row, places in enumerate(rows) for _, y in places}
        cls.squares = np.array([row_of[y] * columns + x for x, y in number])
        """[cell]: the square of the board as it is drawn."""
        cls.board_style = BoardStyle(
            "hexagons",
            len(rows),
            columns,
            colours=("white", "black"),
            players=("White", "Black"),
            row_labels=[str(y + 1) for y in row_of],
            shifts=range(len(rows)),
        )

    def setup(self):
        self.empty = range(self.cells)
        self.where = range(self.cells)
        self.left = self.cells

    def legal_actions(self):
        left = self.left
        if left > self.cells:  # never; so that the compiler knows it
            left = self.cells
        for i in range(left):
            yield self.empty[i]

    def is_legal(self, action):
        return self.board[action] == 0

    def sample_action(self, random):
        return self.empty[random.below(self.left)]

    def take(self, cell):
        """Remove a cell from the empty ones."""
        self.left -= 1
        place, other = self.where[cell], self.empty[self.left]
        self.empty[place] = other
        self.where[other] = place
        self.last = cell

    def is_terminal(self):
        return self.won

    def playout_action(self, random):
        """Return the move that saves a bridge which the last move has cut into, else a random one.

        Two stones form a bridge if they have two empty neighbours in common, and so do a stone and a side: if
        the opponent takes one of the two cells, the other connects them. Seen from the opponent's stone, that
        cell lies between the two ends of the bridge.
        """
        if self.last >= 0:
            ends = self.ends << self.bits * self.mover
            cell = np.uint16(self.last)
            before, here = self.board[self.neighbours[cell, 4]], self.board[self.neighbours[cell, 5]]
            for turn in range(6):
                after = self.board[self.neighbours[cell, turn]]
                if here == 0 and before & ends and after & ends:
                    place = self.neighbours[cell, (turn + 5) % 6]
                    if place < self.cells:
                        return place
                before, here = here, after
        return self.empty[random.below(self.left)]

    def symmetry(self, k):
        """Place all stones anew, each where its cell is moved."""
        board, mover, last, won = self.board.copy(), self.mover, self.last, self.won
        self.board[: self.cells] = 0
        self.left = self.cells
        for cell in range(self.cells):
            self.empty[cell] = cell
            self.where[cell] = cell
        for cell in range(self.cells):
            if board[cell]:
                self.mover = 0 if board[cell] & STONE else 1
                self.apply_action(self.ways[k, cell])
        self.mover = mover
        self.last = self.ways[k, last] if last >= 0 else last
        self.won = won

    # --- names and pictures ---------------------------------------------------------------------------

    def action_from_string(self, text):
        name = text.strip().lower()
        if name in self.names and not self.is_terminal() and self.board[self.names.index(name)] == 0:
            return self.names.index(name)
        return super().action_from_string(text)

    def board_cells(self, out):
        out[:, :, 1] = NO_CELL
        for cell in range(self.cells):
            value = self.board[cell]
            owner = -1 if value == 0 else 0 if value & STONE else 1
            place_piece(out, self.squares[cell], owner, 1 if value else 0)

    def action_squares(self, action):
        yield self.squares[action]


NO_ROW = 6
"""A direction in which a cell is its own neighbour."""


def _beginnings(pattern):
    """Return the directions where the unbroken rows of a circle of neighbours begin; at most three rows.

    The pattern and the result are bits: the direction of the first row is in the lowest three, and so on. It
    is NO_ROW where there are fewer rows. In a full circle the only row begins anywhere.
    """
    before = (pattern << 1 | pattern >> 5) & 0b111111
    found = [direction for direction in range(6) if pattern & ~before & 1 << direction]
    if pattern == 0b111111:
        found = [0]
    return sum(direction << 3 * i for i, direction in enumerate((found + [NO_ROW] * 3)[:3]))


BEGINNINGS = np.array([_beginnings(pattern) for pattern in range(64)], np.uint16)


class Groups(Connection):
    """Groups of stones as trees of links to a root (union-find), which holds what the group touches.

    A game sets the constant `marks`, uint16 [cells]: what a stone on each cell touches, as bits.
    """

    board: Array[np.uint8, "places"] = 0
    """1 for a stone of player 0, 2 for one of player 1."""
    parent: Array[np.uint16, "cells"] = 0
    """The next stone on the way to the root of a group, or the stone itself."""
    touched: Array[np.uint16, "cells"] = 0
    """[root]: what the group touches."""

    @classmethod
    def configure(cls):
        super().configure()
        own = np.arange(cls.cells, dtype=np.uint16)
        cls.neighbours = np.column_stack([cls.neighbours, own, own])
        """[cell, 8]: the places next to each cell, in a circle, then the cell itself; 8 is quicker than 7."""

    def pattern(self, cell):
        """Return the neighbours of a cell with stones of the player to move, as six bits."""
        pattern = 0
        for i in range(6):
            pattern |= (self.board[self.neighbours[cell, i]] >> self.mover & STONE) << i
        return pattern

    def join(self, cell, pattern):
        """Place a stone whose own neighbours are `pattern`.

        Returns what its group touches, and whether two of its neighbours that are not connected around it
        were in the same group.

        A stone alone is joined to itself, so that the processor need not guess whether there is a row.
        """
        self.board[cell] = STONE << self.mover
        self.parent[cell] = cell
        self.touched[cell] = self.marks[cell]
        rows = BEGINNINGS[pattern & 63]
        root = self.root(self.neighbours[cell, rows & 7])
        touched, ring = self.marks[cell] | self.touched[root], False
        self.parent[cell] = root
        if (rows >> 3 & 7) != NO_ROW:
            other = self.root(self.neighbours[cell, rows >> 3 & 7])
            touched |= self.touched[other]
            ring = other == root
            self.parent[root] = other
            root = other
            if rows >> 6 != NO_ROW:
                other = self.root(self.neighbours[cell, rows >> 6])
                touched |= self.touched[other]
                ring |= other == root
                self.parent[root] = other
                root = other
        self.touched[root] = touched
        return touched, ring

    def root(self, cell):
        root = self.parent[self.parent[cell]]  # more steps are seldom needed
        while self.parent[root] != root:
            root = self.parent[root]
        self.parent[cell] = root  # shortens the way for later
        return root
