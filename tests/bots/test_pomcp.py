"""The bot `pomcp`, and episodes of partially observed problems: a bot never gets the state."""

import pickle

import pytest

import branchwise as bw
from branchwise.bots import load_bot
from branchwise.problems.light_dark import LightDark
from branchwise.problems.tiger import Tiger
from branchwise.rules.knowledge.planner_history import History


def played(game, seed=1):
    random = bw.Random(seed)
    return bw.Playthrough(game.new_initial_state(random), random=random)


def test_what_is_shown_is_actions_and_observations_alone():
    one = played(Tiger)
    one.play("listen")
    one.play("open-left")
    shown = one.shown(0)
    assert isinstance(shown, History)
    assert [action for action, _ in shown.events] == [0, 1]
    assert shown.events[0][1] in (1, 2)
    assert shown.events[1][1] == 0
    assert shown.legal_actions() == [0, 1, 2]
    assert one.shown_moves() is None
    assert pickle.loads(pickle.dumps(shown)) == shown
    with pytest.raises(bw.GameError, match="actions and observations"):
        one.information_state(0)


def test_two_true_states_that_look_the_same_give_the_same_choice():
    histories = {}
    for seed in range(30):
        one = played(Tiger, seed)
        one.play("listen")
        histories.setdefault(one.shown(0), set()).add(one.state.tiger)
    assert len(histories) == 2
    assert all(tigers == {0, 1} for tigers in histories.values())


def test_undo_takes_observations_back_and_redo_brings_the_same():
    one = played(LightDark)
    one.play("+10")
    before = one.shown(0)
    one.play("+1")
    after = one.shown(0)
    one.undo()
    assert one.shown(0) == before
    one.redo()
    assert one.shown(0) == after
    assert one.copy().shown(0) == after


def test_the_bot_follows_the_history_and_plays_like_its_twin():
    texts = []
    for _ in range(2):
        one, bot = played(Tiger), load_bot("pomcp(simulations=300)", seed=1)
        while one.ply < 8:
            one.play(bot.choose(one.shown(0), None, one.shown_moves()))
            assert len(bot.belief.history) == one.ply - 1
        texts.append(one.text)
        bot.new_game()
        assert bot.belief is None
    assert texts[0] == texts[1]


def test_the_bot_begins_again_for_another_history():
    bot = load_bot("pomcp(simulations=50,particles=100)", seed=1)
    one = played(Tiger)
    one.play("listen")
    bot.choose(one.shown(0))
    first = bot.belief
    bot.choose(played(Tiger).shown(0))
    assert bot.belief is not first
    assert bot.belief.history == ()
    assert repr(bot) == "pomcp(simulations=50,particles=100,seed=1)"


def test_a_state_in_place_of_a_history_is_refused():
    with pytest.raises(bw.GameError, match="chooses by what was observed, not from a Tiger"):
        load_bot("pomcp(simulations=10)").choose(Tiger())


@pytest.mark.parametrize("name", ["mcts(simulations=10)", "flat(simulations=10)"])
def test_bots_that_search_states_are_refused(name):
    with pytest.raises(bw.SettingsError, match="partially observed"):
        load_bot(name).check_game(Tiger)


def test_pomcp_is_for_partially_observed_problems():
    with pytest.raises(bw.GameError, match="has no observe"):
        load_bot("pomcp").check_game(bw.load_game("nim"))


def test_a_random_bot_plays_by_histories_too():
    one = played(LightDark)
    assert load_bot("random", seed=1).choose(one.shown(0)) in range(5)
