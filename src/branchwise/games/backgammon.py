"""Backgammon: race 15 checkers home and off the board, by two dice a turn.

The rules are OpenSpiel's with its default scoring: a win counts 1, whatever the loser has left, and there is
no doubling cube. A double is played as two moves of two checkers each. Both dice must be played if that is
possible, else the higher one if that is. OpenSpiel ends a game without a winner after 500 turns; here
games end by a win only.
"""

import math

import numpy as np

from branchwise.boards.style import BoardStyle
from branchwise.common.players import CHANCE
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers
from branchwise.games.bits import each_bit
from branchwise.games.boards import place_piece

CHECKERS = 15
BAR = 24
NONE = 25
LOW_FIRST = 26 * 26


class Backgammon(TwoPlayers, Game):
    """Each player numbers the points from their own side: checkers move from point p to p - die, off below 0.

    Point p of one player is point 23 - p of the other; people write it as p + 1. Action first + 26 * second
    plays the higher die from the point `first` and then the lower one from `second`; with 676 added, the
    lower die is played first. 24 is the bar, 25 stands for no move. If two actions lead to the same position,
    by the order of the dice or because both checkers go off, only one is legal.

    Outcome 6 * a + b stands for the dice a + 1 and b + 1. At the start the first die is player 0's, and the
    player with the higher die begins; later the first die is the higher one.

    >>> state = Backgammon.from_actions("3-1 8/5,6/5")
    >>> state.checkers[0, 4], state.current_player() == CHANCE
    (2, True)
    """

    num_actions = 2 * LOW_FIRST
    num_outcomes = 36
    max_game_length = 100_000  # far more than random players need
    board_style = BoardStyle(
        "backgammon",
        rows=2,
        columns=14,
        symbols=[".", *((".", *(f"{number}{mark}" for number in range(1, 16))) for mark in "XO")],
        colours=("white", "black"),
        players=("White", "Black"),
        column_labels=(*map(str, range(12, 0, -1)), "bar", "off"),
        row_labels=("13-24", "12-1"),
    )

    checkers: Array[np.int8, 2, 25] = 0
    """[player, point]: checkers on each point and, at 24, on the bar."""
    off: Array[np.int8, 2] = 0
    high: np.int8 = 0
    """The higher die; 0 while the dice are to be rolled."""
    low: np.int8 = 0
    mover: np.int8 = 0
    started: bool = False
    again: bool = False
    """Whether the second half of a double is to be played."""

    def setup(self):
        for player in range(2):
            self.checkers[player, [23, 12, 7, 5]] = (2, 5, 3, 5)

    def current_player(self):
        return CHANCE if self.high == 0 else self.mover

    def chance_outcomes(self):
        for first in range(6):
            if not self.started:
                for second in range(6):
                    if first != second:
                        yield 6 * first + second, 1 / 30
            else:
                for second in range(first):
                    yield 6 * first + second, 1 / 18
                yield 7 * first, 1 / 36

    def legal_actions(self):
        high, low = self.high, self.low
        mine, blocked = self.own_points(), self.blocked_points()
        high_first = sources(mine, blocked, high)
        found = False
        for first in each_bit(high_first):
            seconds = sources(self.after(mine, first, high), blocked, low)
            if high == low:
                seconds &= (2 << first) - 1  # of two orders, only the one from the higher point
            for second in each_bit(seconds):
                found = True
                yield first + 26 * second
        low_first = sources(mine, blocked, low)
        for first in each_bit(low_first if high != low else 0):
            # If the higher die can be played from the start, the other order leads to the same position.
            seconds = sources(self.after(mine, first, low), blocked, high) & ~high_first
            if first < low and high_first >> first & 1:  # both checkers go off, by either die
                both_off = (1 << low) - 1
                seconds &= ~(both_off & sources(self.after(mine, first, high), blocked, low))
            for second in each_bit(seconds):
                found = True
                yield LOW_FIRST + first + 26 * second
        if not found:
            for first in each_bit(high_first):
                found = True
                yield first + 26 * NONE
        if not found:
            for first in each_bit(low_first):
                found = True
                yield LOW_FIRST + first + 26 * NONE
        if not found:
            yield NONE + 26 * NONE

    def own_points(self):
        """Return the points where the player to move has checkers, as bits; bit 24 is the bar."""
        points = 0
        for point in range(25):
            if self.checkers[self.mover, point] > 0:
                points |= 1 << point
        return points

    def blocked_points(self):
        """Return the points, in the mover's numbering, with two or more opposing checkers, as bits."""
        points = 0
        for point in range(24):
            if self.checkers[1 - self.mover, 23 - point] > 1:
                points |= 1 << point
        return points

    def after(self, mine, point, die):
        """Return `mine`, points as bits, after a checker's move from `point`."""
        if self.checkers[self.mover, point] == 1:
            mine &= ~(1 << point)
        return mine | 1 << point - die if point >= die else mine

    def apply_action(self, action):
        if self.high == 0:
            self.roll(action // 6 + 1, action % 6 + 1)
            return
        first, second = action % 26, action % LOW_FIRST // 26
        if action < LOW_FIRST:
            self.move(first, self.high)
            self.move(second, self.low)
        else:
            self.move(first, self.low)
            self.move(second, self.high)
        self.again = self.high == self.low and not self.again and second != NONE
        if not self.again:
            self.high = 0
            self.low = 0
            self.mover = 1 - self.mover

    def roll(self, first, second):
        if not self.started:
            self.started = True
            self.mover = 0 if first > second else 1
        self.high = max(first, second)
        self.low = min(first, second)

    def move(self, point, die):
        """Move one checker of the player to move; do nothing if `point` is `NONE`."""
        if point == NONE:
            return
        other = 1 - self.mover
        self.checkers[self.mover, point] -= 1
        target = point - die
        if target < 0:
            self.off[self.mover] += 1
            return
        self.checkers[self.mover, target] += 1
        if self.checkers[other, 23 - target] == 1:
            self.checkers[other, 23 - target] = 0
            self.checkers[other, BAR] += 1

    def is_terminal(self):
        return self.off[0] == CHECKERS or self.off[1] == CHECKERS

    def returns(self):
        return (1.0, -1.0) if self.off[0] == CHECKERS else (-1.0, 1.0)

    def evaluate(self):
        """Return an estimate by pips, points and blots for searches that cut playouts off (`cutoff`).

        Its terms are the lead in pips as a share of all pips, where the turn counts as 8 pips; points held
        from 4 to 9, which block and shelter; the opponent's blots that one die can hit; and the opponent's
        checkers on the bar for each point held at home. The weights were fitted to GNU Backgammon's winning
        chances in 4,800 positions of its games.
        """
        mine, theirs = self.pips(0), self.pips(1)
        lead = (theirs - mine) / (theirs + mine)
        value = math.tanh(2.5 * lead + self.shape(0) - self.shape(1))
        return (value, -value)

    def pips(self, player):
        pips = 0 if player == self.mover else 8
        for point in range(25):
            pips += (point + 1) * self.checkers[player, point]
        return pips

    def shape(self, player):
        """Return the value of the placement of a player's checkers, apart from the race."""
        theirs = 0
        for point in range(25):
            if self.checkers[1 - player, point] > 0:
                theirs |= 1 << point
        home = points = blots = 0
        for point in range(24):
            if self.checkers[player, point] > 1:
                home += 1 if point < 6 else 0
                points += 1 if 3 <= point < 9 else 0
            elif self.checkers[player, point] == 1 and theirs >> 24 - point & 0b111111:
                blots += 1
        return 0.13 * points + 0.06 * home * self.checkers[1 - player, BAR] - 0.06 * blots

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.high == 0:
            return f"{action // 6 + 1}-{action % 6 + 1}"
        dice = (self.high, self.low) if action < LOW_FIRST else (self.low, self.high)
        points = (action % 26, action % LOW_FIRST // 26)
        moves = [move_name(point, die) for point, die in zip(points, dice, strict=True) if point != NONE]
        return ",".join(moves) or "pass"

    def action_from_string(self, text):
        """Return the legal action or outcome that `text` names; checkers and dice may come in any order.

        The order matters only for the first dice: 1-3 lets player 1 begin. Raises `ActionError`.

        >>> state = Backgammon.from_actions("3-1")
        >>> state.action_from_string("6/5 8/5") == state.action_from_string("8/5,6/5")
        True
        """
        ordered = self.high == 0 and not self.started
        wanted = words_of(text, ordered)
        for action in self.legal_actions():
            if words_of(self.action_to_string(action), ordered) == wanted:
                return action
        return super().action_from_string(text)

    def board_cells(self, out):
        for player in range(2):
            for point in range(25):
                if self.checkers[player, point] > 0:
                    place_piece(out, square_of(player, point), player, self.checkers[player, point])
            if self.off[player] > 0:
                place_piece(out, square_of(player, -1), player, self.off[player])

    def action_squares(self, action):
        if self.high > 0:
            low_first = action >= LOW_FIRST
            for number in range(2):
                point = action % LOW_FIRST // 26 if number else action % 26
                if point != NONE:
                    yield square_of(self.mover, point)
                    yield square_of(self.mover, point - (self.low if low_first != number else self.high))

    def board_caption(self):
        """Return a line for each player on the bar and the checkers that are off, and one on the dice."""
        lines = []
        for player in range(2):
            bar, off = self.checkers[player, BAR], self.off[player]
            lines.append(f"{self.symbols[player + 1]}, player {player}: {bar} on the bar, {off} off")
        if self.high:
            lines.append(f"player {self.mover} has rolled {self.high}-{self.low}")
        return "\n".join(lines)

    def __str__(self):
        grid, lines = self.to_grid(), []
        for numbers, cells in zip((range(13, 25), range(12, 0, -1)), grid.cells, strict=True):
            for texts in (numbers, [cell.text for cell in cells]):
                words = [f"{text:>4}" for text in texts]
                lines.append("".join(words[:6]) + "  |" + "".join(words[6:12]))
        return "\n".join([*lines, self.board_caption()])


def square_of(player, point):
    """Return the square of a player's point, of the bar for BAR, and of the checkers off below 0.

    A player's checkers go off on the own side of the board, and come in from the bar on the other side.
    """
    if point < 0:
        return 13 if player == 1 else 27
    if point == BAR:
        return 12 if player == 0 else 26
    place = point if player == 0 else 23 - point
    return place - 12 if place >= 12 else 25 - place


def sources(mine, blocked, die):
    """Return the points from which a player with checkers on `mine` can play `die`; points are bits.

    >>> bin(sources(0b1_100000, 0b10000, 2)), bin(sources(0b100111, 0, 2)), bin(sources(0b011, 0, 6))
    ('0b100000', '0b100110', '0b10')
    """
    if mine >> BAR:
        return 0 if blocked >> BAR - die & 1 else 1 << BAR
    found = mine >> die & ~blocked
    found <<= die
    if mine >> 6 == 0:  # checkers may go off
        if mine >> die - 1 & 1:
            found |= 1 << die - 1
        elif mine >> die == 0 and mine:
            found |= 1 << mine.bit_length() - 1
    return found


def words_of(text, ordered):
    """Return the dice or checker moves in a text."""
    words = text.lower().replace(",", " ").replace("-", " ").split()
    return words if ordered else sorted(words)


def move_name(point, die):
    """Return a checker's move as people write it, such as 24/22 or bar/20.

    >>> move_name(23, 2), move_name(BAR, 5), move_name(3, 6)
    ('24/22', 'bar/20', '4/off')
    """
    target = point - die
    return f"{'bar' if point == BAR else point + 1}/{'off' if target < 0 else target + 1}"
