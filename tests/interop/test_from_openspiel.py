"""OpenSpiel's games, searched."""

import pytest

import branchwise as bw
from branchwise.testing import value_iteration

pyspiel = pytest.importorskip("pyspiel")


def plannable():
    """Return the names of OpenSpiel's games with players in turn who see everything."""
    return sorted(
        kind.short_name
        for kind in pyspiel.registered_games()
        if kind.default_loadable
        and kind.dynamics.name == "SEQUENTIAL"
        and kind.information.name == "PERFECT_INFORMATION"
        and kind.chance_mode.name != "SAMPLED_STOCHASTIC"
        and not kind.short_name.startswith(("python_", "branchwise_"))
    )


def test_there_are_many_games_to_plan_for():
    assert len(plannable()) >= 40


@pytest.mark.parametrize("name", plannable())
def test_every_game_with_players_in_turn_who_see_everything_is_searched(name):
    state = bw.from_openspiel(name, seed=1)
    result = bw.MCTS(seed=1).search(state, simulations=8)
    assert result.best_action in state.legal_actions()
    assert sum(child.visits for child in result.children) <= 8


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
        ("kuhn_poker", "^kuhn_poker has hidden information, which MCTS does not plan for yet$"),
        ("phantom_ttt", "^phantom_ttt has hidden information, which MCTS does not plan for yet$"),
        ("goofspiel", "^goofspiel has players moving at once, which MCTS does not plan for yet$"),
        ("matrix_rps", "^matrix_rps has players moving at once, which MCTS does not plan for yet$"),
        ("stones_and_gems", "^stones_and_gems draws its chance from random numbers of its own"),
        ("hex(board_size=x)", "^OpenSpiel does not load hex.board_size=x.: "),
        ("hex(size=4)", "^OpenSpiel does not load hex.size=4.: Unknown parameter 'size'"),
    ],
)
def test_what_is_not_planned_for_is_refused_in_a_sentence(name, words):
    with pytest.raises(bw.GameError, match=words):
        bw.from_openspiel(name)


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
