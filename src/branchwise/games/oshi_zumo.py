"""Oshi-zumo, "the pushing sumo": both players bid coins at once to push a wrestler off the board.

The higher bid pushes the wrestler one place towards the other player; both bids are gone. Whoever pushes him
off the board wins. Once nobody has coins, or after `max_turns`, the player on whose side he stands loses;
with `alesia` that is a draw. The rules are those of OpenSpiel's game of the same name (Buro, "Solving the
Oshi-Zumo game", 2003).
"""

import numpy as np

from branchwise.common.players import SIMULTANEOUS
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.bases import by_lead
from branchwise.games.option_checks import check_ranges


class OshiZumo(Game):
    """Bid for pushes; action a bids a coins.

    coins : of each player at the start, 1 to 1000.   size : places on each side of the middle, 1 to 50.
    max_turns : turns after which the game ends (OpenSpiel's `horizon`).   min_bid : least bid of a player who
    has as many coins; one with fewer bids nothing.   alesia : whether only a push off the board wins.
    """

    coins = 50
    size = 3
    max_turns = 1000
    min_bid = 0
    alesia = False

    num_players = 2
    utility = "zero_sum"
    middle = 4

    purses: Array[np.int16, 2] = 0
    place: np.int8 = 0  # of the wrestler; 0 and 2 * middle are off the board
    turn: np.int16 = 0
    bids: Array[np.int16, 2] = -1  # of the last turn

    @classmethod
    def configure(cls):
        check_ranges(cls, coins=(1, 1000), size=(1, 50), max_turns=(1, 30_000), min_bid=(0, cls.coins))
        cls.middle = cls.size + 1
        cls.num_actions = cls.coins + 1
        cls.max_game_length = cls.max_turns

    def setup(self):
        self.purses[:] = self.coins
        self.place = self.middle

    def current_player(self):
        return SIMULTANEOUS

    def legal_actions(self, player):
        if self.purses[player] < self.min_bid:
            yield 0
        for bid in range(self.purses[player] + 1):
            if bid >= self.min_bid:
                yield bid

    def apply_actions(self, actions):
        for player in range(2):
            self.bids[player] = actions[player]
            self.purses[player] -= actions[player]
        if actions[0] > actions[1]:
            self.place += 1
        elif actions[0] < actions[1]:
            self.place -= 1
        self.turn += 1

    def is_pushed_off(self):
        """Whether the wrestler is off the board."""
        return self.place == 0 or self.place == 2 * self.middle

    def is_terminal(self):
        broke = self.purses[0] == 0 and self.purses[1] == 0
        return broke or self.turn >= self.max_turns or self.is_pushed_off()

    def returns(self):
        if self.alesia and not self.is_pushed_off():
            return (0.0, 0.0)
        return by_lead(self.place - self.middle)

    def __str__(self):
        places = "".join("W" if place == self.place else "." for place in range(1, 2 * self.middle))
        ends = ("W" if self.place == 0 else "#", "W" if self.place == 2 * self.middle else "#")
        return f"{ends[0]}{places}{ends[1]}\ncoins: {self.purses[0]} and {self.purses[1]}"
