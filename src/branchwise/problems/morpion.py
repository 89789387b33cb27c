"""Morpion solitaire: draw lines of five points, each with one new point, for as long as possible.

In 5T two lines in one direction may share a point at their ends, in 5D none. The longest games known have
178 and 82 moves. Sources: Demaine, Demaine, Langerman, Langerman, "Morpion solitaire", 2006; Rosin, "Nested
rollout policy adaptation for Monte Carlo tree search", 2011.
"""

import numpy as np

from branchwise.drawing.grid import PLAYER_COLOURS, cell_name
from branchwise.drawing.shapes import MARGIN, choices, disc, line
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.bits import each_bit, lowest_bit
from branchwise.games.option_checks import check_name

SIDE = 32
CROSS = (
    "...OOOO...",
    "...O..O...",
    "...O..O...",
    "OOOO..OOOO",
    "O........O",
    "O........O",
    "OOOO..OOOO",
    "...O..O...",
    "...O..O...",
    "...OOOO...",
)
LONGEST = {"5T": 485, "5D": 121}
"""Upper bounds of the number of moves in a game."""
_ACROSS = ((0, 1), (1, 0), (1, 1), (1, -1))
_STEPS = np.array([SIDE * down + right for down, right in _ACROSS])
_ROWS = (SIDE, SIDE, 2 * SIDE - 1, 2 * SIDE - 1)
"""Rows of cells in each direction."""
_WIDE = 20


class Morpion(OnePlayer, Game):
    """Action 4 * cell + direction draws the line that begins at a cell, to the right or downwards.

    One point of a line is new; the other four exist already. Cells are numbered by row from the top of a
    board of 32 by 32, which lines cannot leave. Each line pays 1.

    >>> len(Morpion().legal_actions())
    28
    """

    variant = "5T"
    by_point = True
    """Whether NRPA learns one weight for each line and its new point, in place of one for the line."""

    num_actions = 4 * SIDE * SIDE
    min_return = 0.0

    points: Array[np.uint32, 190] = 0
    """The points of each row of cells in each direction, as bits; so each point is there four times."""
    marks: Array[np.uint32, 190] = 0
    """The cells of each such row that lines along it have taken."""
    moves: Array[np.int16, "room"] = 0
    """The legal actions."""
    count: np.int16 = 0
    """Number of legal actions."""
    drawn: Array[np.int16, "max_game_length"] = 0
    """The lines so far."""
    made: np.int16 = 0

    @classmethod
    def configure(cls):
        check_name(cls, "variant", LONGEST)
        cls.max_game_length = LONGEST[cls.variant]
        cls.max_return = float(cls.max_game_length)
        # The cells that a line takes along its direction, as bits: in 5T not its end.
        cls.taken = 0b1111 if cls.variant == "5T" else 0b11111
        # A point is in at most 20 lines, and a line that can be drawn has four points.
        cls.room = 5 * (36 + cls.max_game_length)
        cls.last_action = cls.num_actions - 1
        cls.has_four = np.array([bits.bit_count() == 4 for bits in range(32)])
        cls.gap = np.array([lowest_bit(~bits) for bits in range(32)])  # the first cell without a point
        # Of nine cells in a row, which of the five lines through the middle, by its place there, have four
        # points, and room.
        lines = [[(bits >> 4 - place) % 32 for place in range(5)] for bits in range(512)]
        cls.four_points = np.array(
            [sum(bool(cls.has_four[line]) << n for n, line in enumerate(each)) for each in lines], np.uint64
        )
        cls.unmarked = np.array(
            [sum((line & cls.taken == 0) << n for n, line in enumerate(each)) for each in lines], np.uint64
        )
        # Where the beginning of a line is in `points` and `marks`: SIDE * row + bit.
        cls.where = np.zeros(cls.num_actions, np.int32)
        for action in range(cls.num_actions):
            row, column = divmod(action // 4, SIDE)
            rows = (row, column, row - column + SIDE - 1, row + column)
            number = sum(_ROWS[: action % 4]) + rows[action % 4]
            cls.where[action] = SIDE * number + (row if action % 4 else column)
        cls.fits = np.zeros(cls.num_actions, np.bool_)
        for action in range(cls.num_actions):
            row, column = divmod(action // 4, SIDE)
            down, right = _ACROSS[action % 4]
            cls.fits[action] = row + 4 * down < SIDE and 0 <= column + 4 * right < SIDE
        first = (SIDE - len(CROSS)) // 2
        cls.start = np.array(
            [SIDE * (first + r) + first + c for r, c in np.ndindex(10, 10) if CROSS[r][c] == "O"]
        )

    def setup(self):
        for cell in self.start:
            self.add_point(cell)
        for action in range(self.num_actions):
            if self.fits[action] and self.can_draw(action):
                self.moves[self.count] = action
                self.count += 1

    def add_point(self, cell):
        for direction in range(4):
            where = self.where[4 * cell + direction]
            self.points[where >> 5] |= np.uint32(1 << (where & 31))

    def has_point(self, cell):
        return self.points_from(4 * cell) & 1 == 1

    def points_from(self, action):
        """Return the points of a line, and of all cells that follow in its direction, as bits."""
        where = self.where[action]
        return np.int64(self.points[where >> 5]) >> (where & 31)

    def can_draw(self, action):
        """Whether a line, which must fit on the board, has four points and room along its direction."""
        where = self.where[action]
        marks = np.int64(self.marks[where >> 5]) >> (where & 31)
        return self.has_four[self.points_from(action) & 31] & (marks & self.taken == 0)

    def places_to_draw(self, point, direction):
        """Return the places that a point has in the lines that can be drawn through it, as bits.

        Only the cells on the board count; lines with others do not fit.
        """
        where = self.where[4 * point + direction]
        row, bit = where >> 5, where & 31
        points = (np.int64(self.points[row]) << 4 >> bit) & 511
        marks = (np.int64(self.marks[row]) << 4 >> bit) & 511
        return self.four_points[points] & self.unmarked[marks]

    def new_place(self, action):
        """Return the index of the new point of a line."""
        return self.gap[self.points_from(action) & 31]

    def legal_actions(self):
        for place in range(self.count):
            yield self.moves[place]

    def apply_action(self, action):
        point = action // 4 + self.new_place(action) * _STEPS[action % 4]
        self.add_point(point)
        where = self.where[action]
        self.marks[where >> 5] |= np.uint32(self.taken << (where & 31))
        self.drawn[self.made] = action
        self.made += 1
        kept = 0
        for place in range(self.count):
            move = self.moves[place]
            self.moves[kept] = move
            kept += self.can_draw(move)
        for other in range(4):
            for place in each_bit(self.places_to_draw(point, other)):
                move = np.int64(4 * (point - place * _STEPS[other]) + other)
                if self.fits[move & self.last_action]:
                    self.moves[kept] = move
                    kept += 1
        for place in range(kept, self.count):
            self.moves[place] = 0
        self.count = kept
        return 1.0

    def is_terminal(self):
        return self.count == 0

    def action_code(self, action):
        return 5 * action + self.new_place(action) if self.by_point else action

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return f"{cell_name(action // 4, SIDE, SIDE)}-{('e', 's', 'se', 'sw')[action % 4]}"

    def __str__(self):
        rows = [
            "".join("O" if self.has_point(SIDE * r + c) else "." for c in range(SIDE)) for r in range(SIDE)
        ]
        used = [r for r, row in enumerate(rows) if "O" in row]
        return "\n".join([*rows[used[0] : used[-1] + 1], f"lines: {self.made}"])

    def to_svg(self):
        """Draw points and lines, and a button for each new point below them."""
        at = [
            (MARGIN + _WIDE * (cell % SIDE + 0.5), MARGIN + _WIDE * (cell // SIDE + 0.5))
            for cell in range(SIDE * SIDE)
        ]
        parts = []
        for action in self.drawn[: self.made].tolist():
            end = action // 4 + 4 * int(_STEPS[action % 4])
            parts.append(line([at[action // 4], at[end]], PLAYER_COLOURS[1]))
        for cell in range(SIDE * SIDE):
            if self.has_point(cell):
                parts.append(disc(*at[cell], 4, PLAYER_COLOURS[1]))
        bottom = MARGIN + _WIDE * SIDE
        return choices(self, parts, bottom, bottom, f"{self.made} lines")
