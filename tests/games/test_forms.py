"""What every built-in game has: boards, names of moves, JSON, variants, and clear errors."""

import random
import re
from xml.etree import ElementTree

import pytest

import branchwise as bw
from branchwise.boards.layer import has_layer, squares_of
from branchwise.game.kinds.continuous_actions import has_box
from branchwise.game.kinds.game_kinds import is_simulator, starts_at_random
from branchwise.games import game_names
from branchwise.games.amazons import Amazons
from branchwise.games.atari_go import AtariGo
from branchwise.games.backgammon import Backgammon
from branchwise.games.battleship import Battleship
from branchwise.games.blackjack import Blackjack
from branchwise.games.blokus_duo import BlokusDuo
from branchwise.games.breakthrough import Breakthrough
from branchwise.games.cant_stop import CantStop
from branchwise.games.checkers import Checkers
from branchwise.games.chess import Chess
from branchwise.games.chinese_checkers import ChineseCheckers
from branchwise.games.clobber import Clobber
from branchwise.games.connect_four import ConnectFour
from branchwise.games.dark_hex import DarkHex
from branchwise.games.domineering import Domineering
from branchwise.games.dots_and_boxes import DotsAndBoxes
from branchwise.games.go import Go
from branchwise.games.havannah import Havannah
from branchwise.games.hearts import Hearts
from branchwise.games.hex import Hex
from branchwise.games.kalah import Kalah
from branchwise.games.konane import Konane
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.liars_dice import LiarsDice
from branchwise.games.lines_of_action import LinesOfAction
from branchwise.games.mnk import MNK
from branchwise.games.nim import Nim
from branchwise.games.nine_mens_morris import NineMensMorris
from branchwise.games.nogo import NoGo
from branchwise.games.othello import Othello
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from branchwise.games.pig import Pig
from branchwise.games.quoridor import Quoridor
from branchwise.games.sealed_goofspiel import SealedGoofspiel
from branchwise.games.sudo_tic_tac_toe import SudoTicTacToe
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.games.twenty_forty_eight import TwentyFortyEight
from branchwise.games.ultimate_tic_tac_toe import UltimateTicTacToe
from branchwise.games.y import Y
from branchwise.games.yahtzee import Yahtzee
from branchwise.problems.acrobot import Acrobot
from branchwise.problems.cart_pole import CartPole
from branchwise.problems.circuit_routing import CircuitRouting
from branchwise.problems.cliff_walking import CliffWalking
from branchwise.problems.decision_process import DecisionProcess
from branchwise.problems.driving import Driving
from branchwise.problems.frozen_lake import FrozenLake
from branchwise.problems.inventory import Inventory
from branchwise.problems.job_shop import JobShop
from branchwise.problems.left_move import LeftMove
from branchwise.problems.light_dark import LightDark
from branchwise.problems.micro_grid import MicroGrid
from branchwise.problems.morpion import Morpion
from branchwise.problems.motion_planning import MotionPlanning
from branchwise.problems.mountain_car import MountainCar
from branchwise.problems.peg_solitaire import PegSolitaire
from branchwise.problems.pendulum import Pendulum
from branchwise.problems.pocman import Pocman
from branchwise.problems.racetrack import Racetrack
from branchwise.problems.rock_sample import RockSample
from branchwise.problems.sailing import Sailing
from branchwise.problems.same_game import SameGame
from branchwise.problems.sliding_puzzle import SlidingPuzzle
from branchwise.problems.snake_in_the_box import SnakeInTheBox
from branchwise.problems.sokoban import Sokoban
from branchwise.problems.taxi import Taxi
from branchwise.problems.tiger import Tiger
from branchwise.problems.tsp import TSP
from branchwise.problems.tsptw import TSPTW
from branchwise.problems.vehicle_routing import VehicleRouting
from branchwise.problems.weak_schur import WeakSchur
from branchwise.rules.facts.facts import random_action
from branchwise.testing import check_game
from support.shipped import AT_ONCE

GAMES = [
    TicTacToe,
    MNK,
    MNK.configured(rows=4, columns=3, in_a_row=3, gravity=True),
    MNK.configured(rows=1, columns=6, in_a_row=3),
    ConnectFour,
    ConnectFour.configured(rows=4, columns=5),
    Othello,
    Othello.configured(size=4),
    Hex,
    Hex.configured(size=4, swap=True),
    Y,
    Havannah,
    Havannah.configured(size=3),
    SudoTicTacToe,
    UltimateTicTacToe,
    Nim,
    Nim.configured(heaps=(3, 4, 5), max_take=0, misere=True),
    Go,
    Go.configured(size=5, superko=True),
    AtariGo,
    NoGo,
    Amazons,
    Amazons.configured(size=6),
    Clobber,
    Domineering,
    Domineering.configured(rows=3, columns=10),
    Konane,
    Konane.configured(rows=6, columns=5),
    BlokusDuo,
    Chess,
    ChineseCheckers.configured(max_moves=100),
    ChineseCheckers.configured(players=5, max_moves=60),
    Quoridor,
    Quoridor.configured(size=5, walls=3),
    Backgammon,
    Breakthrough,
    Breakthrough.configured(rows=5, columns=4, misere=True),
    Breakthrough.configured(knightthrough=True),
    Checkers,
    Checkers.configured(draw_after=40, men_count=False),
    DotsAndBoxes,
    DotsAndBoxes.configured(rows=6, columns=5, margin=True),
    DarkHex,
    DarkHex.configured(size=4, abrupt=True),
    Hearts,
    KuhnPoker,
    KuhnPoker.configured(players=3),
    LeducPoker,
    LeducPoker.configured(players=3),
    LiarsDice,
    LiarsDice.configured(dice=2, faces=3),
    SealedGoofspiel,
    Battleship,
    Battleship.configured(rows=2, columns=10, sizes=(4, 2, 3), shots=20, repeats=False),
    PhantomTicTacToe,
    PhantomTicTacToe.configured(abrupt=True),
    LinesOfAction,
    LinesOfAction.configured(size=5, moves=50),
    NineMensMorris,
    NineMensMorris.configured(rings=2, men=6),
    Kalah,
    Kalah.configured(pits=3, seeds=5, margin=True),
    CantStop,
    CantStop.configured(players=4),
    Pig,
    Pig.configured(target=12, sides=12),
    Yahtzee,
    Yahtzee.configured(players=1, bonuses=True),
    Yahtzee.configured(players=3),
    Blackjack,
    Blackjack.configured(natural=True),
    TwentyFortyEight,
    TwentyFortyEight.configured(rows=2, columns=3),
    CliffWalking,
    CliffWalking.configured(is_slippery=True),
    FrozenLake,
    FrozenLake.configured(map_name="8x8"),
    Racetrack,
    Racetrack.configured(slip=0.1),
    Sailing.configured(size=5),
    MicroGrid,
    MicroGrid.configured(capacity=5, power=3, efficiency=1.0),
    Taxi,
    Taxi.configured(is_rainy=True),
    Acrobot,
    CartPole,
    CartPole.configured(sutton_barto_reward=True),
    MountainCar,
    Pendulum,
    Driving,
    Driving.configured(scenario="merging"),
    Driving.configured(scenario="lane_keeping"),
    SlidingPuzzle,
    SlidingPuzzle.configured(rows=2, columns=4),
    LeftMove,
    SameGame.configured(rows=6, columns=4, colours=3),
    SnakeInTheBox.configured(dimension=4),
    Morpion,
    Morpion.configured(variant="5D", by_point=False),
    MotionPlanning,
    MotionPlanning.configured(layout="parking"),
    PegSolitaire,
    PegSolitaire.configured(board="european"),
    CircuitRouting,
    Sokoban,
    TSPTW,
    TSP,
    VehicleRouting,
    JobShop,
    Inventory,
    Inventory.configured(products=2, lead_time=3),
    DecisionProcess,
    WeakSchur,
    LightDark,
    Pocman,
    Pocman.configured(maze="micro", bumps=True),
    RockSample,
    RockSample.configured(layout="11x11"),
    Tiger,
    Tiger.configured(accuracy=0.7),
]
OTHER_OPTIONS = [game for game in GAMES if "(" in game.name]
WITH_THEIR_OWN_RULES = [
    Battleship.configured(rows=2, columns=3, sizes=(2,), shots=3),
    ChineseCheckers.configured(max_moves=100),
    Go.configured(size=5, superko=True),
    MNK.configured(rows=4, columns=3, in_a_row=3, gravity=True),
    Nim.configured(heaps=(3, 4, 5), max_take=0, misere=True),
]
"""Options that other lines of the rules are for, and that are checked in little time."""
EVERY_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def svg_actions(state):
    elements = ElementTree.fromstring(state.to_svg()).iter()
    return {int(element.get("data-action")) for element in elements if element.get("data-action")}


def test_every_built_in_game_is_among_these():
    assert {game.name.partition("(")[0] for game in GAMES} >= set(game_names()) - set(AT_ONCE)


@pytest.mark.parametrize(
    "game",
    [
        *(pytest.param(game, marks=pytest.mark.bounds) for game in (TicTacToe, Pig, Taxi)),
        *(game for game in GAMES if game not in [*OTHER_OPTIONS, TicTacToe, Pig, Taxi]),
        Sailing,
        *WITH_THEIR_OWN_RULES,
    ],
    ids=lambda game: game.name,
)
def test_rules_pass_the_checker(game):
    check_well(game, games=1)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_rules_pass_the_checker_in_more_games(game):
    check_well(game, games=5)


def check_well(game, games):
    report = check_game(game, games=games, seconds=120)
    assert (report.games, report.compared) == (games, games)
    assert report.notes == []
    assert report.longest <= game.max_game_length
    assert report.most_actions <= game.num_actions


@EVERY_GAME
def test_names_of_legal_moves_are_distinct_and_read_back(game, positions):
    for state in positions(game, 1):
        if has_box(game):
            actions = [random_action(state, random.Random(seed)) for seed in range(3)]
            read = [state.action_from_string(state.action_to_string(action)) for action in actions]
            assert [action.tolist() for action in read] == [action.tolist() for action in actions]
        elif not state.is_terminal():
            names = [state.action_to_string(action) for action in state.legal_actions()]
            assert len(set(names)) == len(names)
            assert [state.action_from_string(name.upper()) for name in names] == state.legal_actions()


@EVERY_GAME
def test_the_svg_board_stands_for_exactly_the_legal_actions(game, positions):
    """Where a class says which squares its moves touch, for those that touch one alone."""
    for state in positions(game, 1):
        expected = set() if state.is_terminal() or has_box(game) else set(state.legal_actions())
        if has_layer(game):
            paths = {}
            if expected and state.current_player() >= 0:
                for action in state.legal_actions():
                    paths.setdefault(squares_of(state, action), action)
            expected = {action for path, action in paths.items() if len(path) == 1}
        assert svg_actions(state) == expected


@EVERY_GAME
def test_a_state_survives_json(game, positions):
    for state in positions(game, 2):
        assert game.from_json(state.to_json()) == state


@EVERY_GAME
def test_the_names_of_the_moves_played_lead_to_the_same_state(game):
    rng = random.Random(1)
    start, names, numbers = game(), [], []
    state = start.copy()
    draws, again = ((bw.Random(1),) if is_simulator(game) else () for _ in range(2))
    while not state.is_terminal() and not (game.horizon and len(names) == 200):
        action = random_action(state, rng)
        names.append(state.action_to_string(action))
        numbers.append(action)
        state.apply_action(action, *draws)
    if starts_at_random(game):
        for name in names:
            start.play(name, *again)
        assert start == state
    else:
        assert game.from_actions(names) == game.from_actions(numbers) == state


# --- boards as text -------------------------------------------------------------------------------------


def test_connect_four_is_drawn_with_columns_and_rows_named():
    state = ConnectFour.from_actions(["d", "d", "e"])
    assert str(state).splitlines()[-3:] == ["2  . . . O . . .", "1  . . . X X . .", "   a b c d e f g"]


def test_mnk_is_drawn_from_its_board_array():
    state = MNK.configured(rows=3, columns=4, in_a_row=3).from_actions(["b2", "d3"])
    assert str(state).splitlines() == ["3  . . . O", "2  . X . .", "1  . . . .", "   a b c d"]


def test_nim_is_drawn_as_rows_of_chips():
    state = Nim.configured(heaps=(3, 2), max_take=0).from_actions(["a1"])
    assert str(state).splitlines() == ["a  o o", "b  o o", "   1 2 3"]


def test_each_chip_stands_for_taking_it_and_those_to_its_right():
    cells = Nim(chips=5).to_grid().cells[0]
    assert [cell.action for cell in cells[:6]] == [None, None, 2, 1, 0, None]


def test_a_heap_larger_than_at_the_start_is_shown_as_a_number():
    assert str(Nim.configured(heaps=(2, 3))(chips=[5, 0])) == "<Nim chips=[5,0] mover=0>"


def test_heaps_too_wide_for_a_picture_are_shown_as_numbers():
    state = Nim.configured(heaps=(1000, 3))()
    assert state.to_svg() is None
    assert str(state) == "<Nim chips=[1000,3] mover=0>"


def test_nine_boards_show_where_to_play_and_who_has_won_a_local_board():
    state = UltimateTicTacToe(board=8, choices=0o777, open_boards=8, boards_won=[1, 0])
    state.marks[0, 0] = 0o007
    state.marks[0, 1] = 0o010
    state.empty[0] = 0
    lines = str(state).splitlines()
    assert lines[0] == "9  X X X   - - -   - - -"
    assert lines[1] == "8  O x x   - - -   - - -"
    assert lines[3] == ""
    assert lines[8] == "3  - - -   - - -   . . ."
    assert [cell.owner for cell in state.to_grid().cells[1]] == [1, 0, 0] + [None] * 6


def test_only_the_marked_cell_counts_as_changed_when_the_board_to_play_in_changes():
    state = SudoTicTacToe.from_actions(["e5"])
    before = state.to_grid()
    state.apply_action(state.action_from_string("d6"))
    assert state.to_grid().changed(before) == {(3, 3)}


def test_a_column_of_an_mnk_board_with_gravity_is_clicked_where_the_mark_lands():
    state = MNK.configured(rows=2, columns=2, in_a_row=2, gravity=True).from_actions(["a1"])
    assert [[cell.action for cell in row] for row in state.to_grid().cells] == [[0, None], [None, 1]]


def test_pig_is_drawn_as_scores_with_the_points_of_the_turn():
    state = Pig.from_actions("roll 3 hold roll 6 roll")
    assert str(state).splitlines() == [
        "            score  turn",
        "  player 0      3     0",
        "> player 1      0     6  rolling",
    ]
    assert [state.action_to_string(outcome) for outcome in state.legal_actions()] == list("123456")


def test_cant_stop_is_drawn_as_steps_by_column():
    state = CantStop.from_actions("1156 2+11 roll 2266 8+8 stop 3344")
    assert str(state).splitlines() == [
        "  column     2   3   4   5   6   7   8   9  10  11  12",
        "  length     3   5   7   9  11  13  11   9   7   5   3",
        "  player 0   1   .   .   .   .   .   2   .   .   1   .",
        "> player 1   .   .   .   .   .   .   .   .   .   .   .",
        "  runners    .   .   .   .   .   .   .   .   .   .   .",
        "  dice      3 3 4 4",
    ]


def test_yahtzee_is_drawn_as_a_sheet_with_the_dice():
    state = Yahtzee.from_actions("12555 fives 33336 keep3333")
    lines = str(state).splitlines()
    assert lines[0].split() == ["p0", ">p1"]
    assert lines[1].split() == ["ones", ".", "."]
    assert lines[5].split() == ["fives", "15", "."]
    assert lines[-2:] == ["score              15    0", "dice ? 3 3 3 3"]


# --- variants and mistakes ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("connect_four(rows=9)", "connect_four cannot be 9 rows by 7 columns"),
        ("connect_four(columns=0)", "connect_four cannot be 6 rows by 0 columns"),
        ("connect_four(in_a_row=8)", "connect_four(in_a_row=8) does not fit 7 columns"),
        ("connect_four(in_a_row=1)", "connect_four(in_a_row=1) does not fit 7 columns"),
        ("connect_four(full=1)", "full follows from other options"),
        ("mnk(rows=0)", "mnk(rows=0) is not from 1 to 99"),
        ("mnk(columns=100)", "mnk(columns=100) is not from 1 to 99"),
        ("mnk(in_a_row=6)", "mnk(in_a_row=6) does not fit 5 rows by 5 columns"),
        ("mnk(gravity=1)", "takes a bool, not 1"),
        ("nim(heaps=())", "nim cannot start from 0 chips in 0 heaps"),
        ("nim(heaps=(0,0))", "nim cannot start from 0 chips in 2 heaps"),
        ("nim(heaps=(3,-1))", "nim cannot start from the heaps (3, -1)"),
        ("nim(heaps=('a',))", "nim cannot start from the heaps ('a',)"),
        ("nim(heaps=(99999,))", "nim cannot start from 99999 chips"),
        ("nim(max_take=-1)", "nim(max_take=-1) is negative"),
        ("cant_stop(players=1)", "cant_stop(players=1) is not from 2 to 4"),
        ("cant_stop(players=5)", "cant_stop(players=5) is not from 2 to 4"),
        ("yahtzee(players=0)", "yahtzee(players=0) is not from 1 to 10"),
        ("yahtzee(bonuses=1)", "takes a bool, not 1"),
        ("pig(target=0)", "pig(target=0) is not from 1 to 10,000"),
        ("pig(sides=1)", "pig(sides=1) is not from 2 to 100"),
    ],
)
def test_a_variant_that_cannot_be_is_refused(text, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)):
        bw.load_game(text)


@pytest.mark.parametrize("text", ["tic_tac_toe(rows=4)", "connect_four(row=5)", "nim(heap=3)"])
def test_an_option_that_a_game_does_not_have_is_refused(text):
    with pytest.raises(bw.UnknownNameError):
        bw.load_game(text)


def test_variants_have_names_that_load_them_again():
    for game in GAMES:
        assert bw.load_game(game.name) is game


@pytest.mark.parametrize(
    ("game", "moves", "problem"),
    [
        (ConnectFour, ["d1", "d1"], 'move 2: "d1" is not a legal move here'),
        (ConnectFour, ["h"], 'move 1: "h" is not a legal move here'),
        (TicTacToe, ["b2", "b2"], 'move 2: "b2" is not a legal move here'),
        (SudoTicTacToe, ["e5", "a1"], 'move 2: "a1" is not a legal move here'),
        (Nim, ["4"], 'move 1: "4" is not a legal move here'),
        (Pig, ["roll", "7"], 'move 2: "7" is not a legal move here'),
    ],
)
def test_a_move_that_is_not_legal_is_named(game, moves, problem):
    with pytest.raises(bw.ActionError, match=re.escape(problem)):
        game.from_actions(moves)


def test_nothing_is_played_after_the_end():
    over = TicTacToe.from_actions(["a1", "a2", "b1", "b2", "c1"])
    with pytest.raises(bw.ActionError, match="the game is over"):
        over.check_action("c2")
