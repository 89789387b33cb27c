"""Liar's dice: bid on how many dice of all players show a face, or call the last bid a lie.

The highest face is wild: it counts as every face. A bid is higher with more dice, or with as many dice of a
higher face. If the bid that is called a lie holds, the bidder wins from the caller, else the other way round.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.game.kinds.fields import Private, Secret
from branchwise.game.rules_class import Game
from branchwise.games.boards import place_piece
from branchwise.games.hands import HIDDEN, HandTable, hand_style
from branchwise.games.option_checks import check_ranges

NONE = -1


class LiarsDice(HandTable, Game):
    """Action q * faces + f bids q + 1 dice of face f + 1; the last action calls the bid a lie.

    Outcome k of a die is face k + 1. Dice are seen, in order, when all have rolled.

    >>> state = LiarsDice.from_actions("3 6 1-3 2-3")
    >>> print(state)
                dice
    > player 0     3
      player 1     6
    player 1 bids 2-3
    >>> state.play("liar")
    12
    >>> state.returns().tolist()
    [-1.0, 1.0]
    """

    players = 2
    dice = 1
    faces = 6

    num_players = 2
    num_actions = 13
    utility = "zero_sum"

    hands: Private[np.int8, "num_players", "dice"] = 0
    cup: Secret[np.int8, "num_players", "dice"] = 0  # dice that nobody has seen yet
    rolled: np.int8 = 0
    bid: np.int16 = NONE
    num_bids: np.int16 = 0
    liar_called: bool = False

    @classmethod
    def configure(cls):
        check_ranges(cls, players=(2, 10), dice=(1, 5), faces=(2, 20))
        cls.num_players = cls.players
        cls.num_dice = cls.players * cls.dice
        cls.num_outcomes = cls.faces
        faces = [str(face + 1) for face in range(cls.faces)]
        bids = [f"{count + 1}-{face}" for count in range(cls.num_dice) for face in faces]
        cls.board_style = hand_style(cls.players, cls.dice, faces, bids)
        cls.num_actions = cls.num_dice * cls.faces + 1
        cls.max_game_length = cls.num_dice + cls.num_actions

    def current_player(self):
        return CHANCE if self.rolled < self.num_dice else self.num_bids % self.num_players

    def legal_actions(self):
        for action in range(self.bid + 1, self.num_actions - 1):  # noqa: UP028
            yield action
        if self.num_bids > 0:
            yield self.num_actions - 1

    def chance_outcomes(self):
        for face in range(self.faces):
            yield face, 1 / self.faces

    def apply_action(self, action):
        if self.rolled < self.num_dice:
            self.cup[self.rolled // self.dice, self.rolled % self.dice] = action + 1
            self.rolled += 1
            if self.rolled == self.num_dice:
                self.show_dice()
        elif action == self.num_actions - 1:
            self.liar_called = True
        else:
            self.bid = action
            self.num_bids += 1

    def show_dice(self):
        """Put each player's dice before that player, in order."""
        for player in range(self.num_players):
            for place in range(self.dice):
                die = self.cup[player, place]
                self.cup[player, place] = 0
                target = place
                while target > 0 and self.hands[player, target - 1] > die:
                    self.hands[player, target] = self.hands[player, target - 1]
                    target -= 1
                self.hands[player, target] = die

    def is_terminal(self):
        return self.liar_called

    def bidder(self):
        return (self.num_bids - 1) % self.num_players

    def bid_holds(self):
        face = self.bid % self.faces + 1
        count = 0
        for player in range(self.num_players):
            for place in range(self.dice):
                if self.hands[player, place] == face or self.hands[player, place] == self.faces:
                    count += 1
        return count > self.bid // self.faces

    def returns(self):
        gains = np.zeros(self.num_players)
        gain = 1.0 if self.bid_holds() else -1.0
        gains[self.bidder()] += gain
        gains[self.num_bids % self.num_players] -= gain
        return gains

    def action_to_string(self, action):
        if self.rolled < self.num_dice:
            return str(action + 1)
        if action == self.num_actions - 1:
            return "liar"
        return f"{action // self.faces + 1}-{action % self.faces + 1}"

    def board_cells(self, out):
        for player in range(self.num_players):
            for place in range(self.dice):
                die = max(self.hands[player, place], self.cup[player, place])
                place_piece(out, player * self.dice + place, player, 1 + die)
        if self.bid != NONE:
            place_piece(out, self.num_dice, -1, 2 + self.bid)

    def hand_table(self):
        """Return the heading, and the text of each player's dice."""
        rows = []
        for player in range(self.num_players):
            dice = [*self.hands[player].tolist(), *self.cup[player].tolist()]
            shown = [str(die) for die in dice if die] or [HIDDEN] * self.dice
            rows.append((" ".join(shown),))
        return ("dice",), rows

    def below(self):
        if self.bid == NONE:
            return ""
        said = f"player {self.bidder()} bids {self.action_to_string(int(self.bid))}"
        return f"{said}, player {self.num_bids % self.num_players} calls a lie" if self.liar_called else said
