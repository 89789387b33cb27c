"""Frozen lake: cross the ice to the goal; it is slippery and has holes.

As in Gymnasium's FrozenLake: reaching the goal pays 1, and a hole ends the walk.
"""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.rules_class import Game
from branchwise.games.option_checks import check_name
from branchwise.problems.walks import NOWHERE, SlipperyWalk, ground_style, kinds_of, neighbours

DIRECTIONS = ("left", "down", "right", "up")
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
SIGNS = "FSHG"

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


class FrozenLake(SlipperyWalk, Game):
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

    board_style = ground_style(SIGNS)
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
        cls.ground = kinds_of(MAPS[cls.map_name], SIGNS)
        cls.rows, cls.columns = cls.ground.shape
        cls.next_place = neighbours(cls.rows, cls.columns, STEPS)
        cls.is_hole = cls.ground.ravel() == SIGNS.index("H")
        cls.goal = cls.rows * cls.columns - 1

    def chance_outcomes(self):
        fail_rate = (1 - self.success_rate) / 2
        yield 0, fail_rate
        yield 1, self.success_rate
        yield 2, fail_rate

    def step_to(self, place):
        self.place = place
        return 1.0 if self.place == self.goal else 0.0

    def is_terminal(self):
        return self.place == self.goal or self.is_hole[self.place]

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return DIRECTIONS[self.direction(action)]
