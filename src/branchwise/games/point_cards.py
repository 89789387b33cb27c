"""What kinds of goofspiel have in common: point cards, options and returns."""

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.kinds.fields import Array
from branchwise.game.rules_class import Game
from branchwise.games.boards import place_piece
from branchwise.games.hands import hand_style
from branchwise.games.option_checks import check_ranges, family

ORDERS = ("random", "descending", "ascending")
RETURNS = ("win_loss", "point_difference", "total_points")


class PointCards(Game):
    """Point cards are shown one after the other, and the highest bid gets the points.

    num_cards : 2 to 40.   num_turns : turns to play; -1: one for each card.
    points_order : "random", "descending" or "ascending".   returns_type : "win_loss": 1 shared by the
    winners, -1 by the others, 0 if all have the same points; "point_difference": points minus the players'
    mean; "total_points".

    A subclass has the bids, and calls `show_first` at the start and `award` after each turn.
    """

    num_cards = 13
    num_turns = -1
    points_order = "random"
    returns_type = "win_loss"

    num_players = 2
    turns = 13
    by_chance = True
    ascends = False
    pays_points = False
    pays_difference = False

    prizes: np.int64 = 0  # the point cards that are left, bit c for card c + 1
    card: np.int8 = -1  # the point card to bid for, from 0; -1: not shown yet
    turn: np.int8 = 0
    points: Array[np.int16, "num_players"] = 0

    @classmethod
    def configure(cls):
        check_ranges(cls, num_cards=(2, 40))
        if cls.num_turns != -1 and not 1 <= cls.num_turns <= cls.num_cards:
            raise GameError(
                f"{family(cls)}(num_turns={cls.num_turns}) is outside its range",
                mend="1 to num_cards, or -1 for one turn for each card",
            )
        for option, known in (("points_order", ORDERS), ("returns_type", RETURNS)):
            if getattr(cls, option) not in known:
                raise GameError(
                    f'{family(cls)}({option}="{getattr(cls, option)}") is unknown',
                    mend=f"one of {', '.join(known)}",
                )
        cls.num_actions = cls.num_outcomes = cls.num_cards
        cls.turns = cls.num_cards if cls.num_turns == -1 else cls.num_turns
        cls.by_chance = cls.points_order == "random"
        cls.ascends = cls.points_order == "ascending"
        cls.pays_points = cls.returns_type == "total_points"
        cls.pays_difference = cls.returns_type == "point_difference"
        cls.max_game_length = 2 * cls.turns
        total = float(sum(range(cls.num_cards - cls.turns + 1, cls.num_cards + 1)))
        cls.min_return, cls.max_return = -1.0, 1.0
        if cls.pays_points:
            cls.min_return, cls.max_return = 0.0, total
        elif cls.pays_difference:
            cls.max_return = total - total / cls.num_players
            cls.min_return = -total / cls.num_players
        cls.utility = "general_sum" if cls.pays_points else "zero_sum"
        cards = [str(card + 1) for card in range(cls.num_cards)]
        points = [f"{points} pts" for points in range(sum(range(cls.num_cards + 1)) + 1)]
        cls.board_style = hand_style(cls.num_players, cls.num_cards + 1, cards + points, cards)

    def show_first(self):
        """Begin with all point cards."""
        self.prizes = (1 << self.num_cards) - 1
        self.show_next()

    def show_next(self):
        """Show the next point card, unless chance does."""
        self.card = -1
        if not self.by_chance:
            self.card = self.turn if self.ascends else self.num_cards - 1 - self.turn

    def chance_outcomes(self):
        share = 1.0 / (self.num_cards - self.turn)
        for card in range(self.num_cards):
            if self.prizes >> card & 1:
                yield card, share

    def is_forced(self):
        """Whether one card of each kind is left; these are played by themselves."""
        return self.turn == self.num_cards - 1 and self.turns == self.num_cards

    def last_of(self, cards):
        """Return the only card that is left."""
        for card in range(self.num_cards):
            if cards >> card & 1:
                return card
        return 0

    def award(self, winner):
        """Give the points of the card to a player, or to nobody if it is -1, and go on to the next turn."""
        if winner >= 0:
            self.points[winner] += self.card + 1
        self.prizes &= ~(1 << self.card)
        self.turn += 1
        if self.turn < self.turns:
            self.show_next()

    def is_terminal(self):
        return self.turn >= self.turns

    def returns(self):
        found = np.zeros(self.num_players)
        total = 0
        most = 0
        for player in range(self.num_players):
            total += self.points[player]
            most = max(most, self.points[player])
        winners = 0
        for player in range(self.num_players):
            winners += self.points[player] == most
        for player in range(self.num_players):
            if self.pays_points:
                found[player] = self.points[player]
            elif self.pays_difference:
                found[player] = self.points[player] - total / self.num_players
            elif winners < self.num_players:
                won = self.points[player] == most
                found[player] = 1.0 / winners if won else -1.0 / (self.num_players - winners)
        return found

    def action_to_string(self, action):
        return str(action + 1)

    def place_points(self, out):
        """Put the points of each player before the cards, and the point card on the table."""
        for player in range(self.num_players):
            place_piece(out, self.square(player, -1), player, 2 + self.num_cards + self.points[player])
        if self.card >= 0 and not self.is_terminal():
            place_piece(out, self.square(self.num_players, -1), -1, 2 + self.card)

    def square(self, row, card):
        """Return the square of a card in a row, behind that of points."""
        return row * (self.num_cards + 1) + 1 + card

    def shown_card(self):
        """Return a line on the point card."""
        if self.is_terminal():
            return "over"
        return "chance shows the next point card" if self.card < 0 else f"point card {self.card + 1}"


def listed(cards):
    """Return the numbers of the cards in a hand as text; cards : bits."""
    cards = int(cards)
    return " ".join(str(card + 1) for card in range(cards.bit_length()) if cards >> card & 1) or "none"
