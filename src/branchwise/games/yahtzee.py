"""Yahtzee: throw five dice up to three times, and write the result into one of 13 boxes.

The official rules, with the bonus of 35 for 63 points in the upper boxes. `bonuses=True` adds the bonus for
further yahtzees, 100 points each, and the joker rules. With optimal play, a single player scores 245.87 on
average without them and 254.59 with them: Verhoeff, Scholten, "Optimal solitaire Yahtzee strategies", 1999.
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

DICE = 5
BOXES = (
    *("ones", "twos", "threes", "fours", "fives", "sixes"),
    *("three-alike", "four-alike", "full-house", "small-straight", "large-straight", "yahtzee", "chance"),
)
THREE, FOUR, FULL_HOUSE, SMALL, LARGE, YAHTZEE, ANY = range(6, 13)
EMPTY = -1
KEEP = len(BOXES)
"""Action KEEP + k keeps the dice whose bits are set in k, the lowest die first."""

UPPER_GOAL = 63
UPPER_BONUS = 35
YAHTZEE_BONUS = 100

THROWS = [throw for dice in range(DICE + 1) for throw in combinations_with_replacement(range(1, 7), dice)]
"""The throws of up to five dice: outcome k is the k-th."""
THROWN = np.zeros((len(THROWS), DICE), np.int8)
"""The dice of each throw, filled up with zeros."""
ODDS = np.zeros(len(THROWS))
for _number, _throw in enumerate(THROWS):
    THROWN[_number, : len(_throw)] = _throw
    _orders = factorial(len(_throw)) // prod(factorial(_throw.count(side)) for side in set(_throw))
    ODDS[_number] = _orders / 6 ** len(_throw)
START = np.cumsum([0, *(sum(len(throw) == dice for throw in THROWS) for dice in range(DICE + 1))])
"""The first throw of each number of dice."""


class Yahtzee(Game):
    """Actions 0 to 12 write into a box; 13 + k keeps some dice and throws the others again.

    The dice are in ascending order, and a set of places says which to keep. Of equal dice the first ones are
    kept, so that no two actions are equivalent. Outcomes are unordered throws of dice: at most 252. The
    return of a single player is the score. Of several players the best one gets 1, and the others share the
    loss.

    >>> state = Yahtzee.from_actions("12555 keep555 56 sixes")
    >>> int(state.sheet[0, 5]), state.current_player() == CHANCE
    (6, True)
    """

    players = 2
    bonuses = False

    num_actions = KEEP + 2**DICE - 1
    num_outcomes = len(THROWS)
    utility = "zero_sum"

    sheet: Array[np.int8, "players", 13] = EMPTY
    """[player, box]: points."""
    further: Array[np.int8, "players"] = 0
    """Yahtzees that earn a bonus."""
    dice: Array[np.int8, DICE] = 0
    """The dice in ascending order; 0 for those still to be thrown, which come first."""
    throws_left: np.int8 = 2
    mover: np.int8 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, players=(1, 10))
        cls.num_players = cls.players
        cls.max_game_length = cls.players * len(BOXES) * 6
        if cls.players == 1:
            cls.min_return, cls.max_return = 0.0, 1575.0 if cls.bonuses else 375.0
            cls.utility = "general_sum"

    def current_player(self):
        return CHANCE if self.dice[0] == 0 else self.mover

    def chance_outcomes(self):
        number = self.dice_to_throw()
        for throw in range(START[number], START[number + 1]):
            yield throw, ODDS[throw]

    def dice_to_throw(self):
        number = 0
        while number < DICE and self.dice[number] == 0:
            number += 1
        return number

    def legal_actions(self):
        joker = self.is_joker()
        for box in range(KEEP):
            if self.sheet[self.mover, box] == EMPTY and (not joker or self.takes_joker(box)):
                yield box
        if self.throws_left > 0:
            same = 0  # bits of the dice that equal the one before
            for place in range(1, DICE):
                if self.dice[place] == self.dice[place - 1]:
                    same |= 1 << place
            for kept in range(2**DICE - 1):
                if kept & same & ~(kept << 1) == 0:
                    yield KEEP + kept

    def is_joker(self):
        """Whether the dice are a yahtzee and the yahtzee box is full."""
        return self.bonuses and self.dice[0] == self.dice[4] and self.sheet[self.mover, YAHTZEE] != EMPTY

    def takes_joker(self, box):
        """Whether a joker may go into `box`: its upper box first, then any lower one, then any."""
        own = self.dice[0] - 1
        if self.sheet[self.mover, own] == EMPTY:
            return box == own
        if box > own and box >= THREE:
            return True
        for lower in range(THREE, KEEP):
            if self.sheet[self.mover, lower] == EMPTY:
                return False
        return True

    def apply_action(self, action):
        if self.dice[0] == 0:
            for place in range(self.dice_to_throw() - 1, -1, -1):
                self.put(place, THROWN[action, place])
        elif action >= KEEP:
            self.keep(action - KEEP)
            self.throws_left -= 1
        else:
            if self.is_joker() and self.sheet[self.mover, YAHTZEE] > 0:
                self.further[self.mover] += 1
            self.sheet[self.mover, action] = self.points(action)
            self.dice[:] = 0
            self.throws_left = 2
            self.mover = (self.mover + 1) % self.players

    def put(self, place, side):
        """Insert a die at `place`, and move it up to its place in the order."""
        while place + 1 < DICE and self.dice[place + 1] < side:
            self.dice[place] = self.dice[place + 1]
            place += 1
        self.dice[place] = side

    def keep(self, kept):
        """Move the dice whose bits are set to the end, and clear the others."""
        end = DICE - 1
        for place in range(DICE - 1, -1, -1):
            if kept >> place & 1:
                self.dice[end] = self.dice[place]
                end -= 1
        self.dice[: end + 1] = 0

    def points(self, box):
        """Return the points of the dice in `box`."""
        a, b, c, d, e = self.dice[0], self.dice[1], self.dice[2], self.dice[3], self.dice[4]
        total = a + b + c + d + e
        joker = self.is_joker()
        if box < THREE:
            count = 0
            for place in range(DICE):
                if self.dice[place] == box + 1:
                    count += 1
            return count * (box + 1)
        if box == THREE:
            return total if a == c or b == d or c == e else 0
        if box == FOUR:
            return total if a == d or b == e else 0
        if box == FULL_HOUSE:
            return 25 if joker or (a != e and a == b and d == e and c in (a, e)) else 0
        if box == YAHTZEE:
            return 50 if a == e else 0
        if box == ANY:
            return total
        sides = 1 << a | 1 << b | 1 << c | 1 << d | 1 << e
        fours = sides & sides >> 1 & sides >> 2 & sides >> 3
        if box == SMALL:
            return 30 if joker or fours else 0
        return 40 if joker or fours & sides >> 4 else 0

    def is_terminal(self):
        for box in range(KEEP):
            if self.sheet[self.players - 1, box] == EMPTY:
                return False
        return True

    def returns(self):
        scores = np.zeros(self.players)
        for player in range(self.players):
            scores[player] = self.score(player)
        if self.players == 1:
            return scores
        best = scores.max()
        winners = (scores == best).sum()
        losers = self.players - winners
        for player in range(self.players):
            scores[player] = (losers / winners if scores[player] == best else -1.0) / (self.players - 1)
        return scores

    def score(self, player):
        """Return the points of all full boxes, with bonuses."""
        upper, total = 0, YAHTZEE_BONUS * self.further[player]
        for box in range(KEEP):
            points = max(self.sheet[player, box], 0)
            total += points
            if box < THREE:
                upper += points
        return total + UPPER_BONUS if upper >= UPPER_GOAL else total

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        if self.dice[0] == 0:
            return "".join(str(side) for side in THROWS[action])
        if action < KEEP:
            return BOXES[action]
        kept = (str(side) for place, side in enumerate(self.dice) if action - KEEP >> place & 1)
        return "keep" + "".join(kept)

    def action_from_string(self, text):
        if self.current_player() == CHANCE and len(text) == self.dice_to_throw():
            text = "".join(sorted(text))
        return super().action_from_string(text)

    def to_grid(self):
        """Return None: there is no board."""
        return None

    def __str__(self):
        def line(name, cells):
            return f"{name:<16}" + "".join(f"{cell:>5}" for cell in cells)

        everybody = range(self.players)
        lines = [line("", [f"{'>' if self.moves(player) else ''}p{player}" for player in everybody])]
        for box, name in enumerate(BOXES):
            column = self.sheet[:, box]
            lines.append(line(name, ["." if points == EMPTY else points for points in column]))
        lines.append(line("score", [self.score(player) for player in everybody]))
        if self.dice.any():
            lines.append("dice " + " ".join(str(side or "?") for side in self.dice))
        return "\n".join(lines)

    def moves(self, player):
        return player == self.mover and not self.is_terminal()

    def to_svg(self):
        """Draw sheet and dice, and a button for each move or outcome."""
        parts = []
        for row, name in enumerate((*BOXES, "score")):
            parts.append(label(10, 46 + 22 * row, name.replace("-", " ")))
        for player in range(self.players):
            x = 130 + 46 * player
            scores = [*("" if points == EMPTY else str(points) for points in self.sheet[player])]
            opacity = 0.35 if self.moves(player) else 0.15
            for row, text in enumerate(("", *scores, str(self.score(player)))):
                colour = PLAYER_COLOURS[player % len(PLAYER_COLOURS)]
                parts.append(rectangle(x, 9 + 22 * row, 42, 20, colour, opacity))
                parts.append(label(x + 21, 24 + 22 * row, text or "", anchor="middle"))
            parts.append(label(x + 21, 24, f"p{player}", anchor="middle"))
        for place, side in enumerate(self.dice):
            parts.append(rectangle(10 + 46 * place, 346, 40, 40, "#868e96", 0.12 if side == 0 else 0.4))
            parts.append(label(30 + 46 * place, 371, str(side or "?"), anchor="middle"))
        return choices(self, parts, 386, max(550, 130 + 46 * self.players))
