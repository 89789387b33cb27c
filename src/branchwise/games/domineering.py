"""Domineering: one player places dominoes upright, the other flat; a player who cannot place one loses.

Invented by Göran Andersson. With best play the first player wins on 8x8, the second on 5x5: Breuker,
Uiterwijk, van den Herik, "Solving 8x8 Domineering", 2000.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers
from branchwise.games.bits import each_bit, lowest_bit
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import move_cells, rectangle, symmetries_of

BITS = 63
LARGEST = 30


class Domineering(TwoPlayers, Game):
    """Player 0 places dominoes upright, player 1 flat.

    Action row * columns + column covers that cell and the one below it, or the one to its right; row 0 is on
    top. A move is written as that cell.

    The state keeps the dominoes that can still be placed, as sets of bits: a domino removes those that would
    overlap it, which a table lists.
    """

    rows = 8
    columns = 8

    symbols = ".|="
    board_style = BoardStyle("tiles", colours=("blue", "orange"), players=("Upright", "Flat"))

    open: Array[np.int64, 2, "words"] = 0
    """[player]: actions that are possible, as bits: action a is bit a % 63 of word a // 63."""
    board: Array[np.int8, "cells"] = 0
    """[cell]: 0 for empty, p + 1 for a domino of player p."""
    mover: np.int8 = 0

    @classmethod
    def configure(cls):
        rows, columns = cls.rows, cls.columns
        check_ranges(cls, rows=(1, LARGEST), columns=(1, LARGEST))
        if rows * columns == 1:
            raise GameError("domineering cannot be one cell", mend="give room for a domino")
        cls.cells = cls.num_actions = rows * columns
        cls.max_game_length = cls.cells // 2
        cls.ways = symmetries_of(rectangle(rows, columns), kept=((0, 1), (0, -1)))  # others exchange players
        cls.symmetries = len(cls.ways)
        cls.words = (cls.cells - 2) // BITS + 1  # no domino begins in the last cell
        cls.whole = np.zeros((2, cls.words), np.int64)
        overlaps = np.zeros((2, cls.cells, 2, cls.words), np.int64)  # [player, action, other player]
        dominoes = [(p, cell) for p in range(2) for cell in range(cls.cells) if cls.fits(p, cell)]
        for player, cell in dominoes:
            word, bit = cell // BITS, 1 << cell % BITS
            cls.whole[player, word] |= bit
            for covered in (cell, cell + (columns if player == 0 else 1)):
                for other, ends in ((0, (covered, covered - columns)), (1, (covered, covered - 1))):
                    for end in ends:
                        if end >= 0 and cls.fits(other, end):
                            overlaps[player, cell, other, end // BITS] |= 1 << end % BITS
        cls.overlaps = overlaps

    @classmethod
    def fits(cls, player, cell):
        """Whether a domino that begins in a cell is on the board."""
        return cell < cls.cells - cls.columns if player == 0 else (cell + 1) % cls.columns > 0

    def setup(self):
        self.open[:] = self.whole

    def legal_actions(self):
        for word in range(self.words):
            actions = self.open[self.mover, word]
            for _ in range(actions.bit_count()):  # 6 % faster here than each_bit
                yield word * BITS + lowest_bit(actions)
                actions &= actions - 1

    def apply_action(self, action):
        for player in range(2):
            for word in range(self.words):
                self.open[player, word] &= ~self.overlaps[self.mover, action, player, word]
        self.board[action] = self.mover + 1
        self.board[self.other_half(action)] = self.mover + 1
        self.mover = 1 - self.mover

    def other_half(self, action):
        return action + self.columns if self.mover == 0 else action + 1

    def is_terminal(self):
        for word in range(self.words):
            if self.open[self.mover, word]:
                return False
        return True

    def symmetry(self, k):
        move_cells(self.board, self.ways[k])
        before = self.open.copy()
        self.open[:] = 0
        for player in range(2):
            for word in range(self.words):
                for place in each_bit(before[player, word]):
                    action = self.moved(k, word * BITS + place, player)
                    self.open[player, action // BITS] |= 1 << action % BITS

    def symmetry_action(self, k, action):
        return self.moved(k, action, self.mover)

    def moved(self, k, action, player):
        """Return the action that places the domino which symmetry k makes of a player's."""
        return min(self.ways[k, action], self.ways[k, action + (self.columns if player == 0 else 1)])

    def board_cells(self, out):
        for cell in range(self.cells):
            if self.board[cell]:
                place_piece(out, cell, self.board[cell] - 1)
