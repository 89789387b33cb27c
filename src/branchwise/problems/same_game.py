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
from branchwise.games.bits import each_bit
from branchwise.render.grid import Cell, board_grid, column_names

EMPTY = 0
NO_GROUP = -1
BONUS = 1000.0
_SYMBOLS = ".ABCDEFGHI"
_SELDOM, _PAIR = 1e-6, 0.1
"""Relative probabilities of removing a large group of the most frequent colour, and a pair."""
_LAST = 1e15
"""Puts a colour behind all others in playouts; more than any number by which groups are ordered there."""
_ONE = np.uint64(1)


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
    origin: Array[np.int16, "num_actions"] = 0
    """The cell in which each coloured cell was at the start."""
    group: Array[np.int16, "num_actions"] = NO_GROUP
    """The first cell of each cell's group."""
    size: Array[np.int16, "num_actions"] = 0
    """Number of cells in the group, at its first cell."""
    shape_code: Array[np.int64, "num_actions"] = 0
    """Code of the group's cells where they were at the start, at its first cell."""
    removable: Array[np.uint64, "words"] = 0
    """The first cells of groups of at least two cells, a set of bits."""
    frequent: np.int8 = 0
    """The most frequent colour at the start."""
    left: Array[np.int16, "colours"] = 0
    """Number of cells of each colour."""
    waiting: Array[np.int16, "room"] = 0
    """Cells in turn while groups are found; 0 between moves."""

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
        cls.words = (cls.num_actions + 63) // 64
        cls.room = 2 * cls.num_actions
        source = np.random.default_rng(2008)
        cls.stamps = source.integers(0, 2**62, cls.num_actions)

    def setup(self):
        self.cells[:] = self.start
        self.origin[:] = np.arange(self.num_actions)
        self.left[:] = np.bincount(self.start, minlength=self.colours + 1)[1:]
        self.frequent = np.argmax(self.left) + 1
        self.find_groups(0)

    def current_player(self):
        return 0

    def legal_actions(self):
        for word in range(self.words):
            for cell in each_bit(self.removable[word]):
                yield 64 * word + cell

    def is_legal(self, action):
        return self.removable[action // 64] >> np.uint64(action % 64) & _ONE != 0

    def is_terminal(self):
        return not self.removable.any()

    def apply_action(self, action):
        """Remove a group. Only groups of which a cell moves, or which it then touches, are found anew."""
        removed = self.size[action]
        self.left[self.cells[action] - 1] -= removed
        loose = self.dissolve(action, 0)
        for place in range(removed):
            self.cells[self.waiting[place]] = EMPTY
        last = action // self.rows
        for place in range(removed):
            cell = self.waiting[place]
            last = max(last, cell // self.rows)
            cell += 1
            while cell % self.rows > 0 and self.cells[cell] != EMPTY:
                loose = self.dissolve(cell, loose)
                cell += 1
        cleared = self.num_actions
        for column in range(last, action // self.rows - 1, -1):
            self.let_fall(column * self.rows)
            if self.cells[column * self.rows] == EMPTY:
                cleared = column * self.rows
        for cell in range(cleared, self.num_actions):
            if self.cells[cell] != EMPTY:
                loose = self.dissolve(cell, loose)
        self.close_up(cleared)
        for place in range(loose):
            self.find_group(self.waiting[place], loose)
            self.waiting[place] = 0
        self.find_groups(cleared)
        bonus = BONUS if self.cells[0] == EMPTY else 0.0
        return (removed - 2.0) ** 2 + bonus

    def let_fall(self, start):
        """Let the cells of the column that begins at a cell fall down."""
        kept = start
        for cell in range(start, start + self.rows):
            if self.cells[cell] != EMPTY:
                if kept < cell:
                    self.move(cell, kept)
                kept += 1

    def move(self, cell, target):
        self.cells[target] = self.cells[cell]
        self.origin[target] = self.origin[cell]
        self.cells[cell] = EMPTY

    def close_up(self, start):
        """Move columns to the left over empty ones; none is empty before the one that begins at a cell."""
        kept = start
        for column in range(start, self.num_actions, self.rows):
            if self.cells[column] != EMPTY:
                for row in range(self.rows):
                    self.move(column + row, kept + row)
                kept += self.rows

    # --- groups ---------------------------------------------------------------------------------------

    def find_groups(self, start):
        """Find the groups of all cells from one on that are in none."""
        for cell in range(start, self.num_actions):
            self.find_group(cell, 0)

    def find_group(self, cell, begin):
        """Find the group of a cell if it is in none; cells wait in turn from place `begin` on."""
        colour = self.cells[cell]
        if colour == EMPTY or self.group[cell] != NO_GROUP:
            return
        end = self.enter(cell, cell, begin)
        first, code = cell, 0
        place = begin
        while place < end:
            member = self.waiting[place]
            first = min(first, member)
            code ^= self.stamps[self.origin[member]]
            row = member % self.rows
            if row > 0:
                end = self.reach(member - 1, colour, cell, end)
            if row < self.rows - 1:
                end = self.reach(member + 1, colour, cell, end)
            if member >= self.rows:
                end = self.reach(member - self.rows, colour, cell, end)
            if member + self.rows < self.num_actions:
                end = self.reach(member + self.rows, colour, cell, end)
            place += 1
        for place in range(begin, end):
            self.group[self.waiting[place]] = first
            self.waiting[place] = 0
        self.size[first] = end - begin
        self.shape_code[first] = code
        if end - begin >= 2:
            self.removable[first // 64] |= _ONE << np.uint64(first % 64)

    def reach(self, cell, colour, group, end):
        """Let a cell wait for its neighbours if it is of the group's colour; its own group, if any, joins."""
        if self.cells[cell] == colour and self.group[cell] != group:
            if self.group[cell] != NO_GROUP:
                self.forget(self.group[cell])
            return self.enter(cell, group, end)
        return end

    def enter(self, cell, group, end):
        self.group[cell] = group
        self.waiting[end] = cell
        return end + 1

    def dissolve(self, cell, begin):
        """Take all cells of a cell's group out of it, if it is in one; they wait from place `begin` on."""
        group = self.group[cell]
        if group == NO_GROUP:
            return begin
        end = begin + self.size[group]
        self.forget(group)
        known = self.enter(cell, NO_GROUP, begin)
        place = begin
        while known < end:
            member = self.waiting[place]
            row = member % self.rows
            if row > 0 and self.group[member - 1] == group:
                known = self.enter(member - 1, NO_GROUP, known)
            if row < self.rows - 1 and self.group[member + 1] == group:
                known = self.enter(member + 1, NO_GROUP, known)
            if member >= self.rows and self.group[member - self.rows] == group:
                known = self.enter(member - self.rows, NO_GROUP, known)
            if member + self.rows < self.num_actions and self.group[member + self.rows] == group:
                known = self.enter(member + self.rows, NO_GROUP, known)
            place += 1
        return end

    def forget(self, group):
        self.size[group] = 0
        self.shape_code[group] = 0
        self.removable[group // 64] &= ~(_ONE << np.uint64(group % 64))

    # --- what searches may know -----------------------------------------------------------------------

    def action_code(self, action):
        """Groups of the same cells are alike, wherever they have fallen by then."""
        return self.shape_code[action]

    def prior(self, action):
        """Keep the most frequent colour for one large group at the end; of it, only pairs are removed."""
        if self.cells[action] == self.frequent:
            return _PAIR if self.size[action] == 2 else _SELDOM
        return 1.0

    def playout_action(self, random):
        """Return a random group. Small groups of rare colours are likelier; the most frequent colour is last.

        Groups are ordered by random numbers between 0 and (size of the group * cells of its colour) ** 2.
        """
        kept = np.argmax(self.left) + 1
        chosen, least = -1, np.inf
        for word in range(self.words):
            for bit in each_bit(self.removable[word]):
                cell = 64 * word + bit
                colour = self.cells[cell]
                weight = np.float64(self.size[cell]) * self.left[colour - 1]
                place = random.uniform() * weight * weight
                if colour == kept:
                    place += _LAST
                if place < least:
                    chosen, least = cell, place
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
