"""Tic-tac-toe: the first player with three in a row on a 3x3 board wins; best play gives a draw.

The marks are two sets of nine bits, so the rules take little of a search's time. The same game on a board of
any size, kept as an array, too, is `mnk(rows=3,columns=3,in_a_row=3)`.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.boards import place_bits
from branchwise.games.symmetries import MovesCells, moved_bits, rectangle, symmetries_of

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o124, 0o421)
FULL = 0o777

HAS_LINE = np.array([any(marks & line == line for line in LINES) for marks in range(FULL + 1)])
"""Whether a set of marks on a 3x3 board, as nine bits, has three in a row."""


class TicTacToe(MovesCells, TwoPlayers, Game):
    """Action a marks cell a; cells are numbered row by row from the top left, which is "a3"."""

    board_style = BoardStyle("marks", 3, 3, players=("X", "O"))
    num_actions = 9
    max_game_length = 9
    ways = symmetries_of(rectangle(3, 3))
    symmetries = len(ways)
    sides_alike = True
    playout = "decisive"  # with it, a thousand simulations never lose, and the game is soon solved

    mine: np.int16 = 0
    """Marks of the player to move; cell a is bit a."""
    taken: np.int16 = 0
    """Marks of both."""
    mover: np.int8 = 0
    won: bool = False
    """Whether the player who moved last has a line."""

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
        return won_by(1 - self.mover if self.won else -1)

    def symmetry(self, k):
        self.mine = moved_bits(self.mine, self.ways[k])
        self.taken = moved_bits(self.taken, self.ways[k])

    def board_cells(self, out):
        place_bits(out, self.mine, self.mover)
        place_bits(out, self.mine ^ self.taken, 1 - self.mover)
