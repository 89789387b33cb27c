"""Driving: drive fast among other vehicles, without a crash.

The other drivers follow the Intelligent Driver Model of Treiber, Hennecke, Helbing, "Congested traffic states
in empirical observations and microscopic simulations", 2000, with its parameters, and change lanes by MOBIL:
Kesting, Treiber, Helbing, "General lane-changing model MOBIL for car-following models", 2007. Motion is
integrated by the ballistic method of Treiber, Kanagaraj, "Comparing numerical integration schemes for
time-continuous car-following models", 2015. The road is a ring, as is common in tests of traffic models.
"""

import math

import numpy as np

from branchwise.drawing.grid import PLAYER_COLOURS, Cell, Grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_name, check_ranges

SCENARIOS = {"lane_keeping": (1, 3), "overtaking": (3, 12), "merging": (3, 9)}
"""Number of lanes, including the ramp, and of cars, including the driver's own."""

TIME_STEP = 0.5
STEPS = 2
"""Steps of the model between decisions."""
RING = 400.0
"""Length of the ring in metres; a car left half of it behind reappears ahead."""
SLOTS = 12
"""Number of starting places on a lane."""
LANE_WIDTH = 3.5
LENGTH = 5.0
WIDTH = 1.8 / LANE_WIDTH
"""Width of a car, in lanes."""
NEAR = 0.6
"""Lateral distance between two cars, in lanes, below which one is in the other's way."""

TIME_GAP = 1.6
"""Seconds behind the car ahead; the next is the gap to it at a standstill, in metres."""
LEAST_GAP = 2.0
ACCELERATION = 0.73
DECELERATION = 1.67
"""Comfortable deceleration, like the acceleration above, in metres per second squared."""
HARDEST = 8.0
"""Maximum braking, in metres per second squared."""
BRAKING = 2 * math.sqrt(ACCELERATION * DECELERATION)
SAFE = 4.0
"""Maximum braking that a change of lanes may force on another driver, in metres per second squared."""
POLITENESS = 0.2
ROOM = LENGTH + LEAST_GAP
"""Minimum distance between the middles of two cars for a change of lanes, in metres."""
UNSAFE = -1000.0
THRESHOLD = 0.2
"""Minimum gain of a change of lanes, in metres per second squared."""
WHIM = 0.005
"""Probability per step that a driver changes the desired speed."""
SLOWEST, FASTEST = 16.0, 28.0
"""Range of other drivers' desired speeds, in metres per second."""

DESIRED = 30.0
TOP_SPEED = 40.0
SIDEWAYS = 0.2
"""Lateral motion per step of a car that changes lanes, in lanes."""
NUDGE = 0.05
"""Lateral motion per step by steering in lane keeping, in lanes."""
CALM = 0.9
"""Share of a gust that is left after a step."""
GUST = 0.01
"""Standard deviation of the wind's change, in lanes per step."""
FORESEEN = 4
"""Steps that the driver by rules looks ahead to see where the wind takes the car."""
TOLERATED = 0.08
"""Distance from the middle, in lanes, up to which that driver lets the car drift."""
URGENT = 0.2
"""Distance, in lanes, from which that driver steers even where it should brake."""
RAMP = 250.0
"""Length of the ramp, in metres."""

CRASH = 50.0
CHANGE = 0.2
HARSH = 0.2

NAMES = ("accelerate", "hold", "ease", "brake", "left", "right")
PUSHES = (1.5, 0.0, -2.0, -6.0, 0.0, 0.0)
"""Acceleration by action, in metres per second squared."""
FORTH, HOLD, EASE, BRAKE, LEFT, RIGHT = range(6)

BACK, AHEAD = -60.0, 140.0
"""Length of road in pictures, in metres."""
CELL = 5.0
SCALE = 4.0
"""Pixels per metre."""
LANE = 26.0
"""Pixels."""


def following(speed, desired, gap, approach):
    """Return a driver's acceleration by the Intelligent Driver Model, limited by the brakes.

    gap : metres to the car ahead.   approach : its speed deficit in metres per second. Drivers above their
    desired speed on an empty road brake comfortably.
    """
    share = speed / desired
    free = max(ACCELERATION * (1.0 - share * share * share * share), -DECELERATION)
    wanted = (LEAST_GAP + max(speed * TIME_GAP + speed * approach / BRAKING, 0.0)) / max(gap, 0.1)
    return max(free - ACCELERATION * wanted * wanted, -HARDEST)


class Driving(OnePlayer, Game):
    """Each action lasts a second; an episode lasts 30 seconds, unless a crash ends it.

    Action 0 accelerates by 1.5 m/s², 1 holds the speed, 2 brakes by 2 m/s² and 3 by 6 m/s². Actions 4 and 5
    begin a change to the lane on the left and on the right, which takes 2.5 s, at constant speed. A step pays
    1 minus the relative deviation of the speed from 30 m/s. Harsh braking and a change of lanes cost 0.2
    each, a crash 50.

    scenario : "overtaking", among cars on three lanes that go at 16 to 28 m/s; "merging", from a ramp that
    ends after 250 m, onto two lanes; "lane_keeping", on one lane in side winds, where actions 4 and 5 steer
    by 0.35 m, being off the middle costs, and the edge is a crash.
    noise : standard deviation of the other drivers' accelerations from their model, in m/s².
    lane_changes : whether they change lanes.

    Playouts drive by the models of the other drivers. No single action gains much, so the few simulations
    that time allows are best spent on the next action alone: `mcts(max_depth=1,c=1)`.

    >>> game = Driving.configured(scenario="lane_keeping", noise=0.0)
    >>> state = game(x=[0.0, 30.0, 200.0], speed=[24.0, 20.0, 20.0], desired=[30.0, 20.0, 20.0])
    >>> NAMES[state.playout_action(None)]
    'brake'
    """

    scenario = "overtaking"
    noise = 0.5
    lane_changes = True

    num_actions = 6
    horizon = 10
    max_game_length = 30
    playout = "game"

    x: Array[np.float64, "cars"] = 0.0
    """Metres ahead of the driver's own car, which is car 0."""
    y: Array[np.float64, "cars"] = 0.0
    """Lanes to the left of the middle of lane 0, the one on the right."""
    speed: Array[np.float64, "cars"] = 20.0
    """Metres per second."""
    desired: Array[np.float64, "cars"] = 20.0
    acceleration: Array[np.float64, "cars"] = 0.0
    """Metres per second squared, in the step before."""
    lane: Array[np.int8, "cars"] = 0
    """The lane of each car, or the one it changes to."""
    wind: float = 0.0
    """Lateral motion of the own car by the wind, in lanes per step."""
    travelled: float = 0.0
    """Metres from the start."""
    crashed: bool = False

    @classmethod
    def configure(cls):
        check_name(cls, "scenario", SCENARIOS)
        check_ranges(cls, noise=(0, 3))
        cls.lanes, cls.cars = SCENARIOS[cls.scenario]
        cls.keeps_lane = cls.scenario == "lane_keeping"
        cls.merges = cls.scenario == "merging"
        cls.changes = cls.lane_changes and not cls.keeps_lane

    def setup(self, random):
        lowest = self.lowest_lane()
        places = np.arange(SLOTS * (self.lanes - lowest))
        random.shuffle(places)
        self.lane[0] = 0 if self.merges else random.below(self.lanes)
        self.desired[0] = DESIRED
        self.speed[0] = 18.0 + 4.0 * random.uniform()
        own, car = (self.lane[0] - lowest) * SLOTS, 1
        for place in places:
            if place != own and car < self.cars:
                x = (place % SLOTS * 2 + random.uniform() * 0.3) * RING / (2 * SLOTS)
                self.x[car] = x - RING if x > RING / 2 else x
                self.lane[car] = place // SLOTS + lowest
                self.speed[car] = 18.0 + 4.0 * random.uniform()
                self.desired[car] = SLOWEST + (FASTEST - SLOWEST) * random.uniform()
                car += 1
        self.y[:] = self.lane

    def legal_actions(self):
        for action in range(4):
            yield action
        if self.keeps_lane or self.lane[0] + 1 < self.lanes:
            yield LEFT
        if self.keeps_lane or self.lane[0] > self.lowest_lane():
            yield RIGHT

    def lowest_lane(self):
        """Return the rightmost lane that cars may change to."""
        return 1 if self.merges else 0

    def apply_action(self, action, random):
        side = 1 if action == LEFT else -1 if action == RIGHT else 0
        if not self.keeps_lane:
            self.lane[0] += side
        self.acceleration[0] = PUSHES[action]
        for _ in range(STEPS):
            if self.keeps_lane:
                self.steer(side, random)
            self.drive_others(random)
            self.move()
            if self.crashed:
                return -CRASH
        reward = 1.0 - abs(self.speed[0] - DESIRED) / DESIRED
        if self.keeps_lane:
            reward -= abs(self.y[0])
        elif action >= LEFT:
            reward -= CHANGE
        return reward - HARSH if action == BRAKE else reward

    def is_terminal(self):
        return self.crashed

    # --- how cars move --------------------------------------------------------------------------------

    def steer(self, side, random):
        """Move the own car sideways by steering, where `side` 1 is left, and by the wind."""
        self.wind = CALM * self.wind + GUST * random.normal()
        self.y[0] += self.wind + NUDGE * side
        if abs(self.y[0]) > (1.0 - WIDTH) / 2:
            self.crashed = True

    def drive_others(self, random):
        """Let the other drivers accelerate or brake, and let one of them consider a change of lanes."""
        if self.changes:
            car = 1 + random.below(self.cars - 1)
            self.lane[car] = self.better_lane(car)
        for car in range(1, self.cars):
            if random.uniform() < WHIM:
                self.desired[car] = SLOWEST + (FASTEST - SLOWEST) * random.uniform()
            model = self.model(car, self.car_ahead(car))
            self.acceleration[car] = max(model + self.noise * random.normal(), -HARDEST)

    def move(self):
        """Move all cars for a step, and find out whether the own car has hit another one."""
        own = self.pace(0)
        self.travelled += own
        for car in range(1, self.cars):
            before = self.x[car]
            self.x[car] += self.pace(car) - own
            passed = (before < 0) != (self.x[car] < 0) and abs(before) < RING / 4
            if (passed or abs(self.x[car]) < LENGTH) and abs(self.y[car] - self.y[0]) < WIDTH:
                self.crashed = True
            if self.x[car] > RING / 2:
                self.x[car] -= RING
            elif self.x[car] < -RING / 2:
                self.x[car] += RING
        if self.merges and self.travelled > RAMP and self.y[0] < 1.0 - WIDTH / 2:
            self.crashed = True

    def pace(self, car):
        """Change a car's speed and place on its lane; return the distance travelled."""
        before = self.speed[car]
        self.speed[car] = min(max(before + self.acceleration[car] * TIME_STEP, 0.0), TOP_SPEED)
        if not self.keeps_lane:
            aside = self.lane[car] - self.y[car]
            self.y[car] += min(max(aside, -SIDEWAYS), SIDEWAYS)
        return (before + self.speed[car]) / 2 * TIME_STEP

    # --- how drivers think ----------------------------------------------------------------------------

    def distance(self, car, other):
        """Return the distance along the ring from a car ahead to another one."""
        ahead = self.x[other] - self.x[car]
        return ahead + RING if ahead < 0 else ahead

    def car_ahead(self, car):
        """Return the next car in the way of a car; -1 for none."""
        xs, ys, lanes = self.x, self.y, self.lane
        x, y, lane = xs[car], ys[car], lanes[car]
        nearest, found = RING, -1
        for other in range(self.cars):
            if lanes[other] == lane or abs(ys[other] - y) < NEAR or abs(ys[other] - lane) < NEAR:
                distance = xs[other] - x
                if distance < 0.0:
                    distance += RING
                if distance < nearest and other != car:
                    nearest, found = distance, other
        return found

    def around(self, car, lane):
        """Return the next cars on a lane ahead of a car and behind it; -1 for none."""
        xs, ys, lanes = self.x, self.y, self.lane
        nearest, farthest, ahead, behind = RING, 0.0, -1, -1
        for other in range(self.cars):
            if other != car and (lanes[other] == lane or abs(ys[other] - lane) < NEAR):
                distance = xs[other] - xs[car]
                if distance < 0.0:
                    distance += RING
                if distance < nearest:
                    nearest, ahead = distance, other
                if distance >= farthest:
                    farthest, behind = distance, other
        return ahead, behind

    def model(self, car, ahead):
        """Return a car's acceleration by the model, behind another car; ahead : -1 for none."""
        speed, gap, approach = self.speed[car], RING, 0.0
        if ahead >= 0:
            gap, approach = self.distance(car, ahead) - LENGTH, speed - self.speed[ahead]
        return following(speed, self.desired[car], gap, approach)

    def gain(self, car, lane):
        """Return the gain of changing to a lane by MOBIL, in m/s²; `UNSAFE` if others are too close.

        It is the gain in acceleration of the driver plus, times the politeness, that of the drivers behind.
        """
        ahead, behind = self.around(car, lane)
        if ahead >= 0:
            if self.distance(car, ahead) < ROOM or self.distance(behind, car) < ROOM:
                return UNSAFE
        after, pushed = self.model(car, ahead), self.model(behind, car) if behind >= 0 else 0.0
        if after < -SAFE or pushed < -SAFE:
            return UNSAFE
        others = 0.0
        if behind >= 0:
            others += pushed - self.model(behind, ahead if ahead != behind else -1)
        left_ahead, left_behind = self.around(car, self.lane[car])
        if left_behind >= 0:
            next_ahead = left_ahead if left_ahead != left_behind else -1
            others += self.model(left_behind, next_ahead) - self.model(left_behind, car)
        return after - self.model(car, left_ahead) + POLITENESS * others

    def better_lane(self, car):
        """Return the lane that a driver in the middle of a lane prefers."""
        lane = self.lane[car]
        best, chosen = THRESHOLD, lane
        if self.y[car] == lane:
            for other in (lane - 1, lane + 1):
                if self.lowest_lane() <= other < self.lanes:
                    gain = self.gain(car, other)
                    if self.merges and lane == 0 and gain > UNSAFE:  # it has to leave the ramp
                        return other
                    if gain > best:
                        best, chosen = gain, other
        return chosen

    def playout_action(self, random):
        """Drive by the same rules as the others; searches are compared with this rule-based driver."""
        model = self.model(0, self.car_ahead(0))
        if self.merges and self.lane[0] == 0:  # the end of the ramp acts as a standing car
            model = min(model, following(self.speed[0], DESIRED, RAMP - self.travelled, self.speed[0]))
        if self.keeps_lane:
            aside = self.y[0] + FORESEEN * self.wind
            if abs(aside) > URGENT or (abs(aside) > TOLERATED and model > -1.0):
                return RIGHT if aside > 0 else LEFT
        else:
            lane = self.better_lane(0)
            if lane != self.lane[0]:
                return LEFT if lane > self.lane[0] else RIGHT
        if model > ACCELERATION / 3:
            return FORTH
        if model > -1.0:
            return HOLD
        return EASE if model > -4.0 else BRAKE

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def told(self):
        """Return the state in words."""
        end = ", crashed" if self.crashed else ""
        return f"{self.speed[0]:.1f} m/s, {self.travelled:.0f} m travelled{end}"

    def to_grid(self):
        columns = int((AHEAD - BACK) / CELL)
        rows = [[Cell(".") for _ in range(columns)] for _ in range(self.lanes)]
        for car in reversed(range(self.cars)):
            if BACK <= self.x[car] < AHEAD:
                column = int((self.x[car] - BACK) / CELL)
                row = self.lanes - 1 - min(max(round(float(self.y[car])), 0), self.lanes - 1)
                rows[row][column] = Cell("@", owner=0) if car == 0 else Cell(">")
        if self.merges:
            end = int((RAMP - self.travelled - BACK) / CELL)
            for column in range(max(end, 0), columns):
                rows[-1][column] = Cell("#")
        labels = tuple(str(lane) for lane in reversed(range(self.lanes)))
        return Grid(tuple(map(tuple, rows)), ("",) * columns, labels, beneath=(self.told(),))

    def to_svg(self):
        """Draw the road with its cars and their brake lights, and a button for each action."""
        width, height = (AHEAD - BACK) * SCALE, self.lanes * LANE
        bottom = MARGIN + height
        parts = [rectangle(MARGIN, MARGIN, width, height, GREY, 0.25)]
        dash = 12.0
        for lane in range(1, self.lanes):
            x = BACK - (self.travelled + BACK) % dash
            while x < AHEAD:
                start, end = max(x, BACK), min(x + dash / 2, AHEAD)
                if end > start:
                    left = MARGIN + (start - BACK) * SCALE
                    parts.append(rectangle(left, bottom - lane * LANE - 1, (end - start) * SCALE, 2, "#fff"))
                x += dash
        if self.merges:
            start = min(max(RAMP - self.travelled, BACK), AHEAD)
            left = MARGIN + (start - BACK) * SCALE
            parts.append(rectangle(left, bottom - LANE, (AHEAD - start) * SCALE, LANE, "#343a40", 0.85))
        for car in reversed(range(self.cars)):
            if BACK + LENGTH <= self.x[car] < AHEAD - LENGTH:
                parts += self.drawn_car(car, bottom)
        return choices(self, parts, bottom, MARGIN + width, self.told())

    def drawn_car(self, car, bottom):
        """Return the SVG elements of a car."""
        long, wide = LENGTH * SCALE, WIDTH * LANE
        x = MARGIN + (self.x[car] - BACK) * SCALE - long / 2
        y = bottom - (self.y[car] + 0.5) * LANE - wide / 2
        own = "#e03131" if self.crashed else PLAYER_COLOURS[1]
        parts = [rectangle(x, y, long, wide, own if car == 0 else GREY)]
        if self.acceleration[car] < -1.0:
            parts.append(rectangle(x - 2, y, 4, wide, "#fa5252"))
        return parts
