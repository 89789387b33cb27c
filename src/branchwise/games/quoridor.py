"""Quoridor: reach the other side of the board first; walls make the way longer, but never close it.

A wall can close a region only if it joins two points that walls or the edge connect already. So each point
where walls meet has the label of its connected group, and the ways of the pawns are looked at only for a wall
that touches one group twice. The rules are those of the box; OpenSpiel's are the same.
"""

import re

import numpy as np

from branchwise.boards.layer import cells_of
from branchwise.boards.style import BoardStyle
from branchwise.drawing.grid import column_names, grid_svg
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import won_by
from branchwise.games.bits import each_bit
from branchwise.games.boards import WHITE_FIRST, place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import moved_bits

FREE, EDGE = 0, 1
UPRIGHT, FLAT = 1, 2
"""Kinds of walls on the board."""


class Quoridor(Game):
    """Action row * size + column moves the pawn to a cell; row 0 is at the bottom, where player 0 begins.

    The next (size - 1) ** 2 actions place a horizontal wall, and as many more a vertical one. Moves are
    written "e2". The wall "e3h" lies above the cells e3 and f3, "e3v" to the right of e3 and e4.
    A pawn jumps over the other one, or beside it if a wall or the edge is behind. A player who cannot move
    passes, by "moving" to the same cell. After 4 * size ** 2 moves the game is drawn.

    >>> state = Quoridor.from_actions("e2 e8 e3 e7 e4 e6 e5 d5h")
    >>> [state.action_to_string(action) for action in state.legal_actions()[:4]]
    ['f5', 'e4', 'd5', 'a1h']
    """

    size = 9
    walls = 10

    num_players = 2
    utility = "zero_sum"

    pawns: Array[np.int16, 2] = 0
    """[player]: the cell of the pawn."""
    walls_left: Array[np.int8, 2] = 0
    above: Array[np.int16, "size"] = 0
    """[row]: columns whose cell has a wall above it, as bits."""
    beside: Array[np.int16, "size"] = 0
    """[row]: columns whose cell has a wall to its right."""
    middles: Array[np.int16, "size"] = 0
    """[row]: columns where a wall has its middle at the upper right corner of the cell."""
    groups: Array[np.int8, "points", "points"] = 0
    """[row, column]: the group of connected walls at the lower left corner of a cell, FREE without any."""
    placed: np.int8 = 0
    played: np.int16 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, size=(2, 13), walls=(0, 60))
        cls.side = 2 * cls.size - 1
        """Rows of the board, with the gaps between cells."""
        columns = sum(((name, "") for name in column_names(cls.size)), ())
        rows = sum(((str(row), "") for row in range(cls.size, 0, -1)), ())
        cls.board_style = BoardStyle(
            "walls",
            cls.side,
            cls.side,
            (".|-+", ".X", ".O"),
            **WHITE_FIRST,
            column_labels=columns,
            row_labels=rows,
        )
        cls.points = cls.size + 1
        cls.symmetries = 2
        cls.num_net_inputs = 2 * cls.walls + 2
        cls.back = np.arange(cls.size)[::-1].copy()
        cls.spots = (cls.size - 1) ** 2
        cls.num_actions = cls.size**2 + 2 * cls.spots
        cls.max_game_length = 4 * cls.size**2

    def setup(self):
        self.pawns[:] = (self.size // 2, self.size * (self.size - 1) + self.size // 2)
        self.walls_left[:] = self.walls
        self.groups[[0, -1], :] = EDGE
        self.groups[:, [0, -1]] = EDGE

    def current_player(self):
        return self.played % 2

    def legal_actions(self):
        mover = self.played % 2
        pawn, other = self.pawns[mover], self.pawns[1 - mover]
        stuck = True
        for way in range(4):
            if self.is_open(pawn, way):
                cell = pawn + self.step(way)
                if cell != other:
                    stuck = False
                    yield cell
                elif self.is_open(cell, way):
                    stuck = False
                    yield cell + self.step(way)
                else:
                    for side in range(2):
                        turned = (way + 1 + 2 * side) % 4
                        if self.is_open(cell, turned):
                            stuck = False
                            yield cell + self.step(turned)
        if self.walls_left[mover] > 0:
            for row in range(self.size - 1):
                for upright in range(2):
                    for column in each_bit(self.free_spots(row, upright)):
                        if self.leaves_ways(row, column, upright):
                            stuck = False
                            yield self.size**2 + upright * self.spots + row * (self.size - 1) + column
        if stuck:
            yield pawn

    def step(self, way):
        """Return the difference of cells by a step up, to the right, down or to the left."""
        return (self.size, 1, -self.size, -1)[way]

    def is_open(self, cell, way):
        """Whether a pawn on `cell` finds neither a wall nor the edge in this way, 0 to 3 as for `step`."""
        row, column = cell // self.size, cell % self.size
        if way == 0:
            return row + 1 < self.size and not self.above[row] >> column & 1
        if way == 1:
            return column + 1 < self.size and not self.beside[row] >> column & 1
        if way == 2:
            return row > 0 and not self.above[row - 1] >> column & 1
        return column > 0 and not self.beside[row] >> (column - 1) & 1

    def free_spots(self, row, upright):
        """Return the columns where a wall would lie on no other one, as bits."""
        if upright:
            taken = self.beside[row] | self.beside[row + 1]
        else:
            taken = self.above[row] | self.above[row] >> 1
        return ~(taken | self.middles[row]) & (1 << (self.size - 1)) - 1

    def leaves_ways(self, row, column, upright):
        """Whether both pawns can still reach their goals after a wall is placed."""
        first, middle, last = self.touched(row, column, upright)
        if not ((first and (first == middle or first == last)) or (middle and middle == last)):
            return True  # it closes no region
        above, beside = self.above.copy(), self.beside.copy()
        if upright:
            beside[row] |= 1 << column
            beside[row + 1] |= 1 << column
        else:
            above[row] |= 3 << column
        for player in range(2):
            if not self.reaches(self.pawns[player], (self.size - 1) * (1 - player), above, beside):
                return False
        return True

    def touched(self, row, column, upright):
        """Return the groups at the three points of a wall."""
        middle = self.groups[row + 1, column + 1]
        if upright:
            return self.groups[row, column + 1], middle, self.groups[row + 2, column + 1]
        return self.groups[row + 1, column], middle, self.groups[row + 1, column + 2]

    def reaches(self, cell, goal, above, beside):
        """Whether a pawn on `cell` can reach the row `goal`: its region grows row by row, up and down."""
        region = np.zeros(self.size, np.int64)
        region[cell // self.size] = 1 << cell % self.size
        grows = True
        while grows and not region[goal]:
            grows = False
            for place in range(2 * self.size):
                row = place if place < self.size else 2 * self.size - 1 - place
                before = cells = region[row]
                if row > 0:
                    cells |= region[row - 1] & ~above[row - 1]
                if row + 1 < self.size:
                    cells |= region[row + 1] & ~above[row]
                full = (1 << self.size) - 1
                wider = cells
                while wider:
                    cells |= wider
                    wider = ((cells & ~beside[row]) << 1 | cells >> 1 & ~beside[row]) & full & ~cells
                if cells != before:
                    region[row] = cells
                    grows = True
        return region[goal] != 0

    def apply_action(self, action):
        mover = self.played % 2
        self.played += 1
        if action < self.size**2:
            self.pawns[mover] = action
            return
        self.walls_left[mover] -= 1
        spot = action - self.size**2
        upright = spot // self.spots
        row, column = spot % self.spots // (self.size - 1), spot % (self.size - 1)
        self.middles[row] |= 1 << column
        self.placed += 1
        group = EDGE + self.placed
        for joined in self.touched(row, column, upright):
            if joined == EDGE:
                group = EDGE
        for joined in self.touched(row, column, upright):
            if joined != FREE:
                for i in range(self.points):
                    for j in range(self.points):
                        if self.groups[i, j] == joined:
                            self.groups[i, j] = group
        for part in range(-1, 2):
            if upright:
                self.groups[row + 1 + part, column + 1] = group
            else:
                self.groups[row + 1, column + 1 + part] = group
        if upright:
            self.beside[row] |= 1 << column
            self.beside[row + 1] |= 1 << column
        else:
            self.above[row] |= 3 << column

    def winner(self):
        """Return the player whose pawn has arrived, or -1."""
        if self.pawns[0] >= self.size * (self.size - 1):
            return 0
        return 1 if self.pawns[1] < self.size else -1

    def is_terminal(self):
        return self.winner() != -1 or self.played >= self.max_game_length

    def returns(self):
        return won_by(self.winner())

    def net_inputs(self, player):
        yield self.walls_left[player]
        yield self.walls + 1 + self.walls_left[1 - player]

    def symmetry(self, k):
        if k:
            for player in range(2):
                self.pawns[player] = self.symmetry_action(k, self.pawns[player])
            for row in range(self.size):
                self.above[row] = moved_bits(self.above[row], self.back)
                self.beside[row] = moved_bits(self.beside[row], self.back[1:])
                self.middles[row] = moved_bits(self.middles[row], self.back[1:])
            self.groups[:] = self.groups.copy()[:, ::-1]

    def symmetry_action(self, k, action):
        spot, last = action - self.size**2, self.size - 1
        if not k:
            return action
        return action + last - 2 * (action % self.size) if spot < 0 else action + last - 1 - 2 * (spot % last)

    # --- names and pictures ---------------------------------------------------------------------------

    def board_cells(self, out):
        for row in range(self.size):
            for column in range(self.size):
                square = self.square(row, column)
                above, beside = self.above[row] >> column, self.beside[row] >> column
                if above & 1:
                    place_piece(out, square - self.side, -1, FLAT)
                if beside & 1:
                    place_piece(out, square + 1, -1, UPRIGHT)
                if self.middles[row] >> column & 1:
                    upright = beside & self.beside[row + 1] >> column & UPRIGHT
                    place_piece(out, square - self.side + 1, -1, upright + (FLAT if above & 3 == 3 else 0))
        for player in range(2):
            pawn = self.pawns[player]
            place_piece(out, self.square(pawn // self.size, pawn % self.size), player)

    def square(self, row, column):
        """Return the square of the board on which a cell lies."""
        return 2 * ((self.size - 1 - row) * self.side + column)

    def action_squares(self, action):
        spot = action - self.size**2
        if spot < 0:
            yield self.square(action // self.size, action % self.size)
        else:
            square = self.square(spot % self.spots // (self.size - 1), spot % (self.size - 1))
            upright = spot >= self.spots
            yield square + 1 if upright else square - self.side
            yield square + 1 - 2 * self.side if upright else square - self.side + 2

    def action_to_string(self, action):
        if action < self.size**2:
            return super().action_to_string(action)
        spot = action - self.size**2
        row, column = divmod(spot % self.spots, self.size - 1)
        return f"{column_names(self.size)[column]}{row + 1}{'hv'[spot // self.spots]}"

    def action_from_string(self, text):
        """Return the legal action that `text` names, such as "e2" or "e3h". Raises `ActionError`."""
        match = re.fullmatch(r"([a-z])(\d+)([hv]?)", text.strip().lower())
        if match:
            column, row, mark = ord(match[1]) - ord("a"), int(match[2]) - 1, match[3]
            if not mark and row * self.size + column in self.legal_actions() and column < self.size:
                return row * self.size + column
            if mark and max(row, column) < self.size - 1 and self.may_place(row, column, mark == "v"):
                return self.size**2 + (mark == "v") * self.spots + row * (self.size - 1) + column
        return super().action_from_string(text)

    def may_place(self, row, column, upright):
        """Whether the player to move may place this wall."""
        free = self.walls_left[self.played % 2] > 0 and self.free_spots(row, upright) >> column & 1
        return bool(free) and self.leaves_ways(row, column, upright)

    def to_grid(self):
        """Return None: the text has walls between the cells."""
        return None

    def to_svg(self):
        return grid_svg(super().to_grid())

    def __str__(self):
        lines, margin = [], len(str(self.size))
        for row, cells in enumerate(cells_of(self).tolist()):
            text = ""
            for column, (owner, kind) in enumerate(cells):
                narrow = " -"[kind > 0] if row % 2 else self.symbols[owner + 1]
                text += ("   ", " | ", "---", " + ")[kind] if column % 2 else narrow
            name = "" if row % 2 else self.size - row // 2
            lines.append(f"{name:>{margin}}  {text}".rstrip())
        lines.append(f"{'':{margin}}  {'   '.join(column_names(self.size))}")
        lines += [f"{self.symbols[player + 1]} has {self.walls_left[player]} walls" for player in range(2)]
        return "\n".join(lines)
