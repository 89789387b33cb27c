"""Dots and boxes: draw the sides of boxes; the player who draws the last side of one gets it and goes on.

The sides that are not drawn yet are sets of bits, 63 in a number. A box is complete if its other sides are
not among them. The net scores of small boards are known: see Barker and Korf, "Solving Dots-and-Boxes", 2012.
"""

import numpy as np

from branchwise.boards.layer import NO_CELL, cells_of
from branchwise.boards.style import BoardStyle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, by_lead
from branchwise.games.bits import count_bits, each_bit, nth_bit
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import MovesCells, move_bits, symmetries_of

BITS = 63
MOST = 30
UPRIGHT, FLAT, BOX, DOT = range(1, 5)
"""Kinds of cells of the board."""


def words_of(sides, words):
    """Return a set of sides as numbers of 63 bits."""
    return [sum(1 << side % BITS for side in sides if side // BITS == word) for word in range(words)]


def sides_of(rows, columns, row, column):
    """Return the four sides of a box, or none for a box beyond the edge; row 0 is on top.

    >>> sides_of(2, 2, 0, 1), sides_of(2, 2, 0, 2)
    ((1, 3, 7, 8), ())
    """
    if not (0 <= row < rows and 0 <= column < columns):
        return ()
    top, left = row * columns + column, (rows + 1) * columns + row * (columns + 1) + column
    return (top, top + columns, left, left + 1)


def boxes_beside(rows, columns, side):
    """Return the sides of the two boxes next to a side."""
    row, column = divmod(side, columns)
    beside = (row - 1, column)
    if side >= (rows + 1) * columns:
        row, column = divmod(side - (rows + 1) * columns, columns + 1)
        beside = (row, column - 1)
    return [sides_of(rows, columns, *box) for box in (beside, (row, column))]


class DotsAndBoxes(MovesCells, TwoPlayers, Game):
    """Action a draws side a: first the horizontal sides, row by row from the top, then the vertical ones.

    rows, columns : of boxes, 1 to 30 each.   margin : the returns are the numbers of boxes by which each
    player leads; otherwise a win is 1, and a draw 0.

    The picture has dots, sides and boxes as the cells of one board, and a move is written as its cell: the
    dots of a board of 2 by 2 boxes are a1, c1, e1, a3 and so on, and "b1" is its bottom left side.

    >>> state = DotsAndBoxes.from_actions("b1 a2 c2 b3")
    >>> print(state)
    5  + . + . +
    4  .   .   .
    3  + ─ + . +
    2  │ # │   .
    1  + ─ + . +
       a b c d e
    player 0: 0, player 1: 1
    >>> state.current_player()
    1
    """

    rows = 2
    columns = 2
    margin = False
    sides_alike = True

    free: Array[np.int64, "words"] = 0
    """Sides that are not drawn, as bits."""
    lead: np.int16 = 0
    """Boxes of player 0 less those of player 1."""
    mover: np.int8 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, rows=(1, MOST), columns=(1, MOST))
        cls.height, cls.width = 2 * cls.rows + 1, 2 * cls.columns + 1
        symbols, colours = (".│─#+",), ("red", "blue")
        cls.board_style = BoardStyle("walls", cls.height, cls.width, symbols, colours)
        cls.across = (cls.rows + 1) * cls.columns  # horizontal sides
        cls.num_actions = cls.max_game_length = cls.across + cls.rows * (cls.columns + 1)
        cls.words = -(-cls.num_actions // BITS)
        flat = [(2 * column + 1, 2 * row) for row in range(cls.rows + 1) for column in range(cls.columns)]
        upright = [(2 * column, 2 * row + 1) for row in range(cls.rows) for column in range(cls.columns + 1)]
        cls.ways = symmetries_of(flat + upright)
        cls.symmetries = len(cls.ways)
        cls.max_return = float(cls.rows * cls.columns) if cls.margin else 1.0
        cls.min_return = -cls.max_return
        cls.num_net_inputs = 2 * cls.rows * cls.columns + 1
        cls.start = np.array(words_of(range(cls.num_actions), cls.words), np.int64)
        around = [boxes_beside(cls.rows, cls.columns, side) for side in range(cls.num_actions)]
        others = [[set(box) - {side} or {side} for box in boxes] for side, boxes in enumerate(around)]
        cls.others = np.array([[words_of(box, cls.words) for box in boxes] for boxes in others], np.int64)
        """[side, 0 or 1, word]: the other sides of the boxes next to a side, or the side itself for a box
        beyond the edge, which is thus never complete."""

    def setup(self):
        self.free[:] = self.start

    def legal_actions(self):
        for word in range(self.words):
            for place in each_bit(self.free[word]):
                yield BITS * word + place

    def sample_action(self, random):
        total = 0
        for word in range(self.words):
            total += count_bits(self.free[word])
        number = random.below(total)
        word = before = 0
        while number >= before + count_bits(self.free[word]):
            before += count_bits(self.free[word])
            word += 1
        return BITS * word + nth_bit(self.free[word], number - before)

    def apply_action(self, action):
        gained = self.completes(action, 0) + self.completes(action, 1)
        self.free[action // BITS] ^= 1 << action % BITS
        if gained == 0:
            self.mover = 1 - self.mover
        elif self.mover == 0:
            self.lead += gained
        else:
            self.lead -= gained

    def completes(self, side, which):
        """Return 1 if a side is the last of one of the boxes next to it, else 0."""
        missing = 0
        for word in range(self.words):
            missing |= self.free[word] & self.others[side, which, word]
        return 1 if missing == 0 else 0

    def is_terminal(self):
        left = 0
        for word in range(self.words):
            left |= self.free[word]
        return left == 0

    def returns(self):
        return by_lead(self.lead, self.margin)

    def net_inputs(self, player):
        yield self.rows * self.columns + (self.lead if player == 0 else -self.lead)

    def symmetry(self, k):
        move_bits(self.free, self.ways[k], BITS)

    # --- names and pictures ---------------------------------------------------------------------------

    def board_cells(self, out):
        out[::2, ::2, 1] = DOT
        for side in range(self.num_actions):
            if not self.free[side // BITS] >> side % BITS & 1:
                for square in self.action_squares(side):
                    place_piece(out, square, -1, FLAT if side < self.across else UPRIGHT)
        for row in range(1, self.height, 2):
            for column in range(1, self.width, 2):
                across = out[row - 1, column, 1] and out[row + 1, column, 1]
                down = out[row, column - 1, 1] and out[row, column + 1, 1]
                out[row, column, 1] = BOX if across and down else NO_CELL

    def action_squares(self, action):
        side = action - self.across
        if side < 0:
            yield 2 * (action // self.columns * self.width + action % self.columns) + 1
        else:
            yield (2 * (side // (self.columns + 1)) + 1) * self.width + 2 * (side % (self.columns + 1))

    def board_caption(self):
        taken = (cells_of(self)[:, :, 1] == BOX).sum()
        return f"player 0: {(taken + self.lead) // 2}, player 1: {(taken - self.lead) // 2}"
