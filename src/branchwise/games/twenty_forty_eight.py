"""2048: slide tiles; two equal tiles merge into one of twice the number, which is the reward.

Gabriele Cirulli's game, 2014, on a board of any size, with two tiles at the start.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.grid import cell_name
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer

UP, RIGHT, DOWN, LEFT = range(4)
DIRECTIONS = ("up", "right", "down", "left")
START_TILES = 2


class TwentyFortyEight(OnePlayer, Game):
    """Actions are up, right, down, left. Cells store exponents: 3 is the tile 8, and 0 is no tile.

    After each move chance puts a tile on an empty cell: outcome 2 * cell is a 2, with a probability of .9,
    and outcome 2 * cell + 1 a 4.

    >>> state = TwentyFortyEight.from_actions("a4=2 b4=2 left b2=4")
    >>> print(state)
    4  4 . . .
    3  . . . .
    2  . 4 . .
    1  . . . .
       a b c d
    >>> state.play("up"), state.play("a1=2")
    (0, 24)
    >>> state.apply_action(LEFT)  # 4 and 4 become 8
    8.0
    """

    rows = 4
    columns = 4

    num_actions = 4

    board: Array[np.int8, "rows", "columns"] = 0
    to_place: np.int8 = START_TILES
    """Number of tiles that chance is about to place."""
    movable: np.int8 = 0
    """The directions in which tiles can move, as bits."""

    @classmethod
    def configure(cls):
        cells = cls.rows * cls.columns
        if not (1 <= cls.rows <= 26 and 1 <= cls.columns <= 26 and 2 <= cells <= 100):
            raise GameError(
                f"twenty_forty_eight cannot be {cls.rows} rows by {cls.columns} columns",
                mend="there must be 2 to 100 cells, in at most 26 rows and columns",
            )
        cls.num_outcomes = 2 * cells
        cls.board_style = BoardStyle("tiles", symbols=((".", *(str(2**n) for n in range(1, cells + 2))),))
        cls.max_game_length = min(2 ** (cells + 2), 1_000_000)

    def current_player(self):
        return CHANCE if self.to_place > 0 else 0

    def legal_actions(self):
        for direction in range(4):
            if self.movable >> direction & 1:
                yield direction

    def chance_outcomes(self):
        empty = 0
        for row in range(self.rows):
            for column in range(self.columns):
                if self.board[row, column] == 0:
                    empty += 1
        for row in range(self.rows):
            for column in range(self.columns):
                if self.board[row, column] == 0:
                    outcome = 2 * (row * self.columns + column)
                    yield outcome, 0.9 / empty
                    yield outcome + 1, 0.1 / empty

    def apply_action(self, action):
        if self.to_place > 0:
            cell = action // 2
            self.board[cell // self.columns, cell % self.columns] = 1 + action % 2
            self.to_place -= 1
            if self.to_place == 0:
                self.movable = self.find_movable()
            return 0.0
        self.to_place = 1
        paid = 0.0
        if action == LEFT:
            for row in range(self.rows):
                paid += self.slide(row, 0, 0, 1, self.columns)
        elif action == RIGHT:
            for row in range(self.rows):
                paid += self.slide(row, self.columns - 1, 0, -1, self.columns)
        elif action == UP:
            for column in range(self.columns):
                paid += self.slide(0, column, 1, 0, self.rows)
        else:
            for column in range(self.columns):
                paid += self.slide(self.rows - 1, column, -1, 0, self.rows)
        return paid

    def slide(self, row, column, down, right, length):
        """Slide the tiles of a line towards its first cell; return the reward.

        The line begins at row, column, and its direction is `down`, `right`. A tile merges at most once.
        """
        paid = 0.0
        free = 0  # the first cell without a tile
        last = 0  # the tile before it, 0 if it has merged
        for place in range(length):
            here = self.board[row + place * down, column + place * right]
            if here == 0:
                continue
            self.board[row + place * down, column + place * right] = 0
            if here == last:
                self.board[row + (free - 1) * down, column + (free - 1) * right] = here + 1
                paid += 2.0 ** (here + 1)
                last = 0
            else:
                self.board[row + free * down, column + free * right] = here
                free += 1
                last = here
        return paid

    def find_movable(self):
        """Return the directions in which some tile has an empty cell or an equal tile beside it, as bits."""
        found = 0
        for row in range(self.rows):
            for column in range(self.columns):
                here = self.board[row, column]
                if column + 1 < self.columns:
                    found |= gaps(here, self.board[row, column + 1], LEFT, RIGHT)
                if row + 1 < self.rows:
                    found |= gaps(here, self.board[row + 1, column], UP, DOWN)
        return found

    def is_terminal(self):
        return self.to_place == 0 and self.movable == 0

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.to_place == 0:
            return DIRECTIONS[action]
        return f"{cell_name(action // 2, self.rows, self.columns)}={2 + action % 2 * 2}"

    def board_cells(self, out):
        out[:, :, 1] = self.board

    def action_squares(self, action):
        return ()


def gaps(first, second, towards_first, towards_second):
    """Return the directions in which one of two neighbouring cells' tiles can move, as bits."""
    if first == second:
        return 1 << towards_first | 1 << towards_second if first > 0 else 0
    if first == 0:
        return 1 << towards_first
    return 1 << towards_second if second == 0 else 0
