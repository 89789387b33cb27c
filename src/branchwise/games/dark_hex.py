"""Dark Hex: Hex in which players see only their own stones, and those that they have bumped into.

A move to a taken cell fails and shows the stone there. The player then tries another cell or, with `abrupt`,
has lost the turn. Hayward, "Kriegspiel Hex", in Hayward, Toft, "Hex: the full story", 2019.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.games.option_checks import check_ranges
from branchwise.games.phantom import Phantom


class DarkHex(Phantom):
    """Action size * row + column tries a cell; row 0 is on top, and a1 its first cell.

    X, player 0, connects top and bottom, O left and right.

    >>> state = DarkHex.from_actions("b2 b2 a1")
    >>> print(state)
    1  O . .
     2  . X .
      3  . . .
         a b c
    X connects top and bottom, O left and right
    >>> state.observation(1)[:9]
    (2, 0, 0, 0, 1, 0, 0, 0, 0)
    """

    size = 3
    abrupt = False

    @classmethod
    def configure(cls):
        super().configure()
        rows = range(cls.size)
        names = [str(row + 1) for row in rows]
        players = {"colours": ("red", "blue"), "players": ("Red", "Blue")}
        cls.board_style = BoardStyle("hexagons", row_labels=names, shifts=rows, **players)

    @classmethod
    def num_cells(cls):
        check_ranges(cls, size=(1, 11))
        return cls.size * cls.size

    def has_won(self, player, cell):
        """Whether the group of the player's stone on `cell` touches both of the player's sides."""
        size = self.size
        pending = np.zeros(self.cells, np.int16)
        found = np.zeros(self.cells, np.bool_)
        pending[0] = cell
        found[cell] = True
        count = 1
        first = False
        second = False
        while count > 0:
            count -= 1
            here = pending[count]
            row, column = here // size, here % size
            along = row if player == 0 else column
            first |= along == 0
            second |= along == size - 1
            for r in range(max(row - 1, 0), min(row + 2, size)):
                for c in range(max(column - 1, 0), min(column + 2, size)):
                    near = r * size + c
                    if r - row != c - column and not found[near] and self.board[near] == player + 1:
                        found[near] = True
                        pending[count] = near
                        count += 1
        return first and second

    def board_caption(self):
        return "X connects top and bottom, O left and right"
