"""The Game of the Amazons: move a queen, then let it shoot an arrow that blocks a square for good.

Queens and arrows move as chess queens do, over empty squares only. A player who cannot move a queen loses.
Invented by Walter Zamkauskas, 1988. A turn has three actions, as in OpenSpiel: the queen, its new square, and
the square of the arrow.
"""

import math

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers
from branchwise.games.bits import count_bits, each_bit, nth_bit
from branchwise.games.boards import WHITE_FIRST, place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import MovesCells, move_cells, rectangle, symmetries_of

QUEEN, TARGET, ARROW = 0, 1, 2
ARROW_MARK = 3
ALL_QUEENS = 0b1111
OVER = 0xFFFF
SMALLEST, LARGEST = 4, 15


class Amazons(MovesCells, TwoPlayers, Game):
    """Action row * size + column names a square; row 0 is on top.

    A turn is written as three squares: "d1 d7 g7" moves the queen on d1 to d7 and shoots at g7.

    >>> state = Amazons.from_actions("d1 d7 g7")
    >>> state.current_player(), state.phase == QUEEN
    (1, True)
    """

    size = 10
    sides_alike = True

    symbols = ".WB"
    board_style = BoardStyle("squares", symbols=(".?#", ".W", ".B"), **WHITE_FIRST)

    board: Array[np.int8, "squares"] = 0
    """[square]: 0 for empty, p + 1 for a queen of player p, 3 for an arrow."""
    queens: Array[np.uint16, 2, 4] = 0
    """[player]: squares of the player's queens."""
    taken: Array[np.int32, 4, "diagonals"] = 0
    """[direction, line]: bit p + 1 is set unless place p of the line is empty. The walls are set, too.

    Directions 0 to 3 are along rows, columns, and diagonals that rise or fall to the right. A place on a
    column is numbered by its row, and on all others by its column. Row r is line r + 1, between lines of
    walls. The queen that is to move or to shoot is lifted: its square counts as empty, which does not change
    where it can go.
    """
    phase: np.int8 = QUEEN
    chosen: np.uint16 = 0
    """The queen that is to move or to shoot; OVER at the end."""
    mover: np.uint8 = 0
    mobile: np.uint8 = 0
    """Queens of the player to move that can move, as bits by their number, if a queen is to be chosen."""

    @classmethod
    def configure(cls):
        check_ranges(cls, size=(SMALLEST, LARGEST))
        size = cls.size
        cls.squares = cls.num_actions = size**2
        cls.ways = symmetries_of(rectangle(size, size))
        cls.num_net_inputs = 2 * size**2
        cls.symmetries = len(cls.ways)
        cls.max_game_length = 3 * (size**2 - 8)
        cls.diagonals = 2 * size - 1
        targets = np.zeros((size**2, 4 * size), np.int16)  # [square, size * direction + place]
        for square in range(size**2):
            row, column = divmod(square, size)
            for place in range(size):
                along = place - column  # the way to a place on a line, in columns
                ways = (along, size * (place - row), along * (1 - size), along * (1 + size))
                for direction, way in enumerate(ways):
                    targets[square, size * direction + place] = square + way
        cls.targets = targets

    def setup(self):
        size, third = self.size, (self.size - 1) // 3
        self.taken[:] = -1
        for square in range(size**2):
            self.toggle(square)
        last = size - 1
        white = ((last - third, 0), (last, third), (last, last - third), (last - third, last))
        for player in range(2):
            for number, (row, column) in enumerate(white):
                square = (last - row if player else row) * size + column
                self.queens[player, number] = square
                self.board[square] = player + 1
                self.toggle(square)
        self.mobile = self.mobile_queens()

    def toggle(self, square):
        """Note on all lines of a square that it is no longer empty, or is empty again."""
        row, column = int(square) // self.size, int(square) % self.size
        across, down = 2 << column, 2 << row
        self.taken[0, row + 1] ^= across
        self.taken[1, column] ^= down
        self.taken[2, row + column] ^= across
        self.taken[3, row - column + self.size - 1] ^= across

    def reach(self, square):
        """Return where a queen on this square can go, as bits whose squares are `targets[square]`."""
        row, column = int(square) // self.size, int(square) % self.size
        across, down = 2 << column, 2 << row
        return (
            self.free_around(across, self.taken[0, row + 1])
            | self.free_around(down, self.taken[1, column]) << self.size
            | self.free_around(across, self.taken[2, row + column]) << 2 * self.size
            | self.free_around(across, self.taken[3, row - column + self.size - 1]) << 3 * self.size
        )

    def free_around(self, here, taken):
        """Return the empty places of a line on both sides of a place, whose bit is `here`, from place 0."""
        above, below = int(taken) & -2 * here, int(taken) & here - 1
        return (above & -above) - here - (1 << below.bit_length()) >> 1

    def mobile_queens(self):
        """Return which queens of the player to move are next to an empty square, as bits by their number."""
        mobile = 0
        for number in range(4):
            square = int(self.queens[self.mover, number])
            row, column = square // self.size, square % self.size
            rows = self.taken[0, row] & self.taken[0, row + 1] & self.taken[0, row + 2]
            mobile |= (rows >> column & 0b111 != 0b111) << number
        return mobile

    def legal_actions(self):
        if self.phase == QUEEN:
            for queen in each_bit(self.mobile):
                yield self.queens[self.mover, queen]
        else:
            for place in each_bit(self.reach(self.chosen)):
                yield self.targets[self.chosen, place]

    def sample_action(self, random):
        if self.phase == QUEEN:
            if self.mobile == ALL_QUEENS:  # known in advance as a rule, so the processor need not wait
                return self.queens[self.mover, random.below(4)]
            return self.queens[self.mover, nth_bit(self.mobile, random.below(count_bits(self.mobile)))]
        places = self.reach(self.chosen)
        return self.targets[self.chosen, nth_bit(places, random.below(count_bits(places)))]

    def apply_action(self, action):
        if self.phase == QUEEN:
            self.toggle(action)
            self.phase = TARGET
            self.chosen = action
        elif self.phase == TARGET:
            for number in range(4):
                square = self.queens[self.mover, number]
                self.queens[self.mover, number] = action if square == self.chosen else square
            self.board[self.chosen] = 0
            self.board[action] = self.mover + 1
            self.phase = ARROW
            self.chosen = action
        else:
            self.toggle(self.chosen)
            self.board[action] = ARROW_MARK
            self.toggle(action)
            self.phase = QUEEN
            self.mover = 1 - self.mover
            self.mobile = self.mobile_queens()
            self.chosen = 0 if self.mobile else OVER

    def is_terminal(self):
        return self.chosen == OVER

    def evaluate(self):
        """Return an estimate from mobility: how many moves the queens of each player have.

        It is for minimax and for searches that ask for it: in 20 ms a move, playouts cut off after nine
        actions (`cutoff=9`) won 8 of 30 games against playouts to the end (14 to 45 %).
        """
        is_lifted = self.phase != QUEEN
        if is_lifted:
            self.toggle(self.chosen)
        lead = self.mobility(0) - self.mobility(1)
        if is_lifted:
            self.toggle(self.chosen)
        value = math.tanh(0.05 * lead)
        return (value, -value)

    def mobility(self, player):
        moves = 0
        for number in range(4):
            moves += self.reach(self.queens[player, number]).bit_count()
        return moves

    def net_inputs(self, player):
        if self.phase != QUEEN:
            yield (self.phase - TARGET) * self.squares + self.chosen

    def symmetry(self, k):
        way = self.ways[k]
        move_cells(self.board, way)
        for player in range(2):
            for number in range(4):
                self.queens[player, number] = way[self.queens[player, number]]
        if self.phase != QUEEN:
            self.chosen = way[self.chosen]
        self.taken[:] = -1
        for square in range(self.squares):
            if self.board[square] == 0 or (self.phase != QUEEN and square == self.chosen):
                self.toggle(square)

    def board_cells(self, out):
        for square in range(self.squares):
            if self.board[square] == ARROW_MARK:
                place_piece(out, square, -1, 2)
            elif self.board[square]:
                place_piece(out, square, self.board[square] - 1)
