"""SameGame: remove groups of one colour from a board; large groups pay most, and an empty board a bonus.

Scores as in Schadd, Winands, van den Herik, Chaslot, Uiterwijk, "Single-player Monte-Carlo tree search",
2008, without their deduction for what remains.
"""

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.game.kinds.fields import Array
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.games.bases import OnePlayer
from branchwise.games.bits import count_bits, each_bit, lowest_bit
from branchwise.games.option_checks import check_ranges, read_text

BONUS = 1000.0
_SELDOM, _PAIR = 1e-6, 0.1
"""Relative probabilities of removing a large group of the colour to keep, and a pair."""
_LAST = 1e15
"""Puts a colour behind all others in playouts; more than any number by which colours are ordered there."""
_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFFFFFFFFFF)


def _at_random(cls):
    """Return a generated board: each cell has a random colour."""
    random = Random(cls.board)
    return np.array([1 + random.below(cls.colours) for _ in range(cls.num_actions)], np.int8)


def _from_file(cls):
    """Return a board from a file; its rows go from top to bottom, as lines of digits or of numbers."""
    where = f"same_game(file={cls.file!r})"
    lines = [line.replace(",", " ").split() for line in read_text(cls.file, where).splitlines()]
    rows = [list(words[0]) if len(words) == 1 else words for words in lines if words]
    first = (cls.board - 1) * cls.rows
    board = rows[first : first + cls.rows]
    if len(board) < cls.rows:
        raise GameError(
            f"{where} has {len(rows)} rows, so there is no board {cls.board} of {cls.rows} rows in it",
            mend="boards are numbered from 1; give rows= and columns= if they have another size",
        )
    if len(rows) % cls.rows:
        raise GameError(
            f"{where} has {len(rows)} rows, which do not make whole boards of {cls.rows} rows",
            mend="complete the board that lacks rows, or give rows= and columns=",
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


class SameGame(OnePlayer, Game):
    """Action n removes the group of cell n: all cells of its colour that are connected with it.

    A group of n cells, at least two, pays (n - 2) ** 2, and an empty board 1,000. The cells above fall down,
    and columns to the right of an empty one move to the left. Cells are numbered from the bottom of the left
    column upwards, and a group by its first cell.

    `board` is the number of a generated random board; with `file`, of a board in a text file, which contains
    boards one after another, a line of colours for each row. `keep` is the colour, from 1, that searches keep
    for one large group at the end; 0: the most frequent.

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
    keep = 0

    board_style = BoardStyle("tiles", symbols=(".ABCDEFGHI",))
    min_return = 0.0

    sets: Array[np.uint64, "colours", "words"] = 0
    """The cells of each colour, as bits; see `spot_of`."""
    removable: Array[np.uint64, "words"] = 0
    """The first cells of groups of at least two cells."""
    size: Array[np.int16, "spots"] = 0
    """Number of cells in the group, at its first cell; 0 elsewhere and where a cell is alone."""
    shape_code: Array[np.int64, "spots"] = 0
    """Code of the group's cells where they were at the start, at its first cell."""
    origin: Array[np.int8, "columns"] = 0
    """The column in which each column that is not empty was at the start."""
    stamp: Array[np.int64, "columns", "height"] = 0
    """Random numbers of the cells that are left of each column at the start, from the bottom."""
    kept: np.int8 = 0
    """The colour to keep, counted from 0; without `keep`, the most frequent one at the start."""
    left: Array[np.int16, "colours"] = 0
    """Number of cells of each colour."""
    group: Array[np.uint64, "words"] = 0
    """Cells of a group while it is found or removed; empty between moves."""
    touched: Array[np.uint64, "words"] = 0
    """Places where groups are to be found anew; empty between moves."""
    seeds: Array[np.uint64, "words"] = 0
    """Cells whose groups are still to be found; empty between moves."""

    @classmethod
    def configure(cls):
        check_ranges(cls, rows=(1, 50), columns=(1, 50), colours=(1, 9))
        if not 0 <= cls.keep <= cls.colours:
            raise GameError(
                f"same_game(keep={cls.keep}): colours are numbered from 1 to {cls.colours}",
                mend="leave keep out to keep the most frequent one",
            )
        cls.num_actions = cls.rows * cls.columns
        cls.max_game_length = cls.num_actions // 2 + 1
        if cls.board < 1:
            raise GameError(f"same_game(board={cls.board}): boards are numbered from 1")
        cls.start = _from_file(cls) if cls.file else _at_random(cls)
        cls.max_return = BONUS + float(cls.num_actions**2)
        cls.height = 8  # bits of a column, the highest of which stays empty
        while cls.height <= cls.rows:
            cls.height *= 2
        cls.across = 64 // cls.height
        cls.last_word = (cls.columns + cls.across - 1) // cls.across
        cls.words = cls.last_word + 2
        cls.spots = 64 * cls.words
        cls.full_column = np.uint64(2**cls.rows - 1)
        cls.one_column = np.uint64(cls.height)
        cls.other_columns = np.uint64(64 - cls.height)
        source = np.random.default_rng(2008)
        cls.stamps = np.zeros((cls.columns, cls.height), np.int64)
        cls.stamps[:, : cls.rows] = source.integers(0, 2**62, (cls.columns, cls.rows))

    def setup(self):
        for cell in range(self.num_actions):
            spot = self.spot_of(cell)
            self.sets[self.start[cell] - 1, spot // 64] |= _ONE << np.uint64(spot % 64)
        self.origin[:] = np.arange(self.columns)
        self.stamp[:] = self.stamps
        self.left[:] = np.bincount(self.start, minlength=self.colours + 1)[1:]
        self.kept = self.keep - 1 if self.keep else np.argmax(self.left)
        self.touched[1 : self.last_word + 1] = _ALL
        self.find_groups()

    def legal_actions(self):
        for word in range(1, self.last_word + 1):
            for place in each_bit(self.removable[word]):
                yield self.cell_at(64 * word + place)

    def is_legal(self, action):
        return self.size[self.spot_of(action)] > 0

    def is_terminal(self):
        return not self.removable.any()

    def apply_action(self, action):
        """Remove a group. Only groups at places where a cell has changed, or beside them, are found anew."""
        spot = self.spot_of(action)
        removed = self.size[spot]
        self.left[self.colour_at(spot)] -= removed
        self.spread(spot)
        first = last = action // self.rows
        while last < self.columns:
            gone = self.group[self.word_of(last)] >> self.shift_of(last) & self.full_column
            if not gone:
                break
            self.let_fall(last, np.uint64(gone))
            last += 1
        self.group[:] = 0
        for column in range(last - 1, first - 1, -1):
            if self.is_empty(column):
                self.close_up(column)
        self.touch_neighbours()
        self.find_groups()
        bonus = BONUS if self.is_empty(0) else 0.0
        return (removed - 2.0) ** 2 + bonus

    # --- cells and columns ----------------------------------------------------------------------------

    def spot_of(self, cell):
        """Return the spot of a cell: in sets, it is bit spot % 64 of word spot // 64.

        A column is a lane of `height` bits, and a word is a few columns. The first word and the last contain
        none, so each cell has spots beside it.
        """
        return 64 + cell // self.rows * self.height + cell % self.rows

    def cell_at(self, spot):
        return self.column_at(spot) * self.rows + spot % self.height

    def column_at(self, spot):
        return spot // self.height - self.across

    def word_of(self, column):
        return 1 + column // self.across

    def shift_of(self, column):
        """Return the lowest bit of a column in its word."""
        return np.uint64(column % self.across * self.height)

    def colour_of(self, cell):
        """Return the colour of a cell, counted from 1; 0: it is empty."""
        return self.colour_at(self.spot_of(cell)) + 1

    def colour_at(self, spot):
        """Return the colour at a spot, counted from 0; -1: it is empty."""
        found = -1
        for colour in range(self.colours):
            if self.sets[colour, spot // 64] >> np.uint64(spot % 64) & _ONE:
                found = colour
        return found

    def is_empty(self, column):
        word, bottom = self.word_of(column), _ONE << self.shift_of(column)
        for colour in range(self.colours):
            if self.sets[colour, word] & bottom:
                return False
        return True

    def let_fall(self, column, gone):
        """Let the cells of a column fall on the places of those that are gone, a set of rows."""
        word, shift, origin = self.word_of(column), self.shift_of(column), self.origin[column]
        row = np.uint64(lowest_bit(gone))
        self.touched[word] |= self.full_column >> row << row << shift
        while gone:
            row = np.uint64(lowest_bit(gone))
            fall = np.uint64(lowest_bit(~(gone >> row)))
            above = self.full_column >> row << row << shift
            for colour in range(self.colours):
                cells = np.uint64(self.sets[colour, word])
                self.sets[colour, word] = cells & ~above | (cells & above) >> fall & above
            for target in range(row, np.uint64(self.rows) - fall):
                self.stamp[origin, target] = self.stamp[origin, target + fall]
            for target in range(np.uint64(self.rows) - fall, np.uint64(self.rows)):
                self.stamp[origin, target] = 0
            gone = gone >> row >> fall << row

    def close_up(self, column):
        """Move the columns to the right of an empty one to the left."""
        first = self.word_of(column)
        moved = _ALL << self.shift_of(column)
        for word in range(first, self.last_word + 1):
            self.touched[word] |= moved
            for colour in range(self.colours):
                cells = np.uint64(self.sets[colour, word])
                following = np.uint64(self.sets[colour, word + 1]) << self.other_columns
                self.sets[colour, word] = cells & ~moved | (self.leftward(cells) | following) & moved
            moved = _ALL
        for place in range(column, self.columns - 1):
            self.origin[place] = self.origin[place + 1]
        self.origin[self.columns - 1] = 0

    # --- groups ---------------------------------------------------------------------------------------

    def touch_neighbours(self):
        """Add their neighbours to the places that were touched."""
        before = _NONE
        for word in range(1, self.last_word + 1):
            places = np.uint64(self.touched[word])
            self.touched[word] = places | self.beside(before, places, self.touched[word + 1])
            before = places

    def find_groups(self):
        """Find all groups with a cell at a touched place."""
        for word in range(1, self.last_word + 1):
            touched = np.uint64(self.touched[word])
            if touched:
                self.forget(word, self.removable[word] & touched)
                pairs = _NONE
                for colour in range(self.colours):
                    cells = np.uint64(self.sets[colour, word])
                    before, after = self.sets[colour, word - 1], self.sets[colour, word + 1]
                    pairs |= self.beside(before, cells, after) & cells
                self.seeds[word] = pairs & touched
                self.touched[word] = 0
        for word in range(1, self.last_word + 1):
            while self.seeds[word]:
                self.find_group(64 * word + lowest_bit(self.seeds[word]))

    def find_group(self, spot):
        """Note the group of the cell at a spot, and take its cells out of `seeds`."""
        self.spread(spot)
        first, size = spot, 0
        for word in range(self.last_word, 0, -1):
            cells = np.uint64(self.group[word])
            self.seeds[word] &= ~cells
            known = self.removable[word] & cells
            if known:
                self.forget(word, known)
            size += count_bits(cells)
            if cells:
                first = 64 * word + lowest_bit(cells)
        word, left, code = first // 64, size, 0
        while left > 0:
            cells = np.uint64(self.group[word])
            for place in each_bit(cells):
                spot = 64 * word + place
                code ^= self.stamp[self.origin[self.column_at(spot)], spot % self.height]
            left -= count_bits(cells)
            word += 1
        self.group[:] = 0
        self.removable[first // 64] |= _ONE << np.uint64(first % 64)
        self.size[first] = size
        self.shape_code[first] = code

    def forget(self, word, cells):
        """Forget the groups whose first cells are these of a word."""
        for place in each_bit(cells):
            self.size[64 * word + place] = 0
            self.shape_code[64 * word + place] = 0
            self.removable[word] &= ~(_ONE << np.uint64(place))

    def spread(self, spot):
        """Let `group` be the cells of the group of which a cell is at a spot."""
        colour = self.colour_at(spot)
        self.fill(colour, spot // 64, _ONE << np.uint64(spot % 64))
        grows = True
        while grows:
            grows = False
            for word in range(1, self.last_word + 1):
                near = self.beside(self.group[word - 1], _NONE, self.group[word + 1])
                reached = near & np.uint64(self.sets[colour, word]) & ~np.uint64(self.group[word])
                if reached:
                    self.fill(colour, word, reached)
                    grows = True

    def fill(self, colour, word, cells):
        """Add cells of a colour, and all that are connected with them in their word, to `group`."""
        within = np.uint64(self.sets[colour, word])
        known = np.uint64(self.group[word])
        while cells:
            known |= cells
            upward = ~(within + known)  # the sum carries a cell upwards through all cells above it
            cells = (self.beside(_NONE, known, _NONE) | upward) & within & ~known
        self.group[word] = known

    def beside(self, before, cells, after):
        """Return the places of a word beside its cells and those of the words before and after it."""
        vertical = cells << _ONE | cells >> _ONE
        border = np.uint64(before) >> self.other_columns | np.uint64(after) << self.other_columns
        return vertical | border | self.rightward(cells) | self.leftward(cells)

    def leftward(self, cells):
        """Return the places to the left of cells of a word, in that word."""
        return cells >> self.one_column if self.across > 1 else _NONE

    def rightward(self, cells):
        return cells << self.one_column if self.across > 1 else _NONE

    # --- what searches may know -----------------------------------------------------------------------

    def action_code(self, action):
        """Groups of the same cells are alike, wherever they have fallen by then."""
        return self.shape_code[self.spot_of(action)]

    def prior(self, action):
        """Keep one colour for one large group at the end; of it, only pairs are removed."""
        spot = self.spot_of(action)
        if self.sets[self.kept, spot // 64] >> np.uint64(spot % 64) & _ONE:
            return _PAIR if self.size[spot] == 2 else _SELDOM
        return 1.0

    def playout_action(self, random):
        """Return a random group of a random colour; a small one of a rare colour is likelier.

        The colour is that with the least random number between 0 and (number of its cells) ** 2, of those
        that have a group; but the colour to keep is last: without `keep`, the most frequent one now. The
        group is that with the least random number between 0 and (number of its cells) ** 2.
        """
        kept = np.int64(self.kept) if self.keep else np.int64(np.argmax(self.left))
        chosen, least = -1, np.inf
        for colour in range(self.colours):
            cells = np.float64(self.left[colour])
            order = random.uniform() * cells * cells
            if colour == kept:
                order += _LAST
            if order < least and self.has_group(colour):
                chosen, least = colour, order
        group, least = -1, np.inf
        for word in range(1, self.last_word + 1):
            for place in each_bit(self.removable[word] & self.sets[chosen, word]):
                cells = np.float64(self.size[64 * word + place])
                order = random.uniform() * cells * cells
                if order < least:
                    group, least = 64 * word + place, order
        return self.cell_at(group)

    def has_group(self, colour):
        firsts = _NONE
        for word in range(1, self.last_word + 1):
            firsts |= np.uint64(self.removable[word] & self.sets[colour, word])
        return firsts != _NONE

    # --- names and pictures ---------------------------------------------------------------------------

    def board_cells(self, out):
        for cell in range(self.num_actions):
            out[self.rows - 1 - cell % self.rows, cell // self.rows, 1] = self.colour_of(cell)

    def action_squares(self, action):
        yield (self.rows - 1 - action % self.rows) * self.columns + action // self.rows
