"""Tron: both players move at once and leave a wall behind. A player who cannot move loses.

The board has walls around it, and more inside if `layout` says so. If both players move to the same cell, or
neither can move, the game is a draw. Such boards are a common test of searches for simultaneous moves:
Lanctot, Wittlinger, Winands, Den Teuling, "Monte Carlo tree search for simultaneous move games: a case study
in the game of Tron", 2013.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.common.players import SIMULTANEOUS
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.boards import place_piece

FREE, FIRST, SECOND, WALL = range(4)
SYMBOLS = (".", "1", "2", "#")
DIRECTIONS = ("up", "right", "down", "left")


def _plan(layout, rows, columns):
    """Return the contents of the cells at the start, int8 [rows, columns]."""
    if layout:
        return np.array([[SYMBOLS.index(mark) for mark in line] for line in layout.split("/")], np.int8)
    plan = np.zeros((rows, columns), np.int8)
    plan[rows // 2, 1], plan[rows // 2, columns - 2] = FIRST, SECOND
    return plan


class Tron(Game):
    """Move up, right, down or left to a free cell; what you leave becomes a wall.

    rows, columns : 3 to 30 each. The players start in the middle row, in the second and the last but one
    column.   layout : rows of text with "#" for walls, "1" and "2" for the players, and "." elsewhere, joined
    by "/"; empty: a board without walls.
    """

    rows = 9
    columns = 9
    layout = ""

    num_players = 2
    num_actions = 4
    utility = "zero_sum"
    symbols = SYMBOLS
    board_style = BoardStyle("tiles", symbols=(".?#", ".1", ".2"), colours=("orange", "blue"))

    board: Array[np.int8, "rows", "columns"] = 0
    heads: Array[np.int8, 2, 2] = 0  # row and column of each player
    crashed: np.bool_ = False  # both moved to the same cell

    @classmethod
    def configure(cls):
        if cls.layout:
            lines = cls.layout.split("/")
            text = "".join(lines)
            whole = len({len(line) for line in lines}) == 1 and set(text) <= set(".#12")
            if not whole or text.count("1") != 1 or text.count("2") != 1:
                raise GameError(
                    f'tron(layout="{cls.layout}") is no board',
                    mend='give rows of equal length, with one "1" and one "2": "1..#/#..2"',
                )
            for side, length in (("rows", len(lines)), ("columns", len(lines[0]))):
                setattr(cls, side, length)  # options still, for boards without a layout
        sides, least = (cls.rows, cls.columns), 1 if cls.layout else 3
        if min(sides) < least or max(sides) > 30 or cls.rows * cls.columns < 3:
            raise GameError(f"tron has no board of {cls.rows} by {cls.columns} cells", mend="give 3 to 30")
        cls.plan = _plan(cls.layout, cls.rows, cls.columns)
        cls.max_game_length = cls.rows * cls.columns

    def setup(self):
        for row in range(self.rows):
            for column in range(self.columns):
                content = self.plan[row, column]
                self.board[row, column] = content
                if content == FIRST or content == SECOND:
                    self.heads[content - FIRST, 0] = row
                    self.heads[content - FIRST, 1] = column

    def current_player(self):
        return SIMULTANEOUS

    def is_free(self, player, direction):
        row = self.heads[player, 0] + (direction == 2) - (direction == 0)
        column = self.heads[player, 1] + (direction == 1) - (direction == 3)
        if row < 0 or row >= self.rows or column < 0 or column >= self.columns:
            return False
        return self.board[row, column] == FREE

    def is_stuck(self, player):
        for direction in range(4):
            if self.is_free(player, direction):
                return False
        return True

    def legal_actions(self, player):
        for direction in range(4):
            if self.is_free(player, direction):
                yield direction

    def apply_actions(self, actions):
        for player in range(2):
            row, column = self.heads[player, 0], self.heads[player, 1]
            self.board[row, column] = WALL
            direction = actions[player]
            self.heads[player, 0] = row + (direction == 2) - (direction == 0)
            self.heads[player, 1] = column + (direction == 1) - (direction == 3)
        for player in range(2):
            self.board[self.heads[player, 0], self.heads[player, 1]] = FIRST + player
        same_row = self.heads[0, 0] == self.heads[1, 0]
        self.crashed = same_row and self.heads[0, 1] == self.heads[1, 1]

    def is_terminal(self):
        return self.crashed or self.is_stuck(0) or self.is_stuck(1)

    def returns(self):
        if self.crashed or self.is_stuck(0) == self.is_stuck(1):
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.is_stuck(0) else (1.0, -1.0)

    def action_to_string(self, action):
        return DIRECTIONS[action]

    def board_cells(self, out):
        for square in range(self.rows * self.columns):
            content = self.board[square // self.columns, square % self.columns]
            if content == WALL:
                place_piece(out, square, -1, 2)
            elif content != FREE:
                place_piece(out, square, content - FIRST)

    def action_squares(self, action, player=0):
        row = self.heads[player, 0] + (action == 2) - (action == 0)
        yield row * self.columns + self.heads[player, 1] + (action == 1) - (action == 3)
