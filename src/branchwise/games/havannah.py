"""Havannah (Freeling 1981): build a ring, a bridge between two corners or a fork of three sides on a hexagon.

Groups of stones are trees of links to a root (union-find), which holds the corners and sides that the group
touches. A new stone closes a ring if two of its neighbours that are not connected around it are in the same
group. Otherwise it can only complete the six stones around a stone of the same player beside it.
"""

import numpy as np

from branchwise.errors import GameError
from branchwise.fields import Array
from branchwise.games.bits import count_bits
from branchwise.games.connection import STONE, Connection
from branchwise.render.grid import column_names

STEPS = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
CORNERS = 0b111111
"""Bits of the corners that a group touches; those of the sides are above them."""


def _turned(pattern, by):
    """Return a pattern of neighbours, as six bits, turned by some places."""
    return (pattern << by | pattern >> 6 - by) & 0b111111


def _beginnings(pattern):
    """Return how many unbroken rows of neighbours there are, in a circle, and the first direction of each."""
    found = [i for i in range(6) if pattern & ~_turned(pattern, 1) & 1 << i]
    return [len(found), *found, 0, 0, 0][:4]


BEGINNINGS = np.array([_beginnings(pattern) for pattern in range(64)], np.uint8)
"""[pattern of neighbours, as six bits, 4]: results of `_beginnings`."""
BETWEEN = np.array([p & _turned(p, 1) & _turned(p, 5) for p in range(64)], np.uint8)
"""[pattern]: those of the neighbours that lie between two others."""
WINS = np.array([count_bits(m & CORNERS) >= 2 or count_bits(m >> 6) >= 3 for m in range(4096)])
"""Whether corners and sides, as bits, make a bridge or a fork."""


class Havannah(Connection):
    """Actions number the cells row by row from a1 at the bottom left; `size` is the length of a side.

    Columns are slanted to the left; their letters are below the first row and to the right of the next ones.
    A corner cell belongs to no side. The game is a draw if the board is full, which hardly ever happens.

    >>> print(Havannah.configured(size=3).from_actions("a1 c3 e5"))
      5  . . X
     4  . . . .
    3  . . O . .
     2  . . . . e
      1  X . . d
         a b c
    """

    size = 8

    playout = "uniform"  # "game" wins 53 % [43, 63] of 100 games against it at 30 ms a move

    board: Array[np.uint8, "places"] = 0
    """1 for a stone of player 0, 2 for one of player 1."""
    parent: Array[np.uint16, "cells"] = 0
    """The next stone on the way to the root of a group, or the stone itself."""
    touched: Array[np.uint16, "cells"] = 0
    """[root]: corners and sides that the group touches, as bits."""

    @classmethod
    def layout(cls):
        last = 2 * cls.size - 2
        rows = [
            tuple((x, y) for x in range(max(0, y - cls.size + 1), min(last, y + cls.size - 1) + 1))
            for y in range(last + 1)
        ]
        return rows[::-1], STEPS, lambda x, y: 0

    @classmethod
    def configure(cls):
        if not 2 <= cls.size <= 26:
            raise GameError(f"havannah cannot have the size {cls.size}", mend="the size must be from 2 to 26")
        super().configure()
        cls.bits = 1
        cls.ends = STONE
        middle, last = cls.size - 1, 2 * cls.size - 2
        marks = []
        for x, y in sorted(
            (place for row in cls.layout()[0] for place in row), key=lambda place: place[::-1]
        ):
            touching = [y == 0, x - y == middle, x == last, y == last, y - x == middle, x == 0]
            sides = [i for i in range(6) if touching[i]]
            at_corner = len(sides) == 2  # that of sides i and i + 1, or of sides 5 and 0
            marks.append(
                1 << (sides[0] if sides != [0, 5] else 5) if at_corner else sum(64 << i for i in sides)
            )
        cls.marks = np.array(marks, np.uint16)
        """[cell]: the corner or side that the cell belongs to, as bits."""

    def apply_action(self, action):
        cell = np.uint16(action)
        self.take(cell)
        pattern = 0
        for i in range(6):
            pattern |= (self.board[self.neighbours[cell, i]] >> self.mover & STONE) << i
        self.board[cell] = STONE << self.mover
        self.parent[cell] = cell
        root, touched = cell, self.marks[cell]
        for i in range(BEGINNINGS[pattern, 0]):
            other = self.root(self.neighbours[cell, BEGINNINGS[pattern, i + 1]])
            self.won |= other == root
            touched |= self.touched[other]
            self.parent[root] = other
            root = other
        self.touched[root] = touched
        self.won |= WINS[touched]
        if BETWEEN[pattern]:
            self.won |= self.encloses(cell, BETWEEN[pattern])
        self.mover = 1 - self.mover

    def root(self, cell):
        while self.parent[cell] != cell:
            self.parent[cell] = self.parent[self.parent[cell]]
            cell = self.parent[cell]
        return cell

    def encloses(self, cell, between):
        """Whether a stone next to `cell`, in one of the directions `between`, has six stones around it."""
        for direction in range(6):
            if between >> direction & 1:
                middle = self.neighbours[cell, direction]
                around = STONE << self.mover
                for i in range(6):
                    around &= self.board[self.neighbours[middle, i]]
                if around:
                    return True
        return False

    def is_terminal(self):
        return self.won or self.left == 0

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def labels(self):
        rows = range(2 * self.size - 2, -1, -1)
        return {
            **super().labels(),
            "column_labels": column_names(2 * self.size - 1),
            "shifts": tuple(abs(y - self.size + 1) for y in rows),
            "starts": tuple(max(0, y - self.size + 1) for y in rows),
        }
