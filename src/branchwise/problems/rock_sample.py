"""RockSample: a rover finds out from afar which rocks are good, samples these, and drives off to the east.

Smith, Simmons, "Heuristic search value iteration for POMDPs", 2004. Layouts and preferred actions are those
of Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010.
"""

import math

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_name
from branchwise.problems.walks import ground_style

NORTH, EAST, SOUTH, WEST, SAMPLE, CHECK = range(6)
NAMES = ("north", "east", "south", "west", "sample")
NOTHING, BAD, GOOD = range(3)
TAKEN = 3

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


class RockSample(OnePlayer, Game):
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

    num_actions = 13
    board_style = ground_style(".-+x")
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
        check_name(cls, "layout", LAYOUTS)
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

    def square(self, x, y):
        return (self.size - 1 - y) * self.size + x

    def board_cells(self, out):
        for rock in range(self.num_rocks):
            kind = TAKEN if self.is_taken(rock) else GOOD if self.is_good(rock) else BAD
            place_piece(out, self.square(self.rock_x[rock], self.rock_y[rock]), -1, kind)
        if self.x < self.size:
            place_piece(out, self.square(self.x, self.y), 0)

    def action_squares(self, action):
        if action >= CHECK:
            yield self.square(self.rock_x[action - CHECK], self.rock_y[action - CHECK])
        elif action != SAMPLE and (action != EAST or self.x + 1 < self.size):
            x = self.x + (action == EAST) - (action == WEST)
            yield self.square(x, self.y + (action == NORTH) - (action == SOUTH))
