"""Goofspiel, the game of pure strategy: all players bid a card at once for each point card.

Each player has the cards 1 to `num_cards`. Each turn shows a point card; the highest bid wins its points, and
if several players bid highest, nobody does. Bids are gone. The last cards are played by themselves. The rules
are those of OpenSpiel's game of the same name, where all bids are seen after each turn.

With 4 cards in descending order, best play bids the 4 first, for sure, and the value is 0.
"""

import numpy as np

from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.game.kinds.fields import Array
from branchwise.games.boards import place_piece
from branchwise.games.option_checks import check_ranges
from branchwise.games.point_cards import PointCards, listed


class Goofspiel(PointCards):
    """Bid for point cards; action a bids the card a + 1, outcome o shows the point card o + 1.

    num_cards : 2 to 40.   num_turns : turns to play; -1: one for each card.   players : 2 to 10.
    points_order : "random", "descending" or "ascending".   returns_type : "win_loss": 1 shared by the
    winners, -1 by the others, 0 if all have the same points; "point_difference": points minus the players'
    mean; "total_points".
    """

    players = 2

    hands: Array[np.int64, "players"] = 0  # bit c of a hand is card c + 1
    bids: Array[np.int8, "players"] = -1  # of the last turn

    @classmethod
    def configure(cls):
        check_ranges(cls, players=(2, 10))
        cls.num_players = cls.players
        super().configure()

    def setup(self):
        for player in range(self.players):
            self.hands[player] = (1 << self.num_cards) - 1
        self.show_first()

    def current_player(self):
        return CHANCE if self.card < 0 else SIMULTANEOUS

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
        if self.is_forced():
            for player in range(self.players):
                self.bids[player] = self.last_of(self.hands[player])
            self.card = self.last_of(self.prizes)
            self.settle()

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
        self.award(winner)

    def board_cells(self, out):
        self.place_points(out)
        for player in range(self.players):
            for card in range(self.num_cards):
                if self.hands[player] >> card & 1:
                    place_piece(out, self.square(player, card), player, 2 + card)

    def action_squares(self, action, player=0):
        if self.card >= 0:
            yield self.square(player, action)

    def __str__(self):
        lines = []
        for player in range(self.players):
            points = f"{self.points[player]} point{'' if self.points[player] == 1 else 's'}"
            lines.append(f"player {player}: {points}, cards {listed(self.hands[player])}")
        return "\n".join([*lines, self.shown_card()])
