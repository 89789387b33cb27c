"""What phantom games have in common: players see their own stones, and those that they have bumped into."""

import numpy as np

from branchwise.game.kinds.fields import Private, Secret
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.boards import place_piece


class Phantom(TwoPlayers, Game):
    """A board on which two players place stones that the other does not see.

    Action a tries cell a. A move to a taken cell fails and shows whose stone is there. The player then tries
    another cell or, with `abrupt`, has lost the turn.

    A subclass has `num_cells()` and `has_won(player, cell)`, for a stone just placed on `cell`.
    """

    abrupt = False

    board: Secret[np.int8, "cells"] = 0
    """0 for an empty cell, p + 1 for a stone of player p."""
    seen: Private[np.int8, "num_players", "cells"] = 0
    """The same, as far as each player knows."""
    mover: np.int8 = 0
    winner: np.int8 = -1

    @classmethod
    def num_cells(cls):
        return 1

    @classmethod
    def configure(cls):
        cls.cells = cls.num_cells()
        cls.num_actions = cls.cells
        cls.max_game_length = 2 * cls.cells

    def legal_actions(self):
        for cell in range(self.cells):
            if self.seen[self.mover, cell] == 0:
                yield cell

    def apply_action(self, action):
        mover = self.mover
        fails = self.board[action] != 0
        if not fails:
            self.board[action] = mover + 1
            if self.has_won(mover, action):
                self.winner = mover
        self.seen[mover, action] = self.board[action]
        if self.abrupt or not fails:
            self.mover = 1 - mover

    def has_won(self, player, cell):
        return False

    def is_full(self):
        for cell in range(self.cells):
            if self.board[cell] == 0:
                return False
        return True

    def is_terminal(self):
        return self.winner >= 0 or self.is_full()

    def returns(self):
        return won_by(self.winner)

    def board_cells(self, out):
        for cell in range(self.cells):
            stone = max(self.board[cell], self.seen[0, cell], self.seen[1, cell])
            if stone:
                place_piece(out, cell, stone - 1)
