"""Sailing: cross a lake to the far corner in a turning wind; sailing before the wind is fast.

Vanderbei's problem (https://vanderbei.princeton.edu/sail/sail.html), which Kocsis, Szepesvari, "Bandit Based
Monte-Carlo Planning", 2006, tried UCT on. Wind and costs are those of Bonet's mdp-engine.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.problems.walks import ground_style

DIRECTIONS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
EAST = (0, 1, 1, 1, 0, -1, -1, -1)
NORTH = (1, 1, 0, -1, -1, -1, 0, 1)

COSTS = (1.0, 2.0, 3.0, 4.0)
"""By the angle between course and wind, in eighths of a turn; against the wind nobody can sail."""
AGAINST = 4

TURNS = np.array(
    [
        [0.4, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3],
        [0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.4, 0.2, 0.4, 0.0, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4],
        [0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3],
    ]
)
"""[wind, next wind]: probability."""


class Sailing(OnePlayer, Game):
    """Actions are the eight courses, from north clockwise, to the squares around the boat.

    After each move chance picks the next wind, which blows in one of the eight directions. The boat starts in
    the south-west with a wind to the north, and sails to the north-east.

    >>> state = Sailing.configured(size=4).from_actions("ne ne")
    >>> print(state)
    4  . . . G
    3  . . . .
    2  . @ . .
    1  . . . .
       a b c d
    wind to ne
    >>> state.apply_action(1)  # before the wind
    -1.0
    """

    size = 10

    num_actions = 8
    num_outcomes = 8
    board_style = ground_style(".G")
    max_return = 0.0

    x: np.int8 = 0
    y: np.int8 = 0
    wind: np.int8 = 0
    turning: bool = False

    @classmethod
    def configure(cls):
        check_ranges(cls, size=(2, 100))
        cls.max_game_length = 1000 * cls.size**2  # far more than random sailors need

    def current_player(self):
        return CHANCE if self.turning else 0

    def legal_actions(self):
        for course in range(8):
            x, y = self.x + EAST[course], self.y + NORTH[course]
            if 0 <= x < self.size and 0 <= y < self.size and self.angle(course) != AGAINST:
                yield course

    def angle(self, course):
        """Return the angle between course and wind, in eighths of a turn."""
        difference = abs(course - self.wind)
        return min(difference, 8 - difference)

    def chance_outcomes(self):
        for wind in range(8):
            if TURNS[self.wind, wind] > 0:
                yield wind, TURNS[self.wind, wind]

    def apply_action(self, action):
        if self.turning:
            self.wind = action
            self.turning = False
            return 0.0
        cost = COSTS[self.angle(action)]
        self.x += EAST[action]
        self.y += NORTH[action]
        self.turning = not self.is_terminal()
        return -cost

    def is_terminal(self):
        return self.x == self.size - 1 and self.y == self.size - 1

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return DIRECTIONS[action]

    def square(self, x, y):
        return (self.size - 1 - y) * self.size + x

    def board_cells(self, out):
        place_piece(out, self.size - 1, -1)
        place_piece(out, self.square(self.x, self.y), 0)

    def action_squares(self, action):
        if not self.turning:
            yield self.square(self.x + EAST[action], self.y + NORTH[action])

    def board_caption(self):
        return f"wind to {DIRECTIONS[self.wind]}"
