"""Rules in which players move at once: what callers may give, and what the rule checker finds."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.goofspiel import Goofspiel
from branchwise.games.rock_paper_scissors import RockPaperScissors
from branchwise.games.tron import Tron
from branchwise.testing import check_game, replay_moves
from support.all_at_once import Auction, Dominated, Odd, PaidPennies

# --- moves ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actions", "problem"),
    [
        ((0,), "a move has 2 actions, not 1"),
        ((0, 1, 2), "a move has 2 actions, not 3"),
        (1, "a move has 2 actions, not one value alone"),
        ((0, 3), "action 3 of player 1 is not legal here"),
        ((-2, 0), "action -2 of player 0 is not legal here"),
        ((0, bw.NO_ACTION), "player 1 has to choose an action here"),
        (("rock", "well"), "'well' of player 1 is not legal here"),
        ((0, 1.5), "1.5 of player 1 is not legal here"),
    ],
    ids=str,
)
def test_a_joint_move_that_is_not_legal_is_one_clear_error(actions, problem):
    state = RockPaperScissors()
    for tried in (state.apply_actions, state.play, state.check_action):
        with pytest.raises(bw.ActionError) as caught:
            tried(actions)
        assert problem in caught.value.problem
        assert caught.value.mend
    assert state == RockPaperScissors()


def test_a_player_without_a_choice_takes_no_action():
    state = Auction(purses=[4, 0], least=1, worth=2)
    assert state.legal_actions(0) == [1, 2, 3, 4]
    assert state.legal_actions(1) == []
    with pytest.raises(bw.ActionError, match="player 1 has no choice here"):
        state.apply_actions((2, 1))
    with pytest.raises(bw.ActionError, match="player 0 has to choose"):
        state.apply_actions((bw.NO_ACTION, bw.NO_ACTION))
    state.apply_actions((2, bw.NO_ACTION))
    assert state.purses.tolist() == [2, 0]
    assert state.won.tolist() == [2, 0]


def test_single_actions_and_joint_moves_are_not_mixed_up():
    state = Auction()
    with pytest.raises(bw.ActionError, match="do not move at once here"):
        state.apply_actions((0, 0))
    assert state.legal_actions() == state.legal_actions(0) == [0, 1]
    assert state.legal_actions(1) == []
    state.apply_action(1)
    assert state.legal_actions() == [0, 1, 2]  # outcomes
    state.apply_action(2)
    with pytest.raises(bw.ActionError, match="all players of auction move at once here"):
        state.apply_action(1)
    with pytest.raises(bw.ActionError, match="all players of auction move at once here"):
        state.legal_actions()
    with pytest.raises(bw.ActionError, match="no player 2"):
        state.legal_actions(2)
    over = RockPaperScissors.from_actions([(0, 1)])
    for tried in (over.apply_actions, over.play):
        with pytest.raises(bw.ActionError, match="the game is over"):
            tried((0, 1))


def test_a_game_without_apply_action_says_so():
    with pytest.raises(bw.ActionError, match="always move at once"):
        RockPaperScissors().apply_action(0)


def test_joint_moves_have_texts():
    state = RockPaperScissors()
    assert state.play("Rock, paper") == (0, 1)
    assert (
        state == RockPaperScissors.from_actions([("rock", 1)]) == RockPaperScissors.from_actions("rock,paper")
    )
    lines = bw.Playthrough(Auction(purses=[4, 0]), [1, 1, (2, bw.NO_ACTION)])
    assert lines.text == "1 1 2,-"
    assert bw.Playthrough(Auction(purses=[4, 0]), lines.text).state == lines.state


def test_arrays_of_actions_are_joint_moves_too():
    state = RockPaperScissors()
    state.apply_actions(np.array([2, 1]))
    assert state.returns() == (1.0, -1.0)


def test_tron_is_over_when_somebody_is_stuck_or_both_meet():
    meeting = Tron.configured(layout="1.2")()
    meeting.apply_actions(("right", "left"))
    assert meeting.is_terminal()
    assert meeting.returns() == (0.0, 0.0)
    stuck = Tron.configured(layout="1#2./##..")()
    assert stuck.is_terminal()
    assert stuck.returns() == (-1.0, 1.0)
    assert Tron.configured(layout="1#2")().returns() == (0.0, 0.0)


# --- the class --------------------------------------------------------------------------------------------


def made(**body):
    base = {
        "num_players": 2,
        "num_actions": 2,
        "__annotations__": {"turn": np.int8},
        "turn": 0,
        "current_player": lambda self: bw.SIMULTANEOUS,
        "is_terminal": lambda self: self.turn > 0,
        "returns": lambda self: (0.0, 0.0),
        "apply_actions": apply_actions,
        "legal_actions": legal_actions,
    }
    return type("Made", (bw.Game,), {**base, **body})


def apply_actions(self, actions):
    self.turn += 1


def legal_actions(self, player):
    yield 0
    yield 1


def test_rules_that_do_not_go_together_are_refused():
    with pytest.raises(bw.GameError, match="legal_actions does not take a player"):
        made(legal_actions=lambda self: [0, 1])
    with pytest.raises(bw.GameError, match="only one player"):
        made(num_players=1)()
    with pytest.raises(bw.GameError, match="has chance, but no method apply_action"):
        made(num_outcomes=1, chance_outcomes=lambda self: [(0, 1.0)])()
    with pytest.raises(bw.GameError, match="draws at random"):
        made(apply_action=lambda self, action, random: None)()
    with pytest.raises(bw.GameError, match="hidden information"):
        bw.MCTS().search(made(observation=lambda self, player: [0])(), simulations=5)


def test_the_type_says_that_players_move_at_once():
    assert bw.game_type(Goofspiel).dynamics == "simultaneous"
    assert str(bw.game_type(RockPaperScissors)) == "zero-sum, simultaneous moves"


# --- the checker ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", [Auction, Odd, PaidPennies, Dominated], ids=lambda game: game.name)
def test_the_checker_plays_games_in_step_with_compiled_code(game):
    report = check_game(game, games=60)
    assert report.games == report.compared == 60
    assert replay_moves(RockPaperScissors, ["rock,paper"]).is_terminal()


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"legal_actions": lambda self, player: [0, 2]}, "gave action 2, but num_actions is 2"),
        ({"legal_actions": lambda self, player: [1, 1]}, "gave action 1 twice"),
        ({"legal_actions": lambda self, player: []}, "gave no action of any player"),
        ({"returns": lambda self: (2.0, -2.0)}, "min_return is -1"),
        ({"is_terminal": lambda self: False, "max_game_length": 3}, "not over after 3 moves"),
        ({"apply_actions": lambda self, actions: 1.0 / (self.turn - self.turn)}, "raised ZeroDivisionError"),
        ({"action_to_string": lambda self, action: "x"}, "'x' for both"),
        ({"action_to_string": lambda self, action: f"{action},"}, "reads back as"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_checker_names_faults_of_joint_rules(body, problem):
    with pytest.raises(bw.GameError) as caught:
        check_game(made(**body), games=20, compiled=False)
    assert problem in caught.value.problem


def test_a_search_names_the_faults_too():
    faulty = made(returns=lambda self: (2.0, -2.0))
    for compiled in (None, False):
        with pytest.raises(bw.GameError, match="min_return is -1"):
            bw.MCTS(compiled=compiled).search(faulty(), simulations=20)
