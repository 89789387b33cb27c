"""PocMan: eat the food of a maze without seeing it, and stay away from ghosts that are seen and heard nearby.

Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010. Mazes, rewards, how ghosts move, what PocMan
senses and preferred actions are those of the authors' program, POMCP 1.0.
"""

import numpy as np

from branchwise.drawing.grid import PLAYER_COLOURS, Cell, board_grid
from branchwise.drawing.shapes import GREY, MARGIN, choices, disc, label, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_name, check_ranges
from branchwise.problems.pocman_maze import DOWN, MAZES, RIGHT, WALL, read_maze

NAMES = ("north", "east", "south", "west")
NOWHERE = -1
"""In place of a direction."""
EMPTY, FOOD, KNOWN, SMELT = 0, 1, 2, 4
"""What is on a square: food or none. With KNOWN, PocMan knows that there is none, as it was there or smelt
none. With SMELT, PocMan smelt food when it was there last, and has since eaten none on the nine squares
around it."""
SEES, OPEN, SMELLS, HEARS = 1, 1 << 4, 1 << 8, 1 << 9
"""Bits of an observation: a ghost is seen and a way is open to the north, and shifted by 1 to 3, to the east,
south and west; food is smelt; a ghost is heard."""
GHOSTS = 15 * SEES | HEARS
"""The bits that are about ghosts."""
STEP, BUMP, EATS, EATS_GHOST, DIES, CLEARS = -1.0, -25.0, 10.0, 25.0, -100.0, 1000.0
HEARING = 2
"""Maximum distance at which ghosts are heard, in rows plus columns."""
SHIFTED = 1.0 / 16.0
"""Probability that `jitter` moves ghosts: the share of particles that POMCP 1.0 moves."""
_FAR = 1000
_SIDE = 24


def describe(seen):
    """Return in words what an observation says.

    seen : as `observe` returns it, 0 to 1023.

    >>> describe(SEES << 1 | OPEN | OPEN << 1 | SMELLS)
    'a ghost east; ways north, east; food'
    """
    sees = [name for bit, name in enumerate(NAMES) if seen & SEES << bit]
    ways = [name for bit, name in enumerate(NAMES) if seen & OPEN << bit]
    parts = [f"a ghost {', '.join(sees)}"] if sees else []
    parts += [f"ways {', '.join(ways)}"] if ways else []
    parts += ["food"] if seen & SMELLS else []
    parts += ["a ghost close by"] if seen & HEARS else []
    return "; ".join(parts) or "nothing"


class Pocman(OnePlayer, Game):
    """Actions 0 to 3 go to the north, east, south or west.

    A step costs 1. Food pays 10 when PocMan eats it, and the last food 1000, which ends the problem. A power
    pill is food that also gives power for the following `power_steps` - 1 steps. Meeting a ghost ends the
    problem at a cost of 100; with power it pays 25, and the ghost returns to its home. With `bumps`, actions
    into walls are legal, too: PocMan stays where it is, and the step costs 26.

    Each square for food has some with probability `food_chance`; pills are always there. Ghosts wander
    without turning back. If the distance of a ghost, in rows plus columns, is less than `ghost_range`, it
    approaches with probability `chase_chance`; if PocMan has power, it flees, but after a step of wandering
    it first stops with probability `slip_chance`. `ghost_range` 0 stands for 6, in the mazes mini and micro
    for 4 and 3.

    The observation is a sum: for each direction, from north clockwise, 1, 2, 4 or 8 if a ghost is in sight,
    and 16, 32, 64 or 128 if there is no wall; 256 if there is food on the nine squares around PocMan; 512 if
    a ghost is at a distance of 2 or less. PocMan senses all this after the ghosts moved, then eats.

    `maze` is full, mini or micro, or a text as in `pocman_maze.read_maze`: "#######/#p..a.#/#######".

    The state also has the last action and observation, and what PocMan knows of each square. Preferred
    actions (`playout_action`, `prior`) are the paper's. `jitter` draws unknown food anew by Gibbs sampling,
    which changes no probability, and sometimes moves ghosts, as in the paper, which does.

    >>> import branchwise as bw
    >>> corridor = Pocman.configured(maze="#######/#P--.a#/#######")
    >>> belief = bw.Belief(corridor, particles=100, seed=1)
    >>> belief.update("east", SEES << 1 | OPEN << 1 | OPEN << 3 | HEARS)
    >>> round(belief.mean(lambda state: state.distance(0)), 1), belief.left
    (2.0, 100)
    """

    maze = "full"
    ghost_range = 0
    food_chance = 0.5
    chase_chance = 0.75
    slip_chance = 0.25
    power_steps = 15
    bumps = False

    num_actions = 4
    discount = 0.95
    horizon = 90
    max_game_length = 1000

    num_squares = 1
    num_ghosts = 1
    home = 0
    chase_range = 6
    starts = np.zeros(1, np.int64)
    ways = np.zeros((1, 4), np.int64)
    open_bits = np.zeros(1, np.int64)
    sight = np.zeros((1, 4), np.int64)
    near = np.zeros((1, 9), np.int64)
    row = np.zeros(1, np.int64)
    column = np.zeros(1, np.int64)
    may_have_food = np.zeros(1, np.int64)
    is_pill = np.zeros(1, np.bool_)

    playout = "game"

    place: np.int16 = 0
    heading: np.int8 = NOWHERE
    """The last action."""
    ghosts: Array[np.int16, "num_ghosts"] = 0
    backs: Array[np.int8, "num_ghosts"] = NOWHERE
    """Where each ghost came from; NOWHERE if it may go anywhere."""
    ground: Array[np.int8, "num_squares"] = EMPTY
    food_left: np.int16 = 0
    power: np.int16 = 0
    seen: np.int16 = 0
    over: bool = False

    @classmethod
    def configure(cls):
        check_ranges(cls, food_chance=(0, 1), chase_chance=(0, 1), slip_chance=(0, 1))
        check_ranges(cls, ghost_range=(0, _FAR), power_steps=(1, 1000))
        if "/" not in cls.maze and "#" not in cls.maze:
            check_name(cls, "maze", MAZES)
        published, text = MAZES.get(cls.maze, (MAZES["full"][0], cls.maze))
        maze = read_maze("pocman", text)
        cls.chase_range = cls.ghost_range or published
        cls.num_squares, cls.num_ghosts = len(maze.row), len(maze.ghosts)
        cls.home, cls.starts = maze.home, maze.ghosts
        cls.ways, cls.sight, cls.near = maze.ways, maze.sight, maze.near
        cls.open_bits = np.sum((maze.ways != WALL) * (OPEN << np.arange(4)), axis=1)
        cls.row, cls.column = maze.row, maze.column
        cls.may_have_food, cls.is_pill = maze.food, maze.is_pill
        cls.plan = maze

    def setup(self, random):
        self.place = self.home
        for ghost in range(self.num_ghosts):
            self.ghosts[ghost] = self.starts[ghost]
        for square in range(self.num_squares):
            if self.is_pill[square]:
                self.ground[square] = FOOD
                self.food_left += 1
        for square in self.may_have_food:
            if random.uniform() < self.food_chance:
                self.ground[square] = FOOD
                self.food_left += 1

    def is_terminal(self):
        return self.over

    def legal_actions(self):
        for direction in range(4):
            if self.bumps or self.ways[self.place, direction] != WALL:
                yield direction

    def apply_action(self, action, random):
        paid = STEP
        if self.ways[self.place, action] == WALL:
            paid += BUMP
        else:
            self.place = self.ways[self.place, action]
        self.heading = action
        self.power = max(0, self.power - 1)
        met = self.move_ghosts(random)
        if met != NOWHERE:
            if self.power == 0:
                self.over = True
                return paid + DIES
            paid += EATS_GHOST
            self.ghosts[met] = self.starts[0]
            self.backs[met] = NOWHERE
        self.seen = self.ghost_bits() | self.other_bits()
        if self.seen & SMELLS == 0:
            for square in self.near[self.place]:
                if square != WALL:
                    self.ground[square] |= KNOWN
            self.ground[self.place] = KNOWN
            return paid
        self.ground[self.place] |= KNOWN | SMELT
        return paid + self.eat() if self.has_food(self.place) else paid

    def eat(self):
        """Eat the food here; returns what it pays."""
        self.ground[self.place] -= FOOD
        for square in self.near[self.place]:
            if square != WALL:
                self.ground[square] &= ~SMELT
        self.food_left -= 1
        if self.food_left == 0:
            self.over = True
            return CLEARS
        if self.is_pill[self.place]:
            self.power = self.power_steps
        return EATS

    def observe(self, action, random):
        return self.seen

    # --- ghosts ---------------------------------------------------------------------------------------

    def move_ghosts(self, random):
        """Move all ghosts, and return the last that met PocMan before or after its step, or NOWHERE."""
        met = NOWHERE
        for ghost in range(self.num_ghosts):
            if self.ghosts[ghost] == self.place:
                met = ghost
            self.move_ghost(ghost, random)
            if self.ghosts[ghost] == self.place:
                met = ghost
        return met

    def move_ghost(self, ghost, random):
        if self.distance(ghost) >= self.chase_range:
            self.wander(ghost, random)
        elif self.power == 0:
            if random.uniform() < self.chase_chance:
                self.rush(ghost, 1, _FAR)
            else:
                self.wander(ghost, random)
        elif self.backs[ghost] != NOWHERE and random.uniform() < self.slip_chance:
            self.backs[ghost] = NOWHERE
        else:
            self.rush(ghost, -1, 0)

    def wander(self, ghost, random):
        """Step in a random direction, but back only from a dead end."""
        ways, back = self.ways[self.ghosts[ghost]], self.backs[ghost]
        count = 0
        for direction in range(4):
            count += ways[direction] != WALL and direction != back
        chosen = np.int64(back)
        left = random.below(count) if count > 0 else 0
        for direction in range(4):
            if ways[direction] != WALL and direction != back:
                if left == 0:
                    chosen = direction
                left -= 1
        self.ghosts[ghost] = ways[chosen]
        self.backs[ghost] = (chosen + 2) % 4

    def rush(self, ghost, sign, least):
        """Step in the direction in which the ghost is least ahead of PocMan, or for a `sign` of -1 most.

        least : a ghost that is more ahead, times `sign`, stays. Of equal directions it takes the last.
        """
        at, back = self.ghosts[ghost], self.backs[ghost]
        down, right = self.row[at] - self.row[self.place], self.column[at] - self.column[self.place]
        for direction in range(4):
            ahead = sign * (DOWN[direction] * down + RIGHT[direction] * right)
            if ahead <= least and self.ways[at, direction] != WALL and direction != back:
                least = ahead
                self.ghosts[ghost] = self.ways[at, direction]
        self.backs[ghost] = NOWHERE

    # --- senses ---------------------------------------------------------------------------------------

    def distance(self, ghost):
        """Return the rows plus columns between PocMan and a ghost."""
        at = self.ghosts[ghost]
        return abs(self.row[at] - self.row[self.place]) + abs(self.column[at] - self.column[self.place])

    def has_food(self, square):
        return self.ground[square] & FOOD != 0

    def ghost_bits(self):
        """Return the bits of an observation that are about ghosts."""
        bits = 0
        for ghost in range(self.num_ghosts):
            at = self.ghosts[ghost]
            down, right = self.row[at] - self.row[self.place], self.column[at] - self.column[self.place]
            if abs(down) + abs(right) <= HEARING:
                bits |= HEARS
            if (down == 0) != (right == 0):
                direction = (0 if down < 0 else 2) if right == 0 else (1 if right > 0 else 3)
                if abs(down + right) <= self.sight[self.place, direction]:
                    bits |= SEES << direction
        return bits

    def other_bits(self):
        """Return the bits of an observation that are about ways and food."""
        bits = self.open_bits[self.place]
        for square in self.near[self.place]:
            if square != WALL and self.has_food(square):
                bits |= SMELLS
        return bits

    def may_be_empty(self, square):
        """Whether a square's food may be left out: other food is left, and explains all that was smelt."""
        if self.food_left == 1:
            return False
        for place in self.near[square]:
            if place != WALL and self.ground[place] & SMELT != 0:
                others = 0
                for other in self.near[place]:
                    others += other != WALL and other != square and self.has_food(other)
                if others == 0:
                    return False
        return True

    def jitter(self, random):
        """Draw all unknown food anew, square by square, given the rest; sometimes move one or two ghosts.

        A ghost may come to any square if PocMan would then have sensed the same.
        """
        for square in self.may_have_food:
            if self.ground[square] & KNOWN == 0:
                food = random.uniform() < self.food_chance
                if food and not self.has_food(square):
                    self.ground[square] += FOOD
                    self.food_left += 1
                elif not food and self.has_food(square) and self.may_be_empty(square):
                    self.ground[square] -= FOOD
                    self.food_left -= 1
        if self.heading != NOWHERE and random.uniform() < SHIFTED:
            for _ in range(1 + random.below(2)):
                ghost, square = random.below(self.num_ghosts), random.below(self.num_squares)
                before = self.ghosts[ghost]
                self.ghosts[ghost] = square
                if square == self.place or self.ghost_bits() != self.seen & GHOSTS:
                    self.ghosts[ghost] = before

    # --- preferred actions ----------------------------------------------------------------------------

    def is_preferred(self, action):
        """Whether an action is worth trying first.

        With power and ghosts in sight, those towards them are; else those neither towards ghosts nor back.
        """
        if self.ways[self.place, action] == WALL:
            return False
        if self.heading == NOWHERE:
            return True
        sees = self.seen >> action & 1 == 1
        if self.power > 0 and self.seen & 15 != 0:
            return sees
        return not sees and action != (self.heading + 2) % 4

    def playout_action(self, random):
        """Return a random preferred action, or any without a wall if none is preferred."""
        count = 0
        for action in range(4):
            count += self.is_preferred(action)
        any_way = count == 0
        if any_way:
            for action in range(4):
                count += self.ways[self.place, action] != WALL
        left = random.below(count)
        chosen = 0
        for action in range(4):
            fits = self.ways[self.place, action] != WALL if any_way else self.is_preferred(action)
            if fits:
                if left == 0:
                    chosen = action
                left -= 1
        return chosen

    def prior(self, action):
        return 1.0 if self.is_preferred(action) else 0.02

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def _sign(self, row, column):
        """Return what is drawn on a square: # < > @ o . or a ghost's letter, small if it flees."""
        square = int(self.plan.squares[row, column])
        if square == WALL:
            return self.plan.lines[row][column]
        if square == self.place:
            return "@"
        for ghost in range(self.num_ghosts):
            if self.ghosts[ghost] == square:
                return "abcdefghi"[ghost] if self.power > 0 else "ABCDEFGHI"[ghost]
        if not self.has_food(square):
            return " "
        return "o" if self.is_pill[square] else "."

    def _facts(self):
        return f"food {self.food_left}, power {self.power}; PocMan senses: {describe(int(self.seen))}"

    def to_grid(self):
        def cell(row, column):
            sign = self._sign(row, column)
            return Cell(sign, owner=0 if sign == "@" else None)

        return board_grid(*self.plan.squares.shape, cell, beneath=[self._facts()])

    def to_svg(self):
        """Draw the maze with what is in it, what PocMan senses, and a button for each action."""
        rows, columns = self.plan.squares.shape
        parts = []
        for row in range(rows):
            for column in range(columns):
                sign = self._sign(row, column)
                x, y = MARGIN + _SIDE * column, MARGIN + _SIDE * row
                middle, centre = x + _SIDE / 2, y + _SIDE / 2
                if sign == "#":
                    parts.append(rectangle(x, y, _SIDE, _SIDE, GREY, 0.5))
                elif sign == "@":
                    parts.append(disc(middle, centre, 0.42 * _SIDE, "#f59f00"))
                elif sign in ".o":
                    parts.append(disc(middle, centre, _SIDE * (0.1 if sign == "." else 0.25), "#f08c00"))
                elif sign.isalpha():
                    colour = PLAYER_COLOURS[1] if sign.islower() else PLAYER_COLOURS[0]
                    parts.append(disc(middle, centre, 0.42 * _SIDE, colour))
                    parts.append(label(middle, centre + 5, sign, anchor="middle", colour="#fff"))
        right, bottom = MARGIN + _SIDE * columns, MARGIN + _SIDE * rows
        return choices(self, parts, bottom, right, self._facts())
