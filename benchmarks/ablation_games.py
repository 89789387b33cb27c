"""The games of `ablation.py`. Three of them have an `evaluate`, which no game in the package has.

Their rules are those of the package. The evaluations took a few minutes to write, and are not tuned.
"""

import math

import numpy as np

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.mnk import MNK
from branchwise.games.sudo_tic_tac_toe import SudoTicTacToe
from branchwise.games.tic_tac_toe import LINES
from branchwise.games.ultimate_tic_tac_toe import UltimateTicTacToe

WORTH = np.array([0.0, 0.02, 0.06, 0.25, 1.0])
"""Value of a window of four cells, by the number of a player's marks, if it has none of the opponent's."""

BOARD_WORTH = np.array([0.0, 0.15, 0.45, 1.0])
"""Value of a line of three local boards, by the number that a player has won, if none of them is lost."""

BIG_LINES = np.array(LINES)


def _windows(rows: int, columns: int) -> np.ndarray:
    """Return all windows of four cells in a line, as bits of Connect Four's board."""
    found = []
    for column in range(columns):
        for row in range(rows):
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if column + 3 * right < columns and 0 <= row + 3 * up < rows:
                    cells = [(column + i * right) * (rows + 1) + row + i * up for i in range(4)]
                    found.append(sum(1 << cell for cell in cells))
    return np.array(found, np.int64)


WINDOWS = _windows(ConnectFour.rows, ConnectFour.columns)


def bits(word):
    """Return the number of bits that are set, for small sets."""
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count


class WeighedConnectFour(ConnectFour):
    """Connect Four on 7x6; unfinished games are valued by the lines that are still open and their discs."""

    name = "connect_four"

    def evaluate(self):
        mine, theirs = self.mine, self.mine ^ self.taken
        total = 0.0
        for window in WINDOWS:
            if not theirs & window:
                total += WORTH[bits(mine & window)]
            elif not mine & window:
                total -= WORTH[bits(theirs & window)]
        value = math.tanh(total)
        return (value, -value) if self.mover == 0 else (-value, value)


class WeighedMNK(MNK):
    """Four in a row on 7x7; unfinished games are valued by the lines that are still open and their marks."""

    name = "mnk"
    rows = 7
    columns = 7

    def evaluate(self):
        total = 0.0
        for row in range(self.rows):
            for column in range(self.columns):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    total += self.window(row, column, down, right)
        value = math.tanh(total)
        return (value, -value)

    def window(self, row, column, down, right):
        """Return the value for the first player of four cells in a line, starting with this one."""
        last_row, last_column = row + 3 * down, column + 3 * right
        if last_row >= self.rows or not 0 <= last_column < self.columns:
            return 0.0
        first, second = 0, 0
        for i in range(4):
            mark = self.board[row + i * down, column + i * right]
            if mark == 1:
                first += 1
            elif mark == 2:
                second += 1
        if second == 0:
            return WORTH[first]
        return -WORTH[second] if first == 0 else 0.0


class WeighedUltimate(UltimateTicTacToe):
    """Ultimate tic-tac-toe; unfinished games are valued by the lines of local boards that are still open."""

    name = "ultimate_tic_tac_toe"

    def evaluate(self):
        first, second = self.boards_won[0], self.boards_won[1]
        full = 0
        for board in range(9):
            if self.empty[board] == 0:
                full |= 1 << board
        drawn = full & ~(first | second)
        total = 0.05 * (bits(first) - bits(second))
        for line in BIG_LINES:
            if not line & (second | drawn):
                total += BOARD_WORTH[bits(first & line)]
            if not line & (first | drawn):
                total -= BOARD_WORTH[bits(second & line)]
        value = math.tanh(total)
        return (value, -value)


GAMES: dict[str, type[bw.Game]] = {
    "connect_four": WeighedConnectFour,
    "mnk": WeighedMNK,
    "ultimate_tic_tac_toe": WeighedUltimate,
    "sudo_tic_tac_toe": SudoTicTacToe,
    "mnk_3x3_3": MNK.configured(rows=3, columns=3, in_a_row=3),
    "mnk_5x5_4": MNK.configured(rows=5, columns=5, in_a_row=4),
    "mnk_9x9_5": MNK.configured(rows=9, columns=9, in_a_row=5),
}
