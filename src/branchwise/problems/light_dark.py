"""Light-dark: walk along a line to 0, where it is dark; places are seen well only near the light at 10.

Sunberg, Kochenderfer, "Online algorithms for POMDPs with continuous state, action, and observation spaces",
2018, section 5.2.
"""

import math

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.problems.walks import ground_style

STEPS = (-10, -1, 0, 1, 10)
STAY = 2
LIGHT = 10
END = 60
START = 30
_SHOWN = 15
"""Places that are drawn on each side of the walker, except near the ends of the line."""


class LightDark(OnePlayer, Game):
    """Actions step 10 or 1 back, stop, or step 1 or 10 ahead. Stopping ends the walk: it pays 100 at 0, and
    costs 100 anywhere else. Every step costs 1.

    After a step to x the observation is x with normal noise, whose standard deviation is the distance from
    the light plus `least_noise`. The start is uniform from -30 to 30, the line is from -60 to 60.

    >>> import branchwise as bw
    >>> belief = bw.Belief(LightDark, particles=2000, seed=1)
    >>> belief.update("+1", 10.0)
    >>> round(belief.mean(lambda state: state.place))
    10
    """

    least_noise = 0.001

    num_actions = 5
    board_style = ground_style(".0*", rows=1, columns=2 * _SHOWN + 1)
    discount = 0.95
    horizon = 90
    max_game_length = 1000
    max_return = 100.0
    min_return = -120.0
    playout = "game"

    place: np.int8 = 0
    stopped: bool = False

    @classmethod
    def configure(cls):
        if not cls.least_noise > 0.0:
            raise GameError(f"light_dark(least_noise={cls.least_noise}) is not above 0")

    def setup(self, random):
        self.place = random.below(2 * START + 1) - START

    def apply_action(self, action):
        if action == STAY:
            self.stopped = True
            return 100.0 if self.place == 0 else -100.0
        self.place = max(-END, min(END, self.place + STEPS[action]))
        return -1.0

    def is_terminal(self):
        return self.stopped

    def noise(self):
        """Return the standard deviation of an observation here."""
        return abs(self.place - LIGHT) + self.least_noise

    def playout_action(self, random):
        """Return the next action of the shortest way to 0, as one takes who sees where one is."""
        if self.place == 0:
            return STAY
        ahead = self.place < 0
        if abs(self.place) > 5:
            return 4 if ahead else 0
        return 3 if ahead else 1

    def observe(self, action, random):
        return self.place + self.noise() * random.normal()

    def observation_density(self, action, seen):
        off = (seen - self.place) / self.noise()
        return math.exp(-0.5 * off * off) / self.noise()

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return "stop" if action == STAY else f"{STEPS[action]:+d}"

    def first_shown(self):
        """Return the first place of the line that is drawn."""
        return max(-END, min(END - 2 * _SHOWN, self.place - _SHOWN))

    def board_cells(self, out):
        first = self.first_shown()
        for place, kind in ((0, 1), (LIGHT, 2)):
            if first <= place <= first + 2 * _SHOWN:
                place_piece(out, place - first, -1, kind)
        place_piece(out, self.place - first, 0)

    def action_squares(self, action):
        place = self.place + STEPS[action]
        if -END <= place <= END:
            yield place - self.first_shown()
