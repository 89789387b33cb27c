"""The common part of sudo and ultimate tic-tac-toe: nine local boards, where each move sets the next board.

The position of a move's cell within its local board sets the local board of the next move: after a mark in a
top right cell the opponent plays in the top right board. If that board is closed, the opponent may choose any
open board, as for the first move. The two games differ in what the win of a local board means.
"""

import numpy as np

from branchwise.fields import Array
from branchwise.game import Game
from branchwise.games.tic_tac_toe import FULL, HAS_LINE
from branchwise.render.grid import Cell, board_grid, column_names

ANY = -1


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
    board: np.int8 = ANY
    """Where the player to move must play."""
    mover: np.int8 = 0
    won: bool = False
    """Whether the player who moved last has won."""

    def current_player(self):
        return self.mover

    def legal_actions(self):
        if self.board == ANY:
            for board in range(9):
                empty = self.empty[board]
                for cell in range(9):
                    if empty >> cell & 1:
                        yield 9 * board + cell
        else:
            board = self.board
            empty = self.empty[board]
            for cell in range(9):
                if empty >> cell & 1:
                    yield 9 * board + cell

    def apply_action(self, action):
        board, cell = action // 9, action % 9
        marks = self.marks[self.mover, board] | 1 << cell
        self.marks[self.mover, board] = marks
        self.empty[board] ^= 1 << cell
        if HAS_LINE[marks]:
            self.win_board(board)
        if self.empty[board] == 0:
            self.open_boards -= 1
        self.board = cell if self.empty[cell] else ANY
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.won or self.open_boards == 0

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
