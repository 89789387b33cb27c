"""Boards as data: what a class gets by default, what it may say, and the words for its faults."""

from itertools import repeat

import numpy as np
import pytest

import branchwise as bw
from branchwise.boards.layer import NO_CELL, cells_of, path_name, squares_of
from branchwise.boards.style import FAMILIES, BoardStyle, look_of
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.checking.checker import check_game
from branchwise.web.game.game_record import LiveRecord
from branchwise.web.game.offered_games import OfferedGame
from branchwise.web.protocol.messages import Opponent


class Board(bw.Game):
    num_players = 2
    num_actions = 9
    max_game_length = 9

    board: bw.Array[np.int8, 3, 3] = 0
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for cell in range(9):
            if self.board[cell // 3, cell % 3] == 0:
                yield cell

    def apply_action(self, action):
        self.board[action // 3, action % 3] = self.mover + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return np.count_nonzero(self.board) == 9

    def returns(self):
        return (0.0, 0.0)


class Columns(Board):
    num_actions = 3

    def legal_actions(self):
        for column in range(3):
            if self.board[0, column] == 0:
                yield column

    def apply_action(self, action):
        row = 2
        while self.board[row, action] != 0:
            row -= 1
        self.board[row, action] = self.mover + 1
        self.mover = 1 - self.mover


def test_a_board_array_alone_gives_a_family_cells_paths_and_names():
    look = look_of(Board)
    assert (look.family, look.rows, look.columns, look.name(0)) == ("marks", 3, 3, "a3")
    state = Board.from_actions("b2 c1")
    assert cells_of(state)[1, 1].tolist() == [0, 1]
    assert cells_of(state)[2, 2].tolist() == [1, 1]
    assert squares_of(state, 3) == (3,)
    assert state.action_to_string(3) == "a2"
    assert Board.from_actions("4 8") == state


def test_as_many_actions_as_columns_drop_discs():
    assert look_of(Columns).family == "discs"
    state = Columns.from_actions("b1 b2")
    assert state.action_to_string(1) == "b3"
    assert squares_of(state, 0) == (6,)


def test_other_values_are_kinds_of_nobody():
    state = Board(board=np.array([[0, 1, 2], [0, 0, 5], [0, 0, 0]]))
    assert cells_of(state)[0].tolist() == [[-1, 0], [0, 1], [1, 1]]
    assert cells_of(state)[1, 2].tolist() == [-1, 5]
    assert look_of(Board).text(-1, 5) == "5"


def test_an_array_that_is_too_long_is_no_board():
    class Long(Board):
        board: bw.Array[np.int8, 1, 120] = 0

    assert look_of(Long) is None


def test_the_players_own_pictures_stay():
    class Drawn(Board):
        def to_grid(self):
            return None

        def __str__(self):
            return "mine"

    assert Drawn().action_to_string(4) == "4"
    assert str(Drawn()) == "mine"


def test_what_a_class_says():
    class Two(Board):
        board_style = BoardStyle("squares", colours=("white", "black"), players=("White", "Black"))

        def action_squares(self, action):
            yield action
            yield 8 - action

    assert look_of(Two).colours == ("white", "black")
    assert Two().action_to_string(0) == "a3c1"
    assert "board_style" not in Two.constants()
    check_game(Two, games=3)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_is_known(family):
    assert BoardStyle(family).family == family


def _squares(*path):
    def action_squares(self, action):
        yield from path

    return action_squares


def _filling(row, owner, kind):
    def board_cells(self, out):
        out[row, 0] = owner, kind

    return board_cells


def _drifting():
    calls = iter(range(100))

    def action_squares(self, action):
        yield next(calls)

    return action_squares


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"board_style": "stoness"}, 'no family of boards "stoness"; did you mean "stones"?'),
        ({"board_style": 7}, "board_style is 7"),
        ({"board_style": BoardStyle("stones", 4, 4)}, "cannot reshape"),
        ({"board_style": BoardStyle("stones", "lines", 3)}, "how many rows"),
        ({"action_squares": _squares(99)}, r"action_squares\(0\) gave 99; squares are 0 to 8"),
        ({"board_cells": _filling(5, 0, 1)}, "out of bounds"),
        ({"board_cells": _filling(0, 2, 1)}, "owner 2 and kind 1 in row 0, column 0"),
        ({"board_cells": _filling(0, 0, 20_000)}, "kind 20000"),
        ({"board_cells": _filling(0, -1, NO_CELL)}, "there is no cell"),
        ({"board_cells": lambda self, out: 1 / 0}, "division by zero"),
        ({"action_squares": lambda self, action: ["a1"]}, "invalid literal"),
        ({"action_squares": lambda self, action: repeat(0)}, "perhaps does not end"),
        ({"board_style": BoardStyle("marks", column_labels=("a",))}, "has 1 column_labels, not 3"),
        ({"board_style": BoardStyle("marks", colours=("red",))}, "has 1 colours, not 2"),
        ({"board_style": BoardStyle("marks", players=("Only",))}, "has 1 players, not 2"),
        ({"board_style": BoardStyle("hexagons", shifts=(0,))}, "has 1 shifts, not 3"),
        ({"board_style": BoardStyle("marks", block=(0, 0))}, r"blocks of \(0, 0\)"),
        ({"board_style": BoardStyle("stones", lines=((0, 9),))}, "a line to square 9"),
        ({"action_squares": _drifting()}, r"gave \[0\] and then \[1\] for the same fields"),
    ],
)
def test_check_names_a_fault_and_the_page_still_plays_by_buttons(said, problem):
    faulty = type("Faulty", (Board,), {"board_style": "stones", **said})
    with pytest.raises(bw.GameError, match=problem):
        check_game(faulty, games=3)
    position = LiveRecord(OfferedGame("faulty", faulty), [], None).told(Opponent())
    assert len(position.legal) == len({move.text for move in position.legal}) == 9
    assert position.text


@pytest.mark.parametrize("name", ["board_cells", "action_squares"])
def test_other_things_of_these_names_are_refused(name):
    with pytest.raises(bw.GameError, match=f"{name} is 3, but it is a method of every game"):
        type("Faulty", (Board,), {name: 3})
    with pytest.raises(bw.GameError, match=name):
        type("Faulty", (Board,), {"__annotations__": {name: bw.Array[np.int8, 3]}, name: 0})


def test_a_field_named_as_the_style_is_refused():
    with pytest.raises(bw.GameError, match="board_style"):
        type("Faulty", (Board,), {"__annotations__": {"board_style": np.int8}, "board_style": 0})


def test_no_colour_that_there_is_not():
    with pytest.raises(bw.BranchwiseError, match='"whit"; did you mean "white"'):
        BoardStyle("stones", colours=("whit", "black"))


def test_who_starts_at_random_has_the_same_board():
    game = ConnectFour.configured(random_starter=True)
    assert look_of(game) == look_of(ConnectFour)
    assert squares_of(game(), 0) == ()  # the draw of who starts
    state = game.from_actions("player1 d1")
    assert cells_of(state)[5, 3].tolist() == [0, 1]
    assert path_name(state, 3) == "d2"


def test_variants_have_boards_of_their_own():
    assert look_of(ConnectFour.configured(rows=5, columns=9)).squares == 45
    assert look_of(TicTacToe).squares == 9


def test_a_field_named_starter_is_the_users_own():
    class Named(Board):
        board_style = "marks"
        starter: bw.Array[np.int8, 2] = -1

    assert squares_of(Named(), 4) == (4,)
