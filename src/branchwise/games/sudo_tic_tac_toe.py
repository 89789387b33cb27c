"""Sudo tic-tac-toe: nine local boards in a square; a player who wins any of them wins the game.

The first move is free. After that the cell of a move sets the local board that the opponent must play in; if
that board is full, any empty cell may be marked. The game is a draw when all cells are marked.
"""

from branchwise.games.nine_boards import NineBoards


class SudoTicTacToe(NineBoards):
    """Action 9 * board + cell, both numbered row by row from the top left; see `NineBoards`."""

    playout = "decisive"  # one line wins, so this is stronger at equal time: docs/ablation.md

    def note_line(self, player, board, line):
        return line
