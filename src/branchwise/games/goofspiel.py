"""Goofspiel, the game of pure strategy: all players bid a card at once for each point card.

Each player has the cards 1 to `num_cards`. Each turn shows a point card; the highest bid wins its points, and
if several players bid highest, nobody does. Bids are gone. The last cards are played by themselves. The rules
are those of OpenSpiel's game of the same name, where all bids are seen after each turn.

With 4 cards in descending order, best play bids the 4 first, for sure, and the value is 0.
"""

import numpy as np

from branchwise.errors import GameError
from branchwise.fields import Array
from branchwise.game import Game
from branchwise.players import CHANCE, SIMULTANEOUS

ORDERS = ("random", "descending", "ascending")
RETURNS = ("win_loss", "point_difference", "total_points")


class Goofspiel(Game):
    """Bid for point cards; action a bids the card a + 1, outcome o shows the point card o + 1.

    num_cards : 2 to 40.   num_turns : turns to play; -1: one for each card.   players : 2 to 10.
    points_order : "random", "descending" or "ascending".   returns_type : "win_loss": 1 shared by the
    winners, -1 by the others, 0 if all have the same points; "point_difference": points minus the players'
    mean; "total_points".
    """

    num_cards = 13
    num_turns = -1
    players = 2
    points_order = "random"
    returns_type = "win_loss"

    turns = 13
    by_chance = True
    pays_points = False
    pays_difference = False

    hands: Array[np.int64, "players"] = 0  # bit c of a hand is card c + 1
    prizes: np.int64 = 0  # the point cards that are left, in the same way
    card: np.int8 = -1  # the point card to bid for, from 0; -1: not shown yet
    turn: np.int8 = 0
    points: Array[np.int16, "players"] = 0
    bids: Array[np.int8, "players"] = -1  # of the last turn

    @classmethod
    def configure(cls):
        for option, low, high in (("num_cards", 2, 40), ("players", 2, 10)):
            if not low <= getattr(cls, option) <= high:
                raise GameError(
                    f"goofspiel({option}={getattr(cls, option)}) is outside its range",
                    mend=f"{low} to {high}",
                )
        if cls.num_turns != -1 and not 1 <= cls.num_turns <= cls.num_cards:
            raise GameError(
                f"goofspiel(num_turns={cls.num_turns}) is outside its range",
                mend="1 to num_cards, or -1 for one turn for each card",
            )
        for option, known in (("points_order", ORDERS), ("returns_type", RETURNS)):
            if getattr(cls, option) not in known:
                raise GameError(
                    f'goofspiel({option}="{getattr(cls, option)}") is unknown',
                    mend=f"one of {', '.join(known)}",
                )
        cls.num_players = cls.players
        cls.num_actions = cls.num_outcomes = cls.num_cards
        cls.turns = cls.num_cards if cls.num_turns == -1 else cls.num_turns
        cls.by_chance = cls.points_order == "random"
        cls.pays_points = cls.returns_type == "total_points"
        cls.pays_difference = cls.returns_type == "point_difference"
        cls.max_game_length = 2 * cls.turns
        total = float(sum(range(cls.num_cards - cls.turns + 1, cls.num_cards + 1)))
        cls.min_return, cls.max_return = -1.0, 1.0
        if cls.pays_points:
            cls.min_return, cls.max_return = 0.0, total
        elif cls.pays_difference:
            cls.max_return = total - total / cls.players
            cls.min_return = -total / cls.players
        cls.utility = "general_sum" if cls.pays_points else "zero_sum"

    def setup(self):
        for player in range(self.players):
            self.hands[player] = (1 << self.num_cards) - 1
        self.prizes = (1 << self.num_cards) - 1
        self.show_next()

    def show_next(self):
        """Show the next point card, unless chance does."""
        self.card = -1
        if not self.by_chance:
            self.card = self.turn if self.points_order == "ascending" else self.num_cards - 1 - self.turn

    def current_player(self):
        return CHANCE if self.card < 0 else SIMULTANEOUS

    def chance_outcomes(self):
        share = 1.0 / (self.num_cards - self.turn)
        for card in range(self.num_cards):
            if self.prizes >> card & 1:
                yield card, share

    def legal_actions(self, player):
        for card in range(self.num_cards):
            if self.hands[player] >> card & 1:
                yield card

    def apply_action(self, outcome):
        self.card = outcome

    def apply_actions(self, actions):
        for player in range(self.players):
            self.bids[player] = actions[player]
        self.settle()
        if self.turn == self.num_cards - 1 and self.turns == self.num_cards:
            for player in range(self.players):
                self.bids[player] = self.last_of(self.hands[player])
            self.card = self.last_of(self.prizes)
            self.settle()

    def last_of(self, cards):
        """Return the only card that is left."""
        for card in range(self.num_cards):
            if cards >> card & 1:
                return card
        return 0

    def settle(self):
        """Give the points of the card to the highest bid, and go on to the next turn."""
        best = -1
        winner = -1
        for player in range(self.players):
            bid = self.bids[player]
            self.hands[player] &= ~(1 << bid)
            if bid > best:
                best = bid
                winner = player
            elif bid == best:
                winner = -1
        if winner >= 0:
            self.points[winner] += self.card + 1
        self.prizes &= ~(1 << self.card)
        self.turn += 1
        if self.turn < self.turns:
            self.show_next()

    def is_terminal(self):
        return self.turn >= self.turns

    def returns(self):
        found = np.zeros(self.players)
        total = 0
        most = 0
        for player in range(self.players):
            total += self.points[player]
            most = max(most, self.points[player])
        winners = 0
        for player in range(self.players):
            winners += self.points[player] == most
        for player in range(self.players):
            if self.pays_points:
                found[player] = self.points[player]
            elif self.pays_difference:
                found[player] = self.points[player] - total / self.players
            elif winners < self.players:
                won = self.points[player] == most
                found[player] = 1.0 / winners if won else -1.0 / (self.players - winners)
        return found

    def action_to_string(self, action):
        return str(action + 1)

    def to_grid(self):
        return None

    def __str__(self):
        lines = [
            f"player {player}: {self.points[player]} points, cards {_listed(self.hands[player])}"
            for player in range(self.players)
        ]
        if self.is_terminal():
            shown = "over"
        else:
            shown = "chance shows the next point card" if self.card < 0 else f"point card {self.card + 1}"
        return "\n".join([*lines, shown])


def _listed(cards):
    """Return the numbers of the cards in a hand as text."""
    cards = int(cards)
    return " ".join(str(card + 1) for card in range(cards.bit_length()) if cards >> card & 1) or "none"
