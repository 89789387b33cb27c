"""Leduc poker: two rounds of bets with one card each and one on the table; for two players or more.

The deck has two suits of n + 1 ranks. Each player puts 1 into the pot and gets a card. After a round of bets
a card is laid open, and a second round follows. Raises are by 2 in the first round and by 4 in the second, at
most two in each. A pair with the open card wins, then the higher card; equal hands share the pot. Southey,
Bowling, Larson, Piccione, Burch, Billings, Rayner, "Bayes' bluff: opponent modelling in poker", 2005.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.game.kinds.fields import Array, Private, Secret
from branchwise.game.rules_class import Game
from branchwise.games.boards import place_piece
from branchwise.games.hands import HIDDEN, HandTable, hand_style
from branchwise.games.option_checks import check_ranges

FOLD = 0
CALL = 1
RAISE = 2
MAX_RAISES = 2
MOST = 13
"""The highest bet."""
RANKS = "23456789TJQK"
SUITS = "ab"


class LeducPoker(HandTable, Game):
    """Action 0 folds, 1 calls or checks, 2 raises; outcome k is the card of rank k // 2, suit k % 2.

    >>> print(LeducPoker.from_actions("Ja Kb raise call Jb"))
                card   bet
    > player 0    Ja     3
      player 1    Kb     3
    open card Jb
    """

    players = 2

    num_players = 2
    num_actions = 3
    utility = "zero_sum"
    pool = ("hands", "deck")

    hands: Private[np.int8, "num_players"] = 0  # number of the card + 1
    deck: Secret[np.int8, "num_outcomes"] = 0  # what is left of it, in no order, then zeros
    table: np.int8 = 0  # the open card + 1
    bets: Array[np.int8, "num_players"] = 1
    folded: Array[bool, "num_players"] = False
    dealt: np.int8 = 0  # to players
    stakes: np.int8 = 1
    raises: np.int8 = 0  # in this round
    calls: np.int8 = 0  # since the last raise
    mover: np.int8 = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, players=(2, 10))
        cls.num_players = cls.players
        cls.num_outcomes = 2 * (cls.players + 1)
        cls.min_return = -1.0 * MOST
        cls.max_return = 1.0 * MOST * (cls.players - 1)
        cards = [rank + suit for rank in RANKS[-cls.players - 1 :] for suit in SUITS]
        bets = [f"bet {bet}{out}" for out in ("", " out") for bet in range(1, MOST + 1)]
        cls.board_style = hand_style(cls.players, 2, cards + bets, cards)
        cls.max_game_length = 1 + cls.players + 2 * 3 * cls.players

    def setup(self):
        for card in range(self.num_outcomes):
            self.deck[card] = card + 1

    def is_between_rounds(self):
        return self.table == 0 and self.has_settled()

    def current_player(self):
        if self.dealt < self.num_players or self.is_between_rounds():
            return CHANCE
        return self.mover

    def legal_actions(self):
        if self.stakes > self.bets[self.mover]:
            yield FOLD
        yield CALL
        if self.raises < MAX_RAISES:
            yield RAISE

    def cards_left(self):
        return self.num_outcomes - self.dealt - (1 if self.table > 0 else 0)

    def chance_outcomes(self):
        left = self.cards_left()
        for place in range(left):
            yield self.deck[place] - 1, 1 / left

    def apply_action(self, action):
        if self.dealt < self.num_players:
            self.take_out(action + 1)
            self.hands[self.dealt] = action + 1
            self.dealt += 1
        elif self.is_between_rounds():
            self.take_out(action + 1)
            self.table = action + 1
            self.raises = 0
            self.calls = 0
            self.mover = self.next_player(self.num_players - 1)
        else:
            self.bet(action)
            self.mover = self.next_player(self.mover)

    def take_out(self, card):
        """Take a card out of the deck; the last one fills its place."""
        last = self.cards_left() - 1
        for place in range(last + 1):
            if self.deck[place] == card:
                self.deck[place] = self.deck[last]
        self.deck[last] = 0

    def bet(self, action):
        if action == FOLD:
            self.folded[self.mover] = True
            return
        if action == RAISE:
            self.stakes += 2 if self.table == 0 else 4
            self.raises += 1
            self.calls = 0
        else:
            self.calls += 1
        self.bets[self.mover] = self.stakes

    def next_player(self, player):
        """Return the next player who has not folded."""
        for _ in range(self.num_players):
            player = (player + 1) % self.num_players
            if not self.folded[player]:
                break
        return player

    def num_inside(self):
        """Return how many players have not folded."""
        inside = 0
        for player in range(self.num_players):
            if not self.folded[player]:
                inside += 1
        return inside

    def has_settled(self):
        """Whether the round of bets is over."""
        if self.dealt < self.num_players:
            return False
        return self.calls == self.num_inside() - (1 if self.raises > 0 else 0)

    def is_terminal(self):
        return self.num_inside() == 1 or (self.table > 0 and self.has_settled())

    def worth(self, player):
        """Return a number by which hands compare; a pair is above all others."""
        mine, open_card = (self.hands[player] - 1) // 2, (self.table - 1) // 2
        size = self.num_outcomes
        if mine == open_card:
            return size * size + mine
        return max(mine, open_card) * size + min(mine, open_card)

    def returns(self):
        gains = np.zeros(self.num_players)
        best = -1
        winners = 0
        for player in range(self.num_players):
            gains[player] = -self.bets[player]
            if not self.folded[player]:
                worth = self.worth(player)
                if worth > best:
                    best = worth
                    winners = 0
                if worth == best:
                    winners += 1
        for player in range(self.num_players):
            if not self.folded[player] and self.worth(player) == best:
                gains[player] += self.bets.sum() / winners
        return gains

    def action_to_string(self, action):
        if self.dealt < self.num_players or self.is_between_rounds():
            return self.card_name(action + 1)
        if action == CALL:
            return "call" if self.stakes > self.bets[self.mover] else "check"
        return "fold" if action == FOLD else "raise"

    def card_name(self, card):
        """Return the name of a card, numbered from 1; a question mark for 0, which is not known."""
        if card == 0:
            return HIDDEN
        return RANKS[(card - 1) // 2 - self.num_outcomes // 2] + SUITS[(card - 1) % 2]

    def board_cells(self, out):
        for player in range(self.num_players):
            place_piece(out, 2 * player, player, 1 + self.hands[player])
            bet = self.bets[player] + (MOST if self.folded[player] else 0)
            place_piece(out, 2 * player + 1, player, 1 + self.num_outcomes + bet)
        if self.table:
            place_piece(out, 2 * self.num_players, -1, 1 + self.table)

    def below(self):
        return f"open card {self.card_name(self.table)}" if self.table else ""
