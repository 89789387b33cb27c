"""Left moves: go left or right, a number of times; each move to the left counts.

The smallest problem that separates methods that search for a line of actions. In a random line half of the
moves are to the left. Source: Cazenave, "Nested Monte-Carlo search", 2009.
"""

import numpy as np

from branchwise.drawing.grid import PLAYER_COLOURS, Cell, board_grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, rectangle
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer

LEFT, RIGHT = 0, 1


class LeftMove(OnePlayer, Game):
    """Action 0 goes left, which pays 1, and action 1 right, which pays nothing.

    >>> state = LeftMove.from_actions("left right left")
    >>> state.lefts, state.made
    (2, 3)
    """

    moves = 60

    num_actions = 2
    min_return = 0.0

    made: np.int32 = 0
    lefts: np.int32 = 0

    @classmethod
    def configure(cls):
        cls.max_return = float(cls.moves)
        cls.max_game_length = cls.moves

    def apply_action(self, action):
        self.made += 1
        left = RIGHT - action  # 1 or 0, without an "if", which a processor would guess wrong half of the time
        self.lefts += left
        return float(left)

    def is_terminal(self):
        return self.made == self.moves

    def action_code(self, action):
        return 2 * self.made + action

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return ("left", "right")[action]

    def to_grid(self):
        """Show the moves as a row: moves to the left, moves to the right, and remaining moves."""

        def cell(_, column):
            if column >= self.made:
                return Cell(".")
            return Cell("<", owner=0) if column < self.lefts else Cell(">")

        return board_grid(1, self.moves, cell)

    def to_svg(self):
        """Draw a bar of the moves made, those to the left first, and a button for each action."""
        wide = 600 / self.moves
        parts = [
            rectangle(MARGIN, MARGIN, wide * self.lefts, 30, PLAYER_COLOURS[0]),
            rectangle(MARGIN + wide * self.lefts, MARGIN, wide * (self.made - self.lefts), 30, GREY),
        ]
        told = f"{self.lefts} of {self.made} to the left, {self.moves - self.made} to come"
        return choices(self, parts, 40, MARGIN + 600, told)
