"""Taxi: fetch a passenger and set them down where they want to go, by the shortest way.

As in Gymnasium's Taxi. Source: Dietterich, "Hierarchical Reinforcement Learning with the MAXQ Value Function
Decomposition", 2000.
"""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.common.players import CHANCE
from branchwise.drawing.shapes import GREY, MARGIN, TILE, choices, rectangle, tile, tiles, token
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer

SIZE = 5
TOWN = (
    "|R: | : :G|",
    "| : | : : |",
    "| : : : : |",
    "| | : | : |",
    "|Y| : |B: |",
)
"""Letters are ranks, colons are passages between two squares, bars are walls."""
OPEN_EAST = np.array([[line[2 * column + 2] == ":" for column in range(SIZE)] for line in TOWN])

RANKS = "RGYB"
RANK_ROWS = (0, 0, 4, 4)
RANK_COLUMNS = (0, 4, 0, 3)
COLOURS = ("#e03131", "#2f9e44", "#f08c00", "#1971c2")

SOUTH, NORTH, EAST, WEST, PICKUP, DROPOFF = range(6)
ACTIONS = ("south", "north", "east", "west", "pickup", "dropoff")
TO_THE_LEFT = (EAST, WEST, NORTH, SOUTH)
TO_THE_RIGHT = (WEST, EAST, SOUTH, NORTH)

IN_TAXI = 4
NOWHERE = -1
STARTS = [
    (row, column, passenger, destination)
    for row in range(SIZE)
    for column in range(SIZE)
    for passenger in range(4)
    for destination in range(4)
    if passenger != destination
]
START_PLACES = np.array(STARTS)


class Taxi(OnePlayer, Game):
    """Actions are south, north, east, west, pickup, dropoff. Each costs 1, a failed pickup or dropoff 10.

    Setting the passenger down at the destination pays 20 and ends the ride. Chance picks the start: the
    places of taxi, passenger and destination. When it rains, a step goes in its direction with probability
    `rainy_probability` (outcome 0), else to the left (1) or right (2) of it.

    >>> state = Taxi.from_actions("c2:G>B north east")
    >>> print(state)
    |R: | : :G|
    | : | : : |
    | : : :@: |
    | | : | : |
    |Y| : |B: |
    passenger at G, wants to go to B
    """

    is_rainy = False
    rainy_probability = 0.8

    num_actions = 6
    num_outcomes = len(STARTS)
    horizon = 30

    row: np.int8 = NOWHERE
    column: np.int8 = NOWHERE
    passenger: np.int8 = NOWHERE
    """The number of the rank, or IN_TAXI."""
    destination: np.int8 = NOWHERE
    heading: np.int8 = NOWHERE
    """The chosen direction, while the rain decides."""

    @classmethod
    def configure(cls):
        if not 0 < cls.rainy_probability < 1:
            raise GameError(f"taxi(rainy_probability={cls.rainy_probability}) is not between 0 and 1")
        cls.max_game_length = 401 if cls.is_rainy else 201  # 200 actions

    def current_player(self):
        return CHANCE if self.row == NOWHERE or self.heading != NOWHERE else 0

    def chance_outcomes(self):
        if self.row == NOWHERE:
            for start in range(len(START_PLACES)):
                yield start, 1 / len(START_PLACES)
        else:
            drift = (1 - self.rainy_probability) / 2
            yield 0, self.rainy_probability
            yield 1, drift
            yield 2, drift

    def apply_action(self, action):
        if self.row == NOWHERE:
            self.row, self.column = START_PLACES[action, 0], START_PLACES[action, 1]
            self.passenger, self.destination = START_PLACES[action, 2], START_PLACES[action, 3]
            return 0.0
        if self.heading != NOWHERE:
            self.drive(self.drifted(action))
            self.heading = NOWHERE
            return -1.0
        if action == PICKUP:
            return self.pick_up()
        if action == DROPOFF:
            return self.drop_off()
        if not self.is_open(action):
            return -1.0
        if self.is_rainy:
            self.heading = action
            return 0.0
        self.drive(action)
        return -1.0

    def drifted(self, outcome):
        """Return the direction that the taxi takes in the rain."""
        if outcome == 0:
            return self.heading
        return TO_THE_LEFT[self.heading] if outcome == 1 else TO_THE_RIGHT[self.heading]

    def is_open(self, direction):
        if direction == SOUTH:
            return self.row < SIZE - 1
        if direction == NORTH:
            return self.row > 0
        if direction == EAST:
            return OPEN_EAST[self.row, self.column]
        return self.column > 0 and OPEN_EAST[self.row, self.column - 1]

    def drive(self, direction):
        if self.is_open(direction):
            if direction == SOUTH:
                self.row += 1
            elif direction == NORTH:
                self.row -= 1
            elif direction == EAST:
                self.column += 1
            else:
                self.column -= 1

    def rank_here(self):
        """Return the number of the rank where the taxi is, or NOWHERE."""
        for rank in range(4):
            if self.row == RANK_ROWS[rank] and self.column == RANK_COLUMNS[rank]:
                return rank
        return NOWHERE

    def pick_up(self):
        if self.passenger == IN_TAXI or self.rank_here() != self.passenger:
            return -10.0
        self.passenger = IN_TAXI
        return -1.0

    def drop_off(self):
        rank = self.rank_here()
        if self.passenger != IN_TAXI or rank == NOWHERE:
            return -10.0
        self.passenger = rank
        return 20.0 if rank == self.destination else -1.0

    def is_terminal(self):
        return self.row != NOWHERE and self.passenger == self.destination

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.row == NOWHERE:
            row, column, passenger, destination = STARTS[action]
            return f"{'abcde'[column]}{SIZE - row}:{RANKS[passenger]}>{RANKS[destination]}"
        return ACTIONS[action if self.heading == NOWHERE else self.drifted(action)]

    def errand(self):
        """Return the passenger's place and destination in words."""
        if self.row == NOWHERE:
            return "the start is open"
        where = "in the taxi" if self.passenger == IN_TAXI else f"at {RANKS[self.passenger]}"
        return f"passenger {where}, wants to go to {RANKS[self.destination]}"

    def __str__(self):
        lines = [list(line) for line in TOWN]
        if self.row != NOWHERE:
            lines[self.row][2 * self.column + 1] = "@"
        return "\n".join(["".join(line) for line in lines] + [self.errand()])

    def to_svg(self):
        """Draw the town with the taxi and the passenger, and a button for each move or outcome."""
        parts = tiles(SIZE, SIZE, lambda row, column: (GREY, 0.12))
        for rank, colour in enumerate(COLOURS):
            parts.append(tile(RANK_ROWS[rank], RANK_COLUMNS[rank], colour, 0.45, RANKS[rank]))
        for row, column in np.argwhere(~OPEN_EAST[:, : SIZE - 1]):
            parts.append(rectangle(MARGIN + TILE * (column + 1) - 2, MARGIN + TILE * row, 4, TILE, GREY))
        if self.row != NOWHERE:
            full = self.passenger == IN_TAXI
            parts.append(token(self.row, self.column, COLOURS[self.destination] if full else GREY, "taxi"))
            if not full:
                row, column = RANK_ROWS[self.passenger], RANK_COLUMNS[self.passenger]
                parts.append(token(row - 0.25, column + 0.25, COLOURS[self.destination], "", 0.3))
        height = MARGIN + TILE * SIZE
        return choices(self, parts, height, height, self.errand())
