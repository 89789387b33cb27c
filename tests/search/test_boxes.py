"""Continuous actions: which vectors are tried, what comes of them, what is refused."""

import json
import math

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import ActionError, GameError, SettingsError
from branchwise.problems.pendulum import Pendulum
from branchwise.testing import perft
from support.boxes import PEAK, Duel, Edge, Gusts, Peak, TwoSteps


def error_of(result):
    return float(np.abs(result.best_action - PEAK).max())


def tree_of(game, **settings):
    state = game.new_initial_state(bw.Random(3))
    return bw.MCTS(seed=5, **settings).search(state, simulations=300).tree.to_table()


# --- what is found --------------------------------------------------------------------------------------


def test_the_best_action_comes_nearer_to_the_optimum_with_the_budget():
    errors = [
        np.mean([error_of(bw.MCTS(seed=seed).search(Peak(), simulations=budget)) for seed in range(8)])
        for budget in (100, 2_000, 40_000)
    ]
    assert errors[2] < 0.02 < errors[1] < errors[0]


def test_new_actions_near_the_best_one_come_nearer_than_samples_of_the_box():
    def gap(refinement):
        planner = bw.MCTS(seed=1, refinement=refinement)
        return min(-child.value for child in planner.search(Peak(), simulations=20_000).children)

    assert gap(0.5) < gap(0.0) / 10


def test_the_number_of_actions_grows_with_a_power_of_the_visits():
    for widening, power in ((1.0, 0.5), (3.0, 0.25)):
        planner = bw.MCTS(seed=1, widening=widening, widening_power=power)
        root = planner.search(Peak(), simulations=1000).tree.root
        assert root.num_children == math.ceil(widening * 999**power)


def test_an_action_at_the_edge_of_the_box_is_tried_only_once():
    root = bw.MCTS(seed=1).search(Edge(), simulations=2000).tree.root
    tried = [tuple(child.action) for child in root.children]
    assert (1.0,) in tried
    assert len(set(tried)) == len(tried)


def test_two_steps_reach_the_best_place_within_a_box_that_depends_on_the_state():
    result = bw.MCTS(seed=1).search(TwoSteps(), simulations=20_000)
    first, second = result.principal_variation
    assert first[0] == pytest.approx(0.5, abs=0.02)
    assert first[0] + second[0] == pytest.approx(0.75, abs=0.02)
    assert all(node.action[0] <= 0.5 for node in result.tree.root.children)


@pytest.mark.parametrize("open_loop", [None, False])
def test_with_chance_a_plan_aims_at_the_mean(open_loop):
    result = bw.MCTS(seed=1, open_loop=open_loop).search(Gusts(), simulations=20_000)
    assert result.best_action[0] == pytest.approx(1.0, abs=0.25)


def test_the_second_player_answers_the_first():
    result = bw.MCTS(seed=2).search(Duel(), simulations=20_000)
    assert abs(result.best_action[0]) > 0.4
    first, second = result.principal_variation
    assert second[0] == pytest.approx(-first[0], abs=0.35)


# --- the forms of a search ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        *((game, {}) for game in (Peak, Edge, TwoSteps, Gusts, Duel, Pendulum)),
        (Gusts, {"open_loop": False}),
    ],
)
def test_compiled_and_interpreted_searches_build_the_same_tree(game, settings):
    compiled, interpreted = tree_of(game, **settings), tree_of(game, compiled=False, **settings)
    assert compiled.keys() == interpreted.keys()
    for name in ("action_0", "visits", "value", "index"):
        if name == "value" or "open_loop" not in settings:
            np.testing.assert_array_equal(compiled["action_0"], interpreted["action_0"])
        np.testing.assert_array_equal(compiled[name], interpreted[name])


def test_a_search_that_begins_without_its_code_builds_the_same_tree():
    late = tree_of(Peak, compiled="loaded")
    np.testing.assert_array_equal(late["action_1"], tree_of(Peak)["action_1"])


def test_trees_side_by_side_have_actions_of_their_own():
    result = bw.MCTS(seed=1, threads=2, parallel="root").search(Peak(), simulations=2000)
    alone = bw.MCTS(seed=1).search(Peak(), simulations=1000)
    assert len(result.children) == 2 * len(alone.children)
    assert sum(child.visits for child in result.children) == result.simulations


# --- results and trees ----------------------------------------------------------------------------------


def test_actions_are_vectors_that_cannot_be_changed():
    result = bw.MCTS(seed=1).search(Peak(), simulations=500)
    for action in (result.best_action, result.children[3].action, result.principal_variation[0]):
        assert action.dtype == np.float64
        assert action.shape == (2,)
        with pytest.raises(ValueError, match="read-only"):
            action[0] = 0.0
    state = Peak()
    state.apply_action(result.best_action)
    assert (state.x, state.y) == tuple(result.best_action)


def test_results_can_be_told_and_compared():
    first, second = (bw.MCTS(seed=1).search(Peak(), simulations=500) for _ in range(2))
    assert first.children == second.children
    assert first.children[0] != first.children[1]
    told = json.loads(json.dumps(first.to_dict()))
    assert told["best_action"] == first.best_action.tolist()
    assert told["best_move"] == ",".join(map(repr, first.best_action.tolist()))
    assert sum(first.policy().values()) == pytest.approx(1.0)
    assert tuple(first.best_action) in first.policy()
    assert str(first).count("\n") > 3


def test_trees_show_vectors_and_find_nodes_by_them():
    tree = bw.MCTS(seed=1).search(Peak(), simulations=500).tree
    best = tree.root.children[0]
    assert tree.find([best.action]) == best
    assert tree.find([Peak().action_to_string(best.action)]) == best
    assert "{:.4g},{:.4g}".format(*best.action) in tree.to_text()
    assert json.loads(json.dumps(tree.to_dict()))["nodes"][1]["action"] == best.action.tolist()
    with pytest.raises(ActionError, match="not in the tree"):
        tree.find([(5.0, 5.0)])


def test_a_tree_tells_the_scores_of_vectors():
    tree = bw.MCTS(seed=1).search(Peak(), simulations=500).tree
    scores = tree.scores()
    assert len(scores) == tree.root.num_children > 20
    by_vector = {tuple(child.move.action): child for child in scores}
    for node in tree.root.children:
        child = by_vector[tuple(node.action)]
        assert (child.visits, child.value) == (node.visits, node.value)
        assert child.score == pytest.approx(child.value + child.exploration)


def test_bots_choose_vectors():
    for name in (
        "random",
        "flat(simulations=50)",
        "mcts(simulations=50)",
        "mcts(simulations=50,temperature=1)",
    ):
        action = bw.load_bot(name, seed=1).choose(Peak())
        Peak().check_action(action)


# --- moves ----------------------------------------------------------------------------------------------


def test_moves_are_numbers_or_their_text():
    state = Peak.from_actions(["0.25,-1.5"])
    assert (state.x, state.y) == (0.25, -1.5)
    assert Peak().play((0.25, -1.5)).tolist() == [0.25, -1.5]
    assert Peak().action_to_string(np.array([0.1, 2.0])) == "0.1,2.0"


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ((2.0, 0.0), "number 1 of the action 2.0 is outside its box"),
        ((0.0, math.nan), "number 2 of the action is not a number"),
        ((0.0,), "0.0 has 1 number, not 2"),
        ((0.0, 0.0, 0.0), "has 3 numbers, not 2"),
        ("a,b", "'a,b' is not an action"),
        ("0.1", "0.1 has 1 number, not 2"),
        (None, "None is not an action"),
    ],
)
def test_an_action_outside_the_box_is_one_clear_error(action, told):
    for attempt in (Peak().apply_action, Peak().play):
        with pytest.raises(ActionError) as caught:
            attempt(action)
        assert told in caught.value.problem
        assert caught.value.mend == "an action is 2 numbers: -1 to 1, -2 to 3"


def variant(**members):
    return type("Variant", (Peak,), members)


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"action_low": (2.0, 0.0)}, "action_low is 2 where action_high is 1"),
        ({"action_low": (0.0,)}, "action_low has 1 number, but action_high has 2"),
        ({"action_low": (0.0, -math.inf)}, "no tuple of finite numbers"),
        ({"action_low": "low"}, "no tuple of finite numbers"),
        ({"action_low": None}, "has action_high, but no action_low"),
        ({"action_low": lambda self: (5.0, 0.0)}, "action_low is 5 where action_high is 1"),
        ({"num_actions": 3}, "has num_actions, but also action_low"),
        ({"legal_actions": lambda self: [0]}, "has legal_actions, but also action_low"),
        ({"prior": lambda self, action: 1.0}, "has prior, which is for numbered actions"),
        ({"chance_outcomes": lambda self: []}, "its actions are vectors, which outcomes are not"),
        ({"sample_action": lambda self, random: (3.0, 0.0)}, "number 1 of the action 3.0 is outside its box"),
        ({"sample_action": lambda self, random: 0.5}, "0.5 has 1 number, not 2"),
        ({"sample_action": lambda self: (0.0, 0.0)}, "has other arguments than the rule"),
    ],
)
def test_rules_without_a_proper_box_are_one_clear_error(members, told):
    with pytest.raises(GameError) as caught:
        bw.MCTS(seed=1).search(variant(**members)(), simulations=10)
    assert told in caught.value.problem
    assert caught.value.mend


@pytest.mark.parametrize("compiled", [None, False])
def test_a_box_that_goes_wrong_deep_in_the_tree_is_one_clear_error(compiled):
    class Late(TwoSteps):
        def action_high(self):
            return (-1.0 if self.place > 0.499 else 0.5,)

    with pytest.raises(GameError, match="action_low"):
        bw.MCTS(seed=1, compiled=compiled).search(Late(), simulations=20_000)


@pytest.mark.parametrize(
    "settings",
    [
        {"selection": "rave"},
        {"selection": "puct"},
        {"selection": "progressive_history"},
        {"playout": "mast"},
        {"playout": "decisive"},
        {"halving": True},
        {"spread": True},
        {"risk": 0.1},
        {"transpositions": True},
        {"threads": 2},
        {"outcome_widening": 1.0},
    ],
)
def test_settings_that_need_numbered_actions_are_refused(settings):
    with pytest.raises((GameError, SettingsError)) as caught:
        bw.MCTS(**settings).search(Peak(), simulations=10)
    assert "peak" in str(caught.value) or "open loop" in str(caught.value)
    assert caught.value.mend


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: Peak().legal_actions(),
        lambda: bw.load_bot("minimax(depth=2)").choose(Peak()),
        lambda: bw.NRPA(level=1, iterations=2).search(Peak(), playouts=10),
        lambda: bw.NRPA(level=1, iterations=2, compiled=False).search(Peak(), playouts=10),
        lambda: perft(Peak(), 2),
    ],
)
def test_what_needs_a_list_of_actions_says_so(attempt):
    with pytest.raises(GameError, match=r"(peak|pendulum) has continuous actions, which"):
        attempt()
