"""Snake in the box: the longest path along the edges of a hypercube that never comes near itself.

Longest snakes have 4, 7, 13, 26, 50 and 98 edges in 3 to 8 dimensions; the last was found by search, and
later proven to be longest. Source: Kautz, "Unit-distance error-checking codes", 1958.
"""

import numpy as np

from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.problems.walks import ground_style

LONGEST = (0, 1, 2, 4, 7, 13, 26, 50, 98)
"""Edges of the longest snake, by the number of dimensions."""


class SnakeInTheBox(OnePlayer, Game):
    """Corners of a hypercube are numbers whose bits are their coordinates. Action b goes along dimension b.

    A corner can be entered if the snake has visited none of its neighbours except the head's corner. Each
    step pays 1. The snake begins at 0, and uses new dimensions in their order: all other snakes are mirror
    images.

    >>> state = SnakeInTheBox.configured(dimension=3).from_actions("1 2 3 1")
    >>> state.corner, state.length, state.is_terminal()
    (6, 4, True)
    """

    dimension = 7

    min_return = 0.0
    board_style = ground_style(".x")

    closed: Array[np.bool_, "corners"] = False
    """Corners that the snake visited, and the neighbours of those that it has left."""
    corner: np.int16 = 0
    length: np.int16 = 0
    known: np.int8 = 0
    """Dimensions used so far."""

    @classmethod
    def configure(cls):
        check_ranges(cls, dimension=(2, 12))
        cls.corners = 2**cls.dimension
        cls.columns = 2 ** ((cls.dimension + 1) // 2)
        cls.rows = cls.corners // cls.columns
        cls.num_actions = cls.dimension
        known = cls.dimension < len(LONGEST)
        cls.max_return = float(LONGEST[cls.dimension] if known else cls.corners // 2)
        cls.max_game_length = cls.corners

    def setup(self):
        self.closed[0] = True

    def legal_actions(self):
        for bit in range(min(self.known + 1, self.dimension)):
            if not self.closed[self.corner ^ (1 << bit)]:
                yield bit

    def apply_action(self, action):
        for bit in range(self.dimension):
            self.closed[self.corner ^ (1 << bit)] = True
        self.corner ^= 1 << action
        self.length += 1
        self.known = max(self.known, action + 1)
        return 1.0

    def is_terminal(self):
        for bit in range(self.dimension):
            if not self.closed[self.corner ^ (1 << bit)]:
                return False
        return True

    def action_code(self, action):
        return self.corner * self.dimension + action

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return str(action + 1)

    def board_cells(self, out):
        """Show the corners in rows: the head of the snake, closed corners and open ones."""
        for corner in range(self.corners):
            place_piece(out, corner, -1, self.closed[corner])
        place_piece(out, self.corner, 0)

    def action_squares(self, action):
        yield self.corner ^ (1 << action)
