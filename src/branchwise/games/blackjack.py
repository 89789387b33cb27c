"""Blackjack: draw cards for a sum above the dealer's, but not above 21.

As in Gymnasium's Blackjack, and Example 5.1 of Sutton, Barto, "Reinforcement Learning", 2018: cards are drawn
with replacement, and the dealer draws to 17.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.drawing.grid import PLAYER_COLOURS
from branchwise.drawing.shapes import GREY, choices, label, rectangle
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game

STICK = 0
HIT = 1
CARDS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10")

PLAYER = 0
DEALER = 1
NOBODY = -1
LIMIT = 21
DEALER_STANDS = 17


class Blackjack(Game):
    """Action 0 sticks and 1 hits; outcome k is a card that counts k + 1, where 10 includes face cards.

    An ace counts 11 if the sum then is at most 21. The player is dealt two cards after the dealer's first.
    The dealer's other cards are drawn when the player sticks; the second is hidden until then, so this makes
    no difference.

    A natural is an ace and a ten as first cards. It beats every other hand, by the rules of Sutton and Barto,
    which are the default of `gymnasium.make`, too; without `sab` it ties with any other 21. With `natural` it
    ties, and pays 1.5 where it wins, as with Gymnasium's `natural=True, sab=False`.

    >>> state = Blackjack.from_actions("6 A 7 hit 10 stick 10 9")
    >>> print(state)
      player   18
      dealer   25
    >>> state.returns()
    (1.0,)
    """

    natural = False
    sab = True

    num_players = 1
    num_actions = 2
    num_outcomes = len(CARDS)
    max_game_length = 50

    sums: Array[np.int8, 2] = 0
    """Sum of each hand, where an ace counts 1."""
    aces: Array[bool, 2] = False
    """Whether each hand has an ace."""
    cards: Array[np.int8, 2] = 0
    """Number of cards in each hand; 3 means three or more."""
    draws: np.int8 = DEALER
    """The hand that gets the next card; NOBODY while the player decides."""
    over: bool = False

    @classmethod
    def configure(cls):
        cls.max_return = 1.5 if cls.natural else 1.0

    def current_player(self):
        return 0 if self.draws == NOBODY else CHANCE

    def legal_actions(self):
        yield STICK
        yield HIT

    def chance_outcomes(self):
        for card in range(10):
            yield card, 4 / 13 if card == 9 else 1 / 13

    def apply_action(self, action):
        if self.draws == NOBODY:
            self.draws = PLAYER if action == HIT else DEALER
            return
        hand = self.draws
        self.sums[hand] += action + 1
        self.cards[hand] = min(self.cards[hand] + 1, 3)
        if action == 0:
            self.aces[hand] = True
        if hand == PLAYER:
            if self.cards[PLAYER] >= 2:
                self.draws = NOBODY
            self.over = self.sums[PLAYER] > LIMIT
        elif self.cards[DEALER] == 1:
            self.draws = PLAYER
        else:
            self.over = self.total(DEALER) >= DEALER_STANDS

    def total(self, hand):
        """Return the value of a hand; an ace counts 11 if the sum allows it."""
        if self.aces[hand] and self.sums[hand] + 10 <= LIMIT:
            return self.sums[hand] + 10
        return self.sums[hand]

    def is_natural(self, hand):
        return self.cards[hand] == 2 and self.total(hand) == LIMIT

    def is_terminal(self):
        return self.over

    def returns(self):
        player, dealer = self.total(PLAYER), self.total(DEALER)
        if player > LIMIT:
            return (-1.0,)
        if self.sab and not self.natural and self.is_natural(PLAYER) and not self.is_natural(DEALER):
            return (1.0,)
        if dealer > LIMIT or player > dealer:
            return (1.5,) if self.natural and self.is_natural(PLAYER) else (1.0,)
        return (0.0,) if player == dealer else (-1.0,)

    # --- names and pictures ---------------------------------------------------------------------------

    def action_to_string(self, action):
        return ("stick", "hit")[action] if self.draws == NOBODY else CARDS[action]

    def hand(self, hand):
        """Return the value of a hand as text, with an "A" if an ace counts 11."""
        soft = self.total(hand) > self.sums[hand]
        return f"{self.total(hand)}{' A' if soft else ''}"

    def __str__(self):
        return f"  player {self.hand(PLAYER):>4}\n  dealer {self.hand(DEALER):>4}"

    def to_svg(self):
        """Draw the values of both hands as bars up to 21, and a button for each move or card."""
        parts = []
        for hand, name in enumerate(("player", "dealer")):
            top = 10 + 40 * hand
            total, colour = self.total(hand), PLAYER_COLOURS[hand]
            parts += [
                rectangle(70, top, 12 * LIMIT, 30, GREY, 0.12),
                rectangle(70, top, 12 * total, 30, colour, 0.35 if total > LIMIT else 0.85),
                label(10, top + 20, name),
                label(78, top + 20, self.hand(hand), colour="#fff"),
            ]
        return choices(self, parts, 80, 70 + 12 * LIMIT)
