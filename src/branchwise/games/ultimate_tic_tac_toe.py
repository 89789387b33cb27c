"""Ultimate tic-tac-toe: nine local boards in a square; three of them in a row win the game.

The first move is free. After that the cell of a move sets the local board that the opponent must play in; if
that board is won or full, any empty cell of the others may be marked. The game is a draw when all local
boards are won or full. OpenSpiel has the same rules, but counts a free choice of the board as a separate
move.
"""

import numpy as np

from branchwise.game.kinds.fields import Array
from branchwise.games.nine_boards import IN_LINE, WAYS, NineBoards
from branchwise.games.symmetries import moved_bits
from branchwise.games.tic_tac_toe import FULL, HAS_LINE

BOARD_LINES = np.array(IN_LINE)


class UltimateTicTacToe(NineBoards):
    """Action 9 * board + cell, both numbered row by row from the top left; see `NineBoards`."""

    num_net_inputs = 64 * len(BOARD_LINES)

    boards_won: Array[np.uint16, 2] = 0
    """[player]: local boards that the player has won; board b is bit b."""

    def note_line(self, player, board, line):
        boards = self.boards_won[player] | line << board
        self.boards_won[player] = boards
        return HAS_LINE[boards & FULL]

    def net_inputs(self, player):
        for line in range(len(BOARD_LINES)):
            content = 0
            for board in BOARD_LINES[line]:
                own, other = self.boards_won[player] >> board & 1, self.boards_won[1 - player] >> board & 1
                is_drawn = self.empty[board] == 0 and own + other == 0
                content = 4 * content + own + 2 * other + 3 * is_drawn
            yield 64 * line + content

    def symmetry(self, k):
        super().symmetry(k)
        for player in range(2):
            self.boards_won[player] = moved_bits(self.boards_won[player], WAYS[k])
