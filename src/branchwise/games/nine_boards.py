"""The common part of sudo and ultimate tic-tac-toe: nine local boards, where each move sets the next board.

The position of a move's cell within its local board sets the local board of the next move: after a mark in a
top right cell the opponent plays in the top right board. If that board is closed, the opponent may choose any
open board, as for the first move. The two games differ in what the win of a local board means.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.bits import count_bits, nth_bit
from branchwise.games.boards import place_piece
from branchwise.games.symmetries import moved_bits, rectangle, symmetries_of
from branchwise.games.tic_tac_toe import FULL, HAS_LINE, LINES

FREE = 0
"""In place of cells that may be marked: those of all open boards."""

LOWER = 7
"""Local boards whose cells fit into one set."""

WAYS = symmetries_of(rectangle(3, 3))
"""Of a local board, and of all nine together."""

IN_LINE = tuple(tuple(cell for cell in range(9) if line >> cell & 1) for line in LINES)
"""The cells of each line of a local board; the same numbers are the local boards of each line of boards."""


def square_of(action):
    """Return the square of an action on the board of 9 by 9 cells."""
    board, cell = action // 9, action % 9
    return 27 * (board // 3) + 9 * (cell // 3) + 3 * (board % 3) + cell % 3


class NineBoards(TwoPlayers, Game):
    """Action 9 * board + cell; the boards, and the cells of each, are numbered row by row from the top left.

    Moves are written as on one board of 9 by 9 cells, "a1" at the bottom left. An empty cell is shown as "."
    if the player to move may play there, as "x" or "o" in a local board that is won, and otherwise as "-".

    A game adds `note_line(player, board, line)`, which is called after each move, with whether the player has
    three in a row on the local board, and returns whether the player has won the game. A processor cannot
    guess what random moves lead to, so the rules have few branches.
    """

    board_style = BoardStyle(
        "marks", 9, 9, ((".", "-"), (".", "X", "x"), (".", "O", "o")), players=("X", "O"), block=(3, 3)
    )
    num_actions = 81
    max_game_length = 81
    symmetries = len(WAYS)
    sides_alike = True
    net_patterns = tuple(
        tuple(square_of(9 * board + cell) for cell in line) for board in range(9) for line in IN_LINE
    )

    marks: Array[np.uint16, 9, 2] = 0
    """[board, player]: cells that the player has marked, cell c is bit c."""
    empty: Array[np.uint16, 9] = FULL
    """[board]: cells that may still be marked; none if the board is closed."""
    open_boards: np.int8 = 9
    board: np.uint8 = 0
    """Where the player to move must play; 0 if the choice is free."""
    choices: np.uint16 = FREE
    """Cells that the player to move may mark in `board`, or FREE."""
    mover: np.uint8 = 0
    won: bool = False
    """Whether the player who moved last has won."""

    def legal_actions(self):
        if self.choices == FREE:
            for board in range(9):
                empty = self.empty[board]
                for cell in range(9):
                    if empty >> cell & 1:
                        yield 9 * board + cell
        else:
            board, choices = self.board, self.choices
            for cell in range(9):
                if choices >> cell & 1:
                    yield 9 * board + cell

    def sample_action(self, random):
        choices = self.choices
        if choices != FREE:
            return 9 * self.board + nth_bit(choices, random.below(count_bits(choices)))
        lower = upper = 0
        for board in range(LOWER):
            lower |= self.empty[board] << 9 * board
        for board in range(LOWER, 9):
            upper |= self.empty[board] << 9 * (board - LOWER)
        count = count_bits(lower)
        number = random.below(count + count_bits(upper))
        above = number >= count
        cell = nth_bit(upper if above else lower, number - (count if above else 0))
        return cell + (9 * LOWER if above else 0)

    def apply_action(self, action):
        mover = self.mover
        if self.choices == FREE:
            board, cell = action // 9, action % 9
        else:
            board, cell = self.board, action - 9 * self.board
        marks = self.marks[board, mover] | 1 << cell
        self.marks[board, mover] = marks
        line = HAS_LINE[marks & FULL]
        left = (self.empty[board] ^ 1 << cell) & (line - 1)  # none after a line
        self.empty[board] = left
        self.won = self.note_line(mover, board, line)
        self.open_boards -= left == 0
        choices = self.empty[np.uint64(cell)]  # a signed number would first be tested for being negative
        self.board = cell if choices else 0
        self.choices = choices
        self.mover = 1 - mover

    def is_terminal(self):
        return self.won or self.open_boards == 0

    def returns(self):
        return won_by(1 - self.mover if self.won else -1)

    def symmetry(self, k):
        way, marks, empty = WAYS[k], self.marks.copy(), self.empty.copy()
        for board in range(9):
            self.empty[way[board]] = moved_bits(empty[board], way)
            for player in range(2):
                self.marks[way[board], player] = moved_bits(marks[board, player], way)
        if self.choices != FREE:
            self.board = way[self.board]
            self.choices = moved_bits(self.choices, way)

    def symmetry_action(self, k, action):
        return 9 * WAYS[k, action // 9] + WAYS[k, action % 9]

    def board_cells(self, out):
        for square in range(81):
            place_piece(out, square, -1)
        if not self.is_terminal():
            for action in self.legal_actions():
                place_piece(out, square_of(action), -1, 0)
        for player in range(2):
            for action in range(81):
                marks = self.marks[action // 9, player]
                if marks >> action % 9 & 1:
                    place_piece(out, square_of(action), player)
                elif HAS_LINE[marks] and not self.marks[action // 9, 1 - player] >> action % 9 & 1:
                    place_piece(out, square_of(action), player, 2)

    def action_squares(self, action):
        yield square_of(action)
