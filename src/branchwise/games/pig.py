"""Pig: roll a die as often as you dare; a one loses the points of the turn, holding keeps them.

The first player to keep `target` points wins; a player with enough points on the table has to hold. OpenSpiel
has the same rules, but ends a game without a winner after a number of moves. Best play: Neller, Presser,
"Optimal play of the dice game Pig", 2004.
"""

import math

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.drawing.grid import PLAYER_COLOURS
from branchwise.drawing.shapes import TEXT, choices, label, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import TwoPlayers
from branchwise.games.option_checks import check_ranges

ROLL = 0
HOLD = 1
WIDTH = 394


class Pig(TwoPlayers, Game):
    """Action 0 rolls and 1 holds; outcome k of the die is the number k + 1.

    >>> state = Pig.from_actions("roll 5 roll 6 hold")
    >>> print(state)
                score  turn
      player 0     11     0
    > player 1      0     0
    """

    target = 100
    sides = 6

    num_actions = 2

    scores: Array[np.int16, 2] = 0
    turn_total: np.int16 = 0
    mover: np.int8 = 0
    rolling: bool = False

    @classmethod
    def configure(cls):
        check_ranges(cls, target=(1, 10_000), sides=(2, 100))
        cls.num_outcomes = cls.sides
        cls.points = (cls.sides + 2) / 2  # average of a roll other than one
        cls.loss = 1.134 * math.log(cls.sides / (cls.sides - 1)) / cls.points
        cls.max_game_length = 1000 + 200 * cls.target  # far more than random players need

    def current_player(self):
        return CHANCE if self.rolling else self.mover

    def legal_actions(self):
        if self.scores[self.mover] + self.turn_total < self.target:
            yield ROLL
        yield HOLD

    def chance_outcomes(self):
        for outcome in range(self.sides):
            yield outcome, 1 / self.sides

    def apply_action(self, action):
        if self.rolling:
            self.rolling = False
            if action == 0:
                self.turn_total = 0
                self.mover = 1 - self.mover
            else:
                self.turn_total += action + 1
        elif action == ROLL:
            self.rolling = True
        else:
            self.scores[self.mover] += self.turn_total
            self.turn_total = 0
            self.mover = 1 - self.mover

    def is_terminal(self):
        return self.scores[0] >= self.target or self.scores[1] >= self.target

    def returns(self):
        return (1.0, -1.0) if self.scores[0] >= self.target else (-1.0, 1.0)

    def evaluate(self):
        """Return an estimate from a simpler race, for searches that cut playouts off (`cutoff`).

        In that race a turn either ends the game or scores nothing, and the chance to end it falls with the
        points to go. Points on the table are worth the better of holding and of rolling to the end. The decay
        was fitted to exact values of the game to 100 with six sides.
        """
        worth = self.worth_of(self.turn_total)
        if self.rolling:
            bust = -self.race(self.left(1 - self.mover), self.left(self.mover))
            kept = self.worth_of(self.turn_total + self.points)
            worth = (bust + (self.sides - 1) * kept) / self.sides
        return (worth, -worth) if self.mover == 0 else (-worth, worth)

    def worth_of(self, total):
        """Return the estimate for the mover with `total` points on the table."""
        mine, theirs = self.left(self.mover), self.left(1 - self.mover)
        if total >= mine:
            return 1.0
        if total == 0:
            return self.race(mine, theirs)
        holding = -self.race(theirs, mine - total)
        chance = self.chance_to_end(mine - total)
        rolling = chance - (1.0 - chance) * self.race(theirs, mine)
        return max(holding, rolling)

    def race(self, mine, theirs):
        """Return the estimate for a player who begins a turn; mine, theirs : points to go."""
        first, second = self.chance_to_end(mine), self.chance_to_end(theirs)
        return 2.0 * first / (first + second - first * second) - 1.0

    def chance_to_end(self, left):
        """Return the chance to score `left` points in one turn."""
        more = max(left - 0.85 * self.points, 0.0)
        return (1.0 - 1.0 / self.sides) * math.exp(-self.loss * more / (1.0 + left / 320.0))

    def left(self, player):
        """Return the points that `player` needs to win."""
        return max(self.target - self.scores[player], 0) + 0.0

    def action_to_string(self, action):
        if self.rolling:
            return str(action + 1)
        return "roll" if action == ROLL else "hold"

    def __str__(self):
        lines = [f"{'score':>17}{'turn':>6}"]
        for player in range(2):
            moves = player == self.mover
            turn = self.turn_total if moves else 0
            line = f"{'>' if moves else ' '} player {player} {self.scores[player]:6}{turn:6}"
            lines.append(f"{line}  rolling" if moves and self.rolling else line)
        return "\n".join(lines)

    def to_svg(self):
        """Draw scores and the points of this turn as bars, and a button for each move or outcome."""
        parts = []
        for player in range(2):
            top, share = 10 + 40 * player, WIDTH / self.target
            score = int(self.scores[player])
            turn = self.turn_total if player == self.mover else 0
            colour = PLAYER_COLOURS[player]
            parts += [
                rectangle(10, top, WIDTH, 30, "#868e96", 0.1),
                rectangle(10, top, min(score + turn, self.target) * share, 30, colour, 0.35),
                rectangle(10, top, min(score, self.target) * share, 30, colour, 0.9),
                label(20, top + 20, f"{score} + {turn}" if player == self.mover else str(score), colour=TEXT),
            ]
        return choices(self, parts, 80, WIDTH + 10)
