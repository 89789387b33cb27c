"""Cart pole: push a cart to the left or to the right so that the pole on it stays upright.

Barto, Sutton, Anderson, "Neuronlike adaptive elements that can solve difficult learning control problems",
1983, with the dynamics of Gymnasium's CartPole, integrated by Euler's method.
"""

import math

from branchwise.drawing.grid import PLAYER_COLOURS, Cell, Grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, disc, line, rectangle
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer

GRAVITY = 9.8
CART_MASS = 1.0
POLE_MASS = 0.1
HALF_LENGTH = 0.5
"""Half of the pole's length: metres from the joint to its centre of mass."""
FORCE = 10.0
TIME_STEP = 0.02

MASS = CART_MASS + POLE_MASS
POLE_MOMENT = POLE_MASS * HALF_LENGTH
EDGE = 2.4
"""Metres from the middle at which the cart leaves the track."""
FALLEN = 12 * 2 * math.pi / 360

NAMES = ("left", "right")
COLUMNS = 25
ROWS = 5
SCALE = 96.0
"""Pixels per metre."""


class CartPole(OnePlayer, Game):
    """Action 0 pushes to the left, 1 to the right, for .02 seconds. Each step pays 1.

    An episode ends when the pole leans more than 12 degrees, when the cart is off the track, or after 500
    steps. With `sutton_barto_reward` the step to a fall pays -1, and all others nothing.

    >>> state = CartPole(x=0.0, speed=0.0, angle=0.05, spin=0.0)
    >>> state.apply_action(1)
    1.0
    >>> print(state.told())
    cart +0.00 m, +0.19 m/s; pole +2.9°, -15.8°/s
    """

    sutton_barto_reward = False

    num_actions = 2
    horizon = 100
    max_game_length = 500

    x: float = 0.0
    """Metres to the right of the middle; the next is in metres per second."""
    speed: float = 0.0
    angle: float = 0.0
    """The pole's radians to the right of upright; the next is in radians per second."""
    spin: float = 0.0

    def setup(self, random):
        self.x = 0.1 * random.uniform() - 0.05
        self.speed = 0.1 * random.uniform() - 0.05
        self.angle = 0.1 * random.uniform() - 0.05
        self.spin = 0.1 * random.uniform() - 0.05

    def apply_action(self, action):
        force = FORCE if action == 1 else -FORCE
        sine, cosine = math.sin(self.angle), math.cos(self.angle)
        push = (force + POLE_MOMENT * self.spin * self.spin * sine) / MASS
        turn = (GRAVITY * sine - cosine * push) / (
            HALF_LENGTH * (4.0 / 3.0 - POLE_MASS * cosine * cosine / MASS)
        )
        thrust = push - POLE_MOMENT * turn * cosine / MASS
        self.x += TIME_STEP * self.speed
        self.speed += TIME_STEP * thrust
        self.angle += TIME_STEP * self.spin
        self.spin += TIME_STEP * turn
        if self.sutton_barto_reward:
            return -1.0 if self.is_terminal() else 0.0
        return 1.0

    def is_terminal(self):
        return abs(self.x) > EDGE or abs(self.angle) > FALLEN

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def told(self):
        """Return the state in words."""
        angle, spin = math.degrees(self.angle), math.degrees(self.spin)
        return f"cart {self.x:+.2f} m, {self.speed:+.2f} m/s; pole {angle:+.1f}°, {spin:+.1f}°/s"

    def to_grid(self):
        cells = [[Cell(" ") for _ in range(COLUMNS)] for _ in range(ROWS)]
        cells.append([Cell("-") for _ in range(COLUMNS)])

        def column(x):
            return min(max(round((x / EDGE + 1.0) * (COLUMNS - 1) / 2), 0), COLUMNS - 1)

        for row in range(ROWS):
            height = 2 * HALF_LENGTH * (ROWS - row) / ROWS
            cells[row][column(self.x + height * math.sin(self.angle))] = Cell("|")
        cells[ROWS][column(self.x)] = Cell("#", owner=0)
        return Grid(tuple(map(tuple, cells)), ("",) * COLUMNS, ("",) * (ROWS + 1), beneath=(self.told(),))

    def to_svg(self):
        """Draw the track with cart and pole, and a button for each push."""
        width, floor = 2 * EDGE * SCALE + 40.0, 150.0
        middle = MARGIN + width / 2
        x = middle + self.x * SCALE
        length = 2 * HALF_LENGTH * SCALE
        tip = (x + length * math.sin(self.angle), floor - 22.0 - length * math.cos(self.angle))
        across, up = length * math.sin(FALLEN), length * math.cos(FALLEN)
        leaning = [(x + side * across, floor - 22.0 - up) for side in (-1, 1)]
        parts = [
            rectangle(MARGIN, floor, width, 4, GREY, 0.5),
            *(rectangle(middle + side * EDGE * SCALE - 2, floor - 12, 4, 16, GREY) for side in (-1, 1)),
            *(line([(x, floor - 22.0), end], GREY, 1.0) for end in leaning),
            rectangle(x - 25, floor - 30, 50, 22, GREY),
            *(disc(x + side * 15, floor - 6, 6, GREY) for side in (-1, 1)),
            line([(x, floor - 22.0), tip], PLAYER_COLOURS[0], 8.0),
            disc(x, floor - 22.0, 3, "#fff"),
        ]
        return choices(self, parts, floor + 4, MARGIN + width, self.told())
