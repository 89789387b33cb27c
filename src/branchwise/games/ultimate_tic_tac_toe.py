import numpy as np

from branchwise.fields import Array
from branchwise.games.nine_boards import ANY, NineBoards
from branchwise.games.tic_tac_toe import FULL, HAS_LINE


class UltimateTicTacToe(NineBoards):
    wins: Array[np.int16, 2] = 0

    def apply_action(self, action):
        board, cell = action // 9, action % 9
        mover = self.mover
        mine = self.marks[mover, board] | 1 << cell
        self.marks[mover, board] = mine
        if HAS_LINE[mine]:
            self.closed |= 1 << board
            self.wins[mover] |= 1 << board
            self.won = HAS_LINE[self.wins[mover]]
        elif mine | self.marks[1 - mover, board] == FULL:
            self.closed |= 1 << board
        self.board = ANY if self.closed >> cell & 1 else cell
        self.mover = 1 - mover
