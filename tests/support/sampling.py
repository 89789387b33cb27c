"""Games whose rules draw moves themselves."""

import numpy as np

import branchwise as bw
from branchwise.games.tic_tac_toe import TicTacToe


class Drawn(TicTacToe):
    """Tic-tac-toe whose rules try cells until one is free."""

    playout = "uniform"

    def sample_action(self, random):
        while True:
            cell = random.below(9)
            if not self.taken >> cell & 1:
                return cell


class Collector(bw.Game):
    """One player picks coins of different worth from six places; half of the time the die takes one, too."""

    num_players = 1
    num_actions = 6
    num_outcomes = 7
    min_return = 0.0
    max_return = 40.0
    max_game_length = 12
    discount = 0.9
    NOTHING = 6

    left: np.int8 = 63
    """Places with a coin, as bits."""
    rolling: bool = False

    def current_player(self):
        return bw.CHANCE if self.rolling else 0

    def legal_actions(self):
        for place in range(6):
            if self.left >> place & 1:
                yield place

    def sample_action(self, random):
        place = random.below(6)
        while not self.left >> place & 1:
            place = random.below(6)
        return place

    def chance_outcomes(self):
        yield self.NOTHING, 0.5
        coins = 0
        for place in range(6):
            coins += self.left >> place & 1
        for place in range(6):
            if self.left >> place & 1:
                yield place, 0.5 / coins

    def apply_action(self, action):
        reward = 0.0
        if action < self.NOTHING:
            self.left ^= 1 << action
        if not self.rolling:
            reward = 1.0 + action * (1 + (self.left & 1))
        self.rolling = not self.rolling and self.left != 0
        return reward

    def is_terminal(self):
        return self.left == 0
