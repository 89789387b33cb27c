"""Cliff walking: go along a cliff to the goal; a fall costs much and leads back to the start.

As in Gymnasium's CliffWalking, and Example 6.6 of Sutton, Barto, "Reinforcement Learning", 2018.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.drawing.grid import PLAYER_COLOURS, ground_grid
from branchwise.drawing.shapes import GREY, MARGIN, TILE, choices, tiles, token
from branchwise.game.rules_class import Game

DIRECTIONS = ("up", "right", "down", "left")
DOWN = (-1, 0, 1, 0)
RIGHT = (0, 1, 0, -1)
NOWHERE = -1

ROWS = 4
COLUMNS = 12
START = 36
GOAL = 47
"""The cliff is between the two, in the last row."""
GROUND = (*["." * COLUMNS] * (ROWS - 1), "." + "x" * (COLUMNS - 2) + "G")
LOOKS = {".": (GREY, 0.15), "x": ("#343a40", 0.85), "G": ("#69db7c", 0.9, "G")}


class CliffWalking(Game):
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

    num_players = 1
    num_actions = 4
    num_outcomes = 3
    horizon = 30
    max_game_length = 1000
    max_return = 0.0

    place: np.int8 = START
    """row * columns + column"""
    heading: np.int8 = NOWHERE
    """The chosen direction, while chance is to move."""

    def current_player(self):
        return 0 if self.heading == NOWHERE else CHANCE

    def legal_actions(self):
        for action in range(4):
            yield action

    def chance_outcomes(self):
        for turn in range(3):
            yield turn, 1 / 3

    def apply_action(self, action):
        if self.is_slippery and self.heading == NOWHERE:
            self.heading = action
            return 0.0
        direction = (self.heading + action - 1) % 4 if self.is_slippery else action
        self.heading = NOWHERE
        row = min(max(self.place // COLUMNS + DOWN[direction], 0), ROWS - 1)
        column = min(max(self.place % COLUMNS + RIGHT[direction], 0), COLUMNS - 1)
        self.place = row * COLUMNS + column
        if START < self.place < GOAL:
            self.place = START
            return -100.0
        return -1.0

    def is_terminal(self):
        return self.place == GOAL

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.heading != NOWHERE:
            action = (self.heading + action - 1) % 4
        return DIRECTIONS[action]

    def to_grid(self):
        return ground_grid(GROUND, divmod(self.place, COLUMNS))

    def to_svg(self):
        """Draw the ground with the walker, and a button for each move or outcome."""
        parts = tiles(ROWS, COLUMNS, lambda row, column: LOOKS[GROUND[row][column]])
        parts.append(token(*divmod(self.place, COLUMNS), PLAYER_COLOURS[0], "@"))
        height = MARGIN + TILE * ROWS
        return choices(self, parts, height + MARGIN, MARGIN + TILE * COLUMNS, 60, 7)
