"""Every way to compose a search: compiled and plain-Python rules build the same tree."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.testing import exact_value
from support.rows import slow
from support.rules import Race
from support.trees import same_arrays


class Opinionated(TicTacToe):
    """Tic-tac-toe with every optional rule."""

    name = "opinionated"

    def evaluate(self):
        return (0.25, -0.25) if self.current_player() == 0 else (-0.25, 0.25)

    def prior(self, action):
        return 1.0 + action

    def playout_action(self, random):
        wanted = random.below(9)
        while True:
            for action in self.legal_actions():
                if action == wanted:
                    return action
            wanted = (wanted + 1) % 9


COMPOSITIONS = [
    {"selection": "puct", "playout": "game"},
    {"selection": "rave", "playout": "last_good_reply"},
    {"selection": "grave(reference_visits=20)", "playout": "anti_decisive"},
    {"selection": "progressive_bias", "playout": "decisive+nst"},
    {"selection": "progressive_history", "playouts": 3, "cutoff": 2},
    {"selection": "thompson", "backup": "max"},
    {
        "selection": "sp_mcts(doubt=0.05)",
        "backup": "power",
        "power": 3.0,
        "implicit_minimax": 0.3,
        "first_play": "parent",
        "widening": 1.5,
    },
    {"selection": "puct", "widening": 1.0, "playout": "mast", "transpositions": True},
    {"selection": "ucb1_tuned", "playout": "mast"},
    {"selection": "sp_mcts(doubt=0.05)"},
    {"transpositions": True, "backup": "power"},
    slow({"selection": "thompson"}),
    slow({"backup": "max"}),
    slow({"backup": "power", "power": 3.0, "implicit_minimax": 0.3}),
    slow({"transpositions": True}),
    slow({"first_play": "parent", "widening": 1.5}),
]
"""Every part of a search at least once; each entry is compiled for itself, which takes seconds."""

each_composition = pytest.mark.parametrize(
    "settings", COMPOSITIONS, ids=lambda s: ",".join(f"{k}={v}" for k, v in s.items())
)


@each_composition
def test_compiled_and_python_rules_build_the_same_tree(settings):
    compiled = bw.MCTS(seed=3, **settings).search(Opinionated(), simulations=600)
    python = bw.MCTS(seed=3, compiled=False, **settings).search(Opinionated(), simulations=600)
    assert compiled.simulations == 600
    assert same_arrays(compiled, python)


@each_composition
def test_a_search_that_begins_before_its_code_is_there_builds_the_same_tree(settings, late_code):
    expected = bw.MCTS(seed=3, **settings).search(Opinionated(), simulations=250)
    planner = bw.MCTS(seed=3, compiled="meanwhile", **settings)
    assert same_arrays(planner.search(Opinionated(), simulations=250), expected)
    late_code.asked_for = 10**9
    if settings.get("transpositions"):
        return
    assert same_arrays(
        bw.MCTS(seed=3, compiled="meanwhile", **settings).search(Opinionated(), simulations=250), expected
    )


@pytest.mark.bounds
@each_composition
def test_every_simulation_is_counted_and_worth_what_a_game_can_be(settings):
    result = bw.MCTS(seed=1, proofs=True, **settings).search(Opinionated(), simulations=600)
    assert result.simulations == result.tree.root.visits == 600
    assert sum(child.visits for child in result.children) >= 599
    assert all(-1 <= child.value <= 1 for child in result.children if child.visits)


@pytest.mark.parametrize(
    "settings",
    [
        {"selection": "rave", "backup": "power"},
        {"transpositions": True},
        slow({"selection": "rave"}),
        slow({"backup": "power"}),
    ],
    ids=str,
)
def test_three_players_build_the_same_tree_both_ways(settings):
    compiled = bw.MCTS(seed=3, **settings).search(Race(), simulations=400)
    assert same_arrays(compiled, bw.MCTS(seed=3, compiled=False, **settings).search(Race(), simulations=400))


@each_composition
def test_a_win_in_one_is_found_from_both_parities(settings):
    for moves in (["a1", "b2", "a2", "b3"], ["b3", "a1", "c1", "b2", "c2"][:5]):
        state = Opinionated.from_actions(moves)
        result = bw.MCTS(seed=2, **settings).search(state, simulations=300)
        after = state.copy()
        after.apply_action(result.best_action)
        exact = exact_value(state)
        found = exact_value(after) if not after.is_terminal() else None
        value = after.returns()[result.player] if found is None else -found
        assert value == exact


@pytest.mark.parametrize("settings", [{"widening": 0.5}, {"selection": "puct", "widening": 1.0}])
def test_widening_considers_few_actions_first(settings):
    result = bw.MCTS(seed=1, proofs=False, **settings).search(Opinionated(), simulations=60)
    considered = [child for child in result.children if child.visits]
    assert len(considered) == int(np.ceil(settings["widening"] * 59**0.5))
    if "selection" in settings:  # by prior, highest first
        assert {child.action for child in considered} == set(range(8, 8 - len(considered), -1))


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [None, False], ids=["compiled", "python"])
def test_priors_are_scaled_to_add_up_to_one(compiled):
    planner = bw.MCTS(seed=1, selection="puct", playout="game", compiled=compiled)
    result = planner.search(Opinionated(), simulations=50)
    assert sum(child.prior for child in result.children) == pytest.approx(1)
    assert max(result.children, key=lambda child: child.prior).action == 8


@pytest.mark.bounds
def test_uniform_priors_stand_in_for_those_a_game_does_not_give():
    result = bw.MCTS(seed=1, selection="puct").search(TicTacToe(), simulations=50)
    assert all(child.prior == pytest.approx(1 / 9) for child in result.children)


def test_transpositions_prove_tic_tac_toe_with_fewer_simulations():
    plain = bw.MCTS(seed=1).search(TicTacToe(), simulations=100_000)
    shared = bw.MCTS(seed=1, transpositions=True).search(TicTacToe(), simulations=100_000)
    assert plain.ended_by == shared.ended_by == "proven"
    assert shared.value == 0
    assert shared.simulations < plain.simulations / 2


def test_a_states_visits_are_those_of_all_edges_to_it_in_a_graph():
    tree = bw.MCTS(seed=1, transpositions=True, proofs=False).search(TicTacToe(), simulations=3000).tree._tree
    used = int(tree.counters[0])
    arriving = np.zeros(used, np.int64)
    np.add.at(arriving, tree.links[1:used], tree.edge_visits[1:used])
    primary = tree.links[:used] == np.arange(used)
    primary[0] = False
    assert (arriving[primary] == tree.nodes["visits"][:used][primary]).all()
    assert (tree.links[1:used] != np.arange(1, used)).any()
