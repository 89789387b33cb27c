"""Games with joint moves, moves of one player, chance, rewards, and players without a choice."""

import numpy as np

import branchwise as bw


class Auction(bw.Game):
    """A seller names the least bid; chance draws what the lot is worth; then both bid what they still have.

    Player 0 is the seller, too. Who has too little has no choice. The highest bid gets the lot; equal bids
    none.
    """

    num_players = 2
    num_actions = 5
    num_outcomes = 3
    lots = 3
    min_return, max_return = -9.0, 9.0
    max_game_length = 9
    utility = "zero_sum"

    purses: bw.Array[np.int8, 2] = 4
    won: bw.Array[np.int8, 2] = 0
    least: np.int8 = -1
    worth: np.int8 = 0
    lot: np.int8 = 0

    def current_player(self):
        if self.least < 0:
            return 0
        return bw.CHANCE if self.worth == 0 else bw.SIMULTANEOUS

    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.25
        yield 2, 0.25

    def legal_actions(self, player):
        if self.least < 0:
            yield 0
            yield 1
        elif self.purses[player] >= self.least:
            for bid in range(self.least, self.purses[player] + 1):
                yield bid

    def apply_action(self, action):
        if self.least < 0:
            self.least = action
        else:
            self.worth = action + 1

    def apply_actions(self, actions):
        for player in range(2):
            if actions[player] != bw.NO_ACTION:
                self.purses[player] -= actions[player]
        if actions[0] != actions[1]:
            self.won[0 if actions[0] > actions[1] else 1] += self.worth
        self.worth = 0
        self.least = -1
        self.lot += 1

    def is_terminal(self):
        if self.lot >= self.lots:
            return True
        return self.least > 0 and self.purses[0] < self.least and self.purses[1] < self.least

    def returns(self):
        ahead = float(self.won[0]) - self.won[1]
        return (ahead, -ahead)


class Odd(bw.Game):
    """Three players show 0 or 1; who is alone with a number gets 2, the others lose 1; twice."""

    num_players = 3
    num_actions = 2
    min_return, max_return = -2.0, 4.0
    max_game_length = 2
    utility = "zero_sum"

    points: bw.Array[np.int8, 3] = 0
    turn: np.int8 = 0

    def current_player(self):
        return bw.SIMULTANEOUS

    def legal_actions(self, player):
        yield 0
        yield 1

    def apply_actions(self, actions):
        shown = actions[0] + actions[1] + actions[2]
        if 0 < shown < 3:
            lonely = 1 if shown == 1 else 0
            for player in range(3):
                self.points[player] += 2 if actions[player] == lonely else -1
        self.turn += 1

    def is_terminal(self):
        return self.turn == 2

    def returns(self):
        return (float(self.points[0]), float(self.points[1]), float(self.points[2]))


class PaidPennies(bw.Game):
    """Matching pennies three times, each for a reward; half of the later ones counts."""

    num_players = 2
    num_actions = 2
    discount = 0.5
    max_game_length = 3
    utility = "zero_sum"

    turn: np.int8 = 0

    def current_player(self):
        return bw.SIMULTANEOUS

    def legal_actions(self, player):
        yield 0
        yield 1

    def apply_actions(self, actions):
        self.turn += 1
        if actions[0] == actions[1]:
            return (1.0, -1.0)
        return (-1.0, 1.0)

    def is_terminal(self):
        return self.turn == 3


class Dominated(bw.Game):
    """A dilemma with rewards: defecting is better whatever the other does; chance doubles stakes."""

    num_players = 2
    num_actions = 2
    num_outcomes = 2
    discount = 0.5
    max_game_length = 6
    utility = "general_sum"

    turn: np.int8 = 0
    stakes: np.int8 = 1
    is_drawn: np.bool_ = True

    def current_player(self):
        return bw.SIMULTANEOUS if self.is_drawn else bw.CHANCE

    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.5

    def legal_actions(self, player):
        yield 0
        yield 1

    def apply_action(self, action):
        self.stakes = 1 + action
        self.is_drawn = True
        return None

    def apply_actions(self, actions):
        mine, other = actions[0], actions[1]
        self.turn += 1
        self.is_drawn = False
        return (
            float(self.stakes * (mine + 3 * (1 - other))),
            float(self.stakes * (other + 3 * (1 - mine))),
        )

    def is_terminal(self):
        return self.turn == 3 and self.is_drawn
