"""Snake in the box: the longest path along the edges of a hypercube that never comes near itself.

Longest snakes have 4, 7, 13, 26, 50 and 98 edges in 3 to 8 dimensions; the last was found by search, and
later proven to be longest. Source: Kautz, "Unit-distance error-checking codes", 1958.
"""

import numpy as np

from branchwise.drawing.grid import PLAYER_COLOURS, ground_grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.option_checks import check_ranges

LONGEST = (0, 1, 2, 4, 7, 13, 26, 50, 98)
"""Edges of the longest snake, by the number of dimensions."""


class SnakeInTheBox(Game):
    """Corners of a hypercube are numbers whose bits are their coordinates. Action b goes along dimension b.

    A corner can be entered if the snake has visited none of its neighbours except the head's corner. Each
    step pays 1. The snake begins at 0, and uses new dimensions in their order: all other snakes are mirror
    images.

    >>> state = SnakeInTheBox.configured(dimension=3).from_actions("1 2 3 1")
    >>> state.corner, state.length, state.is_terminal()
    (6, 4, True)
    """

    dimension = 7

    num_players = 1
    min_return = 0.0

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
        cls.num_actions = cls.dimension
        known = cls.dimension < len(LONGEST)
        cls.max_return = float(LONGEST[cls.dimension] if known else cls.corners // 2)
        cls.max_game_length = cls.corners

    def setup(self):
        self.closed[0] = True

    def current_player(self):
        return 0

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

    def to_grid(self):
        """Show the corners in rows: the head of the snake, closed corners and open ones."""
        columns = 1 << ((self.dimension + 1) // 2)
        rows = self.closed.reshape(-1, columns)
        signs = ["".join("x" if is_closed else "." for is_closed in row) for row in rows]
        return ground_grid(signs, divmod(self.corner, columns))

    def to_svg(self):
        """Draw the corners in rows, and a button for each dimension to go along."""
        columns = 1 << ((self.dimension + 1) // 2)
        side = min(40, 640 / columns)
        parts = []
        for corner in range(self.corners):
            x, y = MARGIN + side * (corner % columns), MARGIN + side * (corner // columns)
            look = (GREY, 0.6 if self.closed[corner] else 0.15)
            if corner == self.corner:
                look = (PLAYER_COLOURS[0], 1.0)
            parts.append(rectangle(x, y, side - 1, side - 1, *look))
        bottom = MARGIN + side * (self.corners // columns)
        told = f"length {self.length}"
        return choices(self, parts, bottom + 36, MARGIN + side * columns, 50, 6, told=told)
