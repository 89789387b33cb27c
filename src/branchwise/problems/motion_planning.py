"""Motion planning: drive a car past obstacles to its goal, forward and backward, in the shortest time.

Poses, motions and collisions are those of `car_motions`.
"""

import math

import numpy as np

from branchwise.common.errors import GameError
from branchwise.drawing.grid import PLAYER_COLOURS, Cell, board_grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, disc, line, polygon, rectangle
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_name, check_ranges
from branchwise.problems.car_motions import (
    ANGLES,
    CELL,
    HEADINGS,
    TURNS,
    blocked,
    corners,
    covers,
    displacement,
    free_motions,
    motion_length,
    poses,
)

NAMES = ("ahead", "left", "right", "back", "back-left", "back-right")
STANDING, FORWARD, BACKWARD = 0, 1, -1

SPEED = 2.0
"""Metres per second forward; the next is backward."""
BACK_SPEED = 1.0
SHIFT = 1.0
"""Seconds for a change between forward and backward."""
LAYOUTS = {"yard": (0.75, 1), "parking": (0.5, 0)}
"""Tolerance at the goal: metres, and headings of 16."""
TRIES = 1000
SCALE = 24.0
"""Pixels per metre."""


def _forward(heading, action):
    """Return heading and steering of the motion forward that an action drives, or reverses."""
    steering = action % 3
    return (heading if action < 3 else (heading - TURNS[steering]) % HEADINGS), steering


_MOVES = np.array(
    [
        [displacement(*_forward(heading, action)) * (1 if action < 3 else -1) for action in range(6)]
        for heading in range(HEADINGS)
    ]
)
"""By heading and action: cells to the right and up."""
_SECONDS = np.array(
    [
        [
            motion_length(*_forward(heading, action)) / (SPEED if action < 3 else BACK_SPEED)
            for action in range(6)
        ]
        for heading in range(HEADINGS)
    ]
)
"""By heading and action."""

_PARKED = tuple((left, 0.3, left + 1.8, 4.5) for left in (2.2, 4.6, 7.0, 11.2, 13.6, 16.0))
_PARKING = (20.0, 10.0, (), _PARKED, (2.0, 6.5, 0), (10.0, 1.5, 4))
"""A gap of 2.4 m in a row of parked cars: width, height, discs, boxes, and the poses of start and goal."""


def _yard(cls):
    """Return a random scene, like `_PARKING`, and its free actions.

    Discs lie between a start on the left and a goal on the right.
    """
    random = Random(cls.scene)
    width, height = 24.0, 16.0

    def pose(left):
        x, y = left + CELL * random.below(5), 3.0 + CELL * random.below(21)
        return x, y, random.below(HEADINGS)

    for _ in range(TRIES):
        start, goal = pose(3.5), pose(18.5)
        discs = []
        for _ in range(cls.obstacles):
            radius = 0.5 + random.uniform()
            places = [radius + (side - 2 * radius) * random.uniform() for side in (width, height)]
            discs.append((*places, radius))
        if any(blocked(x, y, ANGLES[heading], (width, height), discs, ()) for x, y, heading in (start, goal)):
            continue
        free = _free_actions(width, height, discs, ())
        if _leads_there(free, start, goal):
            return (width, height, discs, (), start, goal), free
    raise GameError(
        f"{cls.name}: no way to the goal was found among {cls.obstacles} obstacles",
        mend="choose fewer obstacles, or another scene",
    )


def _free_actions(width, height, discs, boxes):
    """Return the free actions of each pose: [columns, rows, HEADINGS] bits, bit a for action a."""
    forward = free_motions(round(width / CELL) + 1, round(height / CELL) + 1, discs, boxes)
    free = np.zeros(forward.shape[:3], np.int8)
    for heading in range(HEADINGS):
        for steering in range(3):
            ahead = forward[:, :, heading, steering]
            free[:, :, heading] |= ahead.astype(np.int8) << steering
            x, y = np.nonzero(ahead)
            right, up = displacement(heading, steering)
            free[x + right, y + up, (heading + TURNS[steering]) % HEADINGS] |= np.int8(1 << (3 + steering))
    return free


def _leads_there(free, start, goal):
    """Whether the free actions lead from one pose to another."""
    first, last = ((round(x / CELL), round(y / CELL), heading) for x, y, heading in (start, goal))
    found, waiting = {first}, [first]
    for x, y, heading in waiting:
        if (x, y, heading) == last:
            return True
        for action in range(6):
            if free[x, y, heading] >> action & 1:
                right, up = _MOVES[heading, action].tolist()
                turn = TURNS[action % 3] * (1 if action < 3 else -1)
                pose = x + right, y + up, (heading + turn) % HEADINGS
                if pose not in found:
                    found.add(pose)
                    waiting.append(pose)
    return False


class MotionPlanning(OnePlayer, Game):
    """Actions 0 to 2 drive ahead, to the left and to the right; 3 to 5 back, with the wheels turned that way.

    Each costs its duration in seconds: forward at 2 m/s, backward at 1 m/s, and a second more for a change
    between the two. Motions that touch an obstacle are not legal. The line ends when the car arrives: within
    0.75 m of the goal, with its heading or one of the two of 16 next to it; when parking, within 0.5 m with
    exactly this heading. A line that does not arrive within 120 actions has only costs.

    layout : "yard", a random scene of discs, or "parking", a gap in a row of parked cars.
    scene : number of the yard; each has a way to its goal.   obstacles : number of discs in a yard.

    Playouts choose the better of two random actions, the one that comes closer to the goal.

    >>> state = MotionPlanning.configured(obstacles=0)()
    >>> state.told(), state.legal_actions()
    ('at 4 m, 6 m, heading 315°, standing', [0, 1, 2, 3, 4, 5])
    >>> state.play("left"), state.told()
    (1, 'at 5.5 m, 5 m, heading 333°, going forward')
    """

    layout = "yard"
    scene = 1
    obstacles = 12

    num_actions = 6
    horizon = 120
    max_game_length = 300
    max_return = 0.0
    playout = "game"

    x: np.int16 = 0
    """Position of the rear axle, in cells from the left; the next is from the bottom."""
    y: np.int16 = 0
    heading: np.int8 = 0
    """Heading from 0 to 15, counter-clockwise from east."""
    gear: np.int8 = STANDING

    @classmethod
    def configure(cls):
        check_name(cls, "layout", LAYOUTS)
        check_ranges(cls, obstacles=(0, 20))
        if cls.layout == "parking":
            own = [name for name in ("scene", "obstacles") if name in vars(cls)]
            if own:
                raise GameError(f'motion_planning(layout="parking") has no {own[0]}', mend="leave it out")
            found, cls.free = _PARKING, _free_actions(*_PARKING[:4])
        else:
            found, cls.free = _yard(cls)
        cls.width, cls.height, cls.discs, cls.boxes, cls.start, cls.goal = found
        cls.near, cls.slack = LAYOUTS[cls.layout]
        cls.goal_x, cls.goal_y, cls.goal_heading = cls.goal

    def setup(self):
        x, y, self.heading = self.start
        self.x, self.y = round(x / CELL), round(y / CELL)

    def legal_actions(self):
        free = self.free[self.x, self.y, self.heading]
        for action in range(6):
            if free >> action & 1:
                yield action

    def apply_action(self, action):
        gear = FORWARD if action < 3 else BACKWARD
        seconds = _SECONDS[self.heading, action]
        if self.gear == -gear:
            seconds += SHIFT
        turn = TURNS[action % 3] * gear
        self.x += _MOVES[self.heading, action, 0]
        self.y += _MOVES[self.heading, action, 1]
        self.heading = (self.heading + turn) % HEADINGS
        self.gear = gear
        return -seconds

    def is_terminal(self):
        turned = abs(self.heading - self.goal_heading)
        return min(turned, HEADINGS - turned) <= self.slack and self.distance(self.x, self.y) <= self.near

    def distance(self, x, y):
        """Return the distance from a corner of the grid to the goal, in metres."""
        return math.hypot(CELL * x - self.goal_x, CELL * y - self.goal_y)

    def heuristic(self):
        """Return the time of a straight way to the goal at full speed, in seconds."""
        return max(self.distance(self.x, self.y) - self.near, 0.0) / SPEED

    def evaluate(self):
        return (-self.heuristic(),)

    def prior(self, action):
        """Prefer motions that come closer to the goal."""
        x, y = self.x + _MOVES[self.heading, action, 0], self.y + _MOVES[self.heading, action, 1]
        return math.exp(self.distance(self.x, self.y) - self.distance(x, y))

    def playout_action(self, random):
        free = self.free[self.x, self.y, self.heading]
        count = 0
        for action in range(6):
            count += free >> action & 1
        one = self.nth_free(free, random.below(count))
        other = self.nth_free(free, random.below(count))
        return one if self.prior(one) > self.prior(other) else other

    def nth_free(self, free, number):
        """Return the action of the set bit with this number, from 0."""
        for action in range(6):
            if free >> action & 1:
                if number == 0:
                    return action
                number -= 1
        return -1

    def action_code(self, action):
        place = (self.x * self.free.shape[1] + self.y) * HEADINGS + self.heading
        return 6 * place + action

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def told(self):
        """Return the state in words."""
        gear = {STANDING: "standing", FORWARD: "going forward", BACKWARD: "going backward"}[int(self.gear)]
        degrees = round(math.degrees(ANGLES[self.heading]) % 360)
        end = ", arrived" if self.is_terminal() else ""
        return f"at {CELL * self.x:g} m, {CELL * self.y:g} m, heading {degrees}°, {gear}{end}"

    def to_grid(self):
        """Describe the ground, a cell per square metre: rear axle @, rest of the car o, goal G."""
        angle = ANGLES[self.heading]
        here, goal = (CELL * self.x, CELL * self.y), (self.goal_x, self.goal_y)

        def cell(row, column):
            x, y = column + 0.5, self.height - row - 0.5
            for sign, place in (("@", here), ("G", goal)):
                if (int(place[0]), int(place[1])) == (column, int(self.height) - row - 1):
                    return Cell(sign, owner=0 if sign == "@" else 1)
            if covers(x - here[0], y - here[1], angle):
                return Cell("o", owner=0)
            in_box = any(left < x < right and low < y < top for left, low, right, top in self.boxes)
            in_disc = any(math.hypot(x - at_x, y - at_y) < reach for at_x, at_y, reach in self.discs)
            return Cell("#" if in_box or in_disc else ".")

        return board_grid(int(self.height), int(self.width), cell, beneath=[self.told()])

    def to_svg(self):
        """Draw obstacles, the goal in green, the car with its next motions, and a button for each action."""

        def on_page(places):
            return [(MARGIN + SCALE * x, MARGIN + SCALE * (self.height - y)) for x, y in places]

        parts = [rectangle(MARGIN, MARGIN, SCALE * self.width, SCALE * self.height, GREY, 0.15)]
        for x, y, radius in self.discs:
            parts.append(disc(*on_page([(x, y)])[0], SCALE * radius, GREY))
        for left, low, right, top in self.boxes:
            parts.append(polygon(on_page([(left, low), (right, low), (right, top), (left, top)]), GREY))
        angle = ANGLES[self.goal_heading]
        shape = on_page(corners(self.goal_x, self.goal_y, angle))
        parts.append(polygon(shape, PLAYER_COLOURS[2], 0.3))
        parts.append(line([shape[0], shape[3]], PLAYER_COLOURS[2], 3))
        x, y, angle = CELL * self.x, CELL * self.y, ANGLES[self.heading]
        for action in [] if self.is_terminal() else self.legal_actions():
            parts.append(line(on_page(self.way(action)), PLAYER_COLOURS[0], 1.5))
        shape = on_page(corners(x, y, angle))
        parts.append(polygon(shape, PLAYER_COLOURS[1], 0.85))
        parts.append(line([shape[0], shape[3]], "#fff" if self.gear != BACKWARD else "#e03131", 3))
        right, bottom = MARGIN + SCALE * self.width, MARGIN + SCALE * self.height
        return choices(self, parts, bottom, right, self.told())

    def way(self, action):
        """Return points on the rear axle's path in a motion, in metres."""
        x, y = CELL * self.x, CELL * self.y
        if action >= 3:
            right, up = CELL * _MOVES[self.heading, action]
            x, y = x + right, y + up
        return [(x + right, y + up) for right, up, _ in poses(*_forward(int(self.heading), action))]
