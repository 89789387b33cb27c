"""Rock, paper, scissors: both choose at once; the biased form has other stakes.

Best play is mixed: one third each in the usual game. With the biased payoffs of Shafiei, Sturtevant and
Schaeffer, "Comparing UCT versus CFR in simultaneous games", 2009, it is (1/16, 10/16, 5/16).
"""

import numpy as np

from branchwise.common.players import SIMULTANEOUS
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game

NAMES = ("rock", "paper", "scissors")


class RockPaperScissors(Game):
    """Rock beats scissors, scissors beat paper, paper beats rock; a win is worth 1.

    `biased` makes paper win 25 against rock, rock 50 against scissors, and scissors 5 against paper.
    """

    biased = False

    num_players = 2
    num_actions = 3
    max_game_length = 1
    utility = "zero_sum"
    stakes = (1.0, 1.0, 1.0)

    chosen: Array[np.int8, 2] = -1

    @classmethod
    def configure(cls):
        cls.stakes = (25.0, 50.0, 5.0) if cls.biased else (1.0, 1.0, 1.0)
        cls.min_return, cls.max_return = -max(cls.stakes), max(cls.stakes)

    def current_player(self):
        return SIMULTANEOUS

    def legal_actions(self, player):
        yield 0
        yield 1
        yield 2

    def apply_actions(self, actions):
        self.chosen[0] = actions[0]
        self.chosen[1] = actions[1]

    def is_terminal(self):
        return self.chosen[0] >= 0

    def returns(self):
        mine, other = self.chosen[0], self.chosen[1]
        won = 0.0
        if mine != other:
            stake = self.stakes[0] if mine + other == 1 else self.stakes[1 if mine + other == 2 else 2]
            won = stake if (mine - other) % 3 == 1 else -stake
        return (won, -won)

    def action_to_string(self, action):
        return NAMES[action]

    def __str__(self):
        if not self.is_terminal():
            return "both players choose"
        return " against ".join(NAMES[action] for action in self.chosen.tolist())
