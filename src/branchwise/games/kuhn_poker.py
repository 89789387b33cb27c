"""Kuhn poker: one card each, one bet; for two players or more.

Each player has one of n + 1 cards and has put 1 into the pot. Players pass or bet 1 in turn. After the first
bet each of the others bets as well or passes, which folds. The highest card among those who bet, or among all
if nobody does, takes the pot. Kuhn, "A simplified two-person poker", 1950; Szafron, Gibson, Sturtevant, "A
parameterized family of equilibrium profiles for three-player Kuhn poker", 2013.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.game.kinds.fields import Array, Private, Secret
from branchwise.game.rules_class import Game
from branchwise.games.boards import place_piece
from branchwise.games.hands import HIDDEN, HandTable, hand_style
from branchwise.games.option_checks import check_ranges

PASS = 0
BET = 1
RANKS = "23456789TJQK"
NOBODY = -1


def all_gains(players):
    """Return every player's gain, float64 [2**players, players, players], by who bet, as bits, and who wins.

    A look-up is faster than to make an array at the end of each game.
    """
    gains = np.zeros((2**players, players, players))
    for bettors in range(2**players):
        bets = [1.0 + (bettors >> player & 1) for player in range(players)]
        for winner in range(players):
            gains[bettors, winner] = np.negative(bets)
            gains[bettors, winner, winner] += sum(bets)
    gains.flags.writeable = False
    return gains


class KuhnPoker(HandTable, Game):
    """Action 0 passes and 1 bets; outcome k of the deal is the card with rank k, from the lowest.

    >>> print(KuhnPoker.from_actions("J K pass"))
                card   bet
      player 0     J     1
    > player 1     K     1
    """

    players = 2

    num_players = 2
    num_actions = 2
    utility = "zero_sum"
    pool = ("hands", "left")

    hands: Private[np.int8, "num_players"] = 0  # rank + 1
    left: Secret[np.int8, 1] = 0  # the card that nobody has
    bets: Array[np.int8, "num_players"] = 1
    dealt: np.int8 = 0
    acted: np.int8 = 0
    bettor: np.int8 = NOBODY  # who bet first

    @classmethod
    def configure(cls):
        check_ranges(cls, players=(2, 10))
        cls.num_players = cls.players
        cls.num_outcomes = cls.players + 1
        cls.min_return = -2.0
        cls.max_return = 2.0 * (cls.players - 1)
        cls.max_game_length = 3 * cls.players
        cls.gains = all_gains(cls.players)
        texts = (*RANKS[-cls.num_outcomes :], "bet 1", "bet 2")
        cls.board_style = hand_style(cls.players, 2, texts)

    def current_player(self):
        return CHANCE if self.dealt < self.num_players else self.acted % self.num_players

    def legal_actions(self):
        yield PASS
        yield BET

    def chance_outcomes(self):
        for card in range(self.num_outcomes):
            if not self.is_dealt(card):
                yield card, 1 / (self.num_outcomes - self.dealt)

    def is_dealt(self, card):
        for player in range(self.dealt):
            if self.hands[player] == card + 1:
                return True
        return False

    def apply_action(self, action):
        if self.dealt < self.num_players:
            self.hands[self.dealt] = action + 1
            self.dealt += 1
            if self.dealt == self.num_players:
                for card in range(self.num_outcomes):
                    if not self.is_dealt(card):
                        self.left[0] = card + 1
        else:
            player = self.acted % self.num_players
            if action == BET:
                self.bets[player] = 2
                if self.bettor == NOBODY:
                    self.bettor = player
            self.acted += 1

    def is_terminal(self):
        if self.bettor == NOBODY:
            return self.acted == self.num_players
        return self.acted == self.bettor + self.num_players

    def winner(self):
        """Return the player with the highest card among those who did not fold."""
        best = 0
        winner = 0
        for player in range(self.num_players):
            if (self.bettor == NOBODY or self.bets[player] == 2) and self.hands[player] > best:
                best = self.hands[player]
                winner = player
        return winner

    def returns(self):
        bettors = 0
        for player in range(self.num_players):
            bettors |= (self.bets[player] - 1) << player
        return self.gains[bettors, self.winner()]

    def action_to_string(self, action):
        if self.dealt < self.num_players:
            return self.card_name(action + 1)
        return "bet" if action == BET else "pass"

    def card_name(self, card):
        """Return the name of a card, numbered from 1; a question mark for 0, which is not known."""
        return RANKS[card - 1 - self.num_outcomes] if card > 0 else HIDDEN

    def board_cells(self, out):
        for player in range(self.num_players):
            place_piece(out, 2 * player, player, 1 + self.hands[player])
            place_piece(out, 2 * player + 1, player, 1 + self.num_outcomes + self.bets[player])
