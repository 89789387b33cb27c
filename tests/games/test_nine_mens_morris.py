"""Nine men's morris: OpenSpiel in step, mills, flying, and the smaller boards."""

import random
import re

import pytest

import branchwise as bw
from branchwise.games.nine_mens_morris import NineMensMorris, lines_of
from support.budgets import share_of_points
from support.rows import slow

SIX = NineMensMorris.configured(rings=2, men=6)


def names(state):
    return [state.action_to_string(action) for action in state.legal_actions()]


@pytest.mark.parametrize("games", [10, slow(1000)])
def test_random_games_agree_with_openspiel(games):
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("nine_mens_morris")
    rng = random.Random(games)
    for _ in range(games):
        state, other = NineMensMorris(), theirs.new_initial_state()
        while not other.is_terminal():
            assert not state.is_terminal()
            assert state.current_player() == other.current_player()
            assert state.legal_actions() == other.legal_actions()
            action = rng.choice(state.legal_actions())
            state.apply_action(action)
            other.apply_action(action)
        assert state.is_terminal()
        assert list(state.returns()) == other.returns()


@pytest.mark.parametrize(("rings", "mills", "joints"), [(1, 4, 8), (2, 8, 20), (3, 16, 32)])
def test_each_board_has_its_mills_and_lines(rings, mills, joints):
    lines = lines_of(rings)
    assert sum(len(line) == 3 for line in lines) == mills
    assert sum(len(line) - 1 for line in lines) == joints


def test_a_mill_takes_a_man_that_is_in_no_mill():
    state = NineMensMorris.from_actions("a1 a7 d1 d7 b2 g7")
    assert names(state) == ["xb2", "xa1", "xd1"]
    state.play("xB2")
    assert names(state)[0] == "b6"
    state.play("g1")
    assert names(state) == ["xa7", "xd7", "xg7"]  # all are in a mill
    assert state.current_player() == 0


def test_a_line_across_two_rings_is_no_mill():
    state = SIX.from_actions("c1 a5 c2 e5")
    assert not state.taking
    assert state.current_player() == 0


def test_with_three_men_a_player_may_move_to_any_point():
    def bits(points):
        return sum(1 << point for point in points)

    placed = [bits([0, 1, 3]), bits([21, 22, 23, 9])]
    flying = NineMensMorris(placed=placed, hand=[0, 0])
    walking = NineMensMorris.configured(flying=False)(placed=placed, hand=[0, 0])
    assert len(flying.legal_actions()) == 3 * (24 - 7)
    assert names(walking) == ["d7g7", "d7d6", "b6d6", "b6b4"]
    other = NineMensMorris(placed=placed, hand=[0, 0], mover=1)
    assert names(other) == ["a4b4", "d1d2", "g1g4"]


def test_a_player_with_two_men_loses_and_so_does_one_without_a_move():
    state = NineMensMorris(placed=[0b10000000001 << 3 | 0b1, 0b110 << 20 | 1 << 9], hand=[0, 0])
    assert not state.is_terminal()
    state = NineMensMorris(placed=[0b11, 0b111 << 20], hand=[0, 0])
    assert state.is_terminal()
    assert state.returns() == (-1.0, 1.0)
    game = NineMensMorris.configured(flying=False, rings=1, men=3)
    blocked = game(placed=[0b10100100, 0b00001011], hand=[0, 0], mover=1)
    blocked.find_movable()
    assert blocked.is_terminal()
    assert blocked.returns() == (1.0, -1.0)


def test_the_game_is_drawn_after_its_number_of_turns():
    state = NineMensMorris.configured(turns=3).from_actions("a1 a7 d1")
    assert state.is_terminal()
    assert state.returns() == (0.0, 0.0)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("rings=4", "nine_mens_morris(rings=4) is not from 1 to 3"),
        ("men=13", "nine_mens_morris(men=13) does not fit 24 points"),
        ("men=2", "nine_mens_morris(men=2) does not fit 24 points"),
        ("rings=2", "nine_mens_morris(men=9) does not fit 16 points"),
        ("turns=0", "nine_mens_morris(turns=0) is not from 1 to 10,000"),
    ],
)
def test_a_variant_that_cannot_be_is_refused(options, problem):
    with pytest.raises(bw.GameError, match=re.escape(problem)):
        bw.load_game(f"nine_mens_morris({options})")


def test_moves_are_named_by_their_points():
    state = SIX.from_actions("a1 a5 c1 c5 a3")
    assert str(state).splitlines()[:5] == [
        "5  O   O   +",
        "4    + + +",
        "3  X +   + +",
        "2    + + +",
        "1  X   X   +",
    ]
    for name in ("b1", "a1", "xa1"):
        with pytest.raises(bw.ActionError, match="is not a legal move here"):
            state.play(name)


@pytest.mark.slow
def test_strength_rises_with_the_budget():
    assert share_of_points(NineMensMorris, (100, 5), pairs=10, opening_moves=5) >= 0.7
