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
        ("phantom_ttt", "^phantom_ttt has hidden information, and OpenSpiel cannot deal it anew "),
        (
            "goofspiel",
            "^goofspiel has players moving at once, which MCTS plans for in Branchwise's own",
        ),
        (
            "matrix_rps",
            "^matrix_rps has players moving at once, which MCTS plans for in Branchwise's own",
        ),
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


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("kuhn_poker", [0, 1, 1], [2, 1, 1]),
        ("leduc_poker", [0, 2, 2, 1, 4], [1, 2, 2, 1, 4]),
    ],
)
def test_searches_of_states_that_look_the_same_are_the_same(name, one, other):
    states = [poker(name, actions) for actions in (one, other)]
    assert len({str(state) for state in states}) == 2
    assert len({state.information_state_string(1) for state in states}) == 1
    results = [bw.PIMC(deals=8, seed=3).search(bw.from_openspiel(state), simulations=800) for state in states]
    assert results[0].votes == results[1].votes


def test_the_bot_takes_what_a_player_knows():
    bot = bw.load_bot("pimc(simulations=200,deals=4)", seed=1)
    state = poker("leduc_poker", [0, 3])
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
        else:
            state.apply_action(bot.choose(bw.from_openspiel(state)))
    assert sum(state.returns()) == 0


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


def test_a_game_that_deals_what_a_player_would_have_seen_differently_is_refused():
    from branchwise.interop.openspiel_known import OpenSpielKnown

    class Wrong:
        """A state whose dealt states have another card for the player."""

        def __init__(self, actions):
            self.state = poker("kuhn_poker", actions)

        def __getattr__(self, name):
            return getattr(self.state, name)

        def clone(self):
            return self

        def resample_from_infostate(self, player, random):
            return poker("kuhn_poker", [1, 2])

    with pytest.raises(bw.GameError, match="resample_from_infostate of kuhn_poker changed what player 0 see"):
        OpenSpielKnown(Wrong([0, 2]))
