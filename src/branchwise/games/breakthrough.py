"""Breakthrough: men step forward and capture diagonally; the first man on the far row wins.

Invented by Dan Troyka in 2000. Each player's men are a set of bits in a numbering of their own: player 0
numbers the cells by row from the bottom row, player 1 from the second row. A man on its last row ends the
game and needs no bit, so 8x8 fits 56 bits. A step straight ahead leads to the cell that has the same number
in the opponent's numbering, and a step to the side adds or subtracts one.

On 5x5 the second player wins in 26 moves (littlegolem.net, Breakthrough forum, "5x5 solved", 2006).
"""

import math

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.errors import GameError
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers, won_by
from branchwise.games.bits import count_bits, each_bit, nth_bit
from branchwise.games.boards import WHITE_FIRST, by_player, joined_cells, place_bits, place_piece
from branchwise.games.symmetries import UPRIGHT, moved_bits, rectangle, symmetries_of

NOWHERE = -1


class Breakthrough(TwoPlayers, Game):
    """Action direction * size + cell is the step of a man; each player has a numbering of size cells.

    Directions are left, straight and right; for the knights of `knightthrough` two left, one left, one right
    and two right. Boards have up to 63 cells besides one row.

    home : rows of men at the start.   misere : the player who would win loses.   knightthrough : men move
    like chess knights, but only forward, and capture wherever they go.

    A move is written as two cells, "a2a3"; "a2-a3" and "a2xb3" work too.

    >>> print(Breakthrough.configured(rows=5, columns=4).from_actions("a2-b3 c4xb3"))
    5  O O O O
    4  O O . O
    3  . O . .
    2  . X X X
    1  X X X X
       a b c d
    """

    rows = 8
    columns = 8
    home = 2
    misere = False
    knightthrough = False

    board_style = BoardStyle("squares", **WHITE_FIRST)
    playout = "game"

    mine: np.int64 = 0
    """Men of the player to move, in that player's numbering."""
    theirs: np.int64 = 0
    """Men of the opponent, in the opponent's numbering."""
    mover: np.int8 = 0
    goal: np.int8 = NOWHERE
    """The column where a man has reached its last row."""

    @classmethod
    def configure(cls):
        least = 4 if cls.knightthrough else 2
        if cls.rows < 2 or cls.columns < least or (cls.rows - 1) * cls.columns > 63:
            raise GameError(
                f"{'knightthrough' if cls.knightthrough else 'breakthrough'} cannot be {cls.rows} rows by "
                f"{cls.columns} columns",
                mend=f"give 2 or more rows, {least} or more columns, and at most 63 cells besides one row",
            )
        if not 1 <= cls.home <= cls.rows // 2:
            raise GameError(
                f"breakthrough(home={cls.home}) does not fit {cls.rows} rows",
                mend=f"home must be from 1 to {cls.rows // 2}, so that the men of both sides have room",
            )
        cls.size = (cls.rows - 1) * cls.columns
        cls.cells_turned = symmetries_of(rectangle(cls.rows - 1, cls.columns), kept=UPRIGHT)
        cls.symmetries = len(cls.cells_turned)
        cls.directions = 4 if cls.knightthrough else 3
        cls.num_actions = cls.directions * cls.size
        cls.max_game_length = 2 * cls.columns * sum(cls.rows - 1 - row for row in range(cls.home))
        cls.men = (1 << cls.home * cls.columns) - 1
        cls.everywhere = (1 << cls.size) - 1
        cls.row = (1 << cls.columns) - 1
        cls.inner = tuple(cls.cells_beside(aside) for aside in range(-2, 3))

    @classmethod
    def cells_beside(cls, aside):
        """Return the cells, as bits, that have a cell this many columns to their right."""
        return sum(1 << cell for cell in range(cls.size) if 0 <= cell % cls.columns + aside < cls.columns)

    def setup(self):
        self.mine = self.men
        self.theirs = self.men << self.size - self.home * self.columns

    def aside(self, direction):
        """Return how many columns to the right a step leads."""
        return direction - 2 + direction // 2 if self.knightthrough else direction - 1

    def ahead(self, aside):
        """Return how many rows forward a step leads."""
        return 3 - abs(aside) if self.knightthrough else 1

    def legal_actions(self):
        first, second, third, fourth = self.all_ways()
        for cell in each_bit(self.mine):
            if first >> cell & 1:
                yield cell
            if second >> cell & 1:
                yield self.size + cell
            if third >> cell & 1:
                yield 2 * self.size + cell
            if self.knightthrough:
                if fourth >> cell & 1:
                    yield 3 * self.size + cell

    def is_legal(self, action):
        ways = self.ways(self.aside(action // self.size))
        return self.mine & ways & 1 << action % self.size != 0

    def all_ways(self):
        """Return the cells from which men could step in each direction; the fourth is for knights."""
        if self.knightthrough:
            return (self.ways(-2), self.ways(-1), self.ways(1), self.ways(2))
        return (self.ways(-1), self.ways(0), self.ways(1), 0)

    def ways(self, aside):
        """Return the cells from which men could step this many columns to the right."""
        ahead = self.ahead(aside)
        if self.mover == 0:
            own = self.mine >> ahead * self.columns + aside
            cells = self.everywhere >> (ahead - 1) * self.columns
        else:
            own = self.mine << ahead * self.columns - aside
            cells = self.everywhere << (ahead - 1) * self.columns
        if aside == 0:
            cells &= ~self.theirs
        return cells & self.inner[aside + 2] & ~own

    def apply_action(self, action):
        direction, cell = action // self.size, action % self.size
        target = self.target(direction, cell)
        landing = target + self.columns if self.mover == 0 else target - self.columns
        men = self.mine ^ 1 << cell
        if 0 <= landing < self.size:
            men |= 1 << landing
        else:
            self.goal = target % self.columns
        self.mine = self.theirs & ~(1 << target)
        self.theirs = men
        self.mover = 1 - self.mover

    def target(self, direction, cell):
        """Return the number, in the opponent's numbering, of the cell to which a step from `cell` leads."""
        aside = self.aside(direction)
        further = (self.ahead(aside) - 1) * self.columns
        return cell + aside + (further if self.mover == 0 else -further)

    def is_terminal(self):
        return self.goal != NOWHERE or self.mine == 0

    def returns(self):
        return won_by(self.mover if self.misere else 1 - self.mover)

    # --- knowledge ------------------------------------------------------------------------------------

    def last_rows(self, player, rows):
        """Return the last rows before a player's goal, in the player's numbering.

        A single row is also the goal itself in the opponent's numbering.
        """
        cells = (1 << rows * self.columns) - 1
        return cells << self.size - rows * self.columns if player == 0 else cells

    def threats(self):
        """Return the men of the opponent that can reach their goal with one step, in their numbering."""
        return self.theirs & self.last_rows(1 - self.mover, 2 if self.knightthrough else 1)

    def playout_action(self, random):
        """Return a step to the goal, else a capture of a man about to win, else any capture, else any step.

        In the misere game, return a step that does not lead to the goal, if there is one. With 0.03 s a move,
        `mcts` scored 88.3 % [76.1, 94.7] against `mcts(playout=uniform)` in 60 games; in the misere game
        98.3 %, and with knights 76.7 %.
        """
        goal = self.last_rows(self.mover, 1)
        action = NOWHERE
        if self.misere:
            action = self.draw_step(self.everywhere & ~goal, random)
        else:
            action = self.draw_step(goal, random)
            if action == NOWHERE:
                action = self.draw_step(self.threats(), random)
            if action == NOWHERE:
                action = self.draw_step(self.theirs, random)
        return self.draw_step(self.everywhere, random) if action == NOWHERE else action

    def draw_step(self, targets, random):
        """Return a random step to one of some cells in the opponent's numbering, or `NOWHERE`."""
        first, second, third, fourth = self.all_ways()
        first &= self.mine & self.sources(targets, 0)
        second &= self.mine & self.sources(targets, 1)
        third &= self.mine & self.sources(targets, 2)
        fourth &= self.mine & self.sources(targets, 3)
        count = count_bits(first) + count_bits(second) + count_bits(third) + count_bits(fourth)
        if count == 0:
            return NOWHERE
        left, start = random.below(count), 0
        while left >= count_bits(first):
            left -= count_bits(first)
            start += self.size
            first = second
            second = third
            third = fourth
        return start + nth_bit(first, left)

    def sources(self, targets, direction):
        """Return the cells from which steps in a direction lead to `targets`, in the opponent's numbering."""
        back = self.target(direction, 0)
        return targets >> back if back > 0 else targets << -back

    def evaluate(self):
        """Return an estimate by men, of which each counts more the further it has come.

        With 0.03 s a move, `mcts(implicit_minimax=0.3)` scored 73.0 % [63.7, 80.6] against `mcts` in 100
        games.
        """
        lead = self.weight(self.mine, self.mover) - self.weight(self.theirs, 1 - self.mover)
        value = math.tanh(0.25 * lead)
        if self.mine & self.last_rows(self.mover, 1):
            value = 0.95
        if self.misere:
            value = -value
        return (value, -value) if self.mover == 0 else (-value, value)

    def weight(self, men, player):
        total = 0.0
        for row in range(self.rows - 1):
            advance = row if player == 0 else self.rows - 2 - row
            share = advance / (self.rows - 1)
            total += count_bits(men >> row * self.columns & self.row) * (1.0 + share * share)
        return total

    def prior(self, action):
        """Return a weight: steps to the goal, then captures of men about to win, then other captures.

        With 0.03 s a move, `mcts(selection=puct)` scored 74.0 % [65.2, 81.2] against `mcts` in 100 games.
        """
        target = 1 << self.target(action // self.size, action % self.size)
        if target & self.last_rows(self.mover, 1):
            return 0.01 if self.misere else 100.0
        if target & self.threats():
            return 30.0
        return 4.0 if target & self.theirs else 1.0

    def symmetry(self, k):
        self.mine = moved_bits(self.mine, self.cells_turned[k])
        self.theirs = moved_bits(self.theirs, self.cells_turned[k])
        if self.goal != NOWHERE:
            self.goal = self.cells_turned[k, self.goal]

    def symmetry_action(self, k, action):
        direction, cell = action // self.size, self.cells_turned[k, action % self.size]
        return (self.directions - 1 - direction if k else direction) * self.size + cell

    # --- names and pictures ---------------------------------------------------------------------------

    def board_cells(self, out):
        first, second = by_player(self.mover, self.mine, self.theirs)
        place_bits(out[:0:-1], first, 0)
        place_bits(out[-2::-1], second, 1)
        if self.goal != NOWHERE:
            last_row = self.rows - 1 if self.mover == 0 else 0  # of the player who moved last
            place_piece(out, last_row * self.columns + self.goal, 1 - self.mover)

    def action_squares(self, action):
        aside, cell = self.aside(action // self.size), action % self.size
        row = self.rows - 1 - self.mover - cell // self.columns
        square = row * self.columns + cell % self.columns
        ahead = self.ahead(aside) * self.columns
        yield square
        yield square + aside + (ahead if self.mover else -ahead)

    def action_from_string(self, text):
        return super().action_from_string(joined_cells(text))
