"""Small problems and games that pay rewards on the way."""

import numpy as np

import branchwise as bw


class Corridor(bw.Game):
    """One player walks along a corridor: each step costs 1, the right end pays 10."""

    num_players = 1
    num_actions = 2
    max_game_length = 100
    discount = 0.9

    place: np.int8 = 2
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.place += 2 * action - 1
        self.steps += 1
        return 10 if self.place == 5 else -1.0

    def is_terminal(self):
        return self.place in (0, 5) or self.steps == 20


class Auction(bw.Game):
    """Two players take turns to take one of the chips 1 to 6 from the other; a second turn follows a 3.

    The rewards are zero-sum, come with every move, and are discounted.
    """

    num_players = 2
    num_actions = 6
    max_game_length = 6
    utility = "zero_sum"
    discount = 0.75

    taken: bw.Array[bool, 6] = False
    mover: np.int8 = 0
    moves: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for chip in range(6):
            if not self.taken[chip]:
                yield chip

    def apply_action(self, action):
        self.taken[action] = True
        self.moves += 1
        worth = (action + 1.0) * (1.0 if self.moves % 2 else -0.5)
        player = self.mover
        if action != 2:
            self.mover = 1 - self.mover
        return (worth, -worth) if player == 0 else (-worth, worth)

    def is_terminal(self):
        return self.moves == 6


class Wheel(bw.Game):
    """One player: a stake of 0 to 2 is paid at once; a wheel then pays it back threefold with a chance of .4.

    A first prize comes with the outcome itself, and nothing comes after the fourth turn. The discount is for
    decisions alone.
    """

    num_players = 1
    num_actions = 3
    num_outcomes = 2
    max_game_length = 8
    discount = 0.5

    stake: np.int8 = -1
    turns: np.int8 = 0
    purse: np.int8 = 2

    def current_player(self):
        return 0 if self.stake < 0 else bw.CHANCE

    def legal_actions(self):
        for stake in range(min(2, self.purse) + 1):
            yield stake

    def chance_outcomes(self):
        yield 0, 0.6
        yield 1, 0.4

    def apply_action(self, action):
        if self.stake < 0:
            self.stake = action
            self.purse -= action
            return -1.0 * action
        stake = self.stake
        self.stake = -1
        self.turns += 1
        if action:
            self.purse += 3 * stake
            return 3.0 * stake + 0.25
        return None

    def is_terminal(self):
        return self.stake < 0 and self.turns == 4


class Treadmill(bw.Game):
    """One player walks for ever: a step pays 1, a rest 3, after which the next move pays nothing."""

    num_players = 1
    num_actions = 2
    max_game_length = 50
    horizon = 5

    tired: bool = False

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        paid = 0.0
        if not self.tired:
            paid = 3.0 if action else 1.0
        self.tired = action == 1 and not self.tired
        return paid

    def is_terminal(self):
        return False


class Duel(bw.Game):
    """Two players without a constant sum: in each of four turns the mover gives the other 2, or takes 1."""

    num_players = 2
    num_actions = 2
    max_game_length = 4
    utility = "general_sum"

    mover: np.int8 = 0
    moves: np.int8 = 0
    given: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        mine, theirs = 1.0, 0.0
        if action:
            self.given += 1
            mine, theirs = 0.2 * self.given, 2.0
        player = self.mover
        self.mover = 1 - self.mover
        self.moves += 1
        return (mine, theirs) if player == 0 else (theirs, mine)

    def is_terminal(self):
        return self.moves == 4


class Gifts(bw.Game):
    """Three players in turn take 1, or give the next one 2 and get more the later it is; six moves."""

    num_players = 3
    num_actions = 2
    max_game_length = 6
    discount = 0.9

    mover: np.int8 = 0
    moves: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        giver = self.mover
        self.mover = (giver + 1) % 3
        self.moves += 1
        mine, gift = (1.0, 0.0) if action == 0 else (0.45 * self.moves, 2.0)
        if giver == 0:
            return (mine, gift, 0.0)
        return (0.0, mine, gift) if giver == 1 else (gift, 0.0, mine)

    def is_terminal(self):
        return self.moves == 6
