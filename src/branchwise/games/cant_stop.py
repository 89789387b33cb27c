"""Can't Stop: roll four dice, climb columns with the sums of two pairs, and stop before no sum helps.

Sid Sackson's rules for two to four players. A turn has three runners: each sum either moves the runner of its
column up or places a new one. A player who stops keeps the places of the runners. If no sum can be used, the
turn is over and its climbs are lost. A player who reaches the top of a column and stops wins it: it is closed
to all. The first player to win three columns wins the game.
"""

from itertools import combinations_with_replacement
from math import factorial, prod

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.drawing.grid import PLAYER_COLOURS
from branchwise.drawing.shapes import choices, label, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.option_checks import check_ranges
from branchwise.games.symmetries import move_cells, moved_bits

COLUMNS = 11
"""Column c is climbed with the sum c + 2."""
LENGTHS = np.array([3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3])
RUNNERS = 3
GOAL = 3

THROWS = list(combinations_with_replacement(range(1, 7), 4))
"""The throws of four dice, in ascending order: outcome k is the k-th."""
ODDS = np.array([24 / prod(factorial(throw.count(side)) for side in set(throw)) / 6**4 for throw in THROWS])

PAIRS = list(combinations_with_replacement(range(COLUMNS), 2))
PAIR_ACTION = np.zeros((COLUMNS, COLUMNS), np.int64)
for _number, _pair in enumerate(PAIRS):
    PAIR_ACTION[_pair] = COLUMNS + _number
FIRST = np.array([*range(COLUMNS), *(pair[0] for pair in PAIRS)])
SECOND = np.array([*[-1] * COLUMNS, *(pair[1] for pair in PAIRS)])
"""The columns of an action; -1 if there is only one."""
ROLL = COLUMNS + len(PAIRS)
STOP = ROLL + 1

NO_DICE = -1

BACK = np.arange(COLUMNS)[::-1].copy()
"""[column]: the column of the same length on the other side."""
BACK_ACTION = np.array(
    [*BACK, *(PAIR_ACTION[COLUMNS - 1 - other, COLUMNS - 1 - one] for one, other in PAIRS), ROLL, STOP]
)
_listed = [*map(list, THROWS)]
BACK_THROW = np.array([_listed.index(sorted(7 - side for side in throw)) for throw in THROWS])
"""What becomes of actions and throws if each die shows its opposite side."""


def pairings(throw):
    """Return the columns of the two sums, the lower one first, for each way to pair four dice.

    >>> pairings((1, 2, 2, 6))
    [(1, 6), (2, 5)]
    """
    a, b, c, d = throw
    sums = ((a + b, c + d), (a + c, b + d), (a + d, b + c))
    return sorted({(min(pair) - 2, max(pair) - 2) for pair in sums})


PAIRINGS = np.full((len(THROWS), 3, 2), -1)
"""[throw, pairing, sum]: the columns; -1 after the last different pairing."""
for _number, _throw in enumerate(THROWS):
    _found = pairings(_throw)
    PAIRINGS[_number, : len(_found)] = _found


class CantStop(Game):
    """Actions 0 to 10 use one sum, for column 2 to 12; the next 66 use two; the last two roll and stop.

    A turn begins with a roll. After a roll that helps, the player chooses the sums, and then rolls again or
    stops. Both sums of a pairing have to be used if possible; with one runner left for two new columns, the
    player chooses one of them. The winner gets 1, and the others share the loss.

    >>> state = CantStop.from_actions("1156 2+11 roll 2266 8+8 stop")
    >>> print(state)
      column     2   3   4   5   6   7   8   9  10  11  12
      length     3   5   7   9  11  13  11   9   7   5   3
      player 0   1   .   .   .   .   .   2   .   .   1   .
    > player 1   .   .   .   .   .   .   .   .   .   .   .
      runners    .   .   .   .   .   .   .   .   .   .   .
    """

    players = 2

    num_actions = STOP + 1
    num_outcomes = len(THROWS)
    max_game_length = 100_000  # far more than random players need
    utility = "zero_sum"
    symmetries = 2

    places: Array[np.int8, "players", COLUMNS] = 0
    """[player, column]: steps climbed."""
    runners: Array[np.int8, COLUMNS] = 0
    """Steps of this turn's runners, counted from the bottom; 0 for columns without a runner."""
    runners_left: np.int8 = RUNNERS
    closed: np.int16 = 0
    """Columns that have been won, as bits."""
    dice: np.int16 = NO_DICE
    """Index of the throw from which the player chooses sums."""
    rolling: bool = True
    mover: np.int8 = 0
    winner: np.int8 = -1

    @classmethod
    def configure(cls):
        check_ranges(cls, players=(2, 4))
        cls.num_players = cls.players

    def current_player(self):
        return CHANCE if self.rolling else self.mover

    def chance_outcomes(self):
        for throw in range(len(ODDS)):
            yield throw, ODDS[throw]

    def legal_actions(self):
        if self.dice == NO_DICE:
            yield ROLL
            yield STOP
        else:
            for pairing in range(3):
                first, second = PAIRINGS[self.dice, pairing, 0], PAIRINGS[self.dice, pairing, 1]
                if first >= 0:
                    one, other = self.can_climb(first), self.can_climb(second)
                    if one and other and self.runners_needed(first, second) <= self.runners_left:
                        yield PAIR_ACTION[first, second]
                    else:
                        if one:
                            yield first
                        if other:
                            yield second

    def can_climb(self, column):
        """Whether a runner, on the column or new, can climb one step."""
        if self.closed >> column & 1:
            return False
        if self.runners[column] == 0:
            return self.runners_left > 0
        return self.runners[column] < LENGTHS[column]

    def runners_needed(self, first, second):
        """Return the number of new runners that both sums need."""
        needed = 1 if self.runners[first] == 0 else 0
        if second != first and self.runners[second] == 0:
            needed += 1
        return needed

    def apply_action(self, action):
        if self.rolling:
            self.rolling = False
            self.dice = action
            if not self.can_climb_at_all():
                self.end_turn()
        elif action == ROLL:
            self.rolling = True
        elif action == STOP:
            self.keep_places()
            self.end_turn()
        else:
            self.climb(FIRST[action])
            if SECOND[action] >= 0:
                self.climb(SECOND[action])
            self.dice = NO_DICE

    def can_climb_at_all(self):
        for pairing in range(3):
            for part in range(2):
                column = PAIRINGS[self.dice, pairing, part]
                if column >= 0 and self.can_climb(column):
                    return True
        return False

    def climb(self, column):
        """Move the runner one step up; at the top it stays."""
        if self.runners[column] == 0:
            self.runners_left -= 1
            self.runners[column] = self.places[self.mover, column]
        if self.runners[column] < LENGTHS[column]:
            self.runners[column] += 1

    def keep_places(self):
        for column in range(COLUMNS):
            if self.runners[column] > 0:
                self.places[self.mover, column] = self.runners[column]
                if self.runners[column] == LENGTHS[column]:
                    self.close(column)

    def close(self, column):
        """Let the player to move win the column; the others leave it."""
        self.closed |= 1 << column
        for player in range(self.players):
            if player != self.mover:
                self.places[player, column] = 0
        if self.columns_won(self.mover) >= GOAL:
            self.winner = self.mover

    def columns_won(self, player):
        won = 0
        for column in range(COLUMNS):
            if self.places[player, column] == LENGTHS[column]:
                won += 1
        return won

    def end_turn(self):
        self.runners[:] = 0
        self.runners_left = RUNNERS
        self.dice = NO_DICE
        self.mover = (self.mover + 1) % self.players
        self.rolling = True

    def is_terminal(self):
        return self.winner >= 0

    def returns(self):
        shares = np.full(self.players, -1.0 / (self.players - 1))
        shares[self.winner] = 1.0
        return shares

    def symmetry(self, k):
        if k:
            move_cells(self.runners, BACK)
            for player in range(self.players):
                move_cells(self.places[player], BACK)
            self.closed = moved_bits(self.closed, BACK)
            if self.dice != NO_DICE:
                self.dice = BACK_THROW[self.dice]

    def symmetry_action(self, k, action):
        if not k:
            return action
        return BACK_THROW[action] if self.rolling else BACK_ACTION[action]

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.rolling:
            return "".join(str(side) for side in THROWS[action])
        if action >= ROLL:
            return "roll" if action == ROLL else "stop"
        columns = (FIRST[action], SECOND[action])
        return "+".join(str(column + 2) for column in columns if column >= 0)

    def action_from_string(self, text):
        return super().action_from_string("".join(sorted(text)) if self.rolling and len(text) == 4 else text)

    def to_grid(self):
        """Return None: the columns differ in length."""
        return None

    def __str__(self):
        def line(name, steps):
            return f"{name:<10}" + "".join(f"{step or '.':>4}" for step in steps)

        lines = [line("  column", range(2, COLUMNS + 2)), line("  length", LENGTHS)]
        for player in range(self.players):
            moves = player == self.mover and not self.is_terminal()
            lines.append(line(f"{'>' if moves else ' '} player {player}", self.places[player]))
        lines.append(line("  runners", self.runners))
        if self.dice != NO_DICE:
            lines.append("  dice      " + " ".join(str(side) for side in THROWS[self.dice]))
        return "\n".join(lines)

    def to_svg(self):
        """Draw the columns with all players' places, and a button for each move or outcome."""
        parts = []
        for column in range(COLUMNS):
            x = 10 + 46 * column
            parts.append(label(x + 20, 306, str(column + 2), anchor="middle"))
            for step in range(1, LENGTHS[column] + 1):
                y = 290 - 21 * step
                parts.append(rectangle(x, y, 40, 18, "#868e96", 0.12))
                here = [player for player in range(self.players) if self.places[player, column] == step]
                if step == LENGTHS[column] and here:
                    parts.append(rectangle(x, y, 40, 18, PLAYER_COLOURS[here[0]], 0.9))
                    continue
                for place, player in enumerate(here):
                    parts.append(rectangle(x + 10 * place, y, 9, 18, PLAYER_COLOURS[player], 0.9))
                if self.runners[column] == step:
                    parts.append(rectangle(x + 2, y + 5, 36, 8, PLAYER_COLOURS[self.mover], 0.6))
        for player in range(self.players):
            text = f"p{player}: {self.columns_won(player)} won"
            parts.append(rectangle(10 + 128 * player, 318, 14, 14, PLAYER_COLOURS[player], 0.9))
            parts.append(label(30 + 128 * player, 330, text))
        for place, side in enumerate(() if self.dice == NO_DICE else THROWS[self.dice]):
            parts.append(rectangle(10 + 46 * place, 17, 40, 40, "#868e96", 0.4))
            parts.append(label(30 + 46 * place, 42, str(side), anchor="middle"))
        return choices(self, parts, 332, 516)
