"""Racetrack: drive a car from the start to the goal by changing its speed; hitting a wall costs time.

Barto, Bradtke, Singh, "Learning to act using real-time dynamic programming", 1995, in the form of mdp-lib:
a car that hits a wall stands there, and the way back to the track costs ten moves.
"""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.grid import column_names
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_name
from branchwise.problems.walks import NOWHERE, ground_style, kinds_of

TRACKS = {
    "small": (
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXGGGX",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX...X",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX...X",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX...X",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX...X",
        "XS..................................X",
        "XS..................................X",
        "XS..................................X",
        "XS..................................X",
        "XXXXX...............................X",
        "XXXXXXXXX...........................X",
        "XXXXXXXXXXXXX.......................X",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    ),
    "big": (
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        "XXXXXXXXXXX.......XXXXXXXXXXXXXX",
        "XXXXXXX..............XXXXXXXXXXX",
        "XXX.....................XXXXXXXX",
        "XXX........................XXXXX",
        "XXX........................XXXXX",
        "XXX........................XXXXX",
        "XXX..........XX............XXXXX",
        "XXX........XXXXX...........XXXXX",
        "XXX.......XXXXXXX..........XXXXX",
        "XXX......XXXXX............XXXXXX",
        "XXX.....XXXX............XXXXXXXX",
        "XXX.....XXXX..........XXXXXXXXXX",
        "XX......XXXX........XXXXXXXXXXXX",
        "XX......XXXX......XXXXXXXXXXXXXX",
        "XX......XXXX.............XXXXXXX",
        "XX......XXX...............XXXXXX",
        "XX.....XXXX................XXXXX",
        "XX.....XXXX.................XXXX",
        "XX.....XXXX..................XXX",
        "XX.....XXXXX..................XX",
        "XX.....XXXXXX..................X",
        "XX.....XXXXXXXXXXXXXXXX........X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "X......XXXXXXXXXXXXXXXXX.......X",
        "XSSSSSSXXXXXXXXXXXXXXXXXGGGGGGGX",
        "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
    ),
}
"""X is a wall, S a start, G the goal. Both tracks are those of the paper, with walls around them."""


NAMES = ("sw", "w", "nw", "s", "coast", "n", "se", "e", "ne")

NONE = -1
FREE, WALL, GOAL = range(3)
SIGNS = ".XGS"
SLOW = 2
"""A car below this speed, east and north together, never slips."""


class Racetrack(OnePlayer, Game):
    """Action 3 * (east + 1) + north + 1 adds to the speed, where east and north are -1, 0 or 1.

    The car then goes as far as its speed says, and a move costs 1. A car that meets a wall stands there
    without speed; its move back to the track beside it costs 10. Chance picks the start. A car that is not
    slow keeps its speed with the probability `slip` (outcome 1).

    >>> state = Racetrack.from_actions("b7 e e")
    >>> state.speed()
    'speed 2 east, 0 north'
    >>> (state.x, state.y), state.play("coast"), (state.x, state.y)
    ((4, 6), 4, (6, 6))
    """

    track = "small"
    slip = 0.0

    num_actions = 9
    board_style = ground_style(SIGNS)
    horizon = 60
    max_game_length = 2000
    max_return = 0.0

    x: np.int8 = NOWHERE
    y: np.int8 = NOWHERE
    east: np.int8 = 0
    """The speed to the east; the next is to the north."""
    north: np.int8 = 0
    chosen: np.int8 = NONE
    """The action, while chance decides whether the car slips."""

    @classmethod
    def configure(cls):
        check_name(cls, "track", TRACKS)
        if not 0 <= cls.slip < 1:
            raise GameError(f"racetrack(slip={cls.slip}) is not from 0 to 1, without 1")
        cls.ground = kinds_of(TRACKS[cls.track][::-1], SIGNS)
        cls.rows, cls.columns = cls.ground.shape
        cls.starts = np.argwhere(cls.ground == SIGNS.index("S"))[:, ::-1].copy()
        cls.num_outcomes = len(cls.starts)

    def current_player(self):
        return CHANCE if self.x == NOWHERE or self.chosen != NONE else 0

    def chance_outcomes(self):
        if self.x == NOWHERE:
            for start in range(len(self.starts)):
                yield start, 1 / len(self.starts)
        else:
            yield 0, 1 - self.slip
            yield 1, self.slip

    def legal_actions(self):
        at_wall = self.is_at_wall()
        for action in range(9):
            if not at_wall or self.leads_to_track(action):
                yield action

    def is_at_wall(self):
        return self.ground[self.y, self.x] == WALL

    def leads_to_track(self, action):
        """Whether the neighbouring square in the direction of `action` is no wall."""
        x, y = self.x + action // 3 - 1, self.y + action % 3 - 1
        return self.is_on_board(x, y) and self.ground[y, x] != WALL

    def is_on_board(self, x, y):
        return 0 <= x < self.columns and 0 <= y < self.rows

    def apply_action(self, action):
        if self.x == NOWHERE:
            self.x, self.y = self.starts[action, 0], self.starts[action, 1]
            return 0.0
        if self.chosen != NONE:
            self.drive(4 if action == 1 else self.chosen)
            self.chosen = NONE
            return -1.0
        if self.slip > 0 and abs(self.east) + abs(self.north) >= SLOW:
            self.chosen = action
            return 0.0
        cost = 10.0 if self.is_at_wall() else 1.0
        self.drive(action)
        return -cost

    def drive(self, action):
        """Change the speed and move the car, at most to the first wall or the goal."""
        self.east += action // 3 - 1
        self.north += action % 3 - 1
        x, y = self.x, self.y
        steps = 2 * (abs(self.east) + abs(self.north))
        was_at_wall = self.is_at_wall()
        for step in range(1, steps + 1):
            self.x = x + (2 * step * self.east + steps) // (2 * steps)  # rounded to the nearest square
            self.y = y + (2 * step * self.north + steps) // (2 * steps)
            if self.ground[self.y, self.x] == GOAL:
                return
            if self.is_at_wall() and not was_at_wall:
                self.east = 0
                self.north = 0
                return

    def is_terminal(self):
        return self.x != NOWHERE and self.ground[self.y, self.x] == GOAL

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.x == NOWHERE:
            x, y = self.starts[action]
            return f"{column_names(int(x) + 1)[-1]}{y + 1}"
        return ("grip", "slip")[action] if self.chosen != NONE else NAMES[action]

    def speed(self):
        return f"speed {self.east} east, {self.north} north"

    board_caption = speed

    def board_cells(self, out):
        out[::-1, :, 1] = self.ground
        if self.x != NOWHERE:
            place_piece(out[::-1], self.y * self.columns + self.x, 0)

    def action_squares(self, action):
        x, y = self.x + self.east + action // 3 - 1, self.y + self.north + action % 3 - 1
        if self.is_on_board(x, y):
            yield (self.rows - 1 - y) * self.columns + x
