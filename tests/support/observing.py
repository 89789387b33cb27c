"""Small partially observed problems, for tests."""

import numpy as np

import branchwise as bw


class Probe(bw.Game):
    """Chance moves a number up or down; probe it, which gives a pair, or stop for what it is."""

    num_players = 1
    num_actions = 3
    num_outcomes = 2
    discount = 0.9
    horizon = 5
    max_game_length = 40
    min_return = -40.0
    max_return = 40.0

    number: np.int8 = 0
    moving: bool = False
    done: bool = False

    def setup(self, random):
        self.number = random.below(5) - 2

    def current_player(self):
        return bw.CHANCE if self.moving else 0

    def legal_actions(self):
        yield 0
        yield 1
        if self.number > -100:
            yield 2

    def chance_outcomes(self):
        yield 0, 0.25
        yield 1, 0.75

    def apply_action(self, action):
        if self.moving:
            self.moving = False
            self.number += 1 if action == 1 else -1
            return 0.5 * action
        if action == 2:
            self.done = True
            return float(self.number)
        self.moving = True
        return -0.1

    def is_terminal(self):
        return self.done

    def observe(self, action, random):
        return random.below(2 + action), self.number > 0

    def observation_density(self, action, seen):
        return 1.0 / (2 + action) if seen[1] == (self.number > 0) else 0.0


class Row(Probe):
    """The same seen as an array of numbers, with noise, and no density."""

    def observe(self, action, random):
        seen = np.zeros(2)
        seen[0] = random.below(3)
        seen[1] = self.number
        return seen

    observation_density = None


class AtTheEnd(bw.Game):
    """Guess a hidden bit after looks at it; pays only at the end."""

    num_players = 1
    num_actions = 3
    max_game_length = 20

    bit: np.int8 = 0
    guess: np.int8 = -1
    looks: np.int8 = 0

    def setup(self, random):
        self.bit = random.below(2)

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1
        if self.looks < 6:
            yield 2

    def apply_action(self, action):
        if action == 2:
            self.looks += 1
        else:
            self.guess = action

    def is_terminal(self):
        return self.guess >= 0

    def returns(self):
        return (1.0 - 0.05 * self.looks if self.guess == self.bit else -1.0,)

    def observe(self, action, random):
        return self.bit if random.uniform() < 0.8 else 1 - self.bit
