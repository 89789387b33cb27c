"""Every shipped game for two players in turns has the symmetries that it has, and no others."""

import time

import numpy as np
import pytest

from branchwise.compile.queries.symmetries import CompiledSymmetries
from branchwise.games import GAMES, load_game
from branchwise.games.symmetries import HEXAGON, UPRIGHT, rectangle, symmetries_of
from branchwise.rules.checking.symmetry_contract import check_symmetries
from support.shipped import AT_ONCE, FOR_ONE, HIDDEN, PARTLY_SEEN

SYMMETRIES = {
    "amazons": 8,
    "atari_go": 8,
    "backgammon": 1,  # men go one way
    "blokus_duo": 4,  # those that keep the two starting squares
    "breakthrough": 2,
    "cant_stop": 2,  # each die shows its opposite side
    "checkers": 1,  # a mirror would exchange dark and light squares
    "chess": 1,  # castling differs to the left and to the right
    "chinese_checkers": 2,
    "clobber": 4,
    "connect_four": 2,
    "domineering": 4,
    "dots_and_boxes": 8,
    "go": 8,
    "havannah": 12,
    "hex": 2,
    "kalah": 1,
    "konane": 4,  # those that keep the colours of cells
    "lines_of_action": 8,
    "mnk": 8,
    "nim": 1,  # one heap
    "nine_mens_morris": 16,  # also inside out
    "nogo": 8,
    "othello": 8,
    "pig": 1,
    "quoridor": 2,
    "sudo_tic_tac_toe": 8,
    "tic_tac_toe": 8,
    "ultimate_tic_tac_toe": 8,
    "y": 6,
    "yahtzee": 1,
}
VARIANTS = {
    "amazons(size=5)": 8,
    "atari_go(size=4)": 8,
    "breakthrough(rows=5,columns=4,knightthrough=True)": 2,
    "chinese_checkers(players=3)": 1,
    "clobber(rows=3,columns=3)": 8,
    "clobber(rows=1,columns=6)": 2,
    "clobber(rows=5,columns=1)": 2,
    "clobber(rows=9,columns=9)": 8,  # two words
    "connect_four(rows=4,columns=5,in_a_row=3)": 2,
    "domineering(rows=3,columns=4)": 4,
    "domineering(rows=1,columns=5)": 2,
    "domineering(rows=2,columns=2)": 4,
    "dots_and_boxes(rows=1,columns=2)": 4,
    "dots_and_boxes(rows=6,columns=6)": 8,
    "go(size=4)": 8,
    "go(size=5,superko=True)": 1,  # earlier positions are known by their keys alone
    "havannah(size=3)": 12,
    "hex(size=2)": 2,
    "hex(size=4,swap=True)": 2,
    "konane(rows=4,columns=5)": 2,
    "konane(rows=5,columns=5)": 8,
    "lines_of_action(size=5)": 8,
    "mnk(rows=3,columns=4,in_a_row=3)": 4,
    "mnk(gravity=True)": 2,
    "mnk(rows=2,columns=40,in_a_row=3)": 4,
    "nim(heaps=(3,4,5))": 6,
    "nim(heaps=(1,2,3,4,5))": 5,
    "nine_mens_morris(rings=1,men=3)": 8,
    "nine_mens_morris(rings=2,men=6)": 16,
    "nogo(size=4)": 8,
    "othello(size=4)": 8,
    "quoridor(size=4,walls=3)": 2,
    "y(size=3)": 6,
    "tic_tac_toe(random_starter=True)": 1,
}
ALL = {**SYMMETRIES, **VARIANTS}
COMPILED = [name for name, count in SYMMETRIES.items() if count > 1] + ["go(size=4)", "nim(heaps=(3,4,5))"]


def test_all_games_for_two_who_move_in_turns_are_listed():
    others = {*FOR_ONE, *HIDDEN, *AT_ONCE, *PARTLY_SEEN, "twenty_forty_eight"}
    assert {*SYMMETRIES} == {*GAMES.builtin} - others


@pytest.mark.parametrize("name", ALL)
def test_a_game_has_its_symmetries(name):
    game = load_game(name)
    assert game.symmetries == ALL[name]
    assert "symmetries" not in game.constants()
    if game.symmetries > 1:
        assert check_symmetries(game, None, 1, time.perf_counter() + 0.3, compiled=False) > 0


@pytest.mark.parametrize("name", COMPILED)
def test_compiled_symmetries_are_those_of_plain_python(name):
    game = load_game(name)
    form = CompiledSymmetries(game)
    state, draw = game(), np.random.default_rng(1)
    for _ in range(60):
        if state.is_terminal():
            break
        legal = state.legal_actions()
        for k in range(game.symmetries):
            twin, actions = form.turn(state, k, legal)
            assert actions == [state.symmetry_action(k, action) for action in legal]
            plain = state.copy()
            plain.symmetry(k)
            assert twin == plain
        state.apply_action(int(draw.choice(legal)))


def test_symmetries_of_boards():
    square = rectangle(3, 3)
    ways = symmetries_of(square)
    assert len({tuple(way) for way in ways.tolist()}) == 8
    assert {tuple(way[other]) for way in ways for other in ways} == {tuple(way) for way in ways}
    assert len(symmetries_of(rectangle(3, 4))) == 4
    assert symmetries_of(rectangle(2, 3), kept=UPRIGHT).tolist() == [[0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3]]
    flower = [(0, 0), *HEXAGON]
    assert len(symmetries_of(flower, HEXAGON)) == 12
    assert len(symmetries_of([*flower, (5, 0)], HEXAGON)) == 2
