"""Konane, or Hawaiian checkers: jump over the opponent's stones; a player who cannot jump loses.

The board is full of stones in alternating colours. Player 0 first removes an own stone in the centre or in a
corner, then player 1 removes an own stone next to the gap. After that a stone jumps over a neighbouring stone
of the opponent, along a line, onto an empty cell; the stone jumped over is removed. It may go on jumping in
the same direction. Rules: Ernst, "Playing Konane mathematically", 1995.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.drawing.grid import cell_name
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bits import count_bits, lowest_bit
from branchwise.games.boards import BLACK_FIRST, place_bits
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import rectangle, symmetries_of, turned_steps

SMALLEST, LARGEST = 2, 15
RIGHT, LEFT, UP, DOWN = 0, 1, 2, 3
STEPS = ((1, 0), (-1, 0), (0, -1), (0, 1))
"""(columns, rows), by direction."""


class Konane(Game):
    """Cells are numbered row by row from the top left, where player 0 has a stone.

    Action `cell` removes the stone in that cell, as the first two moves do; it is written as the cell, "d4".
    Action (4 * jumps + direction) * cells + cell jumps once or more often with the stone in a cell: right,
    left, up or down. It is written with the cell where the stone lands, "d4-d6".

    >>> state = Konane.from_actions("d5 d4 b5-d5")
    >>> str(state).splitlines()[3:5]
    ['5  O . . X O X O X', '4  X O X . X O X O']
    """

    rows = 8
    columns = 8

    num_players = 2
    utility = "zero_sum"
    sides_alike = True
    board_style = BoardStyle("squares", **BLACK_FIRST)

    stones: Array[np.int32, 2, "padded"] = 0
    """[player, row + 2]: the player's stones, as bits by column; row 0 is on top."""
    empty: Array[np.int32, "padded"] = 0
    """[row + 2]: the empty cells; none beyond the edge."""
    played: np.int16 = 0
    over: bool = False

    @classmethod
    def configure(cls):
        check_ranges(cls, rows=(SMALLEST, LARGEST), columns=(SMALLEST, LARGEST))
        cls.cells = cls.rows * cls.columns
        places = rectangle(cls.rows, cls.columns)
        ways, colours = symmetries_of(places), np.array(places).sum(1) % 2
        cls.ways = ways[(colours[ways] == colours).all(1)]  # those that keep the colours of the start
        cls.symmetries, cls.turned = len(cls.ways), turned_steps(cls.ways, places, STEPS)
        cls.most_jumps = (max(cls.rows, cls.columns) - 1) // 2
        cls.num_actions = (4 * cls.most_jumps + 4) * cls.cells
        cls.max_game_length = cls.cells
        cls.padded = cls.rows + 4
        cls.whole = (1 << cls.columns) - 1
        middle = [{(length - 1) // 2, length // 2} for length in (cls.rows, cls.columns)]
        ends = [{0, length - 1} for length in (cls.rows, cls.columns)]
        first = [0] * cls.rows
        for rows, columns in (middle, ends):
            for row in rows:
                for column in columns:
                    if (row + column) % 2 == 0:
                        first[row] |= 1 << column
        cls.first = tuple(first)

    def setup(self):
        for row in range(self.rows):
            for column in range(self.columns):
                self.stones[(row + column) % 2, row + 2] |= 1 << column

    def current_player(self):
        return self.played % 2

    def removable(self, row):
        """Return the stones of a row that may be removed by the first two moves."""
        if self.played == 0:
            return self.first[row]
        here = self.empty[row + 2]
        near = here << 1 | here >> 1 | self.empty[row + 1] | self.empty[row + 3]
        return self.stones[1, row + 2] & near

    def jumps_in(self, row):
        """Return the single jumps from a row as bits: direction * columns + column."""
        player, place = self.played % 2, row + 2
        mine, theirs = self.stones[player, place], self.stones[1 - player, place]
        right = mine & theirs >> 1 & self.empty[place] >> 2
        left = mine & theirs << 1 & self.empty[place] << 2
        up = mine & self.stones[1 - player, place - 1] & self.empty[place - 2]
        down = mine & self.stones[1 - player, place + 1] & self.empty[place + 2]
        return right | left << self.columns | up << 2 * self.columns | down << 3 * self.columns

    def most_jumps_of(self, row, column, direction):
        """Return how often a stone that can jump can do so in a direction."""
        down = (direction == DOWN) - (direction == UP)
        right = (direction == RIGHT) - (direction == LEFT)
        jumps = 0
        while True:
            jumps += 1
            row, column = row + 2 * down, column + 2 * right
            if not (2 <= row + 2 * down + 2 < self.padded and 0 <= column + 2 * right < self.columns):
                return jumps
            over = self.stones[1 - self.played % 2, row + down + 2] >> column + right & 1
            if not over & self.empty[row + 2 * down + 2] >> column + 2 * right:
                return jumps

    def legal_actions(self):
        for row in range(self.rows):
            if self.played < 2:
                stones = self.removable(row)
                for _ in range(count_bits(stones)):  # 4 % faster here than each_bit
                    yield row * self.columns + lowest_bit(stones)
                    stones &= stones - 1
            else:
                moves = self.jumps_in(row)
                for _ in range(count_bits(moves)):
                    move = lowest_bit(moves)
                    moves &= moves - 1
                    direction, column = move // self.columns, move % self.columns
                    for jumps in range(1, self.most_jumps_of(row, column, direction) + 1):
                        yield (4 * jumps + direction) * self.cells + row * self.columns + column

    def apply_action(self, action):
        player, cell = self.played % 2, action % self.cells
        row, column = cell // self.columns + 2, cell % self.columns
        jumps, direction = action // self.cells // 4, action // self.cells % 4
        down = (direction == DOWN) - (direction == UP)
        right = (direction == RIGHT) - (direction == LEFT)
        self.stones[player, row] ^= 1 << column
        self.empty[row] ^= 1 << column
        if jumps > 0:
            for _ in range(jumps):
                self.stones[1 - player, row + down] ^= 1 << column + right
                self.empty[row + down] ^= 1 << column + right
                row, column = row + 2 * down, column + 2 * right
            self.stones[player, row] ^= 1 << column
            self.empty[row] ^= 1 << column
        self.played += 1
        self.over = self.played >= 2 and not self.can_jump()

    def can_jump(self):
        for row in range(self.rows):
            if self.jumps_in(row):
                return True
        return False

    def is_terminal(self):
        return self.over

    def returns(self):
        return (-1.0, 1.0) if self.played % 2 == 0 else (1.0, -1.0)

    def symmetry(self, k):
        stones, empty = self.stones.copy(), self.empty.copy()
        self.stones[:] = 0
        self.empty[:] = 0
        for cell in range(self.cells):
            row, column = cell // self.columns + 2, cell % self.columns
            target = self.ways[k, cell] // self.columns + 2
            bit = 1 << self.ways[k, cell] % self.columns
            for player in range(2):
                if stones[player, row] >> column & 1:
                    self.stones[player, target] |= bit
            if empty[row] >> column & 1:
                self.empty[target] |= bit

    def symmetry_action(self, k, action):
        way, cell = action // self.cells, self.ways[k, action % self.cells]
        if way < 4:  # no jump
            return cell
        return (way - way % 4 + self.turned[k, way % 4]) * self.cells + cell

    # --- names and pictures -------------------------------------------------------------------------------

    def board_cells(self, out):
        for player in range(2):
            for row in range(self.rows):
                place_bits(out[row : row + 1], self.stones[player, row + 2], player)

    def action_squares(self, action):
        cell, jumps = action % self.cells, action // self.cells // 4
        yield cell
        if jumps:
            yield cell + 2 * jumps * (1, -1, -self.columns, self.columns)[action // self.cells % 4]

    def action_to_string(self, action):
        return "-".join(cell_name(cell, self.rows, self.columns) for cell in self.action_squares(action))
