"""Goofspiel with sealed bids: after each turn players see who won the point card, but not the other's bid.

Both bid in secret, one after the other. The second does not see the first bid, so this is the same as bidding
at once. But it is a game in turns, which the searches for hidden information can play, while those of joint
moves refuse hidden information. OpenSpiel turns `goofspiel(imp_info=True)` into the same game by
`turn_based_simultaneous_game`. Lanctot, Lisý, Bowling, "Search in imperfect information games using online
Monte Carlo counterfactual regret minimization", 2014.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.game.kinds.fields import Array, Private
from branchwise.games.bid_draws import draw_evenly, draw_in_turn
from branchwise.games.boards import place_piece
from branchwise.games.hands import HIDDEN, HandTable
from branchwise.games.point_cards import PointCards, listed

NONE = -1
TIE = 2


class SealedGoofspiel(HandTable, PointCards):
    """Two players bid for point cards; action a bids the card a + 1, outcome o shows the point card o + 1.

    The options are those of `goofspiel`, but `players`.

    >>> import branchwise as bw
    >>> game = bw.load_game("sealed_goofspiel(num_cards=4,points_order=descending)")
    >>> played = bw.Playthrough(game(), "4 2 1")
    >>> print(played.information_state(1))
               points  bids cards
      player 0     4   ? ?     ?
    > player 1     0     2 1 3 4
    point card 3
    """

    bids: Private[np.int8, 2, "turns"] = 0
    """The card that each player bid in each turn, from 1, or 0."""
    winners: Array[np.int8, "turns"] = NONE
    """Who won each turn, or TIE."""
    num_bids: np.int8 = 0
    """Bids of this turn."""

    @classmethod
    def configure(cls):
        super().configure()
        cls.max_game_length = 3 * cls.turns

    def setup(self):
        self.show_first()

    def current_player(self):
        return CHANCE if self.card < 0 else self.num_bids

    def hand(self, player):
        """Return the cards of a player that are left, as bits."""
        cards = (1 << self.num_cards) - 1
        for turn in range(self.turns):
            if self.bids[player, turn] > 0:
                cards &= ~(1 << self.bids[player, turn] - 1)
        return cards

    def legal_actions(self):
        cards = self.hand(self.num_bids)
        for card in range(self.num_cards):
            if cards >> card & 1:
                yield card

    def apply_action(self, action):
        if self.card < 0:
            self.card = action
            return
        self.bids[self.num_bids, self.turn] = action + 1
        self.num_bids += 1
        if self.num_bids == 2:
            self.settle()
            if self.is_forced():
                self.card = self.last_of(self.prizes)
                for player in range(2):
                    self.bids[player, self.turn] = self.last_of(self.hand(player)) + 1
                self.settle()

    def settle(self):
        """Give the points of the card to the higher bid, and go on to the next turn."""
        first, second = self.bids[0, self.turn], self.bids[1, self.turn]
        self.num_bids = 0
        if first == second:
            self.winners[self.turn] = TIE
            self.award(-1)
        else:
            winner = 0 if first > second else 1
            self.winners[self.turn] = winner
            self.award(winner)

    def determinize(self, player, random):
        """Draw the other's bids so that all turns were won as they were.

        Moves of others are taken as given. The second bid of a turn shows at once who wins, so it was any of
        the bids that fit. The first bid shows nothing: all bids are equally likely, and fit later or not.
        """
        other = 1 - player
        over = self.turn
        own = np.zeros(over, np.int64)
        signs = np.zeros(over, np.int64)
        for turn in range(over):
            own[turn] = self.bids[player, turn] - 1
            if self.winners[turn] != TIE:
                signs[turn] = 1 if self.winners[turn] == other else -1
        if other == 0:
            bids = draw_evenly(own, signs, self.num_cards, random)
        else:
            bids = draw_in_turn(own, signs, self.num_cards, random)
        for turn in range(over):
            self.bids[other, turn] = bids[turn] + 1
        if other < self.num_bids:
            cards = self.hand(other)
            card = random.below(self.num_cards)
            while cards >> card & 1 == 0:
                card = random.below(self.num_cards)
            self.bids[other, over] = card + 1

    def board_cells(self, out):
        self.place_points(out)
        for player in range(2):
            made = self.turn + (1 if player < self.num_bids else 0)
            is_hidden = False
            for turn in range(made):
                is_hidden |= self.bids[player, turn] == 0
            cards = self.hand(player)
            for card in range(self.num_cards):
                if is_hidden and card < self.num_cards - made:
                    place_piece(out, self.square(player, card), player)
                elif not is_hidden and cards >> card & 1:
                    place_piece(out, self.square(player, card), player, 2 + card)

    def action_squares(self, action):
        if self.card >= 0:
            yield self.square(self.num_bids, action)

    def hand_table(self):
        """Return headings, and the text of each player's points, bids and cards."""
        rows = []
        for player in range(2):
            made = self.turn + (1 if player < self.num_bids else 0)
            bids = [str(bid) if bid else HIDDEN for bid in self.bids[player, :made].tolist()]
            cards = HIDDEN if HIDDEN in bids else listed(self.hand(player))
            rows.append((str(int(self.points[player])), " ".join(bids), cards))
        return ("points", "bids", "cards"), rows

    below = PointCards.shown_card
