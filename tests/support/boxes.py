"""Games and problems with continuous actions whose optimum is known."""

import numpy as np

import branchwise as bw

PEAK = (0.3, 1.7)


class Peak(bw.Game):
    """One step: the nearer to the peak, the better."""

    num_players = 1
    action_low = (-1.0, -2.0)
    action_high = (1.0, 3.0)
    min_return, max_return = -20.0, 0.0

    x: float = 0.0
    y: float = 0.0
    over: bool = False

    def current_player(self):
        return 0

    def apply_action(self, action):
        self.x, self.y, self.over = action[0], action[1], True

    def is_terminal(self):
        return self.over

    def returns(self):
        return (-((self.x - 0.3) ** 2) - (self.y - 1.7) ** 2,)


class Edge(bw.Game):
    """One step: the greater, the better, so that many draws are beyond the best action."""

    num_players = 1
    action_low = (-1.0,)
    action_high = (1.0,)

    x: float = 0.0
    over: bool = False

    def current_player(self):
        return 0

    def apply_action(self, action):
        self.x, self.over = action[0], True

    def is_terminal(self):
        return self.over

    def returns(self):
        return (self.x,)


class TwoSteps(bw.Game):
    """A position from 0 to 1; each step pays, and may go half of the way that is left. Best: 0.5, then 0.25.

    The second step pays most at .75, which the first can only reach half of the way to.
    """

    num_players = 1
    action_low = (0.0,)
    max_return, min_return = 0.0, -4.0

    place: float = 0.0
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def action_high(self):
        return ((1.0 - self.place) / 2.0,)

    def apply_action(self, action):
        self.place += action[0]
        self.steps += 1
        return -abs(self.place - 0.75) if self.steps == 2 else 0.0

    def is_terminal(self):
        return self.steps == 2


class Gusts(bw.Game):
    """A throw at a target at 1 with a wind that is felt only after it: aim at the mean. Then a second throw.

    The second throw's box begins where the wind has blown to.
    """

    num_players = 1
    max_return, min_return = 0.0, -40.0

    place: float = 0.0
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def action_low(self):
        return (self.place - 1.0,)

    def action_high(self):
        return (self.place + 1.0,)

    def sample_action(self, random):
        return (self.place + random.uniform() - 0.5,)

    def apply_action(self, action, random):
        self.place = action[0] + (1.0 if random.below(2) else -1.0)
        self.steps += 1
        return -((self.place - 1.0) ** 2)

    def is_terminal(self):
        return self.steps == 2


class Duel(bw.Game):
    """Two players choose a number each; the second wins what it misses the first's opposite by."""

    num_players = 2
    utility = "zero_sum"
    action_low, action_high = (-1.0,), (1.0,)

    first: float = 0.0
    last: float = 0.0
    steps: np.int8 = 0

    def current_player(self):
        return self.steps % 2

    def apply_action(self, action):
        if self.steps == 0:
            self.first = action[0]
        else:
            self.last = action[0]
        self.steps += 1

    def is_terminal(self):
        return self.steps == 2

    def returns(self):
        value = max(-1.0, 1.0 - abs(self.last + self.first)) - abs(self.first)
        value = min(max(value, -1.0), 1.0)
        return (-value, value)


class Turns(bw.Game):
    """Two players move a point along a line, each for itself; six moves."""

    num_players = 2
    utility = "zero_sum"
    action_low, action_high = (-1.0, 0.0), (1.0, 0.5)

    place: float = 0.0
    steps: np.int8 = 0

    def current_player(self):
        return self.steps % 2

    def apply_action(self, action):
        self.place += action[0] * (1.0 - action[1])
        self.steps += 1

    def is_terminal(self):
        return self.steps == 6

    def returns(self):
        value = min(max(self.place, -1.0), 1.0)
        return (value, -value)


class Gears(bw.Game):
    """Choose one of four gears, and the throttle: gear 2 at .6 is worth most, then gear 0 at .1.

    Gears are not in order: those beside the best are worth nothing.
    """

    num_players = 1
    action_low, action_high = (0, 0.0), (3, 1.0)
    action_integer = (True, False)
    min_return, max_return = -1.0, 1.0

    gear: np.int8 = -1
    throttle: float = 0.0

    def current_player(self):
        return 0

    def apply_action(self, action):
        self.gear = int(action[0])
        self.throttle = action[1]

    def is_terminal(self):
        return self.gear >= 0

    def returns(self):
        if self.gear == 2:
            return (1.0 - abs(self.throttle - 0.6),)
        if self.gear == 0:
            return (0.9 - abs(self.throttle - 0.1),)
        return (-1.0,)


class Switches(bw.Game):
    """Three moves of whole numbers only; the second may go no further than the first. Best: 3, 3, 2."""

    num_players = 1
    action_integer = (True,)
    max_return, min_return = 20.0, 0.0

    first: np.int8 = 3
    total: np.int8 = 0
    moves: np.int8 = 0

    def current_player(self):
        return 0

    def action_low(self):
        return (-1,)

    def action_high(self):
        return (self.first,)

    def apply_action(self, action):
        if self.moves == 0:
            self.first = int(action[0])
        self.total += int(action[0])
        self.moves += 1
        return 1.0 if self.moves == 3 and self.total == 8 else 0.0

    def is_terminal(self):
        return self.moves == 3


class DrawnGears(Gears):
    """The same, with actions drawn by the rules."""

    def sample_action(self, random):
        return (random.below(4), random.uniform())
