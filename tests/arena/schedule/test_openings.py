"""Openings: reproducible, distinct, undecided; files of them, and what is wrong with some."""

import time

import pytest

import branchwise as bw
from branchwise.arena.schedule import openings as openings_module
from branchwise.arena.schedule.openings import (
    DEFAULT_DEPTH,
    Decided,
    GivenOpenings,
    RandomOpenings,
    is_decided,
    read_openings,
)
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import solve_actions
from support.rules import Race


def never(state):
    return False


def first(openings, count):
    return [openings[number] for number in range(count)]


def test_the_same_seed_gives_the_same_openings_and_another_does_not():
    once, again, other = (
        first(RandomOpenings(ConnectFour, 4, seed, decided=never), 30) for seed in (1, 1, 2)
    )
    assert once == again
    assert once != other


def test_openings_have_the_depth_asked_for_and_lead_to_different_positions():
    openings = first(RandomOpenings(ConnectFour, 3, 1, decided=never), 100)
    states = [ConnectFour.from_actions(opening) for opening in openings]
    assert {len(opening) for opening in openings} == {3}
    assert len(set(states)) == 100


def test_when_positions_run_out_openings_come_again_in_order():
    openings = first(RandomOpenings(ConnectFour, 1, 1, decided=never), 20)
    assert sorted(openings[:7]) == [(column,) for column in range(7)]
    assert openings[7:14] == openings[:7]
    assert openings[14:] == openings[:6]


def test_an_opening_never_ends_the_game():
    deep = first(RandomOpenings(TicTacToe, 7, 3, decided=never), 40)
    assert {len(opening) for opening in deep} == {7}
    assert not any(TicTacToe.from_actions(opening).is_terminal() for opening in deep)


def test_no_opening_leaves_a_won_position():
    """Compared with an exact solver, in a game that the search can prove completely."""
    for opening in first(RandomOpenings(TicTacToe, 4, 1), 60):
        values = solve_actions(TicTacToe.from_actions(opening))
        assert max(values.values()) == 0


def test_a_proven_win_for_either_is_decided_and_a_draw_or_an_open_game_is_not():
    assert is_decided(TicTacToe.from_actions(["a1", "a2", "b1", "b2"]))  # the next move wins
    assert is_decided(TicTacToe.from_actions(["a1", "a2", "b1", "b3", "a3"])) is False
    assert is_decided(TicTacToe.from_actions(["a1", "b3", "c3", "b1", "a3"]))  # two threats
    assert not is_decided(ConnectFour())
    assert is_decided(Race(total=9))
    assert not is_decided(Race())


def test_a_search_that_takes_too_long_in_plain_python_is_compiled_and_says_the_same(monkeypatch):
    monkeypatch.setattr(openings_module, "PATIENCE", 1e-6)
    searched, plain = [], bw.MCTS.search

    def search(planner, *state, **limits):
        searched.append(planner.settings.compiled)
        return plain(planner, *state, **limits)

    monkeypatch.setattr(bw.MCTS, "search", search)
    assert is_decided(Race(total=9), 1e-6)
    assert not is_decided(Race(), 1e-6)
    assert searched == ["loaded", "loaded", "meanwhile"]  # the first is proven at once
    searched.clear()
    decided = Decided(at_once=True)
    assert decided(Race(total=9))
    assert not decided(Race())
    assert searched == ["loaded", "meanwhile"]  # patience is for all searches together
    monkeypatch.undo()
    decided = Decided(at_once=True)
    assert decided(Race(total=9))
    assert not decided(Race())


class Sleepy(Race):
    """Plain Python plays it, but it cannot be compiled."""

    def apply_action(self, action):
        time.sleep(0.0)
        super().apply_action(action)


class Broken(Race):
    def apply_action(self, action):
        raise ValueError


@pytest.mark.parametrize("at_once", [True, False])
def test_rules_that_cannot_be_compiled_are_searched_in_plain_python(monkeypatch, at_once):
    monkeypatch.setattr(openings_module, "PATIENCE", 1e-6)
    with pytest.raises(bw.GameError, match="cannot be compiled"):
        bw.MCTS().search(Sleepy(), simulations=10)
    decided = Decided(at_once=at_once)
    assert decided(Sleepy(total=9))
    assert not decided(Sleepy())
    with pytest.raises(bw.GameError, match="Broken"):
        Decided(at_once=at_once)(Broken())


def test_where_every_opening_is_decided_games_begin_with_fewer_moves():
    early = RandomOpenings(Nim, None, 1, decided=lambda state: state.chips[0] < 19)  # 21 at the start
    assert first(early, 2) == [(0, 0), (0, 0)]
    everywhere = RandomOpenings(Nim, None, 1, decided=lambda state: True)
    assert first(everywhere, 3) == [(), (), ()]
    assert len(RandomOpenings(ConnectFour, None, 1)[0]) == DEFAULT_DEPTH


def test_a_depth_that_decides_every_game_is_refused():
    with pytest.raises(bw.SettingsError, match="no opening of 9 moves leaves tic_tac_toe undecided"):
        RandomOpenings(TicTacToe, 9, 1, decided=never)[0]


@pytest.mark.parametrize("depth", [None, 1, 4])
def test_the_likely_first_opening_is_the_first_unless_it_is_decided(depth):
    for seed in range(20):
        likely = RandomOpenings(TicTacToe, depth, seed, decided=never).likely_first()
        assert likely == RandomOpenings(TicTacToe, depth, seed, decided=never)[0]


def test_where_the_first_opening_is_known_none_is_likely():
    assert RandomOpenings(ConnectFour, 0, 1).likely_first() is None
    assert RandomOpenings(ConnectFour, 4, 1, known={0: (3, 3, 3, 3)}).likely_first() is None


def test_openings_known_already_are_not_looked_for_and_change_nothing():
    asked = []

    def decided(state):
        asked.append(state)
        return False

    whole = first(RandomOpenings(ConnectFour, None, 5, decided=never), 12)
    known = {number: whole[number] for number in (0, 1, 2, 3, 4, 7)}
    assert first(RandomOpenings(ConnectFour, None, 5, decided=decided, known=known), 12) == whole
    assert len(asked) == 6


@pytest.mark.parametrize("rounds", [range(0), range(2), range(4), range(5), range(7), (0, 1, 2, 4, 6)])
def test_openings_that_ran_out_come_again_in_the_same_order_whatever_is_known(rounds):
    """Three positions after one move of nim: round 3 is the first that has to repeat one."""
    whole = first(RandomOpenings(Nim, 1, 5, decided=never), 12)
    assert whole[3:6] == whole[:3]
    known = {number: whole[number] for number in rounds}
    assert first(RandomOpenings(Nim, 1, 5, decided=never, known=known), 12) == whole


def test_given_openings_come_in_order_and_again():
    openings = GivenOpenings([[1], [2, 3]])
    assert first(openings, 5) == [(1,), (2, 3), (1,), (2, 3), (1,)]


def test_a_file_of_openings_is_read(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("# the usual\nd1 d2\n\n  d1, e1 , e2 # three\n#\n3 3\n", encoding="utf-8")
    assert read_openings(file, ConnectFour) == [(3, 3), (3, 4, 4), (3, 3)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("d1\nz9\n", 'line 2: move 1: "z9" is not a legal move here'),
        ("# d\n\nd1 d2 d2\n", 'line 3: move 3: "d2" is not a legal move here'),
        ("a1 b1 a2 b2 a3 b3 a4", "line 1: the game is over after these moves"),
        ("a1 b1 a2 b2 a3 b3 a4 b4", 'line 1: move 8: "b4" cannot be played: the game is over'),
        ("# nothing\n", "has no openings"),
        ("", "has no openings"),
    ],
)
def test_a_fault_in_a_file_of_openings_is_reported_with_its_line(tmp_path, text, told):
    file = tmp_path / "openings.txt"
    file.write_text(text)
    with pytest.raises(bw.SettingsError) as caught:
        read_openings(file, ConnectFour)
    assert told in str(caught.value)


def test_a_file_that_cannot_be_read_is_reported(tmp_path):
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for file in (tmp_path / "missing", tmp_path, binary):
        with pytest.raises(bw.SettingsError, match="cannot read the openings in"):
            read_openings(file, ConnectFour)
