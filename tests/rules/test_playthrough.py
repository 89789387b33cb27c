"""A game under way: moves, chance, turns, undo, text in and out."""

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from support.rules import Kalah, Passing, Race


class Dice(bw.Game):
    """A die is thrown after each move; its faces have names, and legal moves are other numbers."""

    num_players = 2
    num_actions = 2
    num_outcomes = 6
    total: np.int16 = 0
    moves: np.int8 = 0
    thrown: bool = True

    def current_player(self):
        return self.moves % 2 if self.thrown else bw.CHANCE

    def legal_actions(self):
        for action in range(2):
            yield action

    def chance_outcomes(self):
        return [(side, 1 / 6) for side in range(6)]

    def apply_action(self, action):
        if self.thrown:
            self.moves += 1
        else:
            self.total += action
        self.thrown = not self.thrown

    def is_terminal(self):
        return self.moves == 4 and self.thrown

    def returns(self):
        return (1.0, -1.0) if self.total % 2 else (-1.0, 1.0)

    def action_to_string(self, action):
        return ("hold", "roll")[action] if self.thrown else f"face {action + 1}"


class Words(bw.Game):
    """Moves whose texts are two words, empty, or alike."""

    num_players = 1
    num_actions = 5
    moves: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield from range(5)

    def apply_action(self, action):
        self.moves += 1

    def is_terminal(self):
        return self.moves == 8

    def returns(self):
        return (0.0,)

    def action_to_string(self, action):
        return ("go left", "", "3", "same", "same")[action]


class Foreign:
    """A state of somebody else's class, with OpenSpiel's methods; `after` and `After` are two moves."""

    def __init__(self, played=()):
        self.played = list(played)

    def clone(self):
        return Foreign(self.played)

    def current_player(self):
        return len(self.played) % 2

    def legal_actions(self):
        return [10, 20]

    def action_to_string(self, action):
        return "after" if action == 10 else "After"

    def apply_action(self, action):
        self.played.append(action)

    def is_terminal(self):
        return len(self.played) == 3

    def returns(self):
        return [1.0, -1.0]


# --- moves, turns, undo ---------------------------------------------------------------------------------


GAMES = [ConnectFour, Nim, Race, Kalah, Passing, Words, Dice]


def legal_moves(played):
    if played.is_chance:
        return [outcome for outcome, _ in played.state.chance_outcomes()]
    return played.state.legal_actions()


@settings(max_examples=60, deadline=None)
@given(st.data(), st.sampled_from(GAMES))
def test_any_walk_through_a_game_is_at_the_position_that_its_moves_lead_to(data, game):
    game = bw.Playthrough(game())
    line, ply = [], 0
    for _ in range(data.draw(st.integers(1, 60))):
        step = data.draw(st.sampled_from(["play", "play", "play", "undo", "redo", "go"]))
        if step == "play" and not game.is_over:
            action = game.play(data.draw(st.sampled_from(legal_moves(game))))
            if line[ply : ply + 1] != [action]:
                line[ply:] = [action]
            ply += 1
        elif step == "undo" and ply:
            game.undo()
            ply -= 1
        elif step == "redo" and ply < len(line):
            game.redo()
            ply += 1
        elif step == "go":
            ply = data.draw(st.integers(0, len(line)))
            game.go_to(ply)
        expected = bw.Playthrough(game.start, line[:ply])
        assert (game.ply, game.length, list(game.actions)) == (ply, len(line), line[:ply])
        assert game.state == expected.state
        assert (game.player, game.is_over, game.returns) == (
            expected.player,
            expected.is_over,
            expected.returns,
        )
        assert game.before == (expected.state_at(ply - 1) if ply else None)
        assert game.moves == expected.moves
        assert [move.action for move in game.all_moves] == line


def test_nothing_is_undone_beyond_the_start_or_redone_beyond_the_end():
    game = bw.Playthrough(ConnectFour(), "d1 d2")
    for moves in (3, -1, 10**9):
        with pytest.raises(bw.ActionError, match="nothing to undo"):
            game.undo(moves)
    game.undo(2)
    with pytest.raises(bw.ActionError, match="nothing to undo"):
        game.undo()
    assert (game.ply, game.before, game.state) == (0, None, ConnectFour())
    for moves in (3, -1):
        with pytest.raises(bw.ActionError, match="nothing to redo"):
            game.redo(moves)
    game.redo(2)
    with pytest.raises(bw.ActionError, match="nothing to redo"):
        game.redo()
    for ply in (3, -1):
        with pytest.raises(bw.ActionError, match=f"no position after {ply} moves"):
            game.go_to(ply)
        with pytest.raises(bw.ActionError, match=f"no position after {ply} moves"):
            game.state_at(ply)
    assert game.text == "d1 d2"


@pytest.mark.parametrize("bad", ["z9", "", "  ", "d1 d2", "-1", "7", "²", 7, -1, 3.0, None, "d9"])
def test_an_illegal_move_changes_nothing(bad):
    game = bw.Playthrough(ConnectFour(), "d1 d2 c1")
    game.undo()
    with pytest.raises(bw.ActionError):
        game.play(bad)
    assert (game.text, game.length, game.player) == ("d1 d2", 3, 0)
    assert game.state == ConnectFour.from_actions("d1 d2")


def test_moves_after_the_end_are_refused():
    game = bw.Playthrough(Nim(chips=[1]), ["1"])
    assert (game.is_over, game.player, game.returns) == (True, None, (1.0, -1.0))
    for move in ("1", 0):
        with pytest.raises(bw.ActionError, match="the game is over"):
            game.play(move)


def test_a_line_with_an_illegal_move_names_its_place():
    with pytest.raises(bw.ActionError, match='move 3: "d9"') as caught:
        bw.Playthrough(ConnectFour(), "d1 d2 d9 d3")
    assert caught.value.after == "d1 d2"


def test_the_players_of_moves_are_those_who_made_them():
    kalah = bw.Playthrough(Kalah(), [1, 0, 1, 1, 0])
    assert [move.player for move in kalah.moves] == [0, 0, 1, 1, 1]
    passing = bw.Playthrough(Passing(), [0, 0, 3])
    assert [(move.player, move.text) for move in passing.moves] == [(0, "0"), (1, "0"), (0, "3")]
    race = bw.Playthrough(Race(), [1] * 5)
    assert [move.player for move in race.moves] == [0, 1, 2, 0, 1]
    assert (race.player, race.returns) == (None, (-1.0, 1.0, -1.0))


def test_the_next_move_again_keeps_the_others_and_another_one_drops_them():
    game = bw.Playthrough(TicTacToe(), "a1 b2 c3")
    game.go_to(0)
    game.play("a1")
    assert (game.ply, game.length) == (1, 3)
    game.play("a2")
    assert (game.ply, game.length, game.text) == (2, 2, "a1 a2")


def test_states_that_were_given_away_stay_as_they_were():
    game = bw.Playthrough(ConnectFour(), "d1 d2")
    state, start, twin = game.state, game.start, game.copy()
    before = state.copy()
    game.play("d3")
    game.state_at(1).play("a1")
    assert state == before
    assert start == ConnectFour()
    twin.undo(2)
    assert (game.text, twin.text, twin.length) == ("d1 d2 d3", "", 2)


def test_the_start_is_a_copy():
    state = ConnectFour()
    game = bw.Playthrough(state)
    state.play("d1")
    assert game.state == ConnectFour()


def test_a_rule_that_raises_leaves_the_game_where_it_was():
    class Breaking(Nim):
        def apply_action(self, action):
            self.chips[0] -= action + 1
            if self.chips[0] < 19:
                raise ValueError("broken")

    game = bw.Playthrough(Breaking(), [0])
    with pytest.raises(ValueError, match="broken"):
        game.play(2)
    assert (game.actions, game.state.chips[0]) == ((0,), 20)


def test_what_is_called_for_each_move_can_end_the_work():
    left = [20]

    def spend():
        left[0] -= 1
        if left[0] < 0:
            raise TimeoutError

    game = bw.Playthrough(Nim(chips=[100]), [0] * 18, each_move=spend)
    with pytest.raises(TimeoutError):
        game.go_to(15)
    assert game.ply == 18
    with pytest.raises(TimeoutError):
        game.play(0)
    assert (game.ply, game.length) == (18, 18)


# --- states of other classes, chance --------------------------------------------------------------------


def test_states_of_other_classes_are_played_and_their_texts_are_exact():
    game = bw.Playthrough(Foreign(), "After after")
    assert game.actions == (20, 10)
    assert [(move.player, move.text) for move in game.moves] == [(0, "After"), (1, "after")]
    for bad in ("AFTER", "30", 30, None):
        with pytest.raises(bw.ActionError, match="not a legal move here"):
            game.play(bad)
    game.play("20")
    assert game.returns == (1.0, -1.0)
    with pytest.raises(bw.ActionError, match="the game is over"):
        game.play(10)
    with pytest.raises(bw.GameError, match="Foreign is not a branchwise"):
        game.to_json()


def test_outcomes_of_chance_are_moves_of_chance():
    game = bw.Playthrough(Dice(), ["roll", "face 6", "hold"])
    assert (game.is_chance, game.player) == (True, bw.CHANCE)
    assert [(move.player, move.action, move.text) for move in game.moves] == [
        (0, 1, "roll"),
        (bw.CHANCE, 5, "face 6"),
        (1, 0, "hold"),
    ]
    for bad in ("face 7", 6, -1, "roll"):
        with pytest.raises(bw.ActionError, match=r"is not( a)? legal( move)? here"):
            game.play(bad)
    game.play(3)
    assert (game.is_chance, game.state.total) == (False, 8)
    for bad in (5, "face 1"):
        with pytest.raises(bw.ActionError):
            game.play(bad)
    game.undo()
    assert (game.is_chance, game.state.total) == (True, 5)


def test_outcomes_of_chance_go_through_text():
    game = bw.Playthrough(Dice(), [1, 5, 0, 2, 1])
    assert game.text == "roll 5 hold 2 roll"
    assert bw.Playthrough(Dice(), game.text).actions == game.actions
    again = bw.Playthrough.from_json(game.to_json(), Dice)
    assert (again.actions, again.player, again.state) == (game.actions, bw.CHANCE, game.state)


# --- text -----------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(GAMES), st.randoms(use_true_random=False))
def test_any_game_goes_through_text_and_json(game, random):
    played = bw.Playthrough(game())
    for _ in range(random.randrange(40)):
        if played.is_over:
            break
        played.play(random.choice(legal_moves(played)))
    for again in (
        bw.Playthrough(game(), played.text),
        bw.Playthrough(game(), played.actions),
        bw.Playthrough.from_json(played.to_json(), game),
    ):
        assert (again.actions, again.state, again.text) == (played.actions, played.state, played.text)


def test_moves_that_are_no_words_are_written_as_numbers():
    assert bw.Playthrough(Words(), [0, 1, 2, 3, 4]).text == "0 1 3 same 4"
    assert bw.Playthrough(Words(), "0 1 3 same 4").actions == (0, 1, 2, 3, 4)


def test_json_holds_the_moves_made_and_another_start():
    game = bw.Playthrough(Nim(chips=[5]), [0, 0])
    game.undo()
    content = json.loads(game.to_json())
    assert content == {"game": "nim", "start": {"chips": [5], "mover": 0}, "actions": [0], "moves": ["1"]}
    again = bw.Playthrough.from_json(game.to_json(), Nim)
    assert (again.start, again.state, again.length) == (Nim(chips=[5]), Nim(chips=[4], mover=1), 1)


def test_options_of_the_game_are_in_the_text():
    small = ConnectFour.configured(rows=5, columns=5)
    text = bw.Playthrough(small(), "a1 a2").to_json()
    assert json.loads(text)["game"] == "connect_four(rows=5,columns=5)"
    assert bw.Playthrough.from_json(text, small).text == "a1 a2"
    with pytest.raises(
        bw.GameError, match=r"a record of connect_four\(rows=5,columns=5\), not of connect_four"
    ):
        bw.Playthrough.from_json(text, ConnectFour)


def test_a_record_that_was_cut_anywhere_is_refused_in_one_sentence():
    text = bw.Playthrough(Nim(chips=[9]), [0, 1, 2]).to_json()
    for end in range(len(text)):
        with pytest.raises(bw.GameError, match="this is not the JSON of a nim record") as caught:
            bw.Playthrough.from_json(text[:end], Nim)
        assert "\n" not in caught.value.problem


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ([], "not the JSON of a nim record"),
        (None, "not the JSON of a nim record"),
        ({"game": "nim"}, "not the JSON of a nim record"),
        ({"game": "nim", "actions": "0"}, "not the JSON of a nim record"),
        ({"game": 3, "actions": []}, "not the JSON of a nim record"),
        ({"game": "chess\u202e", "actions": []}, r"a record of chess\\u202e, not of nim"),
        ({"game": "nim", "actions": [True]}, "not all whole numbers"),
        ({"game": "nim", "actions": [0.0]}, "not all whole numbers"),
        ({"game": "nim", "actions": [10**30]}, "move 1 of this nim record cannot be played"),
        ({"game": "nim", "actions": [0, 1], "moves": ["1"]}, "2 actions but 1 moves"),
        ({"game": "nim", "actions": [0], "moves": 1}, "moves of this nim record are not texts"),
        ({"game": "nim", "actions": [0], "moves": [None]}, "moves of this nim record are not texts"),
        ({"game": "nim", "actions": [0, 1], "moves": ["1", "3"]}, 'move 2 .* is action 1 and also "3"'),
        (
            {"game": "nim", "actions": [0, 1], "moves": ["1", "d4"]},
            "move 2 of this nim record cannot be played",
        ),
        ({"game": "nim", "actions": [0, -1]}, "move 2 of this nim record cannot be played"),
        (
            {"game": "nim", "start": {"chips": [1], "mover": 0}, "actions": [0, 0]},
            "move 2 .* the game is over",
        ),
        ({"game": "nim", "start": {"chips": [1]}, "actions": []}, "fields chips are not those of nim"),
        ({"game": "nim", "start": [], "actions": []}, "not the JSON of a nim state"),
    ],
)
def test_a_record_that_was_spoilt_is_refused(content, why):
    with pytest.raises(bw.GameError, match=why):
        bw.Playthrough.from_json(json.dumps(content), Nim)


def test_text_that_is_no_json_is_refused():
    for text in ("", "{", "[" * 100_000, b"\xff", 3, None, "NaN"):
        with pytest.raises(bw.GameError, match="not the JSON of a nim record"):
            bw.Playthrough.from_json(text, Nim)


def test_a_game_under_way_is_copied_and_pickled():
    game = bw.Playthrough(ConnectFour(), "d1 d2 d3")
    game.undo()
    for again in (copy.copy(game), copy.deepcopy(game), pickle.loads(pickle.dumps(game))):
        again.undo()
        again.redo(2)
        assert (again.text, game.text) == ("d1 d2 d3", "d1 d2")
        again.go_to(0)
        again.play("a1")
        assert (again.length, game.length) == (1, 3)


@pytest.mark.parametrize(
    ("start", "told"),
    [
        (Nim, r"Nim is a class, not a state\n.*Nim\(\) is the start"),
        ("nim", r'"nim" is a text, not a state\n.*bw.load_game\("nim"\)\(\) is the start'),
    ],
    ids=str,
)
def test_a_playthrough_begins_in_a_state(start, told):
    with pytest.raises(bw.GameError, match=told):
        bw.Playthrough(start)
