"""Y: connect the three sides of a triangle of hexagons.

There are no draws, and the first player wins with best play, as in Hex, which is Y on a part of the board.
"""

from dataclasses import replace

import numpy as np

from branchwise.games.connection import STONE, Groups
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import HEXAGON

SIDE = 4
"""Bit of the sides for player 0 in `board`."""
ALL_SIDES = 0b111


class Y(Groups):
    """Actions number the cells row by row from a1 at the bottom left; row 1 is the longest.

    >>> print(Y.configured(size=3).from_actions("a1 b1 a2"))
      3  .
     2  X .
    1  X O .
       a b c
    """

    size = 13
    sides_alike = True

    playout = "game"  # wins 93 % [86, 97] of 100 games against "uniform" at 30 ms a move

    @classmethod
    def layout(cls):
        def side(x, y):
            return 0 if x < 0 else 1 if y < 0 else 2

        rows = tuple(tuple((x, y) for x in range(cls.size - y)) for y in reversed(range(cls.size)))
        return rows, HEXAGON, side

    @classmethod
    def configure(cls):
        check_ranges(cls, size=(1, 26))
        super().configure()
        cls.board_style = replace(cls.board_style, shifts=range(cls.size)[::-1])
        cls.bits = 1
        cls.ends = STONE | SIDE
        beyond = [{int(place) - cls.cells for place in near if place >= cls.cells} for near in cls.neighbours]
        cls.marks = np.array([sum(1 << side for side in sides) for sides in beyond], np.uint16)

    def setup(self):
        super().setup()
        self.board[self.cells :] = SIDE | SIDE << 1

    def apply_action(self, action):
        cell = np.uint16(action)
        self.take(cell)
        touched, _ = self.join(cell, self.pattern(cell))
        self.won = touched == ALL_SIDES
        self.mover = 1 - self.mover
