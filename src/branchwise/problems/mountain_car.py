"""Mountain car: a car that is too weak to climb the hill has to gather speed on both sides of the valley.

Moore, "Efficient memory-based learning for robot control", 1990, with the numbers of Gymnasium's MountainCar.
"""

import math

from branchwise.drawing.grid import PLAYER_COLOURS, Cell, Grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, disc, line, polygon
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer

LEFT_END = -1.2
RIGHT_END = 0.6
TOP_SPEED = 0.07
GOAL = 0.5
FORCE = 0.001
GRAVITY = 0.0025

NAMES = ("left", "coast", "right")
COLUMNS = 37
ROWS = 10
SCALE = 260.0
"""Pixels for a distance of 1."""


def height(place):
    """Return the height of the ground, from .1 to 1."""
    return 0.45 * math.sin(3.0 * place) + 0.55


class MountainCar(OnePlayer, Game):
    """Action 0 accelerates to the left, 2 to the right, 1 not at all. Each step costs 1.

    An episode ends at the goal, on top of the right hill, or after 200 steps. The car has to be as fast as
    `goal_speed` there. In playouts "game" the car mostly accelerates in the direction in which it rolls.

    >>> state = MountainCar(place=-0.5, speed=0.0)
    >>> state.apply_action(2)
    -1.0
    >>> print(state.told())
    place -0.4992, speed +0.0008
    """

    goal_speed = 0.0

    num_actions = 3
    horizon = 200
    max_game_length = 200
    max_return = 0.0
    min_return = -200.0
    playout = "game"

    place: float = -0.5
    speed: float = 0.0

    def setup(self, random):
        self.place = 0.2 * random.uniform() - 0.6

    def apply_action(self, action):
        speed = self.speed + (action - 1) * FORCE - math.cos(3.0 * self.place) * GRAVITY
        speed = min(max(speed, -TOP_SPEED), TOP_SPEED)
        place = min(max(self.place + speed, LEFT_END), RIGHT_END)
        if place == LEFT_END and speed < 0.0:
            speed = 0.0
        self.place = place
        self.speed = speed
        return -1.0

    def is_terminal(self):
        return self.place >= GOAL and self.speed >= self.goal_speed

    def playout_action(self, random):
        if random.below(8) == 0:
            return random.below(3)
        return 2 if self.speed >= 0.0 else 0

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def told(self):
        """Return the state in words."""
        return f"place {self.place:+.4f}, speed {self.speed:+.4f}"

    def to_grid(self):
        def row_at(place):
            return ROWS - 1 - round((height(place) - 0.1) / 0.9 * (ROWS - 2))

        places = [LEFT_END + (RIGHT_END - LEFT_END) * column / (COLUMNS - 1) for column in range(COLUMNS)]
        car, goal = (
            round((place - LEFT_END) / (RIGHT_END - LEFT_END) * (COLUMNS - 1)) for place in (self.place, GOAL)
        )
        cells = [[Cell(" ") for _ in range(COLUMNS)] for _ in range(ROWS)]
        for column, place in enumerate(places):
            for row in range(row_at(place), ROWS):
                cells[row][column] = Cell("#" if row > row_at(place) else "-")
        cells[row_at(places[goal]) - 1][goal] = Cell("G")
        cells[row_at(places[car]) - 1][car] = Cell("@", owner=0)
        return Grid(tuple(map(tuple, cells)), ("",) * COLUMNS, ("",) * ROWS, beneath=(self.told(),))

    def to_svg(self):
        """Draw the valley with the car and the goal, and a button for each action."""

        def point(place, above=0.0):
            return MARGIN + (place - LEFT_END) * SCALE, 40.0 + (1.0 - height(place)) * 0.6 * SCALE - above

        width, bottom = (RIGHT_END - LEFT_END) * SCALE, 40.0 + 0.6 * SCALE
        ground = [point(LEFT_END + (RIGHT_END - LEFT_END) * step / 90) for step in range(91)]
        x, y = point(GOAL)
        ahead, behind = point(self.place + 0.01), point(self.place - 0.01)
        slope = math.atan2(ahead[1] - behind[1], ahead[0] - behind[0])

        def on_car(along, above):
            """Return a point of the car, in pixels along its slope and above its ground."""
            here_x, here_y = point(self.place)
            return (
                here_x + along * math.cos(slope) + above * math.sin(slope),
                here_y + along * math.sin(slope) - above * math.cos(slope),
            )

        body = [(-18, 6), (-18, 14), (-10, 15), (-6, 22), (7, 22), (12, 15), (18, 13), (18, 6)]
        parts = [
            polygon([*ground, (MARGIN + width, bottom + 4), (MARGIN, bottom + 4)], "#2b8a3e", 0.25),
            line(ground, "#2b8a3e", 3.0),
            line([(x, y), (x, y - 34)], GREY, 2.0),
            polygon([(x, y - 34), (x + 20, y - 27), (x, y - 20)], "#f59f00"),
            polygon([on_car(*corner) for corner in body], PLAYER_COLOURS[0]),
            *(disc(*on_car(along, 6), 5.5, GREY) for along in (-10, 10)),
        ]
        return choices(self, parts, bottom + 4, MARGIN + width, self.told())
