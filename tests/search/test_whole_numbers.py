"""A discrete choice beside a vector: numbers of an action that are whole."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import ActionError, GameError
from branchwise.game.kinds.continuous_actions import box_words, sample_vector
from branchwise.games.nim import Nim
from branchwise.testing import check_game
from support.boxes import DrawnGears, Gears, Peak, Switches
from support.rows import bounded


def tree_of(game, **settings):
    return bw.MCTS(seed=5, **settings).search(game(), simulations=400).tree.to_table()


@pytest.mark.parametrize("game", [Gears, DrawnGears])
def test_the_best_choice_is_found_with_the_best_number_beside_it(game):
    result = bw.MCTS(seed=1).search(game(), simulations=20_000)
    gear, throttle = result.best_action
    assert gear == 2
    assert throttle == pytest.approx(0.6, abs=0.01)
    tried = {child.action[0] for child in result.tree.root.children}
    assert tried == {0.0, 1.0, 2.0, 3.0}
    nearest = min(abs(child.action[1] - 0.6) for child in result.children if child.action[0] == 2)
    assert nearest < 0.001


def test_whole_numbers_alone_are_all_tried_once_and_then_chosen_by_score():
    result = bw.MCTS(seed=1, c=0.3).search(Switches(), simulations=5000)
    root = result.tree.root
    assert sorted(child.action[0] for child in root.children) == [-1, 0, 1, 2, 3]
    assert [action[0] for action in result.principal_variation] in ([3, 3, 2], [3, 2, 3])
    assert root.children[0].visits > 4000


@pytest.mark.parametrize("game", [Gears, bounded(DrawnGears), bounded(Switches)])
def test_compiled_and_interpreted_searches_build_the_same_tree(game):
    expected, found = tree_of(game), tree_of(game, compiled=False)
    assert list(expected) == list(found)
    for name, column in expected.items():
        assert np.array_equal(column, found[name], equal_nan=column.dtype.kind == "f"), name


@pytest.mark.parametrize("game", [Gears, DrawnGears, Switches])
def test_rules_with_whole_numbers_pass_the_check_compiled(game):
    assert check_game(game, games=300).games >= 300


def test_random_actions_have_all_whole_numbers_equally_often():
    random, state = bw.Random(1), Gears()
    drawn = np.array([sample_vector(state, random) for _ in range(8000)])
    counts = [int((drawn[:, 0] == gear).sum()) for gear in range(4)]
    assert sum(counts) == 8000
    assert max(abs(count - 2000) for count in counts) < 160  # four deviations
    assert drawn[:, 1].min() < 0.01 < 0.99 < drawn[:, 1].max()


def test_a_fraction_in_place_of_a_whole_number_is_one_clear_error():
    with pytest.raises(ActionError) as caught:
        Gears().play("1.5,0.5")
    assert caught.value.problem == "number 1 of the action is 1.5, which is not whole"
    assert caught.value.mend == "an action is 2 numbers: 0 to 3, whole, 0 to 1"
    assert box_words(Switches()) == "1 number: -1 to 3, whole"
    state = Gears()
    state.play((2, 0.6))
    assert state.returns() == (1.0,)


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"action_integer": (True,)}, "has 1 parts, but an action has 2 numbers"),
        ({"action_integer": (1, 0)}, "which is no tuple of True and False"),
        ({"action_integer": True}, "which is no tuple of True and False"),
        ({"action_low": (0.5, 0.0)}, "number 1 of an action is whole, but its bounds are 0.5 and 3"),
        ({"action_high": (3.5, 1.0)}, "number 1 of an action is whole, but its bounds are 0 and 3.5"),
    ],
)
def test_a_class_that_says_it_wrong_is_refused(members, told):
    with pytest.raises(GameError, match=told):
        type("Wrong", (Gears,), members)()


def test_whole_numbers_without_a_box_are_refused():
    with pytest.raises(GameError, match="has action_integer, but neither action_low nor action_high"):
        type("Wrong", (Nim,), {"action_integer": (True,)})()


@pytest.mark.parametrize("compiled", [True, False])
def test_rules_that_draw_a_fraction_for_a_whole_number_are_one_clear_error(compiled):
    def sample_action(self, random):
        return (1.5, 0.5)

    wrong = type("Halves", (Gears,), {"sample_action": sample_action, "__module__": __name__})
    with pytest.raises(GameError, match=r"which is not whole|fraction where action_integer"):
        bw.MCTS(seed=1, compiled=compiled).search(wrong(), simulations=50)


def test_64_numbers_may_be_whole():
    everything = {
        "action_low": (0,) * 64,
        "action_high": (1,) * 64,
        "action_integer": (False, *(True,) * 63),
        "returns": lambda self: (0.0,),
    }
    many = type("Many", (Peak,), everything)
    result = bw.MCTS(seed=1, compiled=False).search(many(), simulations=40)
    rows = np.array([child.action for child in result.children])
    assert set(np.unique(rows[:, 1:])) == {0.0, 1.0}
    assert not np.isin(rows[:, 0], (0.0, 1.0)).all()


def test_an_environment_rounds_whole_numbers():
    gymnasium = pytest.importorskip("gymnasium")
    from branchwise.interop.gymnasium import make_env

    env = make_env(Gears)
    assert isinstance(env.action_space, gymnasium.spaces.Box)
    env.reset(seed=1)
    _, reward, over, *_ = env.step(np.array([1.6, 0.6]))
    assert (reward, over) == (1.0, True)
