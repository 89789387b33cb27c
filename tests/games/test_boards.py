"""Boards drawn from fields: which field is the board, values below it, symbols, and names of moves."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

import branchwise as bw
from branchwise.boards.array import board_name
from branchwise.cli.terminal.screen import board
from branchwise.drawing.grid import Cell, Grid, board_grid, grid_terminal, grid_text
from branchwise.game.kinds.random_numbers import Random
from branchwise.games import game_names, load_game
from branchwise.games.kalah import Kalah
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.checking.contract import label_note
from branchwise.rules.facts.player_symbols import symbols_of_players
from branchwise.testing import check_game
from support.dice import CoinTicTacToe


class Placing(bw.Game):
    """Two players fill a board of 2 by 3 in turn."""

    num_players = 2
    num_actions = 6

    board: bw.Array[np.int8, 2, 3] = 0
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(6):
            if self.board[action // 3, action % 3] == 0:
                yield action

    def apply_action(self, action):
        self.board[action // 3, action % 3] = self.mover + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return bool(self.board.all())

    def returns(self):
        return (0.0, 0.0)


class WithHands(Placing):
    """The same with a second array, and a third that is long."""

    hands: bw.Array[np.int16, 2] = 3
    history: bw.Array[np.int16, 40] = 0


def arrays(**shapes):
    return {name: np.zeros(shape) for name, shape in shapes.items()}


@pytest.mark.parametrize(
    ("shapes", "found"),
    [
        ({"cells": (3, 3)}, "cells"),
        ({"pits": 6}, "pits"),
        ({"hands": 2, "cells": (3, 3), "history": 40}, "cells"),
        ({"planes": (2, 3, 3), "cells": (3, 3)}, "cells"),
        ({"first": (3, 3), "second": (3, 3)}, "first"),
        ({"heights": (3, 3), "board": (3, 3)}, "board"),
        ({"hands": 2, "board": 9}, "board"),
        ({"hands": 2, "cells": 9}, "cells"),
        ({"hands": 2, "pits": 7}, None),
        ({"planes": (2, 3, 3)}, None),
        ({}, None),
    ],
)
def test_the_board_among_several_arrays(shapes, found):
    assert board_name(arrays(**shapes), 9) == found


def test_a_single_array_is_drawn_alone():
    assert str(Placing.from_actions([1])).splitlines() == ["2  . X .", "1  . . .", "   a b c"]


def test_a_second_array_leaves_the_board_and_stands_beneath_it_with_the_other_fields():
    state = WithHands.from_actions([1])
    lines = ["2  . X .", "1  . . .", "   a b c", "mover = 1", "hands = [3, 3]"]
    assert str(state).splitlines()[:5] == lines
    assert str(state).splitlines()[5] == f"history = [{'0, ' * 100}"[:57] + "..."
    console = Console(width=100)
    with console.capture() as shown:
        console.print(board(state))
    assert shown.get() == str(state) + "\n"


def test_the_picture_has_the_fields_beneath_within_its_frame_and_every_action():
    root = ElementTree.fromstring(WithHands().to_svg())
    _, _, width, height = (float(number) for number in root.get("viewBox").split())
    texts = {item.text: item for item in root.iter() if (item.text or "").strip()}
    for line in ("mover = 0", "hands = [3, 3]"):
        assert 2 * 40 < float(texts[line].get("y")) < height
        assert width >= 7 * len(line)
    actions = [item.get("data-action") for item in root.iter() if item.get("data-action")]
    assert sorted(actions) == list("012345")


# --- symbols --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("symbols", "problem"),
    [
        ({0: ".", 1: "X"}, "which is not a text"),
        (None, "which is not a text"),
        (5, "which is not a text"),
        ("", "is empty"),
        ((), "is empty"),
        (".X\n", r"has '\\n', which cannot be drawn in a cell"),
        (".\u26ab\ufe0f\u26aa\ufe0f", "which cannot be drawn in a cell"),
        (".e\u0301", "which cannot be drawn in a cell"),
        ((".", ""), "has '', which cannot be drawn in a cell"),
        ((".", 1), "has 1, which cannot be drawn in a cell"),
        ((".", "a\nb"), "cannot be drawn in a cell"),
    ],
)
def test_symbols_that_cannot_be_used_are_refused_with_their_mend(symbols, problem):
    with pytest.raises(bw.GameError, match=f"Wrong.symbols .*{problem}") as caught:
        type("Wrong", (Placing,), {"symbols": symbols})
    assert "symbols = " in caught.value.mend


@pytest.mark.parametrize(
    "symbols", [".XO", "\u00b7\u26ab\u26aa", (".", "\u26ab\ufe0f", "oo"), ["-", "x", "o"]]
)
def test_symbols_are_characters_or_texts(symbols):
    game = type("Right", (Placing,), {"symbols": symbols})
    assert symbols[1] in str(game.from_actions([1])).splitlines()[0]


class Hand(bw.Game):
    """Two players play cards, whose names are the symbols of the hand's cells."""

    num_players = 2
    num_actions = 4
    symbols = ("-", "cl1", "te1", "cl2", "te2")

    hand: bw.Array[np.int8, 4] = (1, 2, 3, 4)
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for place in range(4):
            if self.hand[place]:
                yield place

    def apply_action(self, action):
        self.hand[action] = 0
        self.mover = 1 - self.mover

    def is_terminal(self):
        return not self.hand.any()

    def returns(self):
        return (0.0, 0.0)


class Numbers(Hand):
    symbols = "."


class Pieces(Hand):
    """Each player has two kinds of pieces, and the class has no symbol for the player."""

    symbols = ".PNpn"
    owners = (None, 0, 0, 1, 1)

    def to_grid(self):
        return board_grid(1, 4, lambda r, c: Cell(self.symbols[self.hand[c]], self.owners[self.hand[c]]))


class Men(Pieces):
    """The class has the symbol of a player's men before those of crowned ones."""

    symbols = ".wbWB"
    owners = (None, 0, 1, 0, 1)


@pytest.mark.parametrize(
    ("game", "symbols"),
    [(Placing, ("X", "O")), (Hand, ()), (Numbers, ()), (Kalah, ()), (Pieces, ()), (Men, ("w", "b"))],
)
def test_players_are_named_by_symbols_that_all_positions_and_the_class_agree_on(game, symbols):
    assert symbols_of_players(game) == symbols


def test_symbols_that_configure_or_an_option_sets_are_looked_at_too():
    with pytest.raises(bw.GameError, match="symbols is empty"):
        Placing.configured(symbols="")


# --- names of moves and labels of cells -----------------------------------------------------------------


def named(write, **others):
    return type("Named", (Placing,), {"action_to_string": lambda self, action: write(action), **others})


def test_moves_written_as_the_picture_labels_them_need_no_note():
    assert label_note(named(lambda a: f"{'abc'[a % 3]}{2 - a // 3}")(), range(6)) is None
    assert label_note(named(lambda a: f"{'ABC'[a % 3]}{2 - a // 3}")(), range(6)) is None


def test_rows_numbered_from_the_top_are_noted():
    told = label_note(named(lambda a: f"{'abc'[a % 3]}{1 + a // 3}")(), range(6))
    assert told.startswith('the move "a1" stands for the cell that the picture labels a2')
    assert "labels another cell a1; the picture numbers rows from the bottom" in told
    assert "action_to_string" in told


@pytest.mark.parametrize("write", [str, lambda a: f"{a // 3},{a % 3}"])
def test_another_notation_than_the_labels_is_noted(write):
    told = label_note(named(write)(), range(6))
    assert f'the move "{write(0)}" stands for the cell that the picture labels a2' in told
    assert "from the bottom" in told


def test_a_picture_of_the_class_itself_may_label_cells_otherwise_but_not_as_another_move():
    def to_grid(self):
        grid = super(Placing, self).to_grid()
        return Grid(grid.cells, ("1", "2", "3"), ("A", "B"))

    assert label_note(named(lambda a: f"p{a}", to_grid=to_grid)(), range(6)) is None
    told = label_note(named(lambda a: f"{3 - a % 3}{'ab'[a // 3]}", to_grid=to_grid)(), range(6))
    assert told.startswith('the move "3a" stands for the cell that the picture labels 1A')


@pytest.mark.parametrize("name", ["nim(heaps=(3,4,5))", "mnk(rows=3,columns=4,gravity=True,in_a_row=3)"])
def test_built_in_games_with_other_options_need_no_note(name):
    """The others are among those that `test_forms` checks."""
    assert check_game(load_game(name), 2, compiled=False).notes == []


def test_check_notes_names_that_the_picture_contradicts():
    report = check_game(named(lambda a: f"{'abc'[a % 3]}{1 + a // 3}"), 5, compiled=False)
    assert len(report.notes) == 1
    assert f"  note: {report.notes[0]}" in str(report)


# --- chance ---------------------------------------------------------------------------------------------


class CoinPlacing(bw.Game):
    """A coin says who marks the next of four cells; the cells and the scores are arrays."""

    num_players = 2
    num_actions = 4
    num_outcomes = 2
    max_game_length = 8
    utility = "zero_sum"

    cells: bw.Array[np.int8, 4] = 0
    scores: bw.Array[np.int8, 2] = 0
    mover: np.int8 = -1

    def current_player(self):
        return bw.CHANCE if self.mover < 0 else self.mover

    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.5

    def legal_actions(self):
        for cell in range(4):
            if self.cells[cell] == 0:
                yield cell

    def apply_action(self, action):
        if self.mover < 0:
            self.mover = action
        else:
            self.cells[action] = self.mover + 1
            self.scores[self.mover] += action
            self.mover = -1

    def is_terminal(self):
        return self.cells.all()

    def returns(self):
        lead = np.sign(self.scores[0] - self.scores[1])
        return (lead, -lead)


def test_cells_stand_for_actions_and_never_for_outcomes():
    def playable(state):
        return [cell.action for cell in state.to_grid().cells[0]]

    state = CoinPlacing()
    assert playable(state) == [None] * 4
    assert "data-action" not in state.to_svg()
    state.apply_action(1)
    assert playable(state) == [0, 1, 2, 3]
    state.apply_action(1)
    assert playable(state) == [None] * 4
    assert str(state).splitlines()[0].split() == ["1", ".", "O", ".", "."]


def test_an_entry_for_each_player_is_no_board():
    assert board_name({"scores": np.zeros(2)}, 2, 2) is None
    assert board_name({"scores": np.zeros(3)}, 3, 3) is None
    assert board_name({"board": np.zeros(2)}, 2, 2) == "board"
    assert board_name({"cells": np.zeros((2, 2))}, 2, 2) == "cells"
    assert board_name({"heaps": np.zeros(1)}, 3, 1) == "heaps"
    state = CoinTicTacToe.from_actions([0, 4])
    assert state.to_grid() is None
    assert state.to_svg() is None
    assert str(state) == "<CoinTicTacToe marks=[16,0] mover=-1>"


@pytest.mark.parametrize(("body", "is_drawn"), [({}, False), ({"symbols": "_x"}, True)])
def test_flags_of_what_one_player_has_done_are_no_board(body, is_drawn):
    class Tasks(bw.Game):
        num_players = 1
        num_actions = 5
        done: bw.Array[np.int8, 5] = 0

        def current_player(self):
            return 0

        def legal_actions(self):
            yield 0

        def apply_action(self, action):
            self.done[action] = 1

        def is_terminal(self):
            return self.done[0] == 1

        def returns(self):
            return (0.0,)

    game = type("Tasks", (Tasks,), body)
    assert (game(done=[0, 1, 0, 0, 1]).to_grid() is not None) == is_drawn


# --- boards that are wider than where they are drawn -------------------------------------------------------


def drawn(game, width):
    return grid_terminal(bw.load_game(game)().to_grid(), (), width).plain.splitlines()


def test_letters_of_columns_stand_on_each_other_before_cells_move_closer_together():
    assert drawn("mnk(rows=1,columns=28)", 60) == [
        "1  " + " ".join("." * 28),
        "   " + " " * 52 + "a a",
        "   " + " ".join("abcdefghijklmnopqrstuvwxyzab"),
    ]
    assert drawn("mnk(rows=1,columns=28)", 40) == [
        "1 " + "." * 28,
        "  " + " " * 26 + "aa",
        "  abcdefghijklmnopqrstuvwxyzab",
    ]


def test_a_board_that_has_no_room_is_drawn_in_pieces_with_labels_of_all_rows():
    assert drawn("mnk(rows=2,columns=20)", 19) == [
        "2  . . . . . . . .",
        "1  . . . . . . . .",
        "   a b c d e f g h",
        "",
        "2  . . . . . . . .",
        "1  . . . . . . . .",
        "   i j k l m n o p",
        "",
        "2  . . . .",
        "1  . . . .",
        "   q r s t",
    ]


@pytest.mark.parametrize("game", ["mnk(rows=3,columns=31)", "hex(size=13)", "twenty_forty_eight", "havannah"])
@pytest.mark.parametrize("width", [20, 33, 47, 60, 80])
def test_every_cell_is_drawn_once_at_any_width(game, width):
    grid = bw.load_game(game)().to_grid()
    count = itertools.count()
    cells = tuple(tuple(Cell(f"x{next(count):03}") for _ in row) for row in grid.cells)
    text = grid_text(Grid(cells, grid.column_labels, grid.row_labels, grid.box, (), grid.shifts), width)
    assert max(map(len, text.splitlines())) <= width
    assert sorted(re.findall(r"x\d{3}", text)) == [cell.text for row in cells for cell in row]


def test_a_long_row_is_folded_wherever_it_is_printed():
    class Row(bw.Game):
        num_players = 1
        num_actions = 90
        board: bw.Array[np.int8, 90] = 0

        def current_player(self):
            return 0

        def legal_actions(self):
            yield from range(90)

        def apply_action(self, action):
            self.board[action] = 1

        def is_terminal(self):
            return False

        def returns(self):
            return (0.0,)

    text = str(Row())
    assert max(map(len, text.splitlines())) <= 80
    assert text.count(".") == 90


@pytest.mark.parametrize("width", [80, 60])
def test_boards_of_all_games_fit_a_terminal(width):
    for name in game_names():
        grid = bw.load_game(name).new_initial_state(Random(1)).to_grid()
        if grid is not None:
            lines = grid_terminal(grid, (), width).plain.splitlines()
            beneath = set(grid.beneath)
            assert not [line for line in lines if len(line) > width and line not in beneath], name


def test_a_grid_of_ones_own_keeps_the_actions_that_are_legal():
    state = TicTacToe.from_actions("b2 a3")
    grid = board_grid(3, 3, lambda row, column: Cell("", action=3 * row + column), of=state)
    assert [cell.action for row in grid.cells for cell in row] == [None, 1, 2, 3, None, 5, 6, 7, 8]
