"""A game in which three players move at once at times, and some drop out; and one with sealed bids."""

import numpy as np

import branchwise as bw


class ThreeAtOnce(bw.Game):
    """Player 0 chooses 0 or 1 alone; with 1 both choose at once, but only those who are not out."""

    num_players = 3
    num_actions = 2
    max_game_length = 20

    rounds: np.int8 = 0
    together: np.bool_ = False
    out: bw.Array[np.int8, 3] = 0

    def current_player(self):
        return bw.SIMULTANEOUS if self.together else 0

    def legal_actions(self, player):
        if not self.together or self.out[player] == 0:
            yield 0
            yield 1

    def apply_action(self, action):
        self.together = action == 1
        self.rounds += 1

    def apply_actions(self, actions):
        for player in range(3):
            if actions[player] == 1:
                self.out[player] = 1
        self.together = False
        self.rounds += 1

    def is_terminal(self):
        return self.rounds >= 8 or self.out[0] + self.out[1] + self.out[2] == 3

    def returns(self):
        return (0.0, 0.0, 0.0)


class Sealed(bw.Game):
    """Both bid once at once, with a purse that the other does not see."""

    num_players = 2
    num_actions = 4
    max_game_length = 1

    purses: bw.Private[np.int8, 2] = 3
    bids: bw.Array[np.int8, 2] = -1

    def current_player(self):
        return bw.SIMULTANEOUS

    def legal_actions(self, player):
        for bid in range(self.purses[player] + 1):
            yield bid

    def apply_actions(self, actions):
        for player in range(2):
            self.bids[player] = actions[player]

    def is_terminal(self):
        return self.bids[0] >= 0

    def returns(self):
        ahead = float(self.bids[0]) - self.bids[1]
        return (ahead / 3, -ahead / 3)

    def determinize(self, player, random):
        self.purses[1 - player] = 3
