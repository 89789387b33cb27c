"""Games with continuous actions that bots play: what records hold, and answers that lose."""

import pytest

import branchwise as bw
from branchwise.arena.play.referee import Referee, Terms
from branchwise.arena.play.status_board import MOST_MOVES, StatusBoard
from branchwise.arena.play.time_control import TimeControl
from branchwise.arena.records.playback import played_again, played_with_dice
from branchwise.arena.records.record import GamePlan
from branchwise.arena.schedule.openings import RandomOpenings, check_opening, read_openings
from branchwise.bots import register_bot
from branchwise.common.errors import ActionError, SettingsError
from support.boxes import Duel, Gusts, Peak


class Odd(bw.Bot):
    """Answers what its class says."""

    name = "odd"
    answer = None

    def choose(self, state):
        return type(self).answer


@pytest.fixture
def play(own_registrations):
    register_bot(Odd, "odd")
    board = StatusBoard()

    def play(game, *bots, dice=7):
        board.expect_vectors(2 if game is Peak else 1)
        seats = tuple(range(game.num_players))
        return Referee(game, GamePlan(0, 0, (), seats, seats, dice), Terms(bots, TimeControl()), board).play()

    play.board = board
    yield play
    board.close()


# --- one game ---------------------------------------------------------------------------------------


def test_a_record_holds_vectors_as_tuples_and_gives_the_game_again(play):
    record = play(Duel, "mcts(simulations=60)", "random")
    assert [len(action) for action in record.actions] == [1, 1]
    assert all(type(number) is float for action in record.actions for number in action)
    assert hash(record) == hash(record)
    again = played_again(Duel, record)
    assert again.returns == record.returns
    assert [tuple(action.tolist()) for action in again.actions] == list(record.actions)


def test_a_record_says_what_the_search_knew_of_the_vectors(play):
    first, second = play(Duel, "mcts(simulations=60)", "mcts(simulations=60)").moves
    assert first.action == first.children[0].action == first.line[0]
    assert len(first.line) > 1
    assert sum(child.visits for child in first.children) <= first.simulations == 60
    assert second.seat == 1


def test_a_simulator_with_vectors_is_the_same_game_again(play):
    record = play(Gusts, "mcts(simulations=60)")
    assert played_again(Gusts, record).paid == record.returns
    assert played_with_dice(Gusts, record.plan, record.actions).paid == record.returns


def test_the_board_in_shared_memory_notes_vectors(play):
    record = play(Peak, "random")
    play.board.note(0)
    ((action, seconds),) = play.board.moves()
    assert action == record.actions[0]
    assert seconds >= 0.0


def test_the_board_notes_as_many_vectors_as_fit():
    board, told = StatusBoard(), (0.25,) * 64
    board.expect_vectors(64)
    for _ in range(MOST_MOVES // 10):
        board.note_move(told, 0.5)
    board.note(0)
    moves = board.moves()
    board.close()
    assert 500 < len(moves) < MOST_MOVES // 10
    assert set(moves) == {(told, 0.5)}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((2.0,), "answered [2.0]: the action 2.0 is outside its box"),
        (5, "answered [5.0]: the action 5.0 is outside its box"),
        ((0.0, 0.0), "has 2 numbers, not 1"),
        ((float("nan"),), "the action is not a number"),
        ("0.5", "answered '0.5', which is no vector of numbers"),
        (True, "answered True, which is no vector of numbers"),
        (None, "answered None, which is no vector of numbers"),
        ([[0.5]], "which is no vector of numbers"),
    ],
)
def test_an_answer_that_is_no_vector_of_the_box_loses(play, monkeypatch, answer, told):
    monkeypatch.setattr(Odd, "answer", answer)
    record = play(Duel, "odd", "random")
    assert (record.ending, record.fault, record.moves) == ("illegal", 0, ())
    assert told in record.detail
    assert record.returns == (-1.0, 1.0)


# --- openings ---------------------------------------------------------------------------------------


def test_random_openings_are_vectors_of_the_box_and_come_again():
    first, second = (RandomOpenings(Duel, 1, seed=3) for _ in range(2))
    assert [first[n] for n in range(4)] == [second[n] for n in range(4)]
    assert len({first[n] for n in range(4)}) == 4
    ((number,),) = first[0]
    assert -1.0 <= number <= 1.0


def test_openings_in_a_file_are_split_by_blanks_where_moves_have_commas(tmp_path):
    file = tmp_path / "openings.txt"
    file.write_text("0.25  # the first\n-1\n")
    assert read_openings(file, Duel) == [((0.25,),), ((-1.0,),)]
    file.write_text("0.25\n3\n")
    with pytest.raises(SettingsError, match=r"line 2: move 1: the action 3.0 is outside its box"):
        read_openings(file, Duel)
    with pytest.raises(ActionError, match="over after these moves"):
        check_opening([(0.0,), (0.0,)], Duel)
