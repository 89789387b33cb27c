"""Morpion solitaire: draw lines of five points, each with one new point, for as long as possible.

In 5T two lines in one direction may share a point at their ends, in 5D none. The longest games known have
178 and 82 moves. Sources: Demaine, Demaine, Langerman, Langerman, "Morpion solitaire", 2006; Rosin, "Nested
rollout policy adaptation for Monte Carlo tree search", 2011.
"""

import numpy as np

from branchwise.errors import nearest_name
from branchwise.fields import Array
from branchwise.game import Game
from branchwise.games.bits import each_bit
from branchwise.render.drawing import MARGIN, choices, disc, label, line
from branchwise.render.grid import PLAYER_COLOURS, column_names

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
_UNSIGNED_STEPS = _STEPS.astype(np.uint64)
_POINT_BIT = 4
_POINT = 1 << _POINT_BIT
"""The bit of a point; the lower four bits are the directions of lines through it."""
_LAST_CELL = np.uint64(SIDE * SIDE - 1)
_STEPS_BACK = (SIDE * SIDE - _STEPS).astype(np.uint64)
_WIDE = 20


class Morpion(Game):
    """Action 4 * cell + direction draws the line that begins at a cell, to the right or downwards.

    One point of a line is new; the other four exist already. Cells are numbered by row from the top of a
    board of 32 by 32, which lines cannot leave. Each line pays 1.

    >>> len(Morpion().legal_actions())
    28
    """

    variant = "5T"

    num_players = 1
    num_actions = 4 * SIDE * SIDE
    min_return = 0.0

    cells: Array[np.uint8, 1024] = 0
    moves: Array[np.int16, "room"] = 0
    """The legal actions."""
    count: np.int16 = 0
    """Number of legal actions."""
    drawn: Array[np.int16, "max_game_length"] = 0
    """The lines so far."""
    made: np.int16 = 0

    @classmethod
    def configure(cls):
        if cls.variant not in LONGEST:
            raise nearest_name("variant of morpion", cls.variant, LONGEST)
        cls.max_game_length = LONGEST[cls.variant]
        cls.max_return = float(cls.max_game_length)
        cls.taken = 4 if cls.variant == "5T" else 5
        # A point is in at most 20 lines, and a line that can be drawn has four points.
        cls.room = 5 * (36 + cls.max_game_length)
        cls.last_action = cls.num_actions - 1
        # Of nine cells in a row, the end of a line first: which of its five lines have four points, and room.
        lines = [[(bits >> place) % 32 for place in range(5)] for bits in range(512)]
        cls.four_points = np.array(
            [sum((line.bit_count() == 4) << n for n, line in enumerate(each)) for each in lines], np.uint64
        )
        cls.unmarked = np.array(
            [sum((line >> 5 - cls.taken == 0) << n for n, line in enumerate(each)) for each in lines],
            np.uint64,
        )
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
            self.cells[cell] = _POINT
        for action in range(self.num_actions):
            if self.fits[action] and self.can_draw(action):
                self.moves[self.count] = action
                self.count += 1

    def can_draw(self, action):
        """Whether a line, which must fit on the board, has four points and room along its direction."""
        direction = action % 4
        cell, step = np.uint64(action // 4), _UNSIGNED_STEPS[direction]
        points, marks = 0, 0
        for place in range(5):
            found = self.cells[cell]
            cell += step
            points += found >> _POINT_BIT
            if place < self.taken:
                marks |= found
        return (points == 4) & ((marks >> direction) & 1 == 0)

    def places_to_draw(self, point, direction):
        """Return the places that a point has in the lines that can be drawn through it, as bits.

        Cells beyond an edge of the board are those at the other end; lines with such cells do not fit.
        """
        cell = np.uint64((point + 4 * _STEPS[direction]) % (SIDE * SIDE))
        points, marks = 0, 0
        for place in range(9):
            found = np.int64(self.cells[cell])
            cell = (cell + _STEPS_BACK[direction]) & _LAST_CELL
            points |= (found >> _POINT_BIT) << place
            marks |= ((found >> direction) & 1) << place
        return self.four_points[points] & self.unmarked[marks]

    def new_place(self, action):
        """Return the index of the new point of a line."""
        cell, step = np.uint64(action // 4), _UNSIGNED_STEPS[action % 4]
        new = 0
        for place in range(5):
            if self.cells[cell] < _POINT:
                new = place
            cell += step
        return new

    def current_player(self):
        return 0

    def legal_actions(self):
        for place in range(self.count):
            yield self.moves[place]

    def apply_action(self, action):
        cell, direction = action // 4, action % 4
        step = _STEPS[direction]
        point = cell + self.new_place(action) * step
        self.cells[point] |= _POINT
        for place in range(self.taken):
            self.cells[cell + place * step] |= 1 << direction
        self.drawn[self.made] = action
        self.made += 1
        kept = 0
        for place in range(self.count):
            if self.can_draw(self.moves[place]):
                self.moves[kept] = self.moves[place]
                kept += 1
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
        return 5 * action + self.new_place(action)

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        row, column = divmod(action // 4, SIDE)
        return f"{column_names(SIDE)[column]}{SIDE - row}-{('e', 's', 'se', 'sw')[action % 4]}"

    def __str__(self):
        rows = [
            "".join("O" if cell >= _POINT else "." for cell in self.cells[r * SIDE : (r + 1) * SIDE])
            for r in range(SIDE)
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
            if self.cells[cell] >= _POINT:
                parts.append(disc(*at[cell], 4, PLAYER_COLOURS[1]))
        bottom = MARGIN + _WIDE * SIDE
        parts.append(label(MARGIN, bottom + 24, f"{self.made} lines"))
        return choices(self, parts, bottom + 36, MARGIN + _WIDE * SIDE, 80, 6)
