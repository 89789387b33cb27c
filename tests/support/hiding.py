"""Small games with hidden information, for tests."""

import numpy as np

import branchwise as bw


class Peek(bw.Game):
    """Four cards; each player gets one, two stay face down. Player 0 names a card; the right guess wins.

    Player 0 first guesses the other's card; player 1 then guesses player 0's. A guess is public, and tells a
    card that the player does not have.
    """

    num_players = 2
    num_actions = 4
    num_outcomes = 4
    utility = "zero_sum"
    pool = ("hands", "deck")

    hands: bw.Private[np.int8, "num_players"] = 0
    deck: bw.Secret[np.int8, 4] = 0
    dealt: np.int8 = 0
    guesses: bw.Array[np.int8, 2] = 0
    guessed: np.int8 = 0

    def setup(self):
        for card in range(4):
            self.deck[card] = card + 1

    def current_player(self):
        return bw.CHANCE if self.dealt < 2 else self.guessed

    def legal_actions(self):
        for card in range(4):
            if self.hands[self.guessed] != card + 1:
                yield card

    def chance_outcomes(self):
        for place in range(4 - self.dealt):
            yield self.deck[place] - 1, 1 / (4 - self.dealt)

    def apply_action(self, action):
        if self.dealt < 2:
            last = 3 - self.dealt
            for place in range(last + 1):
                if self.deck[place] == action + 1:
                    self.deck[place] = self.deck[last]
            self.deck[last] = 0
            self.hands[self.dealt] = action + 1
            self.dealt += 1
        else:
            self.guesses[self.guessed] = action + 1
            self.guessed += 1

    def consistent(self, player):
        return self.hands[0] != self.guesses[0] and self.hands[1] != self.guesses[1]

    def is_terminal(self):
        return self.guessed == 2

    def returns(self):
        first = self.guesses[0] == self.hands[1]
        second = self.guesses[1] == self.hands[0]
        gain = 0.5 * first - 0.5 * second
        return gain, -gain


class Told(bw.Game):
    """Player 0 secretly picks one of four doors; player 1 learns on which side it is, and guesses the door.

    `action_seen` tells the side; the door itself is in a secret field.
    """

    num_players = 2
    num_actions = 4
    utility = "zero_sum"

    door: bw.Secret[np.int8, 1] = 0
    guess: np.int8 = 0
    moves: np.int8 = 0

    def current_player(self):
        return self.moves

    def legal_actions(self):
        for action in range(4):
            yield action

    def action_seen(self, action, player):
        return action // 2 if self.moves == 0 else action

    def apply_action(self, action):
        if self.moves == 0:
            self.door[0] = action
        else:
            self.guess = action
        self.moves += 1

    def is_terminal(self):
        return self.moves == 2

    def returns(self):
        return (-1.0, 1.0) if self.guess == self.door[0] else (1.0, -1.0)


class Glimpse(bw.Game):
    """A coin is tossed in secret; player 1 observes it through a method, not through the types of fields."""

    num_players = 2
    num_actions = 2
    num_outcomes = 2
    utility = "zero_sum"

    coin: np.int8 = -1
    guess: np.int8 = -1
    mover: np.int8 = 0

    def current_player(self):
        return bw.CHANCE if self.coin < 0 else self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def chance_outcomes(self):
        yield 0, 0.25
        yield 1, 0.75

    def apply_action(self, action):
        if self.coin < 0:
            self.coin = action
        else:
            self.guess = action

    def observation(self, player):
        if player == 1:
            yield self.coin
        yield self.guess

    def is_terminal(self):
        return self.guess >= 0

    def returns(self):
        return (1.0, -1.0) if self.guess == self.coin else (-1.0, 1.0)


class Sure(Told):
    """No state fits what player 1 knows, because `consistent` rejects all of them."""

    def consistent(self, player):
        return False


class Dealt(bw.Game):
    """Two of six cards are dealt at the start; player 0 may double the stakes, and the higher card wins."""

    num_players = 2
    num_actions = 2
    utility = "zero_sum"
    pool = ("hands", "deck")

    hands: bw.Private[np.int8, "num_players"] = 0
    deck: bw.Secret[np.int8, 4] = 0
    bet: np.int8 = -1
    mover: np.int8 = 0

    def setup(self, random):
        cards = np.array([1, 2, 3, 4, 5, 6])
        random.shuffle(cards)
        for player in range(2):
            self.hands[player] = cards[player]
        for place in range(4):
            self.deck[place] = cards[2 + place]

    def current_player(self):
        return self.mover

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        if self.mover == 0:
            self.bet = action
        self.mover += 1

    def is_terminal(self):
        return self.mover == 2

    def returns(self):
        gain = (1 + self.bet) / 2
        return (gain, -gain) if self.hands[0] > self.hands[1] else (-gain, gain)
