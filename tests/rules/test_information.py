"""Information states: what a player has seen and done, and nothing else."""

import copy
import pickle
import random

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.kuhn_poker import KuhnPoker
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.phantom_tic_tac_toe import PhantomTicTacToe
from support.hiding import Glimpse, Peek, Told


def known(game, moves, player):
    return bw.Playthrough(game(), moves).information_state(player)


def test_equal_for_the_player_who_cannot_tell_and_different_for_the_others():
    first, second = "Ja Qa raise", "Ka Qa raise"
    assert known(LeducPoker, first, 1) == known(LeducPoker, second, 1)
    assert hash(known(LeducPoker, first, 1)) == hash(known(LeducPoker, second, 1))
    assert known(LeducPoker, first, 0) != known(LeducPoker, second, 0)


def test_the_order_of_what_was_seen_counts():
    assert known(PhantomTicTacToe, "a1 b2 c3 a3", 0) == known(PhantomTicTacToe, "a1 b2 c3 b3", 0)
    assert known(PhantomTicTacToe, "a1 b2 c3 a3", 0) != known(PhantomTicTacToe, "c3 b2 a1 a3", 0)


def test_a_move_that_nobody_else_sees_leaves_no_trace():
    tried = known(PhantomTicTacToe, "a1 a1 b2", 0)  # the second move bumped into the first
    assert tried == known(PhantomTicTacToe, "a1 b2", 0)
    assert len(tried.events) == 2
    assert known(PhantomTicTacToe, "a1 a1 b2", 1) != known(PhantomTicTacToe, "a1 b2", 1)


def test_others_see_of_an_action_what_the_class_tells():
    left = [known(Told, [door], 1) for door in (0, 1)]
    right = [known(Told, [door], 1) for door in (2, 3)]
    assert left[0] == left[1] != right[0] == right[1]
    assert [event.seen for event in left[0].events] == [0]
    assert known(Told, [0], 0).events[0].action == 0
    assert known(Told, [0], 0).events[0].seen is None


def test_what_action_seen_gives_must_be_a_number():
    wrong = type("Wrong", (Told,), {"action_seen": lambda self, action, player: "left"})
    with pytest.raises(bw.GameError, match=r"Wrong.action_seen\(0, 1\) gave 'left'"):
        known(wrong, [0], 1)


def test_an_observation_of_its_own_decides():
    assert known(Glimpse, [0], 0) == known(Glimpse, [1], 0)
    assert known(Glimpse, [0], 1) != known(Glimpse, [1], 1)


def test_the_view_and_its_cards_are_the_same_for_every_state_that_looks_the_same():
    one, other = known(Peek, [0, 2], 0), known(Peek, [0, 3], 0)
    assert one == other
    assert (one.view, one.unseen, one.holes) == (other.view, other.unseen, other.holes)
    assert one.unseen == (2, 3, 4)
    assert one.view.hands.tolist() == [1, 0]
    assert one.legal == (1, 2, 3)


def test_whose_turn_it_is_as_the_player_sees_it():
    game = bw.Playthrough(KuhnPoker(), "J K")
    assert [game.information_state(player).turn for player in (0, 1)] == ["to move", "waiting"]
    assert game.information_state(0).current_player() == 0
    assert game.information_state(1).legal_actions() == []
    with pytest.raises(bw.GameError, match="player 1 is not to move here"):
        game.information_state(1).current_player()
    game.play("bet")
    game.play("pass")
    assert [game.information_state(player).is_terminal() for player in (0, 1)] == [True, True]


def test_text_names_own_moves_and_the_numbers_that_changed():
    assert known(KuhnPoker, "J K bet", 1).text == "dealt=1; hands[1]=3 dealt=2; bets[0]=2 acted=1 bettor=0"
    assert known(KuhnPoker, "J K bet", 0).text.endswith("dealt=2; you: bet, bets[0]=2 acted=1 bettor=0")
    assert known(Told, [1], 1).text == "seen: 0, moves=1"
    assert repr(known(KuhnPoker, "J K", 0)) == (
        "<branchwise.InformationState kuhn_poker: player 0, 2 events, to move>"
    )


@pytest.mark.parametrize("game", [KuhnPoker, PhantomTicTacToe, ConnectFour])
def test_a_playthrough_knows_at_every_ply_what_a_new_one_knows(game):
    rng = random.Random(3)
    played = bw.Playthrough(game())
    while not played.is_over:
        played.play(rng.choice(played.state.legal_actions()))
        if rng.random() < 0.3:
            played.information_state(rng.randrange(2))
    for ply in rng.sample(range(played.length + 1), 4):
        played.go_to(ply)
        for player in (0, 1):
            fresh = bw.Playthrough(game(), played.actions).information_state(player)
            assert played.information_state(player) == fresh
            assert played.copy().information_state(player) == fresh


def test_other_moves_after_undo_are_known_instead():
    played = bw.Playthrough(KuhnPoker(), "J K bet")
    before = played.information_state(1)
    played.undo()
    played.play("pass")
    assert played.information_state(1) == known(KuhnPoker, "J K pass", 1) != before


@pytest.mark.parametrize("game", [KuhnPoker, KuhnPoker.configured(players=3)])
def test_what_is_known_can_be_pickled_and_copied(game):
    found = known(game, [1, 0], 0)
    for twin in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        assert twin == found
        assert (twin.game, twin.view, twin.legal) == (game, found.view, found.legal)


def test_unknown_players_and_other_states_are_refused():
    with pytest.raises(bw.GameError, match="there is no player 2"):
        bw.Playthrough(KuhnPoker()).information_state(2)
    pyspiel = pytest.importorskip("pyspiel")
    with pytest.raises(bw.GameError, match="has no information states"):
        bw.Playthrough(pyspiel.load_game("kuhn_poker").new_initial_state()).information_state(0)
