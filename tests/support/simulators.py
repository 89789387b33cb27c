"""Problems whose transitions, or outcomes of chance, can only be drawn."""

import numpy as np

import branchwise as bw


class Drift(bw.Game):
    """One player walks to a goal at 5; wind adds a little to each step. A step costs 1, the goal pays 10."""

    num_players = 1
    num_actions = 3
    max_game_length = 20

    place: float = 0.0
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(3):
            yield action

    def apply_action(self, action, random):
        self.place += action - 1 + 0.3 * random.normal()
        self.steps += 1
        return 10.0 if abs(self.place - 5.0) < 1.0 else -1.0

    def is_terminal(self):
        return abs(self.place - 5.0) < 1.0 or self.steps >= 20


class Machines(bw.Game):
    """Three turns at one of four machines, of which number i pays i with a chance of (4 - i) / 5.

    The best is number 2, which pays .8 on average; each turn counts 3/4 of the one before.
    """

    num_players = 1
    num_actions = 4
    discount = 0.75

    turns: np.int8 = 0
    won: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(4):
            yield action

    def apply_action(self, action, random):
        self.turns += 1
        if random.uniform() < (4 - action) / 5:
            self.won += action
            return float(action)
        return None

    def is_terminal(self):
        return self.turns == 3


class SampledPig(bw.Game):
    """Pig to 20 whose die is drawn by the rules; two players."""

    num_players = 2
    num_actions = 2
    num_outcomes = 6
    max_game_length = 1000
    utility = "zero_sum"

    scores: bw.Array[np.int16, 2] = 0
    turn: np.int16 = 0
    mover: np.int8 = 0
    rolling: bool = False

    def current_player(self):
        return bw.CHANCE if self.rolling else self.mover

    def legal_actions(self):
        yield 0
        if self.turn > 0:
            yield 1

    def sample_outcome(self, random):
        return random.below(6)

    def apply_action(self, action):
        if self.rolling:
            self.rolling = False
            if action == 0:
                self.turn = 0
                self.mover = 1 - self.mover
            else:
                self.turn += action + 1
        elif action == 0:
            self.rolling = True
        else:
            self.scores[self.mover] += self.turn
            self.turn = 0
            self.mover = 1 - self.mover

    def is_terminal(self):
        return self.scores[0] >= 20 or self.scores[1] >= 20

    def returns(self):
        return (1.0, -1.0) if self.scores[0] >= 20 else (-1.0, 1.0)


class Doors(bw.Game):
    """Behind one of two doors, which is drawn anew each time, there is a prize of 1; a hundred tries."""

    num_players = 1
    num_actions = 2
    max_game_length = 100
    horizon = 1

    tries: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action, random):
        self.tries += 1
        return 1.0 if random.below(2) == action else 0.0

    def is_terminal(self):
        return self.tries == 100


class Shutters(bw.Game):
    """Chance opens some of five shutters, and the player chooses one that is open: the last pays most."""

    num_players = 1
    num_actions = 5
    num_outcomes = 32
    max_game_length = 12

    shown: np.int8 = 31
    drawing: bool = False
    turns: np.int8 = 0

    def current_player(self):
        return bw.CHANCE if self.drawing else 0

    def legal_actions(self):
        for shutter in range(5):
            if self.shown >> shutter & 1:
                yield shutter

    def sample_outcome(self, random):
        return 1 + random.below(31)

    def apply_action(self, action):
        if self.drawing:
            self.drawing = False
            self.shown = action
            return 0.0
        self.drawing = True
        self.turns += 1
        return float(action)

    def is_terminal(self):
        return self.turns == 4


class Deck(bw.Game):
    """Guess whether the first of four shuffled cards is 0 or 1, five times; luck pays a little more."""

    num_players = 1
    num_actions = 2
    max_game_length = 5

    deck: bw.Array[np.int8, 4] = 0
    guesses: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action, random):
        for card in range(4):
            self.deck[card] = card
        random.shuffle(self.deck)
        self.guesses += 1
        luck = 0.1 * random.choice((1.0, 0.0, 2.0))
        return 1.0 + luck if self.deck[0] == action else luck

    def is_terminal(self):
        return self.guesses == 5


class Offers(bw.Game):
    """Three offers, each drawn from 0 to 1 after a no; a yes takes the last one that was made.

    The third is taken, whatever it is. So offers to come are worth 1/2, 5/8 and 89/128: one, two and three.
    """

    num_players = 1
    num_actions = 2
    max_game_length = 4
    min_return, max_return = 0.0, 1.0

    offer: float = 0.0
    made: np.int8 = 0
    taken: bool = False

    def current_player(self):
        return 0

    def legal_actions(self):
        if self.made < 3:
            yield 0
        if self.made > 0:
            yield 1

    def apply_action(self, action, random):
        if action == 1:
            self.taken = True
            return self.offer
        self.offer = random.uniform()
        self.made += 1
        return 0.0

    def is_terminal(self):
        return self.taken


class Dash(bw.Game):
    """Two players in turn walk 2 steps, or run some of 0 to 5, which is drawn; who is at 12 first wins."""

    num_players = 2
    num_actions = 2
    max_game_length = 40
    utility = "zero_sum"

    places: bw.Array[np.int16, 2] = 0
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action, random):
        self.places[self.mover] += 2 if action == 0 else random.below(6)
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.places[0] >= 12 or self.places[1] >= 12

    def returns(self):
        return (1.0, -1.0) if self.places[0] >= 12 else (-1.0, 1.0)
