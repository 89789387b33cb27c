"""Sudo tic-tac-toe: nine local boards in a square; whoever wins any one of them wins the game.

The first move is free. From then on the cell of a move names the local board that the opponent must play
in; where that one is full, any empty cell may be marked. The game is a draw when all cells are.
"""

from branchwise.games.nine_boards import NineBoards


class SudoTicTacToe(NineBoards):
    """Action 9 * board + cell, both numbered row by row from the top left; see `NineBoards`."""

    playout = "decisive"  # one line wins: stronger at equal time, see docs/ablation.md

    def win_board(self, board):
        self.won = True
