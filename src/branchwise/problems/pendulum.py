"""Pendulum: swing a pendulum up and hold it there, with a motor that is too weak to lift it at once.

The dynamics are those of Gymnasium's Pendulum, integrated by Euler's method. The torque is a continuous
action.
"""

import math

from branchwise.drawing.grid import PLAYER_COLOURS, Cell, Grid
from branchwise.drawing.shapes import GREY, disc, label, line, picture
from branchwise.game.rules_class import Game

GRAVITY = 10.0
MASS = 1.0
LENGTH = 1.0
TORQUE = 2.0
FASTEST = 8.0
"""Maximum angular speed, in radians per second."""
TIME_STEP = 0.05

REACH = 3
"""Length of the pendulum in cells, for text, and in pixels, for the drawing."""
PIXELS = 90.0


class Pendulum(Game):
    """An action is a torque from -2 to 2, positive to the left, that is applied for .05 seconds.

    Each step costs the square of the angle from upright, .1 of the square of the angular speed, and .001 of
    the square of the torque. An episode has 200 steps.

    >>> state = Pendulum(angle=0.5, spin=0.0)
    >>> state.apply_action((-1.0,))
    -0.251
    >>> print(state.told())
    29.2° to the left of upright, +12.0°/s
    """

    num_players = 1
    action_low = (-TORQUE,)
    action_high = (TORQUE,)
    max_return = 0.0
    min_return = -3500.0
    horizon = 20
    max_game_length = 200

    angle: float = 0.0
    """Radians to the left of upright; the next is in radians per second."""
    spin: float = 0.0

    def setup(self, random):
        self.angle = math.pi * (2.0 * random.uniform() - 1.0)
        self.spin = 2.0 * random.uniform() - 1.0

    def current_player(self):
        return 0

    def apply_action(self, action):
        torque = float(action[0])
        lean = (self.angle + math.pi) % (2.0 * math.pi) - math.pi
        cost = lean * lean + 0.1 * self.spin * self.spin + 0.001 * torque * torque
        weight = 3.0 * GRAVITY / (2.0 * LENGTH) * math.sin(self.angle)
        spin = self.spin + (weight + 3.0 / (MASS * LENGTH * LENGTH) * torque) * TIME_STEP
        self.spin = min(max(spin, -FASTEST), FASTEST)
        self.angle += self.spin * TIME_STEP
        return -cost

    def is_terminal(self):
        return False

    # --- pictures -------------------------------------------------------------------------------------

    def told(self):
        """Return the state in words."""
        lean = math.degrees((self.angle + math.pi) % (2.0 * math.pi) - math.pi)
        side = "left" if lean >= 0.0 else "right"
        return f"{abs(lean):.1f}° to the {side} of upright, {math.degrees(self.spin):+.1f}°/s"

    def to_grid(self):
        size = 2 * REACH + 1
        cells = [[Cell(".") for _ in range(size)] for _ in range(size)]
        for part in range(1, REACH + 1):
            row = REACH - round(part * math.cos(self.angle))
            column = REACH - round(part * math.sin(self.angle))
            cells[row][column] = Cell("#", owner=0)
        cells[REACH][REACH] = Cell("o")
        return Grid(tuple(map(tuple, cells)), ("",) * size, ("",) * size, beneath=(self.told(),))

    def to_svg(self):
        middle = PIXELS + 20.0
        tip = (middle - PIXELS * math.sin(self.angle), middle - PIXELS * math.cos(self.angle))
        parts = [
            line([(middle, middle), (middle, middle - PIXELS)], GREY, 1.0),
            line([(middle, middle), tip], PLAYER_COLOURS[0], 14.0),
            disc(middle, middle, 4, GREY),
            label(10, 2 * middle + 10, self.told()),
        ]
        return picture(max(2 * middle, 300.0), 2 * middle + 24, parts)
