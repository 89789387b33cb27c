"""m,n,k-games: mark cells of a board; the first player with a number of marks in a line wins.

Tic-tac-toe is the 3x3 board with three in a row, gomoku 15x15 with five. With gravity a mark falls down its
column, as in Connect Four. The family has its name from Uiterwijk, van den Herik, "The advantage of the
initiative", 2000.
"""

import numpy as np

from branchwise.errors import GameError
from branchwise.fields import Array
from branchwise.game import Game
from branchwise.render.grid import column_names


class MNK(Game):
    """Action row * columns + column marks a cell; row 0 is on top.

    With gravity only the actions of the top row exist, one per column: the mark falls from there.
    """

    rows = 5
    columns = 5
    in_a_row = 4
    gravity = False

    num_players = 2
    utility = "zero_sum"

    board: Array[np.int8, "rows", "columns"] = 0
    """0 for an empty cell, p + 1 for a mark of player p."""
    played: np.int16 = 0
    won: bool = False
    """Whether the player who moved last has a line."""

    @classmethod
    def configure(cls):
        if not (1 <= cls.rows <= 99 and 1 <= cls.columns <= 99):
            raise GameError(
                f"mnk cannot be {cls.rows} rows by {cls.columns} columns",
                mend="give 1 to 99 of each",
            )
        if not 1 <= cls.in_a_row <= max(cls.rows, cls.columns):
            raise GameError(
                f"mnk(in_a_row={cls.in_a_row}) does not fit {cls.rows} rows by {cls.columns} columns",
                mend=f"in_a_row must be from 1 to {max(cls.rows, cls.columns)}, so that a line fits",
            )
        cls.cells = cls.rows * cls.columns
        cls.num_actions = cls.columns if cls.gravity else cls.cells
        cls.max_game_length = cls.cells

    def current_player(self):
        return self.played % 2

    def legal_actions(self):
        for action in range(self.num_actions):
            if self.board[action // self.columns, action % self.columns] == 0:
                yield action

    def apply_action(self, action):
        row, column = self.landing_row(action), action % self.columns
        self.board[row, column] = self.played % 2 + 1
        self.played += 1
        self.won = self.has_line_through(row, column)

    def landing_row(self, action):
        row, column = action // self.columns, action % self.columns
        if self.gravity:
            while row + 1 < self.rows and self.board[row + 1, column] == 0:
                row += 1
        return row

    def has_line_through(self, row, column):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1 + self.run(row, column, down, right) + self.run(row, column, -down, -right)
            if length >= self.in_a_row:
                return True
        return False

    def run(self, row, column, down, right):
        """Return how many cells next to this one, in one direction, have the same mark."""
        mark = self.board[row, column]
        length = 0
        row, column = row + down, column + right
        while 0 <= row < self.rows and 0 <= column < self.columns and self.board[row, column] == mark:
            length += 1
            row, column = row + down, column + right
        return length

    def is_terminal(self):
        return self.won or self.played == self.cells

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.played % 2 == 0 else (1.0, -1.0)

    def action_to_string(self, action):
        return f"{column_names(self.columns)[action % self.columns]}{self.rows - self.landing_row(action)}"
