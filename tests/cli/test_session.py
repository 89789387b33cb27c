import pytest

from branchwise.bots.players.random import RandomBot
from branchwise.cli.play.terminal_session import Session, read_side
from branchwise.common.errors import ActionError, BranchwiseError, SettingsError, UnknownNameError
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from support.rules import Passing, Race


def texts(moves):
    return [move.text for move in moves]


@pytest.fixture
def session():
    return Session(Nim, RandomBot(seed=1), {0})


def test_bad_move_changes_nothing(session):
    before = session.state.copy()
    with pytest.raises(ActionError):
        session.play("7")
    assert session.state == before
    assert session.moves == ()
    assert session.is_humans_turn


def test_undo_goes_back_to_the_persons_turn_again_and_again(session):
    starts = []
    for _ in range(3):
        starts.append(session.state.copy())
        session.play("1")
        session.bot_move()
    for start in reversed(starts):
        assert len(session.undo()) == 2
        assert session.is_humans_turn
        assert session.state == start
    with pytest.raises(ActionError, match="nothing to undo"):
        session.undo()


def test_redo_makes_the_same_moves_again(session):
    for _ in range(3):
        session.play("1")
        session.bot_move()
    played, reached = session.moves, session.state.copy()
    for _ in range(3):
        session.undo()
    for _ in range(3):
        assert len(session.redo()) == 2
    assert session.moves == played
    assert session.state == reached
    with pytest.raises(ActionError, match="nothing to redo"):
        session.redo()


def test_another_move_after_undo_forgets_what_was_taken_back(session):
    session.play("1")
    session.bot_move()
    session.undo()
    session.play("2")
    with pytest.raises(ActionError):
        session.redo()


def test_undo_before_the_bot_has_answered_takes_back_one_move(session):
    session.play("1")
    assert texts(session.undo()) == ["1"]
    assert session.is_humans_turn


def test_second_player_cannot_take_back_the_bots_first_move():
    session = Session(Nim, RandomBot(seed=1), {1})
    session.bot_move()
    with pytest.raises(ActionError):
        session.undo()
    assert len(session.moves) == 1


def test_undo_after_the_end_continues_with_the_game():
    session = Session(Nim.configured(heaps=(4,)), RandomBot(seed=1), {0, 1}, ["1"])
    session.play("3")
    assert session.is_over
    assert session.winners() == [1]
    session.undo()
    assert not session.is_over
    session.redo()
    assert session.is_over


def test_undo_among_people_takes_back_one_move():
    session = Session(ConnectFour, RandomBot(), {0, 1})
    for move in ("a", "b", "c"):
        session.play(move)
    session.undo()
    assert len(session.moves) == 2


def test_restart_keeps_the_opening():
    session = Session(ConnectFour, RandomBot(), {0}, ["d", "d"])
    session.play("c")
    session.restart()
    assert len(session.moves) == 2
    assert session.is_humans_turn


def test_bad_opening_is_reported_by_its_place():
    with pytest.raises(ActionError, match="move 2"):
        Session(ConnectFour, RandomBot(), {0}, ["d", "z"])


def test_bot_with_an_illegal_move_is_told_apart():
    class Cheat(RandomBot):
        def choose(self, state):
            return 99

    with pytest.raises(BranchwiseError, match="chose action 99"):
        Session(Nim, Cheat(), ()).bot_move()


def test_nobody_wins_a_draw():
    from branchwise.games.tic_tac_toe import TicTacToe

    session = Session(TicTacToe, RandomBot(), {0, 1}, ["b2", "a1", "a2", "c2", "b1", "b3", "c1", "a3", "c3"])
    assert session.is_over
    assert session.winners() == []


@pytest.mark.parametrize(
    ("text", "players"),
    [
        ("first", {0}),
        ("second", {1}),
        ("both", {0, 1}),
        ("all", {0, 1}),
        ("none", set()),
        ("0,1", {0, 1}),
        ("1", {1}),
    ],
)
def test_sides_by_word_and_by_number(text, players):
    assert read_side(text, Nim) == players


def test_unknown_sides():
    with pytest.raises(UnknownNameError, match="second"):
        read_side("secnd", Nim)
    with pytest.raises(SettingsError, match="no player 2"):
        read_side("2", Nim)


def test_undo_and_redo_pass_over_passes_and_three_players():
    session = Session(Race, RandomBot(seed=1), {1})
    for _ in range(3):
        while not session.is_humans_turn:
            session.bot_move()
        session.play("0")
    for taken in (1, 3, 3):
        assert len(session.undo()) == taken
        assert session.is_humans_turn
    with pytest.raises(ActionError, match="nothing to undo"):
        session.undo()
    assert [len(session.redo()) for _ in range(3)] == [3, 3, 1]
    with pytest.raises(ActionError, match="nothing to redo"):
        session.redo()
    passing = Session(Passing, RandomBot(seed=1), {0, 1}, ["0", "0"])
    passing.play("3")
    assert texts(passing.undo()) == ["3"]
    assert [move.player for move in passing.moves] == [0, 1]
