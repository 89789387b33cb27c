"""RockSample: a rover finds out from afar which rocks are good, samples these, and drives off to the east.

Smith, Simmons, "Heuristic search value iteration for POMDPs", 2004. Layouts and preferred actions are those
of Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010.
"""

import math

import numpy as np

from branchwise.common.errors import GameError
from branchwise.drawing.grid import PLAYER_COLOURS, ground_grid
from branchwise.drawing.shapes import MARGIN, TILE, choices, tiles, token
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game

NORTH, EAST, SOUTH, WEST, SAMPLE, CHECK = range(6)
NAMES = ("north", "east", "south", "west", "sample")
NOTHING, BAD, GOOD = range(3)

LAYOUTS = {
    "7x8": (7, (0, 3), ((2, 0), (0, 1), (3, 1), (6, 3), (2, 4), (3, 4), (5, 5), (1, 6))),
    "11x11": (
        11,
        (0, 5),
        ((0, 3), (0, 7), (1, 8), (2, 4), (3, 3), (3, 8), (4, 3), (5, 8), (6, 1), (9, 3), (9, 9)),
    ),
    "15x15": (
        15,
        (0, 7),
        (
            *((1, 13), (10, 12), (10, 8), (12, 1), (1, 9), (7, 2), (4, 5), (1, 8), (6, 0), (1, 7)),
            *((8, 11), (9, 12), (5, 2), (13, 2), (10, 7)),
        ),
    ),
}
"""By name: the size of the square, where the rover starts, and the rocks, each (x, y) from the south-west."""


class RockSample(Game):
    """Actions 0 to 3 drive a square to the north, east, south or west; 4 samples the rock that the rover is
    on; 5 and more check a rock, from 0, from afar.

    Sampling pays 10 for a good rock and costs 10 for a bad one; leaving to the east pays 10 and ends the
    problem. Checking a rock at distance d reads "good" (2) or "bad" (1), rightly with probability (1 + 2 **
    (-d / half_distance)) / 2; nothing else is observed (0). Every rock is good with probability 1/2.

    The state also has what the readings of each rock add up to, which the rover knows: its preferred actions
    follow from that (`playout_action`, `prior`), and `jitter` redraws a rock by it.

    >>> import branchwise as bw
    >>> belief = bw.Belief(RockSample, particles=1000, seed=1)
    >>> belief.update("check-1", 2)
    >>> round(belief.mean(lambda state: state.is_good(1)), 1)
    1.0
    """

    layout = "7x8"
    half_distance = 20.0

    num_players = 1
    num_actions = 13
    discount = 0.95
    horizon = 90
    max_game_length = 1000

    size = 7
    start = (0, 3)
    num_rocks = 8
    rock_x = np.zeros(8, np.int64)
    rock_y = np.zeros(8, np.int64)
    rock_at = np.zeros((7, 7), np.int64)
    accuracy = np.zeros((7, 7))
    evidence = np.zeros((7, 7))

    playout = "game"

    x: np.int8 = 0
    y: np.int8 = 0
    good: np.int32 = 0
    taken: np.int32 = 0
    reading: np.int8 = 0
    checks: Array[np.int8, "num_rocks"] = 0
    balance: Array[np.int8, "num_rocks"] = 0
    log_odds: Array[np.float32, "num_rocks"] = 0

    @classmethod
    def configure(cls):
        if cls.layout not in LAYOUTS:
            raise GameError(
                f'rock_sample has no layout "{cls.layout}"', mend=f"layouts are {', '.join(LAYOUTS)}"
            )
        if not cls.half_distance > 0.0:
            raise GameError(f"rock_sample(half_distance={cls.half_distance}) is not above 0")
        cls.size, cls.start, rocks = LAYOUTS[cls.layout]
        cls.num_rocks = len(rocks)
        cls.num_actions = CHECK + len(rocks)
        cls.rock_x, cls.rock_y = np.array(rocks, np.int64).T.copy()
        cls.rock_at = np.full((cls.size, cls.size), -1, np.int64)
        for rock, (x, y) in enumerate(rocks):
            cls.rock_at[x, y] = rock
        far = np.hypot(*np.mgrid[: cls.size, : cls.size])
        cls.accuracy = (1.0 + 2.0 ** (-far / cls.half_distance)) / 2.0
        with np.errstate(divide="ignore"):
            cls.evidence = np.log(cls.accuracy) - np.log(1.0 - cls.accuracy)

    def setup(self, random):
        self.x, self.y = self.start
        self.good = random.below(2**self.num_rocks)

    def current_player(self):
        return 0

    def is_terminal(self):
        return self.x == self.size

    def is_good(self, rock):
        return self.good >> rock & 1 == 1

    def is_taken(self, rock):
        return self.taken >> rock & 1 == 1

    def legal_actions(self):
        if self.y + 1 < self.size:
            yield NORTH
        yield EAST
        if self.y > 0:
            yield SOUTH
        if self.x > 0:
            yield WEST
        rock = self.rock_at[self.x, self.y]
        if rock >= 0 and not self.is_taken(rock):
            yield SAMPLE
        for rock in range(self.num_rocks):
            if not self.is_taken(rock):
                yield CHECK + rock

    def apply_action(self, action, random):
        self.reading = NOTHING
        if action >= CHECK:
            self.check(action - CHECK, random)
            return 0.0
        if action == SAMPLE:
            rock = self.rock_at[self.x, self.y]
            self.taken |= 1 << rock
            return 10.0 if self.is_good(rock) else -10.0
        if action == EAST:
            self.x += 1
            return 10.0 if self.x == self.size else 0.0
        if action == NORTH:
            self.y += 1
        elif action == SOUTH:
            self.y -= 1
        else:
            self.x -= 1
        return 0.0

    def check(self, rock, random):
        """Read a rock from afar, and note the reading."""
        along, across = abs(self.rock_x[rock] - self.x), abs(self.rock_y[rock] - self.y)
        reads_good = self.is_good(rock) == (random.uniform() < self.accuracy[along, across])
        self.reading = GOOD if reads_good else BAD
        sign = 1 if reads_good else -1
        self.log_odds[rock] += sign * self.evidence[along, across]
        self.balance[rock] = max(-100, min(100, self.balance[rock] + sign))
        self.checks[rock] = min(100, self.checks[rock] + 1)

    def observe(self, action, random):
        return self.reading

    def jitter(self, random):
        """Redraw one rock by its readings, which changes no belief: rocks are independent of each other."""
        rock = random.below(self.num_rocks)
        if not self.is_taken(rock):
            is_good = random.uniform() < 1.0 / (1.0 + math.exp(-self.log_odds[rock]))
            self.good = self.good & ~(1 << rock) | int(is_good) << rock

    # --- preferred actions ----------------------------------------------------------------------------

    def ways(self):
        """Return the moves towards rocks that may be good, as bits; 0 if all that are left seem bad."""
        found = 0
        for rock in range(self.num_rocks):
            if not self.is_taken(rock) and self.balance[rock] >= 0:
                found |= 16
                if self.rock_y[rock] > self.y:
                    found |= 1 << NORTH
                elif self.rock_y[rock] < self.y:
                    found |= 1 << SOUTH
                if self.rock_x[rock] > self.x:
                    found |= 1 << EAST
                elif self.rock_x[rock] < self.x:
                    found |= 1 << WEST
        return found

    def is_preferred(self, action, ways):
        """Whether an action is worth trying first; ways : as `ways` gives."""
        rock = self.rock_at[self.x, self.y]
        if rock >= 0 and not self.is_taken(rock) and self.balance[rock] > 0:
            return action == SAMPLE
        if ways == 0:
            return action == EAST
        if action < SAMPLE:
            return ways >> action & 1 == 1
        if action == SAMPLE:
            return False
        rock = action - CHECK
        unsure = abs(self.log_odds[rock]) < math.inf
        return not self.is_taken(rock) and self.checks[rock] < 5 and abs(self.balance[rock]) < 2 and unsure

    def playout_action(self, random):
        ways = self.ways()
        count = 0
        for action in range(self.num_actions):
            count += self.is_preferred(action, ways)
        if count == 0:
            return EAST
        left = random.below(count)
        for action in range(self.num_actions):
            if self.is_preferred(action, ways):
                if left == 0:
                    return action
                left -= 1
        return EAST

    def prior(self, action):
        return 1.0 if self.is_preferred(action, self.ways()) else 0.02

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action] if action < CHECK else f"check-{action - CHECK}"

    def to_grid(self):
        last = self.size - 1
        signs = [["."] * self.size for _ in range(self.size)]
        for rock in range(self.num_rocks):
            sign = "x" if self.is_taken(rock) else "+" if self.is_good(rock) else "-"
            signs[last - self.rock_y[rock]][self.rock_x[rock]] = sign
        return ground_grid(signs, (last - self.y, self.x))

    def to_svg(self):
        """Draw the ground with the rocks and the rover, and a button for each action."""
        last = self.size - 1
        parts = tiles(self.size, self.size, lambda row, column: ("#e9ecef", 0.9))
        for rock in range(self.num_rocks):
            colour = "#868e96" if self.is_taken(rock) else "#2b8a3e" if self.is_good(rock) else "#c92a2a"
            place = last - int(self.rock_y[rock]), int(self.rock_x[rock])
            parts.append(token(*place, colour, str(rock), size=0.6))
        parts.append(token(last - self.y, self.x, PLAYER_COLOURS[0], "@", size=0.4))
        height = MARGIN + TILE * self.size
        return choices(self, parts, height + 12, height, 34, 8)
