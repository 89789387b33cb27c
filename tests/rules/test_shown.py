"""What players are given in place of states: all kinds answer alike, and none is taken for a state."""

import pytest

import branchwise as bw
from branchwise.bots.base.bot import check_not_over
from branchwise.common.errors import ActionError, GameError
from branchwise.rules.facts.facts import check_is_state
from branchwise.rules.facts.given_to_bots import Shown

KINDS = {
    "kuhn_poker": ("J K", 0, ["pass", "bet"], "player 0 knows"),
    "tiger": ("listen", 0, ["listen", "open-left", "open-right"], "is partially observed"),
    "rock_paper_scissors": ("", 1, ["rock", "paper", "scissors"], "move at once"),
}
"""By game: moves, who is asked, the texts of that player's actions, and words of the refusal to search it."""


def playthrough(name, moves):
    return bw.Playthrough(bw.load_game(name).new_initial_state(bw.Random(1)), moves, random=bw.Random(1))


@pytest.mark.parametrize("name", KINDS)
def test_what_is_shown_answers_for_the_player_who_is_asked(name):
    moves, player, texts, _ = KINDS[name]
    shown = playthrough(name, moves).shown(player)
    assert isinstance(shown, Shown)
    assert shown.current_player() == player
    assert not shown.is_terminal()
    assert [shown.action_to_string(action) for action in shown.legal_actions()] == texts
    check_not_over(shown)


@pytest.mark.parametrize("name", KINDS)
def test_what_is_shown_is_no_state_to_search(name):
    moves, player, _, told = KINDS[name]
    shown = playthrough(name, moves).shown(player)
    with pytest.raises(GameError, match=told) as refusal:
        check_is_state(shown)
    assert str(refusal.value) == str(shown.not_a_state())
    assert refusal.value.mend
    with pytest.raises(GameError, match=told):
        bw.load_bot("minimax(depth=1)").choose(shown)


def test_a_state_is_shown_as_it_is_where_all_see_everything():
    played = playthrough("tic_tac_toe", "b2")
    assert not isinstance(played.shown(1), Shown)
    assert played.shown(1) == played.state
    assert played.shown(1) is not played.state


def test_nothing_is_chosen_after_the_end():
    over = playthrough("kuhn_poker", "J K pass pass").shown(0)
    assert over.is_terminal()
    assert over.legal_actions() == []
    with pytest.raises(ActionError, match="the game is over"):
        check_not_over(over)


def test_observations_taken_back_are_drawn_anew_and_those_of_a_copy_are_kept():
    played = playthrough("tiger", "listen listen listen")
    events = played.shown(0).events
    assert [action for action, _ in events] == [0, 0, 0]
    twin = played.copy()
    played.undo(2)
    assert played.shown(0).events == events[:1]
    played.redo()
    assert played.shown(0).events == events[:2]
    played.play("open-left")
    assert twin.shown(0).events == events
    assert played.shown(0).events[:2] == events[:2]
