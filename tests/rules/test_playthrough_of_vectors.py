"""A game under way whose moves are vectors: text in and out, undo, and JSON."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import branchwise as bw
from branchwise.common.errors import ActionError, GameError
from branchwise.pictures.simulation_report import Move
from branchwise.problems.pendulum import Pendulum
from branchwise.rules.facts.facts import action_word
from branchwise.rules.playthrough.playthrough import Playthrough
from support.boxes import Duel, Gusts, Peak, TwoSteps

NUMBERS = st.floats(-1.0, 1.0)


@given(NUMBERS, st.floats(-2.0, 3.0))
def test_the_text_of_a_vector_is_read_back_to_the_last_bit(x, y):
    played = Playthrough(Peak())
    played.play((x, y))
    again = Playthrough(Peak(), played.text).actions[0]
    assert again.tobytes() == np.array([x, y]).tobytes()
    told = Playthrough.from_json(json.dumps(json.loads(played.to_json())), Peak)
    assert told.actions[0].tobytes() == again.tobytes()


def test_moves_are_vectors_that_cannot_be_changed():
    played = Playthrough(TwoSteps(), "0.25 0.125")
    assert [action.tolist() for action in played.actions] == [[0.25], [0.125]]
    assert played.text == "0.25 0.125"
    with pytest.raises(ValueError, match="read-only"):
        played.actions[0][0] = 1.0
    given_numbers = np.array([0.25])
    kept = Playthrough(TwoSteps())
    kept.play(given_numbers)
    given_numbers[0] = 0.0
    assert kept.actions[0][0] == 0.25


def test_undo_and_redo_go_over_vectors():
    played = Playthrough(Duel(), "0.5 -0.5")
    value = played.returns
    played.undo(2)
    played.play((0.5,))
    assert played.length == 2  # the move that was taken back was made again
    played.redo()
    assert played.returns == value
    played.undo(2)
    played.play("0.25")
    assert played.length == 1
    assert played.copy().text == "0.25"


def test_moves_can_be_compared_and_hashed():
    one, other = (Playthrough(Peak(), "0.5,1.5").moves[0] for _ in range(2))
    assert one == other
    assert len({one, other}) == 1
    assert one != Move(0, np.array([0.5, 1.0]), "0.5,1.5")
    assert one != Move(0, 3, "0.5,1.5")


def test_a_record_of_a_simulator_is_the_same_game_again():
    played = Playthrough(Gusts(), random=bw.Random(3))
    played.play((0.75,))
    played.play(f"{played.state.place}")
    again = Playthrough.from_json(played.to_json(), Gusts)
    assert again.paid == played.paid
    assert again.state == played.state


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ({"actions": [3]}, "not all lists of numbers"),
        ({"actions": [["a", 0.0]]}, "not all lists of numbers"),
        ({"actions": [[True, 0.0]]}, "not all lists of numbers"),
        ({"actions": [[9.0, 0.0]]}, "number 1 of the action 9.0 is outside its box"),
        ({"actions": [[0.5]]}, "0.5 has 1 number, not 2"),
        ({"actions": [[0.5, 1.0]], "moves": ["0.5,2.0"]}, "which are different moves"),
        ({"actions": [[0.5, 1.0]], "moves": [None]}, "are not texts"),
    ],
)
def test_a_record_with_other_actions_is_one_clear_error(content, told):
    with pytest.raises(GameError) as caught:
        Playthrough.from_json(json.dumps({"game": "peak", **content}), Peak)
    assert told in caught.value.problem


def test_a_list_of_numbers_is_no_action_of_other_games():
    with pytest.raises(GameError, match="not all whole numbers"):
        Playthrough.from_json('{"game": "nim", "actions": [[1.0]]}', bw.load_game("nim"))


class Steered(Peak):
    """Texts are rounded, so that most of them are another vector."""

    def action_to_string(self, action):
        return f"{action[0]:.1f}|{action[1]:.1f}"

    def action_from_string(self, text):
        return tuple(map(float, text.replace("|", ",").split(",")))


def test_a_text_that_means_another_vector_is_replaced_by_the_numbers():
    assert action_word(Steered(), np.array([0.5, 1.0])) == "0.5|1.0"
    assert action_word(Steered(), np.array([0.123, 1.0])) == "0.123,1.0"
    played = Playthrough(Steered(), [(0.123, 1.0)])
    assert Playthrough(Steered(), played.text).state == played.state
    with pytest.raises(ActionError, match="outside its box"):
        Steered().play("7|0")


def test_the_pendulum_can_be_played_by_its_bare_name():
    game = bw.load_game("pendulum")
    assert game is Pendulum
    assert Playthrough(game(), "2 -2 0.5").ply == 3
