"""What sudo and ultimate tic-tac-toe share: nine local boards, and a move that names the next one.

Marks are nine bits a player and local board. A move's cell within its local board names, by its place, the
local board of the next move; where that one is closed, any open board may be chosen.
"""

import numpy as np

from branchwise.fields import Array
from branchwise.game import Game
from branchwise.games.tic_tac_toe import FULL

ANY = -1

PLACE = np.array([max(bit.bit_length() - 1, 0) for bit in range(FULL + 1)])
"""Of a single bit, which one it is."""


class NineBoards(Game):
    """Action 9 * board + cell; boards, and the cells of each, are numbered row by row from the top left."""

    num_players = 2
    num_actions = 81
    max_game_length = 81

    marks: Array[np.int16, 2, 9] = 0
    """[player, board]: the cells that the player has marked, as bits."""
    closed: np.int16 = 0
    """The boards that take no more marks, as bits."""
    board: np.int8 = ANY
    """Where the next mark goes."""
    mover: np.int8 = 0
    won: bool = False
    """Whether the player who moved last has won."""

    def current_player(self):
        return self.mover

    def legal_actions(self):
        boards = FULL & ~self.closed if self.board == ANY else 1 << self.board
        while boards:
            board = PLACE[boards & -boards]
            boards &= boards - 1
            cells = FULL & ~(self.marks[0, board] | self.marks[1, board])
            while cells:
                yield int(9 * board + PLACE[cells & -cells])
                cells &= cells - 1

    def is_terminal(self):
        return self.won or self.closed == FULL

    def returns(self):
        if not self.won:
            return (0.0, 0.0)
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
