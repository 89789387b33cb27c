"""SameGame: remove groups of one colour from a board; large groups pay most, and an empty board a bonus.

Scores as in Schadd, Winands, van den Herik, Chaslot, Uiterwijk, "Single-player Monte-Carlo tree search",
2008, without their deduction for what remains.
"""

from pathlib import Path

import numpy as np

from branchwise.draws import Random
from branchwise.errors import GameError
from branchwise.fields import Array
from branchwise.game import Game
from branchwise.render.grid import Cell, board_grid, column_names

EMPTY = 0
BONUS = 1000.0
_SYMBOLS = ".ABCDEFGHI"
_SELDOM = 1e-6


def _at_random(cls):
    """Return a generated board: each cell has a random colour."""
    random = Random(cls.board)
    return np.array([1 + random.below(cls.colours) for _ in range(cls.num_actions)], np.int8)


def _from_file(cls):
    """Return a board from a file; its rows go from top to bottom, as lines of digits or of numbers."""
    where = f"same_game(file={cls.file!r})"
    try:
        text = Path(cls.file).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise GameError(f"{where} cannot be read: {error}") from error
    lines = [line.replace(",", " ").split() for line in text.splitlines()]
    rows = [list(words[0]) if len(words) == 1 else words for words in lines if words]
    first = (cls.board - 1) * cls.rows
    board = rows[first : first + cls.rows]
    if len(board) < cls.rows:
        raise GameError(
            f"{where} has {len(rows)} rows, so there is no board {cls.board} of {cls.rows} rows in it",
            mend="boards are numbered from 1; give rows= and columns= if they have another size",
        )
    for number, row in enumerate(board, start=first + 1):
        if len(row) != cls.columns or not all(word.isdecimal() for word in row):
            raise GameError(
                f"{where}: row {number} is {' '.join(row)!r}, not {cls.columns} colours",
                mend="write a number for each cell",
            )
    colours = np.array(board, np.int64)[::-1].T.reshape(-1)
    colours -= colours.min() - 1  # files number colours from 0 or from 1
    if colours.max() > cls.colours:
        raise GameError(f"{where} has {colours.max()} colours, not {cls.colours}", mend="give colours=")
    return colours.astype(np.int8)


class SameGame(Game):
    """Action n removes the group of cell n: all cells of its colour that are connected with it.

    A group of n cells, at least two, pays (n - 2) ** 2, and an empty board 1,000. The cells above fall down,
    and columns to the right of an empty one move to the left. Cells are numbered from the bottom of the left
    column upwards, and a group by its first cell.

    `board` is the number of a generated random board; with `file`, of a board in a text file, which contains
    boards one after another, a line of colours for each row.

    >>> state = SameGame.configured(rows=3, columns=3, colours=2, board=4)()
    >>> print(state)
    3  B B A
    2  A A B
    1  B B A
       a b c
    >>> _ = state.play("a2")
    >>> print(state)
    3  . . A
    2  B B B
    1  B B A
       a b c
    """

    rows = 15
    columns = 15
    colours = 5
    board = 1
    file = ""

    num_players = 1
    min_return = 0.0

    cells: Array[np.int8, "num_actions"] = EMPTY
    """Colours, column by column from the bottom."""
    group: Array[np.int16, "num_actions"] = 0
    """The first cell of each cell's group."""
    size: Array[np.int16, "num_actions"] = 0
    """Number of cells in the group, at its first cell."""
    shape_code: Array[np.int64, "num_actions"] = 0
    """Code of the group's colour and cells, at its first cell."""
    frequent: np.int8 = 0
    """The most frequent colour at the start."""

    @classmethod
    def configure(cls):
        for name, low, high in (("rows", 1, 50), ("columns", 1, 50), ("colours", 1, 9)):
            if not low <= getattr(cls, name) <= high:
                raise GameError(f"same_game({name}={getattr(cls, name)}) is not from {low} to {high}")
        cls.num_actions = cls.rows * cls.columns
        cls.max_game_length = cls.num_actions // 2 + 1
        if cls.board < 1:
            raise GameError(f"same_game(board={cls.board}): boards are numbered from 1")
        cls.start = _from_file(cls) if cls.file else _at_random(cls)
        cls.max_return = BONUS + float(cls.num_actions**2)
        source = np.random.default_rng(2008)
        cls.stamps = source.integers(0, 2**62, (cls.num_actions, 10))

    def setup(self):
        self.cells[:] = self.start
        self.frequent = np.argmax(np.bincount(self.start)[1:]) + 1
        self.find_groups()

    def find_groups(self):
        """Find the groups: a cell connected with an earlier one joins its group."""
        for cell in range(self.num_actions):
            colour = self.cells[cell]
            self.size[cell] = 0
            self.shape_code[cell] = 0
            self.group[cell] = cell
            if colour != EMPTY:
                if cell % self.rows > 0 and self.cells[cell - 1] == colour:
                    self.join(cell, cell - 1)
                if cell >= self.rows and self.cells[cell - self.rows] == colour:
                    self.join(cell, cell - self.rows)
        for cell in range(self.num_actions):
            if self.cells[cell] != EMPTY:
                first = self.group[self.group[cell]]  # those before are resolved
                self.group[cell] = first
                self.size[first] += 1
                self.shape_code[first] ^= self.stamps[cell, self.cells[cell]]

    def join(self, one, other):
        while self.group[one] != one:
            one = self.group[one]
        while self.group[other] != other:
            other = self.group[other]
        self.group[max(one, other)] = min(one, other)

    def current_player(self):
        return 0

    def legal_actions(self):
        for cell in range(self.num_actions):
            if self.size[cell] >= 2:
                yield cell

    def apply_action(self, action):
        removed = self.size[action]
        kept = 0
        column = 0
        for start in range(0, self.num_actions, self.rows):
            kept = column * self.rows
            for cell in range(start, start + self.rows):
                if self.cells[cell] == EMPTY:
                    break
                if self.group[cell] != action:
                    self.cells[kept] = self.cells[cell]
                    kept += 1
            if kept > column * self.rows:
                column += 1
                while kept < column * self.rows:
                    self.cells[kept] = EMPTY
                    kept += 1
        for cell in range(column * self.rows, self.num_actions):
            self.cells[cell] = EMPTY
        self.find_groups()
        bonus = BONUS if self.cells[0] == EMPTY else 0.0
        return (removed - 2.0) ** 2 + bonus

    def is_terminal(self):
        for cell in range(self.num_actions):
            if self.size[cell] >= 2:
                return False
        return True

    def action_code(self, action):
        return self.shape_code[action]

    def prior(self, action):
        """Keep the most frequent colour for one large group at the end; of it, only pairs are removed."""
        if self.cells[action] == self.frequent and self.size[action] > 2:
            return _SELDOM
        return 1.0

    def playout_action(self, random):
        """Return a random group, of the most frequent colour only if there is no other."""
        chosen, others = -1, 0
        for cell in range(self.num_actions):
            if self.size[cell] >= 2:
                if chosen == -1:
                    chosen = cell
                if self.cells[cell] != self.frequent:
                    others += 1
                    if random.below(others) == 0:
                        chosen = cell
        return chosen

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return f"{column_names(self.columns)[action // self.rows]}{action % self.rows + 1}"

    def to_grid(self):
        def cell(row, column):
            place = column * self.rows + self.rows - 1 - row
            first = int(self.group[place])
            colour = int(self.cells[place])
            action = first if colour != EMPTY and self.size[first] >= 2 else None
            owner = None if colour == EMPTY else (colour - 1) % 4
            return Cell(_SYMBOLS[colour], owner=owner, action=action)

        return board_grid(self.rows, self.columns, cell)
