"""Tic-tac-toe: the first player with three in a row on a 3x3 board wins; best play gives a draw.

The marks are two sets of nine bits, so the rules take little of a search's time. The same game on a board of
any size, kept as an array, too, is `mnk(rows=3,columns=3,in_a_row=3)`.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.rules_class import Game
from branchwise.games.boards import place_bits

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o124, 0o421)
FULL = 0o777

HAS_LINE = np.array([any(marks & line == line for line in LINES) for marks in range(FULL + 1)])
"""Whether a set of marks on a 3x3 board, as nine bits, has three in a row."""


class TicTacToe(Game):
    """Action a marks cell a; cells are numbered row by row from the top left, which is "a3"."""

    num_players = 2
    utility = "zero_sum"
    board_style = BoardStyle("marks", 3, 3, players=("X", "O"))
    num_actions = 9
    max_game_length = 9
    playout = "decisive"  # with it, a thousand simulations never lose, and the game is soon solved

    mine: np.int16 = 0
    """Marks of the player to move; cell a is bit a."""
    taken: np.int16 = 0
    """Marks of both."""
    mover: np.int8 = 0
    won: bool = False
    """Whether the player who moved last has a line."""

    def current_player(self):
        return self.mover

    def legal_actions(self):
        taken = self.taken
        for cell in range(9):
            if not taken >> cell & 1:
                yield cell

    def apply_action(self, action):
        theirs = self.mine ^ self.taken
        self.taken |= 1 << action
        self.won = HAS_LINE[self.taken ^ theirs]
        self.mine = theirs
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.won or self.taken == FULL

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)

    def board_cells(self, out):
        place_bits(out, self.mine, self.mover)
        place_bits(out, self.mine ^ self.taken, 1 - self.mover)
