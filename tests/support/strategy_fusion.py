"""Games in which it matters what a player will not know later, for tests."""

import numpy as np

import branchwise as bw


class NameTheCoin(bw.Game):
    """Player 0 takes 0.4, or names the side of a coin that nobody has seen, for 1 if it is right, else -1.

    A search that takes it for granted to know the coin later does not take the 0.4.
    """

    num_players = 2
    num_actions = 4  # take, play; tails, heads
    num_outcomes = 2
    utility = "zero_sum"

    coin: bw.Secret[np.int8, 1] = 0
    played: bool = False
    result: np.int8 = 0  # 1 taken, 2 wrong, 3 right

    def current_player(self):
        return bw.CHANCE if self.coin[0] == 0 else 0

    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.5

    def legal_actions(self):
        if self.played:
            yield 2
            yield 3
        else:
            yield 0
            yield 1

    def apply_action(self, action):
        if self.coin[0] == 0:
            self.coin[0] = action + 1
        elif action == 0:
            self.result = 1
        elif action == 1:
            self.played = True
        else:
            self.result = 3 if action - 1 == self.coin[0] else 2

    def is_terminal(self):
        return self.result > 0

    def returns(self):
        gain = 0.4
        if self.result > 1:
            gain = 1.0 if self.result == 3 else -1.0
        return gain, -gain


class PaidGuesses(bw.Game):
    """A number from 0 to 3 is drawn in `setup`, and one player guesses it, again and again for a reward of 1.

    After each guess the player sees whether the number is higher, by `high`. Rewards are discounted.
    """

    num_players = 1
    num_actions = 4
    discount = 0.5
    max_game_length = 3

    number: bw.Secret[np.int8, 1] = 0
    high: np.int8 = -1
    guesses: np.int8 = 0

    def setup(self, random):
        self.number[0] = random.below(4)

    def current_player(self):
        return 0

    def legal_actions(self):
        for number in range(4):
            yield number

    def apply_action(self, action):
        self.guesses += 1
        self.high = 1 if self.number[0] > action else 0
        return 1.0 if self.number[0] == action else 0.0

    def is_terminal(self):
        return self.guesses == 3


class HiddenSteps(bw.Game):
    """Player 0 secretly makes one or two steps, then player 1 says how many; nobody sees a step.

    So nodes of player 1 after one and after two hidden moves must be the same.
    """

    num_players = 2
    num_actions = 3  # one step, the last step; player 1 says 1 or 2 by actions 1 and 2
    utility = "zero_sum"

    steps: bw.Secret[np.int8, 1] = 0
    done: bw.Secret[bool, 1] = False
    begun: bool = False
    said: np.int8 = 0

    def current_player(self):
        if not self.begun:
            return 1
        return 1 if self.done[0] else 0

    def legal_actions(self):
        if not self.begun:
            yield 0
        elif self.done[0]:
            yield 1
            yield 2
        else:
            if self.steps[0] == 0:
                yield 0
            yield 1

    def apply_action(self, action):
        if not self.begun:
            self.begun = True
        elif self.done[0]:
            self.said = action
        else:
            self.steps[0] += 1
            self.done[0] = action == 1

    def is_terminal(self):
        return self.said > 0

    def returns(self):
        return (-1.0, 1.0) if self.said == self.steps[0] else (1.0, -1.0)
