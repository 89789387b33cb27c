"""Clobber: move a stone onto a neighbouring stone of the opponent, which it captures; the last to move wins.

Invented by Michael Albert, J. P. Grossman and Richard Nowakowski, 2001. OpenSpiel has the same rules.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers
from branchwise.games.bits import count_bits, lowest_bit, nth_bit
from branchwise.games.boards import WHITE_FIRST, place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import move_bits, rectangle, symmetries_of, turned_steps

LARGEST = 20
UP, RIGHT, DOWN, LEFT = 0, 1, 2, 3
STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))
"""(columns, rows), by direction."""


class Clobber(TwoPlayers, Game):
    """Action 4 * cell + direction moves the stone in a cell up, right, down or left.

    Cells are numbered row by row from the top left. The colours alternate, and a1, at the bottom left, is
    player 0's. A move is written as both cells, "a5b5".

    >>> state = Clobber.from_actions("a5b5")
    >>> str(state).splitlines()[0]
    '5  . X X O X O'
    """

    rows = 5
    columns = 6
    sides_alike = True

    board_style = BoardStyle("squares", **WHITE_FIRST)

    stones: Array[np.int64, 2, "words"] = 0
    """[player]: the player's stones: cell c is bit c % span of word c // span, which has whole rows."""
    mover: np.int8 = 0

    @classmethod
    def configure(cls):
        rows, columns = cls.rows, cls.columns
        check_ranges(cls, rows=(1, LARGEST), columns=(1, LARGEST))
        if rows * columns == 1:
            raise GameError("clobber cannot be one cell", mend="give two stones or more")
        cls.cells = rows * columns
        places = rectangle(rows, columns)
        cls.ways = symmetries_of(places)
        cls.symmetries, cls.turned = len(cls.ways), turned_steps(cls.ways, places, STEPS)
        cls.span = 63 // columns * columns
        cls.words = -(-cls.cells // cls.span)
        cls.not_last = sum(1 << cell for cell in range(cls.span) if (cell + 1) % columns)
        cls.num_actions = 4 * cls.cells
        cls.max_game_length = cls.cells - 1

    def setup(self):
        for cell in range(self.cells):
            row, column = divmod(cell, self.columns)
            self.stones[(self.rows - 1 - row + column) % 2, cell // self.span] |= 1 << cell % self.span

    def theirs(self, word):
        return self.stones[1 - self.mover, word] if 0 <= word < self.words else 0

    def movers(self, direction, word):
        """Return the stones in a word that the player to move can move in a direction."""
        mine, theirs = self.stones[self.mover, word], self.theirs(word)
        if direction == RIGHT:
            return mine & self.not_last & theirs >> 1
        if direction == LEFT:
            return mine & (theirs & self.not_last) << 1
        if direction == UP:
            return mine & (theirs << self.columns | self.theirs(word - 1) >> self.span - self.columns)
        return mine & (theirs >> self.columns | self.theirs(word + 1) << self.span - self.columns)

    def legal_actions(self):
        for word in range(self.words):
            for direction in range(4):
                stones = self.movers(direction, word)
                for _ in range(count_bits(stones)):
                    yield 4 * (word * self.span + lowest_bit(stones)) + direction
                    stones &= stones - 1

    def sample_action(self, random):
        total = 0
        for word in range(self.words):
            for direction in range(4):
                total += count_bits(self.movers(direction, word))
        number = random.below(total)
        before = start = first = stones = 0
        for word in range(self.words):
            for direction in range(4):  # without branches, because they would be unpredictable
                here = number >= before
                movable = self.movers(direction, word)
                start = before if here else start
                first = 4 * word * self.span + direction if here else first
                stones = movable if here else stones
                before += count_bits(movable)
        return first + 4 * nth_bit(stones, number - start)

    def apply_action(self, action):
        cell, target = action // 4, self.target(action)
        self.stones[self.mover, cell // self.span] ^= 1 << cell % self.span
        word, bit = target // self.span, 1 << target % self.span
        self.stones[self.mover, word] |= bit
        self.stones[1 - self.mover, word] ^= bit
        self.mover = 1 - self.mover

    def target(self, action):
        """Return the cell that a move leads to."""
        direction = action % 4
        step = self.columns if direction % 2 == UP else 1
        return action // 4 + (step if direction in (RIGHT, DOWN) else -step)

    def is_terminal(self):
        movable = 0
        for word in range(self.words):
            for direction in range(4):
                movable |= self.movers(direction, word)
        return movable == 0

    def symmetry(self, k):
        for player in range(2):
            move_bits(self.stones[player], self.ways[k], self.span)

    def symmetry_action(self, k, action):
        return 4 * self.ways[k, action // 4] + self.turned[k, action % 4]

    # --- names and pictures -------------------------------------------------------------------------------

    def board_cells(self, out):
        for cell in range(self.cells):
            for player in range(2):
                if self.stones[player, cell // self.span] >> cell % self.span & 1:
                    place_piece(out, cell, player)

    def action_squares(self, action):
        yield action // 4
        yield self.target(action)
