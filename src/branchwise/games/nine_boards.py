"""The common part of sudo and ultimate tic-tac-toe: nine local boards, where each move sets the next board.

The position of a move's cell within its local board sets the local board of the next move: after a mark in a
top right cell the opponent plays in the top right board. If that board is closed, the opponent may choose any
open board, as for the first move. The two games differ in what the win of a local board means.
"""

import numpy as np

from branchwise.fields import Array
from branchwise.game import Game
from branchwise.games.bits import count_bits, nth_bit
from branchwise.games.tic_tac_toe import FULL, HAS_LINE
from branchwise.render.grid import Cell, board_grid, column_names

FREE, OVER = 0, -1
"""In place of cells that may be marked: those of all open boards, or none because the game is over."""


class NineBoards(Game):
    """Action 9 * board + cell; the boards, and the cells of each, are numbered row by row from the top left.

    Moves are written as on one board of 9 by 9 cells, "a1" at the bottom left. An empty cell is shown as "."
    if the player to move may play there, as "x" or "o" in a local board that is won, and otherwise as "-".

    A game adds `win_board(board)`, which is called when the player to move has won a local board.
    """

    num_players = 2
    utility = "zero_sum"
    num_actions = 81
    max_game_length = 81

    marks: Array[np.int16, 2, 9] = 0
    """[player, board]: cells that the player has marked, cell c is bit c."""
    empty: Array[np.int16, 9] = FULL
    """[board]: cells that may still be marked; none if the board is closed."""
    open_boards: np.int8 = 9
    board: np.uint8 = 0
    """Where the player to move must play; 0 if the choice is free."""
    choices: np.int16 = FREE
    """Cells that the player to move may mark in `board`, or FREE, or OVER."""
    mover: np.uint8 = 0
    won: bool = False
    """Whether the player who moved last has won."""

    def current_player(self):
        return self.mover

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
        number = random.below(self.count_empty())
        board = start = before = 0
        for each in range(8):  # without branches, because they would be unpredictable
            before += count_bits(self.empty[each])
            passed = number >= before
            board += passed
            start = before if passed else start
        return 9 * board + nth_bit(self.empty[board], number - start)

    def count_empty(self):
        """Return how many cells may be marked if the choice is free."""
        count = 0
        for board in range(9):
            count += count_bits(self.empty[board])
        return count

    def apply_action(self, action):
        if self.choices == FREE:
            board, cell = action // 9, action % 9
        else:
            board, cell = self.board, action - 9 * self.board
        marks = self.marks[self.mover, board] | 1 << cell
        self.marks[self.mover, board] = marks
        left = self.empty[board] ^ 1 << cell
        if HAS_LINE[marks & FULL]:
            self.win_board(board)
            left = 0
        self.empty[board] = left
        choices = self.empty[cell]
        self.board = cell if choices else 0
        self.choices = choices
        if left == 0:
            self.open_boards -= 1
            if self.won or self.open_boards == 0:
                self.choices = OVER
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.choices == OVER

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def action_to_string(self, action):
        board, cell = divmod(action, 9)
        row, column = 3 * (board // 3) + cell // 3, 3 * (board % 3) + cell % 3
        return f"{column_names(9)[column]}{9 - row}"

    def to_grid(self):
        legal = [] if self.is_terminal() else self.legal_actions()

        def cell(row, column):
            board = 3 * (row // 3) + column // 3
            place = 3 * (row % 3) + column % 3
            winners = [player for player in range(2) if HAS_LINE[self.marks[player, board]]]
            holder = winners[0] if winners else None
            for player in range(2):
                if self.marks[player, board] >> place & 1:
                    return Cell(self.symbols[player + 1], player, holder=holder)
            if holder is not None:
                return Cell(self.symbols[holder + 1].lower(), holder=holder)
            action = 9 * board + place
            return Cell(".", action=action) if action in legal else Cell("-")

        return board_grid(9, 9, cell, box=(3, 3))
