"""Connect Four: drop discs into columns; the first player with four in a line wins.

The discs are two sets of bits, one per player. The cell in column c and row r, counted from the bottom, is
bit c * (rows + 1) + r; the bit above each column stays empty, so that lines never cross an edge. On
7x6 the first player wins by starting in the centre (Allis 1988; Allen 1988).
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.drawing.grid import column_names
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.boards import by_player
from branchwise.games.symmetries import UPRIGHT, moved_bits, symmetries_of


class ConnectFour(TwoPlayers, Game):
    """Action a drops a disc into column a. Boards of up to 63 bits: columns * (rows + 1) <= 63.

    A move is written as the cell where the disc lands, "d1"; the column alone, "d", works too.
    """

    rows = 6
    columns = 7
    in_a_row = 4
    sides_alike = True

    board_style = BoardStyle("discs", colours=("red", "yellow"), players=("Red", "Yellow"))
    playout = "game"  # 0.4 times as many simulations per second as "uniform", but far stronger at equal time

    mine: np.int64 = 0
    """Discs of the player to move."""
    taken: np.int64 = 0
    """Discs of both."""
    mover: np.int8 = 0
    won: bool = False
    """Whether the player who moved last has a line."""

    @classmethod
    def configure(cls):
        if min(cls.rows, cls.columns) < 1 or cls.columns * (cls.rows + 1) > 63:
            raise GameError(
                f"connect_four cannot be {cls.rows} rows by {cls.columns} columns",
                mend="columns * (rows + 1) must be at most 63; mnk(gravity=True) has larger boards",
            )
        if not 2 <= cls.in_a_row <= cls.columns:
            raise GameError(
                f"connect_four(in_a_row={cls.in_a_row}) does not fit {cls.columns} columns",
                mend=f"in_a_row must be from 2 to {cls.columns}, so that a line fits across",
            )
        cls.num_actions = cls.columns
        cls.max_game_length = cls.rows * cls.columns
        cls.ways = symmetries_of(
            [(c, r) for c in range(cls.columns) for r in range(cls.rows + 1)], kept=UPRIGHT
        )
        cls.symmetries = len(cls.ways)
        cls.lowest = sum(1 << c * (cls.rows + 1) for c in range(cls.columns))
        cls.full = sum(1 << (c * (cls.rows + 1) + r) for c in range(cls.columns) for r in range(cls.rows))

    def legal_actions(self):
        taken = self.taken
        for column in range(self.columns):
            if taken >> (column * (self.rows + 1) + self.rows - 1) & 1:
                continue  # columns are rarely full, so processors predict this branch
            yield column

    def is_legal(self, action):
        return not self.taken >> (action * (self.rows + 1) + self.rows - 1) & 1

    def apply_action(self, action):
        theirs = self.mine ^ self.taken
        self.taken |= self.taken + (1 << action * (self.rows + 1))
        self.won = self.has_line(self.taken ^ theirs)
        self.mine = theirs
        self.mover = 1 - self.mover

    def has_line(self, discs):
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            line, length = discs, 1  # a bit of `line` stands for `length` discs in a row
            while length < self.in_a_row:
                more = min(length, self.in_a_row - length)
                line &= line >> (more * step)
                length += more
            if line:
                return True
        return False

    def is_terminal(self):
        return self.won or self.taken == self.full

    def returns(self):
        return won_by(1 - self.mover if self.won else -1)

    def playout_action(self, random):
        """Return a move that wins at once, else one that prevents the opponent's win, else a random one."""
        height = self.rows + 1
        landing = (self.taken + self.lowest) & self.full
        theirs = self.completing(self.mine ^ self.taken) & self.full
        choice = landing & self.completing(self.mine)
        if not choice:
            choice = landing & theirs
        if not choice:
            choice = landing & ~(theirs >> 1)  # does not give them a winning cell
        if not choice:
            choice = landing
        for _ in range(random.below(choice.bit_count())):
            choice &= choice - 1
        return ((choice & -choice).bit_length() - 1) // height

    def completing(self, discs):
        """Return the cells that complete a line of `discs`; some may be taken or off the board."""
        cells = 0
        for step in (1, self.rows, self.rows + 1, self.rows + 2):
            for below in range(self.in_a_row):
                line = -1
                for i in range(1, below + 1):
                    line &= discs << i * step
                for i in range(1, self.in_a_row - below):
                    line &= discs >> i * step
                cells |= line
        return cells

    def symmetry(self, k):
        self.mine = moved_bits(self.mine, self.ways[k])
        self.taken = moved_bits(self.taken, self.ways[k])

    def symmetry_action(self, k, action):
        return self.columns - 1 - action if k else action

    def action_from_string(self, text):
        for action in self.legal_actions():
            if text.strip().lower() == column_names(self.columns)[action]:
                return action
        return super().action_from_string(text)

    def board_cells(self, out):
        discs = by_player(self.mover, self.mine, self.mine ^ self.taken)
        for player in range(2):
            for column in range(self.columns):
                for row in range(self.rows):
                    if discs[player] >> (column * (self.rows + 1) + self.rows - 1 - row) & 1:
                        out[row, column, 0] = player
                        out[row, column, 1] = 1

    def action_squares(self, action):
        column = self.taken >> action * (self.rows + 1) & (1 << self.rows) - 1
        yield (self.rows - 1 - column.bit_count()) * self.columns + action
