"""Lines of Action: connect all your men; a man moves as many cells as its line has men.

Invented by Claude Soucie. The men are two sets of bits. Tables have the line of each cell and direction, the
cell where a move of each length lands, and the cells between, which must be free of opponents.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.bits import ALL_BITS, count_bits, each_bit, shift_right, signed
from branchwise.games.boards import BLACK_FIRST, joined_cells, place_bits
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import moved_bits, rectangle, symmetries_of, turned_steps

DIRECTIONS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""(rows, columns); the opposite of direction d is d + 4."""


def tables(size):
    """Return three tables of sets of cells.

    They are: the cells in each line through a cell, [cell, line]; the cell where a move lands, [cell,
    direction, length]; and the cells between, or all cells for a move that leaves the board.
    """
    cells = size * size
    lines = np.zeros((cells, 4), np.uint64)
    landing, between = np.zeros((2, cells, 8, size + 1), np.uint64)
    for cell in range(cells):
        for direction, (down, right) in enumerate(DIRECTIONS):
            row, column = divmod(cell, size)
            passed = 0
            for length in range(1, size + 1):
                row, column = row + down, column + right
                if not (0 <= row < size and 0 <= column < size):
                    between[cell, direction, length:] = ALL_BITS
                    break
                place = 1 << size * row + column
                landing[cell, direction, length] = place
                between[cell, direction, length] = passed
                passed |= place
            lines[cell, direction % 4] |= np.uint64(passed | 1 << cell)
    return lines, landing, between


class LinesOfAction(TwoPlayers, Game):
    """Action 8 * cell + direction; cell size * row + column, with row 0 at the bottom.

    Player 0 begins, with men on the top and bottom row. A man jumps over its own side and captures where it
    lands. A player whose men are connected, diagonally too, wins; if a capture connects both sides, the
    player who moved does. A player who cannot move loses. After `moves` moves the game is a draw.

    size : 4 to 8.   A move is written as two cells, "b1b3"; "b1-b3" and "c1xa3" work too.
    """

    size = 8
    moves = 1000
    sides_alike = True

    board_style = BoardStyle("squares", **BLACK_FIRST)

    mine: np.uint64 = 0
    """Men of the player to move."""
    theirs: np.uint64 = 0
    mover: np.int8 = 0
    played: np.int16 = 0
    winner: np.int8 = -1
    """The player who has won, or -1."""

    @classmethod
    def configure(cls):
        check_ranges(cls, size=(4, 8), moves=(1, 10_000))
        size = cls.size
        cls.num_actions = 8 * size * size
        cls.max_game_length = cls.moves
        cls.ways = symmetries_of(rectangle(size, size))
        steps = tuple((right, up) for up, right in DIRECTIONS)
        cls.symmetries, cls.turned = len(cls.ways), turned_steps(cls.ways, rectangle(size, size), steps)
        last = size - 1
        cls.first = sum(1 << size * row + column for row in (0, last) for column in range(1, last))
        cls.second = sum(1 << size * row + column for row in range(1, last) for column in (0, last))
        cls.board = (1 << size * size) - 1
        cls.without_left = sum(1 << cell for cell in range(size * size) if cell % size > 0)
        cls.without_right = sum(1 << cell for cell in range(size * size) if cell % size < last)
        cls.lines, cls.landing, cls.between = tables(size)

    def setup(self):
        self.mine = self.first
        self.theirs = self.second

    def legal_actions(self):
        for cell in each_bit(self.mine):
            for line in range(4):
                length = self.men_in_line(cell, line)
                if self.is_open(cell, line, length):
                    yield 8 * cell + line
                if self.is_open(cell, line + 4, length):
                    yield 8 * cell + line + 4

    def men_in_line(self, cell, line):
        return count_bits(self.lines[cell, line] & (self.mine | self.theirs))

    def is_open(self, cell, direction, length):
        """Whether a man can move this number of cells in a direction."""
        blocked = self.between[cell, direction, length] & self.theirs
        return (blocked | self.landing[cell, direction, length] & self.mine) == 0

    def apply_action(self, action):
        cell, direction = action // 8, action % 8
        target = self.landing[cell, direction, self.men_in_line(cell, direction % 4)]
        men = (self.mine ^ 1 << cell ^ target) & ALL_BITS
        self.mine = self.theirs & ~target & ALL_BITS
        self.theirs = men
        self.played += 1
        if self.is_connected(self.theirs):
            self.winner = self.mover
        elif self.is_connected(self.mine):
            self.winner = 1 - self.mover
        self.mover = 1 - self.mover
        if self.winner < 0 and self.is_stuck():
            self.winner = 1 - self.mover

    def is_connected(self, men):
        """Whether a set of men is one group."""
        group, grown = signed(men & -men), 0
        while group != grown:
            grown = group
            group |= (group & self.without_right) << 1 | shift_right(group & self.without_left, 1)
            group |= group << self.size | shift_right(group, self.size)
            group = signed(group & men)
        return (group ^ men) & ALL_BITS == 0

    def is_stuck(self):
        for cell in each_bit(self.mine):
            for direction in range(8):
                if self.is_open(cell, direction, self.men_in_line(cell, direction % 4)):
                    return False
        return True

    def is_terminal(self):
        return self.winner >= 0 or self.played >= self.moves

    def returns(self):
        return won_by(self.winner)

    def symmetry(self, k):
        self.mine = moved_bits(self.mine, self.ways[k])
        self.theirs = moved_bits(self.theirs, self.ways[k])

    def symmetry_action(self, k, action):
        return 8 * self.ways[k, action // 8] + self.turned[k, action % 8]

    # --- names and pictures ---------------------------------------------------------------------------

    def board_cells(self, out):
        place_bits(out[::-1], signed(self.mine), self.mover)
        place_bits(out[::-1], signed(self.theirs), 1 - self.mover)

    def action_squares(self, action):
        cell, direction = action // 8, action % 8
        length = self.men_in_line(cell, direction % 4)
        up, right = DIRECTIONS[direction]
        square = (self.size - 1 - cell // self.size) * self.size + cell % self.size
        yield square
        yield square + length * (right - up * self.size)

    def action_from_string(self, text):
        return super().action_from_string(joined_cells(text))
