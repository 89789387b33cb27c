"""Fields of cards and kinds in text: their values by name, hands as rows, and nothing of helper fields."""

from enum import IntEnum

import numpy as np
import pytest

import branchwise as bw
from branchwise.testing import check_game


class Suit(IntEnum):
    NO_TRUMP = 0
    HEARTS = 1


class Cards(bw.Game):
    """Both players play three cards each; a state has no board."""

    num_players = 2
    num_actions = 7
    value_names = {
        "hands": ("", "ten", "jack", "queen", "king", "ace", "joker"),
        "trump": Suit,
        "last": {-1: "none yet"},
        "seen": ("10", "J", "Q", "K", "A", "*"),
        "checksum": None,
    }

    hands: bw.Array[np.int8, 2, 3] = ((1, 2, 3), (4, 5, 6))
    trump: np.int8 = 1
    last: np.int8 = -1
    seen: bw.Array[bool, 6] = False
    checksum: np.int32 = 99
    _cache: np.int32 = 7
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for place in range(3):
            if self.hands[self.mover, place]:
                yield self.hands[self.mover, place]

    def apply_action(self, action):
        for place in range(3):
            if self.hands[self.mover, place] == action:
                self.hands[self.mover, place] = 0
        self.seen[action - 1] = True
        self.last = action
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.hands.sum() == 0

    def returns(self):
        return (0.0, 0.0)


def test_cards_and_kinds_are_shown_by_name_and_hands_as_rows():
    assert str(Cards()).splitlines() == [
        "hands of player 0 = ten jack queen",
        "hands of player 1 = king ace joker",
        "trump = hearts",
        "last = none yet",
        "seen =",
        "mover = 0",
    ]
    after = str(Cards.from_actions([2, 6])).splitlines()
    assert after[:2] == ["hands of player 0 = ten queen", "hands of player 1 = king ace"]
    assert after[3:5] == ["last = 6", "seen = J *"]
    assert Cards().to_grid() is None
    assert "hands=[[1,2,3],[4,5,6]]" in repr(Cards())


def test_names_are_for_people_alone():
    assert "value_names" not in Cards.constants()
    assert check_game(Cards, 50).games == 50


class Told(Cards):
    value_names = {"seen": None}

    hands: bw.Private[np.int8, 2, 3] = ((1, 2, 3), (4, 5, 6))


def test_private_fields_are_rows_and_no_board():
    lines = str(Told()).splitlines()
    assert lines[:2] == ["hands of player 0 = [1, 2, 3]", "hands of player 1 = [4, 5, 6]"]


class Table(Cards):
    """A board has the other fields beneath it, with their names."""

    board: bw.Array[np.int8, 2, 2] = 0


def test_fields_beneath_a_board_have_their_names():
    assert str(Table()).splitlines()[3:6] == [
        "hands of player 0 = ten jack queen",
        "hands of player 1 = king ace joker",
        "trump = hearts",
    ]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ({"hand": ("a",)}, 'no field in Wrong.value_names "hand"; did you mean "hands"'),
        ({"hands": "abc"}, r'value_names\["hands"\] is \'abc\', which has no names'),
        ({"hands": (1, 2)}, "which has no names"),
        ({"trump": int}, "which has no names"),
        (("hands",), "which is no dictionary"),
    ],
)
def test_names_that_name_nothing_are_refused(names, told):
    with pytest.raises(bw.BranchwiseError, match=told):
        type("Wrong", (Cards,), {"value_names": names})
