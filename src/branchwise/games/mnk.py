"""m,n,k-games: mark cells of a board; the first player with a number of marks in a line wins.

Tic-tac-toe is the 3x3 board with three in a row, gomoku 15x15 with five. With gravity a mark falls down its
column, as in Connect Four. The family has its name from Uiterwijk, van den Herik, "The advantage of the
initiative", 2000.

Each row, column and diagonal is also a set of bits for each player, so that a look at four sets tells whether
a mark completes a line. A set has a word of 32 bits, or several on boards with more than 32 rows or columns.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import won_by
from branchwise.games.bits import lowest_bit
from branchwise.games.boards import BLACK_FIRST
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import UPRIGHT, MovesCells, rectangle, symmetries_of

WORD = 32
"""Bits of a word of a set."""


class MNK(MovesCells, Game):
    """Action row * columns + column marks a cell; row 0 is on top.

    With gravity only the actions of the top row exist, one per column: the mark falls from there.
    """

    rows = 5
    columns = 5
    in_a_row = 4
    gravity = False

    num_players = 2
    utility = "zero_sum"
    sides_alike = True

    board: Array[np.int8, "rows", "columns"] = 0
    """0 for an empty cell, p + 1 for a mark of player p."""
    played: np.int16 = 0
    won: bool = False
    """Whether the player who moved last has a line."""
    lines: Array[np.uint32, 2, 4, "diagonals", "words"] = 0
    """The marks of each player in each row, column, diagonal and other diagonal; they follow from `board`."""

    @classmethod
    def configure(cls):
        check_ranges(cls, rows=(1, 99), columns=(1, 99))
        if not 1 <= cls.in_a_row <= max(cls.rows, cls.columns):
            raise GameError(
                f"mnk(in_a_row={cls.in_a_row}) does not fit {cls.rows} rows by {cls.columns} columns",
                mend=f"in_a_row must be from 1 to {max(cls.rows, cls.columns)}, so that a line fits",
            )
        cls.cells = cls.rows * cls.columns
        cls.ways = symmetries_of(rectangle(cls.rows, cls.columns), kept=UPRIGHT if cls.gravity else ())
        cls.symmetries = len(cls.ways)
        cls.num_actions = cls.columns if cls.gravity else cls.cells
        cls.max_game_length = cls.cells
        cls.diagonals = cls.rows + cls.columns - 1
        cls.words = (max(cls.rows, cls.columns) + WORD - 1) // WORD
        if cls.gravity:
            cls.board_style = BoardStyle("discs", colours=("red", "yellow"), players=("Red", "Yellow"))
        elif cls.cells <= 9:
            cls.board_style = BoardStyle("marks", players=("X", "O"))
        else:
            cls.board_style = BoardStyle("stones", **BLACK_FIRST)

    def current_player(self):
        return self.played % 2

    def legal_actions(self):
        for action in range(self.num_actions):
            if self.board[action // self.columns, action % self.columns] == 0:
                yield action

    def sample_action(self, random):
        action = random.below(self.num_actions)
        while self.board[action // self.columns, action % self.columns] != 0:
            action = random.below(self.num_actions)
        return action

    def apply_action(self, action):
        row, column = self.landing_row(action), action % self.columns
        self.board[row, column] = self.played % 2 + 1
        self.won = (
            self.completes(0, row, column)
            | self.completes(1, column, row)
            | self.completes(2, row + column, column)
            | self.completes(3, row - column + self.columns - 1, column)
        )
        self.played += 1

    def landing_row(self, action):
        row, column = action // self.columns, action % self.columns
        if self.gravity:
            while row + 1 < self.rows and self.board[row + 1, column] == 0:
                row += 1
        return row

    def completes(self, direction, line, place):
        """Mark a place of a line for the player to move; return whether the line then has enough in a row."""
        player, word = self.played % 2, place // WORD
        marks = int(self.lines[player, direction, line, word]) | 1 << place % WORD
        self.lines[player, direction, line, word] = marks
        if self.words > 1 and self.has_row_across(player, direction, line):
            return True
        length = 1  # a bit is left where this many marks in a row begin
        while length < self.in_a_row:
            more = min(length, self.in_a_row - length)
            marks &= marks >> more
            length += more
        return marks != 0

    def has_row_across(self, player, direction, line):
        """Return whether a line has enough marks in a row that begin in one word and end in another."""
        before = 0  # marks in a row that end where the word begins
        for word in range(self.words):
            gaps = ~int(self.lines[player, direction, line, word]) & (1 << WORD) - 1
            if before + lowest_bit(gaps | 1 << WORD) >= self.in_a_row:
                return True
            before = before + WORD if gaps == 0 else WORD - gaps.bit_length()
        return False

    def is_terminal(self):
        return self.won or self.played == self.cells

    def returns(self):
        return won_by(1 - self.played % 2 if self.won else -1)

    def symmetry(self, k):
        before, played = self.board.copy(), self.played
        self.lines[:] = 0
        for cell in range(self.cells):
            mark = before[cell // self.columns, cell % self.columns]
            row, column = self.ways[k, cell] // self.columns, self.ways[k, cell] % self.columns
            self.board[row, column] = mark
            if mark:
                self.played = mark - 1
                self.completes(0, row, column)
                self.completes(1, column, row)
                self.completes(2, row + column, column)
                self.completes(3, row - column + self.columns - 1, column)
        self.played = played
