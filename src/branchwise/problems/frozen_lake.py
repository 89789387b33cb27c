"""Frozen lake: cross the ice to the goal; it is slippery and has holes.

As in Gymnasium's FrozenLake: reaching the goal pays 1, and a hole ends the walk.
"""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.grid import PLAYER_COLOURS, ground_grid
from branchwise.drawing.shapes import MARGIN, TILE, choices, tile, token
from branchwise.game.rules_class import Game
from branchwise.games.option_checks import check_name

DIRECTIONS = ("left", "down", "right", "up")
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
NOWHERE = -1

MAPS = {
    "4x4": ("SFFF", "FHFH", "FFFH", "HFFG"),
    "8x8": (
        "SFFFFFFF",
        "FFFFFFFF",
        "FFFHFFFF",
        "FFFFFHFF",
        "FFFHFFFF",
        "FHHFFFHF",
        "FHFFHFHF",
        "FFFHFFFG",
    ),
}
"""S is the start, F ice, H a hole, G the goal."""
COLOURS = {"S": "#a5d8ff", "F": "#d0ebff", "H": "#1864ab", "G": "#69db7c"}


class FrozenLake(Game):
    """Actions are left, down, right, up; on slippery ice chance then picks the direction taken.

    Outcome 1 is the direction that was chosen; 0 and 2 are those at right angles to it, by default with the
    same probability of 1/3. A step off the board leaves the walker where it is.

    >>> state = FrozenLake.from_actions("right down")  # chosen: right; taken: down
    >>> print(state)
    4  S F F F
    3  @ H F H
    2  F F F H
    1  H F F G
       a b c d
    """

    map_name = "4x4"
    is_slippery = True
    success_rate = 1 / 3

    num_players = 1
    num_actions = 4
    num_outcomes = 3
    min_return = 0.0
    max_return = 1.0

    place: np.int16 = 0
    """row * columns + column"""
    heading: np.int8 = NOWHERE
    """The chosen direction, while chance is to move."""

    @classmethod
    def configure(cls):
        check_name(cls, "map_name", MAPS, "map")
        if not 0 < cls.success_rate < 1:
            raise GameError(
                f"frozen_lake(success_rate={cls.success_rate}) is not between 0 and 1",
                mend="for steps that always succeed, give is_slippery=False",
            )
        lines = MAPS[cls.map_name]
        rows, columns = len(lines), len(lines[0])
        cls.next_place = np.array(
            [
                [
                    min(max(row + down, 0), rows - 1) * columns + min(max(column + right, 0), columns - 1)
                    for down, right in STEPS
                ]
                for row in range(rows)
                for column in range(columns)
            ]
        )
        cls.is_hole = np.array([letter == "H" for letter in "".join(lines)])
        cls.goal = rows * columns - 1

    def current_player(self):
        return 0 if self.heading == NOWHERE else CHANCE

    def legal_actions(self):
        for action in range(4):
            yield action

    def chance_outcomes(self):
        fail_rate = (1 - self.success_rate) / 2
        yield 0, fail_rate
        yield 1, self.success_rate
        yield 2, fail_rate

    def apply_action(self, action):
        if self.is_slippery and self.heading == NOWHERE:
            self.heading = action
            return 0.0
        direction = (self.heading + action - 1) % 4 if self.is_slippery else action
        self.heading = NOWHERE
        self.place = self.next_place[self.place, direction]
        return 1.0 if self.place == self.goal else 0.0

    def is_terminal(self):
        return self.place == self.goal or self.is_hole[self.place]

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.heading != NOWHERE:
            action = (self.heading + action - 1) % 4
        return DIRECTIONS[action]

    def to_grid(self):
        lines = MAPS[self.map_name]
        return ground_grid(lines, divmod(self.place, len(lines[0])))

    def to_svg(self):
        """Draw the lake with the walker, and a button for each move or outcome."""
        lines = MAPS[self.map_name]
        size = MARGIN + TILE * len(lines)
        parts = [
            tile(row, column, COLOURS[letter], 1.0, letter if letter in "SG" else "")
            for row, line in enumerate(lines)
            for column, letter in enumerate(line)
        ]
        parts.append(token(*divmod(self.place, len(lines)), PLAYER_COLOURS[0], "@"))
        return choices(self, parts, size + MARGIN, size, 60, 4)
