"""Peg solitaire: a peg jumps over its neighbour, which is removed; one peg should be left.

Boards and what can be solved on them: Beasley, "The Ins and Outs of Peg Solitaire", 1985.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.drawing.grid import cell_name
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_name

BOARDS = {
    "english": (
        "  OOO  ",
        "  OOO  ",
        "OOOOOOO",
        "OOO.OOO",
        "OOOOOOO",
        "  OOO  ",
        "  OOO  ",
    ),
    "european": (
        "  .OO  ",
        " OOOOO ",
        "OOOOOOO",
        "OOOOOOO",
        "OOOOOOO",
        " OOOOO ",
        "  OOO  ",
    ),
}
"""O is a peg, and a dot the hole at the start, from where one peg can be left."""
SIDE = 7
NOTHING, HOLE, PEG = range(3)
_STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


class PegSolitaire(OnePlayer, Game):
    """Action 4 * cell + direction jumps from a cell up, right, down or left. Each peg removed pays 1.

    Cells are numbered by row from the top. A peg jumps over a neighbour into the hole behind it.

    >>> state = PegSolitaire.from_actions("d6-d4")
    >>> print(state)
    7      O O O
    6      O . O
    5  O O O . O O O
    4  O O O O O O O
    3  O O O O O O O
    2      O O O
    1      O O O
       a b c d e f g
    """

    board = "english"

    num_actions = 4 * SIDE * SIDE
    board_style = BoardStyle("squares", SIDE, SIDE, ((".",), (".", "O")))
    min_return = 0.0

    cells: Array[np.int8, 49] = NOTHING
    made: np.int8 = 0

    @classmethod
    def configure(cls):
        check_name(cls, "board", BOARDS)
        cls.start = np.array([" .O".index(place) for row in BOARDS[cls.board] for place in row], np.int8)
        cls.max_game_length = int((cls.start == PEG).sum()) - 1
        cls.max_return = float(cls.max_game_length)
        cls.targets = np.full(cls.num_actions, -1, np.int64)
        for action in range(cls.num_actions):
            row, column = divmod(action // 4, SIDE)
            down, right = _STEPS[action % 4]
            row, column = row + 2 * down, column + 2 * right
            if 0 <= row < SIDE and 0 <= column < SIDE:
                cls.targets[action] = SIDE * row + column

    def setup(self):
        self.cells[:] = self.start

    def can_jump(self, action):
        target = self.targets[action]
        if target < 0 or self.cells[target] != HOLE:
            return False
        cell = action // 4
        return self.cells[cell] == PEG and self.cells[(cell + target) // 2] == PEG

    def legal_actions(self):
        for action in range(self.num_actions):
            if self.can_jump(action):
                yield action

    def apply_action(self, action):
        cell, target = action // 4, self.targets[action]
        self.cells[cell] = HOLE
        self.cells[(cell + target) // 2] = HOLE
        self.cells[target] = PEG
        self.made += 1
        return 1.0

    def is_terminal(self):
        for action in range(self.num_actions):
            if self.can_jump(action):
                return False
        return True

    def action_code(self, action):
        return self.made * self.num_actions + action

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        cells = (action // 4, self.targets[action])
        return "-".join(cell_name(cell, SIDE, SIDE) for cell in cells)

    def board_cells(self, out):
        for cell in range(SIDE * SIDE):
            value = self.cells[cell]
            place_piece(out, cell, 0 if value == PEG else -1, value - HOLE)

    def action_squares(self, action):
        yield action // 4
        yield self.targets[action]
