"""Hearts: take no hearts and not the queen of spades, or take them all.

Four players get 13 cards each and pass three of them to the left, across or to the right, or to nobody, as
chance decides. The two of clubs leads. Players follow suit if they can. No hearts or queen of spades may be
thrown into the first trick, and no heart led before one of these was played, if there is another card. A
heart counts 1 and the queen 13; whoever takes all 26 gives 26 to each of the others. A return is 26 minus the
points. OpenSpiel has the same rules; Sturtevant, "Current challenges in multi-player game search", 2004.
"""

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.game.kinds.fields import Array, Private, Secret
from branchwise.game.rules_class import Game
from branchwise.games.bits import count_bits, each_bit
from branchwise.games.boards import place_piece
from branchwise.games.hands import HandTable, hand_style

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
QUEEN = 10 * 4 + SPADES
RANKS = "23456789TJQKA"
SUITS = "cdhs"
DIRECTIONS = ("none", "left", "across", "right")
UNKNOWN = -1
SUIT_CARDS = tuple(sum(1 << card for card in range(suit, 52, 4)) for suit in range(4))
"""The cards of each suit, as bits."""
CARDS = [rank.replace("T", "10") + suit for rank in RANKS for suit in "♣♦♥♠"]
ROW = 14
BEFORE = np.array([sum(1 << c for c in range(52) if (c % 4, c) < (card % 4, card)) for card in range(52)])
"""[card]: the cards before it in the order of suits, as bits."""
ALL_CARDS = (1 << 52) - 1
POINT_CARDS = SUIT_CARDS[HEARTS] | 1 << QUEEN


class Hearts(HandTable, Game):
    """Action 4 r + s plays or passes the card of rank r, from the two, and suit s.

    Suits are clubs, diamonds, hearts, spades. Outcome d of the first draw passes cards to the player d seats
    on; an outcome of the deal is a card.
    """

    pass_cards = True

    num_players = 4
    num_actions = 52
    num_outcomes = 52
    utility = "general_sum"
    board_style = hand_style(4, ROW, (*CARDS, *(f"{points} pts" for points in range(27))), CARDS)
    min_return = 0.0
    max_return = 26.0
    max_game_length = 1 + 52 + 12 + 52

    hands: Private[np.int64, 4] = 0  # bit c for card c
    passed: Private[np.int8, 4, 3] = 0  # what each player passes, and has passed
    stock: Secret[np.int8, 52] = 0  # who is dealt each card, + 1, until all have their cards
    direction: np.int8 = UNKNOWN
    dealt: np.int8 = 0
    num_passed: np.int8 = 0  # by all players together
    left: Array[np.int8, 4] = 0  # cards in each hand
    played: Array[np.int8, 52] = 0  # cards + 1, trick by trick
    num_played: np.int8 = 0
    mover: np.int8 = 0
    broken: bool = False
    void: Array[bool, 4, 4] = False  # by player and suit: whether play has shown that there is none
    points: Array[np.int8, 4] = 0

    def is_passing(self):
        return self.direction > 0 and self.num_passed < 12

    def current_player(self):
        return CHANCE if self.dealt < 52 else self.mover

    def chance_outcomes(self):
        if self.direction == UNKNOWN:
            if self.pass_cards:
                for direction in range(4):
                    yield direction, 0.25
            else:
                yield 0, 1.0
        else:
            for card in range(52):
                if self.stock[card] == 0:
                    yield card, 1 / (52 - self.dealt)

    def legal_actions(self):
        for card in each_bit(self.playable(self.hands[self.mover])):  # noqa: UP028
            yield card

    def playable(self, held):
        """Return those of the mover's cards, `held`, that may be played, or passed on."""
        if self.is_passing():
            return held
        if self.num_played % 4 != 0:
            suit = SUIT_CARDS[(self.played[self.num_played // 4 * 4] - 1) % 4] & held
            if suit != 0:
                return suit
            harmless = held & ~POINT_CARDS
            return harmless if self.num_played < 4 and harmless != 0 else held
        if self.num_played == 0:
            return held & (1 << CLUBS)
        if not self.broken and held & ~SUIT_CARDS[HEARTS] != 0:
            return held & ~SUIT_CARDS[HEARTS]
        return held

    def apply_action(self, action):
        if self.direction == UNKNOWN:
            self.direction = action
        elif self.dealt < 52:
            self.stock[action] = self.dealt % 4 + 1
            self.dealt += 1
            if self.dealt == 52:
                self.pick_up()
        elif self.is_passing():
            self.pass_on(action)
        else:
            self.play_card(action)

    def pick_up(self):
        """Give the dealt cards to the players, who see them now."""
        for card in range(52):
            self.put_in(self.stock[card] - 1, card)
        self.stock[:] = 0
        if self.direction == 0:
            self.begin_play()

    def put_in(self, player, card):
        """Add a card to a hand."""
        self.hands[player] |= 1 << int(card)
        self.left[player] += 1

    def take_out(self, player, card):
        """Remove a card from a hand."""
        self.hands[player] ^= 1 << int(card)
        self.left[player] -= 1

    def pass_on(self, card):
        self.take_out(self.mover, card)
        self.passed[self.mover, self.num_passed % 3] = card + 1
        self.num_passed += 1
        self.mover = self.num_passed // 3
        if self.num_passed == 12:
            for player in range(4):
                for place in range(3):
                    self.put_in((player + self.direction) % 4, self.passed[player, place] - 1)
            self.begin_play()

    def begin_play(self):
        """Give the move to the player with the two of clubs."""
        self.mover = 0
        for player in range(4):
            if self.hands[player] & (1 << CLUBS) != 0:
                self.mover = player

    def play_card(self, card):
        mover = self.mover
        self.note_voids(card)
        self.take_out(mover, card)
        self.played[self.num_played] = card + 1
        self.num_played += 1
        self.broken = self.broken or is_point(card)
        self.mover = (mover + 1) % 4
        if self.num_played % 4 == 0:
            self.end_trick()

    def note_voids(self, card):
        """Note the suits that the mover shows not to have by playing `card`."""
        if self.num_played % 4 != 0:
            led = (self.played[self.num_played // 4 * 4] - 1) % 4
            if card % 4 != led:
                self.void[self.mover, led] = True
                if self.num_played < 4 and is_point(card):
                    self.void[self.mover, DIAMONDS] = True
        elif card % 4 == HEARTS and not self.broken:
            for suit in range(4):
                if suit != HEARTS:
                    self.void[self.mover, suit] = True

    def end_trick(self):
        """Give the trick to the highest card of the suit that was led; its player leads next."""
        first = self.num_played - 4
        best = 0
        points = 0
        for place in range(4):
            card = self.played[first + place] - 1
            if card % 4 == (self.played[first] - 1) % 4 and card > self.played[first + best] - 1:
                best = place
            if card % 4 == HEARTS:
                points += 1
            elif card == QUEEN:
                points += 13
        self.mover = (self.mover + best) % 4
        self.points[self.mover] += points

    def is_terminal(self):
        return self.num_played == 52

    def returns(self):
        gains = np.zeros(4)
        for player in range(4):
            gains[player] = 26.0 - self.points[player]
            if self.points[player] == 26:
                gains[:] = 0.0
                gains[player] = 26.0
                break
        return gains

    def determinize(self, player, random):
        """Give the other players the cards that are not known, as many as each has."""
        known = int(self.hands[player])  # cards as bits
        for place in range(self.num_played):
            known |= 1 << int(self.played[place] - 1)
        passing = self.is_passing()
        wanted = np.zeros(4, np.int64)
        for other in range(4):
            wanted[other] = self.left[other]
            if other != player:
                self.left[other] = 0
        for place in range(3):
            card = int(self.passed[player, place] - 1)
            if card >= 0 and known >> card & 1 == 0:
                known |= 1 << card
                if not passing:
                    self.put_in((player + self.direction) % 4, card)
        cards = np.zeros(52, np.int64)
        count = 0
        for card in each_bit(ALL_CARDS & ~known):
            cards[count] = card
            count += 1
        random.shuffle(cards[:count])
        for other in range(4):
            if other == player:
                continue
            while self.left[other] < wanted[other]:
                count -= 1
                self.put_in(other, cards[count])
            if passing:
                for place in range(min(3, max(0, self.num_passed - 3 * other))):
                    count -= 1
                    self.passed[other, place] = cards[count] + 1

    def consistent(self, player):
        """Whether no hand has a suit that play has shown it not to have."""
        for other in range(4):
            for suit in range(4):
                if self.void[other, suit] and self.hands[other] & SUIT_CARDS[suit] != 0:
                    return False
        return True

    def action_to_string(self, action):
        if self.direction == UNKNOWN:
            return DIRECTIONS[action]
        return card_name(action)

    def board_cells(self, out):
        for player in range(4):
            place_piece(out, ROW * player, player, 54 + self.points[player])
            for place in range(self.left[player]):
                place_piece(out, ROW * player + 1 + place, player)
            for card in range(52):
                if self.hands[player] >> card & 1:
                    place_piece(out, self.square(player, card), player, 2 + card)
        trick = self.num_played % 4
        for place in range(trick):
            place_piece(out, ROW * 4 + 1 + place, -1, 1 + self.played[self.num_played - trick + place])

    def square(self, player, card):
        """Return the square of a card in a hand, which is in the order of suits."""
        return ROW * player + 1 + int(count_bits(np.uint64(self.hands[player] & BEFORE[card])))

    def action_squares(self, action):
        if self.dealt == 52:
            yield self.square(self.mover, action)

    def hand_table(self):
        """Return headings, and the text of each player's points and cards."""
        rows = []
        for player in range(4):
            cards = [card_name(card) for card in range(52) if int(self.hands[player]) >> card & 1]
            hidden = "?" if self.left[player] and not cards else ""
            rows.append((str(int(self.points[player])), " ".join(cards) or hidden))
        return ("points", "cards"), rows

    def below(self):
        trick = self.played[self.num_played // 4 * 4 : self.num_played].tolist()
        if trick:
            return f"trick {' '.join(card_name(card - 1) for card in trick)}"
        return f"pass {DIRECTIONS[self.direction]}" if self.dealt == 52 and self.is_passing() else ""


def is_point(card):
    """Whether a card is a heart or the queen of spades."""
    return card % 4 == HEARTS or card == QUEEN


def card_name(card):
    """Return the name of a card, such as Qs."""
    return RANKS[card // 4] + SUITS[card % 4]
