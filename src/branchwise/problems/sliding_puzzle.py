"""Sliding puzzle: slide tiles into the gap until all numbers are in order.

The 8-puzzle has 181,440 solvable states, which need at most 31 moves; the 15-puzzle needs up to 80.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import ActionError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.option_checks import check_ranges

NAMES = ("up", "left", "down", "right")
DOWN = (1, 0, -1, 0)
RIGHT = (0, 1, 0, -1)
"""From the gap to the tile that slides into it."""


class SlidingPuzzle(OnePlayer, Game):
    """An action is the direction in which a tile slides: up, left, down, right. Each costs 1.

    At the goal the tiles are in order and the gap is last. At the start all solvable boards are equally
    likely.

    >>> state = SlidingPuzzle.from_board([1, 2, 3, 4, 0, 6, 7, 5, 8])
    >>> print(state)
    3  1 2 3
    2  4 . 6
    1  7 5 8
       a b c
    >>> state.heuristic()
    2
    >>> state.play("up"), state.play("left"), state.is_terminal()
    (0, 1, True)
    """

    rows = 3
    columns = 3

    num_actions = 4
    board_style = BoardStyle("tiles", symbols=(".",))
    max_return = 0.0

    board: Array[np.int8, "rows", "columns"] = 0
    """0 is the gap."""
    gap: np.int8 = 0
    """row * columns + column"""

    @classmethod
    def configure(cls):
        check_ranges(cls, rows=(2, 10), columns=(2, 10))
        cls.horizon = 3 * (cls.rows * cls.columns) ** 2 // 4
        cls.max_game_length = 10 * cls.horizon

    @classmethod
    def from_board(cls, tiles):
        """Return the state with these numbers, row by row; 0 is the gap."""
        numbers = [int(tile) for tile in tiles]
        if sorted(numbers) != list(range(cls.rows * cls.columns)):
            raise ActionError(
                f"{numbers} is no board of {cls.name}",
                mend=f"give each number from 0 to {cls.rows * cls.columns - 1} once, row by row",
            )
        state = cls(board=np.reshape(numbers, (cls.rows, cls.columns)), gap=numbers.index(0))
        if not state.can_be_solved():
            raise ActionError(f"{numbers} cannot be solved", mend="exchange two of the tiles")
        return state

    def setup(self, random):
        cells = self.rows * self.columns
        tiles = np.arange(cells)
        random.shuffle(tiles)
        for place in range(cells):
            self.board[place // self.columns, place % self.columns] = tiles[place]
            if tiles[place] == 0:
                self.gap = place
        if not self.can_be_solved():
            first = 0 if tiles[0] > 0 else 1
            second = cells - 1 if tiles[cells - 1] > 0 else cells - 2
            self.exchange(first, second)

    def can_be_solved(self):
        """Whether the tiles are an even number of exchanges away from their places.

        A slide exchanges the gap and a tile, so the gap's steps to its corner count as well.
        """
        cells = self.rows * self.columns
        odd = self.rows - 1 - self.gap // self.columns + self.columns - 1 - self.gap % self.columns
        for place in range(cells):
            mine = (self.tile(place) - 1) % cells
            for later in range(place + 1, cells):
                if (self.tile(later) - 1) % cells < mine:
                    odd += 1
        return odd % 2 == 0

    def tile(self, place):
        return self.board[place // self.columns, place % self.columns]

    def exchange(self, place, other):
        tile = self.tile(place)
        self.board[place // self.columns, place % self.columns] = self.tile(other)
        self.board[other // self.columns, other % self.columns] = tile

    def legal_actions(self):
        row, column = self.gap // self.columns, self.gap % self.columns
        for action in range(4):
            if 0 <= row + DOWN[action] < self.rows and 0 <= column + RIGHT[action] < self.columns:
                yield action

    def apply_action(self, action):
        row, column = self.gap // self.columns, self.gap % self.columns
        below, beside = row + DOWN[action], column + RIGHT[action]
        self.board[row, column] = self.board[below, beside]
        self.board[below, beside] = 0
        self.gap = below * self.columns + beside
        return -1.0

    def is_terminal(self):
        for place in range(self.rows * self.columns - 1):
            if self.board[place // self.columns, place % self.columns] != place + 1:
                return False
        return True

    def heuristic(self):
        """Return a lower bound of the moves left: the sum of the tiles' distances to their places."""
        moves = 0
        for row in range(self.rows):
            for column in range(self.columns):
                tile = self.board[row, column]
                if tile > 0:
                    moves += abs((tile - 1) // self.columns - row) + abs((tile - 1) % self.columns - column)
        return moves

    def evaluate(self):
        return (-1.0 * self.heuristic(),)

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return NAMES[action]

    def board_cells(self, out):
        out[:, :, 1] = self.board

    def action_squares(self, action):
        yield self.gap + DOWN[action] * self.columns + RIGHT[action]
