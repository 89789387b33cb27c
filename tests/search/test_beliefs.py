"""Search from a belief: one tree for what a planner did and observed, each simulation from a particle."""

import copy
import pickle

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.light_dark import LightDark
from branchwise.problems.pocman import Pocman
from branchwise.problems.rock_sample import RockSample
from branchwise.problems.tiger import Tiger
from branchwise.testing import BeliefReferencePlanner
from support.observing import AtTheEnd, Probe, Row
from support.rows import slow
from support.trees import all_facts

LIMITED = {"outcome_widening": 2.0, "outcome_widening_power": 0.25}


def belief(game, particles=20, **how):
    return bw.Belief(game, particles=particles, seed=2, **how)


# --- one tree, however it is built ------------------------------------------------------------------------


def searched(root):
    """Return every action and every observation, with visits and the sum of returns."""
    found, waiting = {}, [((), root)]
    while waiting:
        path, node = waiting.pop()
        for edge in node.children:
            value = 0.0 if edge.value is None else edge.value * edge.visits
            found[*path, edge.action] = edge.visits, pytest.approx(value, rel=1e-9, abs=1e-6)
            for below in edge.children:
                found[*path, edge.action, below.action] = below.visits, None
                waiting.append(((*path, edge.action, below.action), below))
    return found


def written_out(root):
    """Return the same of the reference's tree."""
    found, waiting = {}, [((), root)]
    while waiting:
        path, node = waiting.pop()
        for edge in node.edges:
            found[*path, edge.action] = edge.visits, edge.value
            for number, below in enumerate(edge.nodes):
                found[*path, edge.action, number] = below.visits, None
                waiting.append(((*path, edge.action, number), below))
    return found


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        (Tiger, {}),
        (Probe, LIMITED),
        slow(Tiger, LIMITED),
        slow(LightDark, {}),
        slow(LightDark, LIMITED),
        slow(Probe, {}),
        slow(RockSample, {}),
    ],
    ids=lambda value: getattr(value, "name", "limited" if value else "all"),
)
def test_the_tree_is_that_of_the_readable_search_node_for_node(game, settings):
    start = belief(game)
    root = BeliefReferencePlanner(c=0.7, seed=4, **settings).search(start.states, 400)
    result = bw.MCTS(seed=4, playout="uniform", **settings).search(start, simulations=400)
    assert written_out(root) == searched(result.tree.root)
    assert result.tree.root.visits == root.visits == 400


@pytest.mark.parametrize(
    ("game", "settings"),
    [
        (Tiger, {"playout": "uniform"}),
        (Probe, {**LIMITED, "playout": "uniform"}),
        (Row, {"backup": "max"}),
        slow(Tiger, {"backup": "max"}),
        slow(LightDark, LIMITED),
        slow(AtTheEnd, {}),
        slow(AtTheEnd, {"backup": "power"}),
        slow(RockSample, {"selection": "puct"}),
        slow(Pocman, {"selection": "puct"}),
    ],
    ids=lambda value: value.name if isinstance(value, type) else "-".join(value) or "default",
)
def test_compiled_and_interpreted_searches_build_the_same_tree(game, settings):
    start = belief(game)
    trees = [
        bw.MCTS(seed=3, **settings, **how).search(start, simulations=250).tree.root
        for how in ({}, {"compiled": False}, {})
    ]
    assert all_facts(trees[0]) == all_facts(trees[1]) == all_facts(trees[2])


def test_the_size_of_a_chunk_changes_nothing():
    start = belief(Tiger)
    whole = bw.MCTS(seed=5, playout="uniform").search(start, simulations=3000)
    watched = bw.MCTS(seed=5, playout="uniform").search(start, simulations=3000, progress=lambda result: None)
    assert all_facts(whole.tree.root) == all_facts(watched.tree.root)


# --- exact values -----------------------------------------------------------------------------------------


def sure(game, *, net=0):
    """Return the exact belief in Tiger after `net` more growls on the left than on the right."""
    left = game.accuracy**net / (game.accuracy**net + (1 - game.accuracy) ** net)
    return bw.Belief(game, particles=[game(tiger=0), game(tiger=1)], weights=[left, 1 - left], seed=1)


@pytest.mark.parametrize(
    ("horizon", "value"), [(3, 2.72), slow(1, -1.0), slow(2, -2.0), slow(4, 2.42125), slow(5, 3.60915)]
)
def test_values_of_tiger_with_a_horizon_are_exact(horizon, value):
    """Values of an exact solution over beliefs, which two actions and one number describe."""
    game = Tiger.configured(horizon=horizon, discount=1.0)
    result = bw.MCTS(seed=1, c=1.0, backup="max").search(sure(game), simulations=200_000)
    assert result.value == pytest.approx(value, abs=0.1)
    assert result.best_action == 0


def test_tiger_listens_while_unsure_and_opens_the_other_door_when_sure():
    game = Tiger.configured(horizon=12)
    planner = bw.MCTS(seed=2, c=1.0)
    chosen = [planner.search(sure(game, net=net), simulations=300_000).best_action for net in (0, 1, 2)]
    assert chosen == [0, 0, 2]


def test_light_dark_is_told_apart_only_near_the_light():
    assert LightDark(place=10).noise() == pytest.approx(0.001)
    assert LightDark(place=0).noise() == pytest.approx(10.001)
    state = LightDark(place=3)
    assert state.observation_density(3, 3.0) > state.observation_density(3, 9.0) > 0.0


# --- what a result tells ----------------------------------------------------------------------------------


def test_a_result_tells_the_belief_it_planned_from_and_keeps_it():
    start = belief(Tiger, 100)
    result = bw.MCTS(seed=1).search(start, simulations=500)
    before = result.belief.weights.tolist()
    start.update("listen", 1)
    assert result.belief.weights.tolist() == before != start.weights.tolist()
    assert "100 particles, 100 left" in result.title
    assert result.action_text(result.best_action) == "listen"
    for twin in (copy.copy(result), pickle.loads(pickle.dumps(result))):
        assert twin.belief.weights.tolist() == before
        assert [child.visits for child in twin.children] == [child.visits for child in result.children]


def test_several_threads_have_a_tree_each_and_give_the_same_result_twice():
    planner = bw.MCTS(seed=1, threads=2, parallel="root", **LIMITED)
    first, second = (planner.search(belief(Tiger), simulations=2000) for _ in range(2))
    assert [(c.action, c.visits, c.value) for c in first.children] == [
        (c.action, c.visits, c.value) for c in second.children
    ]


def test_a_full_tree_goes_on_without_growing():
    result = bw.MCTS(seed=1, playout="uniform", memory_mb=0.1).search(belief(Tiger), simulations=20_000)
    assert result.simulations == 20_000
    assert result.memory_full


@pytest.mark.parametrize(("game", "settings"), [(Tiger, {"playout": "uniform"}), (Row, {"backup": "max"})])
def test_a_budget_of_simulations_has_memory_for_all_of_its_nodes(game, settings):
    result = bw.MCTS(seed=1, **settings).search(belief(game), simulations=3000)
    assert result.simulations == 3000
    assert not result.memory_full


def test_a_search_in_the_background_does_not_see_later_updates():
    start = belief(Tiger)
    thinking = bw.MCTS(seed=1).start(start, simulations=2000)
    start.update("listen", 2)
    thinking.wait()
    found = thinking.stop()
    assert found.belief.history == ()


# --- settings that make no sense here ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"transpositions": True}, "transpositions joins states"),
        ({"open_loop": True}, "open_loop has no meaning"),
        ({"perfect_information": True}, "perfect_information searches a state"),
        ({"evaluator": lambda states: [0.0] * len(states)}, "evaluator judges states"),
        ({"threads": 2}, "several threads in one tree"),
        ({"selection": "rave"}, "rave"),
        ({"threads": 2, "parallel": "root", "compiled": False}, "one thread"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_setting_without_meaning_is_one_clear_error(settings, message):
    with pytest.raises(bw.BranchwiseError, match=message):
        bw.MCTS(**settings).search(belief(Tiger), simulations=10)


def test_limited_observations_need_a_density():
    with pytest.raises(bw.GameError, match="needs a rule that row does not have: observation_density"):
        bw.MCTS(**LIMITED).search(belief(Row), simulations=10)


def test_steps_of_a_search_from_a_belief_are_refused():
    with pytest.raises(bw.SettingsError, match="cannot be shown one simulation at a time"):
        bw.MCTS().steps(belief(Tiger))


@pytest.mark.parametrize("compiled", [None, False])
@pytest.mark.parametrize(
    ("members", "settings", "message"),
    [
        ({"observe": lambda self, action, random: np.nan}, {}, "observe gave (NaN|nan)"),
        (
            {"observation_density": lambda self, action, seen: -1.0},
            LIMITED,
            "observation_density (gave a negative|says -1.0)",
        ),
    ],
    ids=["no number", "negative density"],
)
def test_faulty_rules_are_named(members, settings, message, compiled):
    faulty = type("Faulty", (Tiger,), members)
    with pytest.raises(bw.GameError, match=message):
        bw.MCTS(compiled=compiled, **settings).search(belief(faulty), simulations=50)


def test_a_state_is_refused_and_a_belief_is_named():
    with pytest.raises(bw.GameError, match=r"(?s)tiger has hidden information .* bw\.Belief\(Tiger, "):
        bw.MCTS(seed=1).search(Tiger(), simulations=10)
