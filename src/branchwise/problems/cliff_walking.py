"""Cliff walking: go along a cliff to the goal; a fall costs much and leads back to the start.

As in Gymnasium's CliffWalking, and Example 6.6 of Sutton, Barto, "Reinforcement Learning", 2018.
"""

import numpy as np

from branchwise.game.rules_class import Game
from branchwise.problems.walks import NOWHERE, SlipperyWalk, ground_style, kinds_of, neighbours

DIRECTIONS = ("up", "right", "down", "left")
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
SIGNS = ".xG"

ROWS = 4
COLUMNS = 12
START = 36
GOAL = 47
"""The cliff is between the two, in the last row."""
GROUND = (*["." * COLUMNS] * (ROWS - 1), "." + "x" * (COLUMNS - 2) + "G")


class CliffWalking(SlipperyWalk, Game):
    """Actions are up, right, down, left. A step costs 1, and a fall 100; it leads back to the start.

    On slippery ground chance picks the direction taken: the one that was chosen (outcome 1) or one at right
    angles to it, all with the same probability. A step off the board leaves the walker where it is.

    >>> state = CliffWalking.from_actions("up right right")
    >>> print(state)
    4  . . . . . . . . . . . .
    3  . . . . . . . . . . . .
    2  . . @ . . . . . . . . .
    1  . x x x x x x x x x x G
       a b c d e f g h i j k l
    >>> state.apply_action(2)
    -100.0
    """

    is_slippery = False

    board_style = ground_style(SIGNS, rows=ROWS, columns=COLUMNS)
    ground = kinds_of(GROUND, SIGNS)
    next_place = neighbours(ROWS, COLUMNS, STEPS)
    horizon = 30
    max_game_length = 1000
    max_return = 0.0

    place: np.int8 = START
    """row * columns + column"""
    heading: np.int8 = NOWHERE
    """The chosen direction, while chance is to move."""

    def chance_outcomes(self):
        for turn in range(3):
            yield turn, 1 / 3

    def step_to(self, place):
        if START < place < GOAL:
            self.place = START
            return -100.0
        self.place = place
        return -1.0

    def is_terminal(self):
        return self.place == GOAL

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return DIRECTIONS[self.direction(action)]
