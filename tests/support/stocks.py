"""Problems with chance whose classes have a rule, and some without."""

import numpy as np

import branchwise as bw

DEMAND = np.array([0.1, 0.3, 0.3, 0.2, 0.1])


class Stocks(bw.Game):
    """Two products that arrive two days after they are ordered together; demand is 0 to 4 of each a day.

    Action 3 * a + b orders 4 * a and 4 * b. An order costs 4, a unit 1, a unit kept .2 a day, a lost sale 5.
    """

    days = 12

    num_players = 1
    num_actions = 9
    num_outcomes = 25
    max_game_length = 24

    stock: bw.Array[np.int16, 2] = 4
    coming: bw.Array[np.int16, 2, 2] = 0
    day: np.int16 = 0
    selling: bool = False

    def current_player(self):
        return bw.CHANCE if self.selling else 0

    def legal_actions(self):
        for action in range(9):
            yield action

    def chance_outcomes(self):
        for first in range(5):
            for second in range(5):
                yield 5 * first + second, DEMAND[first] * DEMAND[second]

    def apply_action(self, action):
        if not self.selling:
            self.coming[0, 1], self.coming[1, 1] = 4 * (action // 3), 4 * (action % 3)
            self.selling = True
            bought = self.coming[0, 1] + self.coming[1, 1]
            return -4.0 - bought if bought > 0 else 0.0
        self.selling = False
        self.day += 1
        paid = 0.0
        for product in range(2):
            demand = action // 5 if product == 0 else action % 5
            paid -= 5.0 * max(0, demand - self.stock[product])
            self.stock[product] = max(0, self.stock[product] - demand)
            paid -= 0.2 * self.stock[product]
            self.stock[product] += self.coming[product, 0]
            self.coming[product, 0] = self.coming[product, 1]
            self.coming[product, 1] = 0
        return paid

    def is_terminal(self):
        return self.day == self.days and not self.selling


class RuledStocks(Stocks):
    """The same with a rule: order each product when 5 or fewer are there or on their way."""

    def playout_action(self, random):
        action = 0
        for product in range(2):
            position = self.stock[product] + self.coming[product].sum()
            action = 3 * action + (1 if position <= 5 else 0)
        return action


class Twins(bw.Game):
    """Ten throws of a die; the first decision chooses whether it costs 1: only 2 does."""

    num_players = 1
    num_actions = 3
    num_outcomes = 6
    max_game_length = 30

    throws: np.int8 = 0
    rolling: bool = False

    def current_player(self):
        return bw.CHANCE if self.rolling else 0

    def legal_actions(self):
        for action in range(3):
            yield action

    def chance_outcomes(self):
        for side in range(6):
            yield side, 1 / 6

    def apply_action(self, action):
        if not self.rolling:
            self.rolling = True
            return -1.0 if action == 2 else 0.0
        self.rolling = False
        self.throws += 1
        return float(action)

    def is_terminal(self):
        return self.throws == 10

    def playout_action(self, random):
        return random.below(2)


class Drifting(bw.Game):
    """Keep a boat near the middle; the current is drawn by the rules, and so is when it ends."""

    num_players = 1
    num_actions = 3
    max_game_length = 1000

    place: float = 0.0
    done: bool = False

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(3):
            yield action

    def apply_action(self, action, random):
        self.place += action - 1 + random.normal()
        self.done = random.uniform() < 0.1
        return -abs(self.place)

    def is_terminal(self):
        return self.done

    def playout_action(self, random):
        return 0 if self.place > 1.0 else 2 if self.place < -1.0 else 1
