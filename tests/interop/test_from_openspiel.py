"""OpenSpiel's games, searched."""

import os

import pytest

import branchwise as bw
from branchwise.testing import value_iteration

pyspiel = pytest.importorskip("pyspiel")


@pytest.mark.parametrize("form", ["name", "game", "state"])
def test_a_name_a_game_and_a_state_give_the_same(form):
    name = "nim(pile_sizes=2;3)"
    game = pyspiel.load_game(name)
    given = {"name": name, "game": game, "state": game.new_initial_state()}[form]
    state = bw.from_openspiel(given)
    result = bw.MCTS(seed=1).search(state, simulations=500)
    assert result.children[0].proven == 1.0
    assert state.action_to_string(result.best_action) == "pile:2, take:1;"


def test_a_state_is_copied_at_its_position():
    theirs = pyspiel.load_game("tic_tac_toe").new_initial_state()
    for action in (0, 1, 3, 2):
        theirs.apply_action(action)
    state = bw.from_openspiel(theirs)
    assert bw.MCTS(seed=1).search(state, simulations=300).best_action == 6
    state.apply_action(6)
    assert not theirs.is_terminal()


def test_games_of_openspiel_in_python_are_searched():
    result = bw.MCTS(seed=1).search(bw.from_openspiel("python_tic_tac_toe"), simulations=600)
    assert result.best_action == 4


def test_values_of_a_game_of_chance_are_right():
    from branchwise.games.pig import Pig

    theirs = bw.MCTS(seed=1).search(bw.from_openspiel("pig(winscore=6)", seed=1), simulations=6000)
    exact = value_iteration(Pig.configured(target=6)()).value(Pig.configured(target=6)())
    assert theirs.children[0].value == pytest.approx(exact, abs=0.05)


def test_chance_at_the_start_is_drawn_by_the_seed():
    states = [str(bw.from_openspiel("backgammon", seed=seed)) for seed in (1, 1, 2, 3, 4)]
    assert states[0] == states[1]
    assert len(set(states)) > 1
    assert all(bw.from_openspiel("backgammon").current_player() >= 0 for _ in range(3))


def test_a_bot_and_a_playthrough_take_the_states():
    state = bw.from_openspiel("breakthrough(rows=5,columns=4)")
    bot = bw.load_bot("mcts(simulations=30)", seed=1)
    while not state.is_terminal():
        state.apply_action(bot.choose(state))
    assert sorted(state.returns()) == [-1.0, 1.0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("stones_and_gems", "^stones_and_gems draws its chance from random numbers of its own"),
        ("tarok", "^tarok draws its chance from random numbers of its own"),
        ("mfg_garnet", "^mfg_garnet has dynamics MEAN_FIELD, which Branchwise does not know"),
        ("crossword", "^crossword has no actions with numbers, which searches need: LegalActions unimpl"),
        ("nfg_game", "^OpenSpiel does not load nfg_game: map::at\n  mend: parameters of nfg_game: filename"),
        ("misere", "^OpenSpiel does not load misere: Missing parameter game"),
        ("hex(board_size=x)", "^OpenSpiel does not load hex.board_size=x.: "),
        ("hex(size=4)", "^OpenSpiel does not load hex.size=4.: Unknown parameter 'size'"),
    ],
)
def test_what_is_not_planned_for_is_refused_in_a_sentence(name, words, capfd):
    with pytest.raises(bw.GameError, match=words):
        bw.from_openspiel(name)
    assert capfd.readouterr() == ("", "")


def test_what_others_write_to_stderr_meanwhile_is_not_lost(capfd, monkeypatch):
    def load(text):
        os.write(2, b"of another\nOpenSpiel exception: of OpenSpiel's\n")
        raise RuntimeError("no such game")

    monkeypatch.setattr(pyspiel, "load_game", load)
    with pytest.raises(bw.GameError, match="OpenSpiel does not load go: no such game"):
        bw.from_openspiel("go")
    assert capfd.readouterr().err == "of another\n"


def test_equal_states_are_not_looked_for_where_states_do_not_compare_by_content():
    """OpenSpiel's states compare by their place in memory, which another state has later."""
    with pytest.raises(
        bw.GameError, match="transpositions need states that compare by content, and those of"
    ):
        bw.MCTS(seed=1, transpositions=True).search(bw.from_openspiel("tic_tac_toe"), simulations=200)


def test_an_unknown_name_offers_the_nearest_one():
    with pytest.raises(bw.UnknownNameError, match='no game of OpenSpiel "otello"; did you mean "othello"'):
        bw.from_openspiel("otello")


def test_something_else_is_refused():
    with pytest.raises(bw.GameError, match="7 is neither a game of OpenSpiel nor a state of one"):
        bw.from_openspiel(7)


# --- players who move at once -----------------------------------------------------------------------------


def test_a_game_in_which_all_move_at_once_has_its_equilibrium_found():
    state = bw.from_openspiel("matrix_brps")  # rock, paper, scissors with stakes
    result = bw.MCTS(joint="regret_matching", seed=1).search(state, simulations=20_000)
    for policy in result.policies:
        assert list(policy.values()) == pytest.approx([1 / 16, 10 / 16, 5 / 16], abs=0.06)
    assert "Paper" in result.action_text((1, 1))


def test_moves_at_once_alternate_with_chance_and_single_moves():
    state = bw.from_openspiel("goofspiel(num_cards=3,points_order=descending)")
    result = bw.MCTS(seed=1).search(state, simulations=1500)
    assert result.best_action == (2, 2)  # the highest card for the highest prize
    assert result.action_text(result.best_action) == "[P0]Bid: 3,[P1]Bid: 3"
    in_turn = bw.from_openspiel("turn_based_simultaneous_game(game=goofspiel(num_cards=3))", seed=1)
    assert in_turn.player == 0


def test_bots_and_a_playthrough_take_moves_at_once():
    state = bw.from_openspiel("goofspiel(num_cards=3,points_order=descending)")
    bots = [bw.load_bot("mcts(simulations=30)", seed=1), bw.load_bot("random", seed=1)]
    played = bw.Playthrough(state)
    while not played.is_over:
        played.play(tuple(bot.choose(played.shown(player)) for player, bot in enumerate(bots)))
    assert [move.player for move in played.moves] == [bw.SIMULTANEOUS] * 2
    with pytest.raises(bw.ActionError, match="all players of goofspiel move at once here, so a move has 2"):
        bw.Playthrough(state).play((0,))
    with pytest.raises(bw.ActionError, match=r"action 7 of player 1 is not legal.*\n.*1 .\[P1\]Bid: 2."):
        bw.Playthrough(state).play((0, 7))


def test_searches_for_players_in_turn_refuse_moves_at_once():
    state = bw.from_openspiel("matrix_rps")
    with pytest.raises(bw.GameError, match="matrix_rps has players who move at once"):
        bw.load_bot("minimax(depth=2)").choose(state)


# --- hidden information -----------------------------------------------------------------------------------


def poker(name, actions):
    state = pyspiel.load_game(name).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def test_what_a_player_knows_is_searched_in_dealt_states():
    known = bw.from_openspiel(poker("kuhn_poker", [0, 2, 1]))  # player 1 has the king, and player 0 bets
    result = bw.PIMC(seed=1).search(known, simulations=2000)
    assert (known.player, known.legal, known.action_to_string(1)) == (1, (0, 1), "Bet")
    assert (result.best_action, result.deals, result.left) == (1, 32, 2)
    assert "kuhn_poker: player 1 to move, 32 deals" in str(result)


def test_the_bot_takes_what_a_player_knows():
    bot = bw.load_bot("pimc(simulations=200,deals=4)", seed=1)
    state = poker("leduc_poker", [0, 3])
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        else:
            state.apply_action(bot.choose(bw.from_openspiel(state)))
    assert sum(state.returns()) == 0


def test_what_each_player_knows_is_searched_where_all_move_at_once():
    game = pyspiel.load_game("goofspiel(imp_info=True,num_cards=4,points_order=descending)")
    state = game.new_initial_state()
    state.apply_actions([3, 1])
    for player, count in ((0, 3), (1, 3)):
        known = bw.from_openspiel(state, player=player)
        result = bw.PIMC(deals=4, seed=1).search(known, simulations=200)
        assert known.player == player
        assert len(result.votes) == count
        assert result.best_action in state.legal_actions(player)
    with pytest.raises(bw.GameError, match="player 2 of goofspiel is not to move here"):
        bw.from_openspiel(state, player=2)


def test_other_searches_refuse_what_is_known_of_a_foreign_game():
    known = bw.from_openspiel("kuhn_poker", seed=1)
    assert repr(known) == "<what player 0 knows in kuhn_poker, 2 legal actions>"
    with pytest.raises(bw.GameError, match="kuhn_poker has hidden information, so there is no state here"):
        bw.MCTS(seed=1).search(known, simulations=10)
    for kind in (bw.OOS, bw.MOISMCTS):
        with pytest.raises(bw.GameError, match="kuhn_poker is a game of another library"):
            kind(seed=1).search(known, simulations=10)
    with pytest.raises(bw.GameError, match="has hidden information"):
        bw.load_bot("mcts(simulations=10)").choose(known)
    with pytest.raises(bw.GameError, match="kuhn_poker has hidden information"):
        bw.MCTS(seed=1).search(poker("kuhn_poker", [0, 2]), simulations=10)
    seen = bw.MCTS(seed=1, perfect_information=True).search(poker("kuhn_poker", [0, 2]), simulations=500)
    assert seen.best_action == 0
