"""Searches whose leaves a network evaluates: the same tree compiled, interpreted and watched."""

import pickle

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import GameError, SettingsError
from branchwise.games.connect_four import ConnectFour
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network
from support.nets import Counters, Kernels, Strip, random_network, random_states
from support.trees import all_facts, same_arrays

CHECKERS = bw.load_game("checkers")
FOUR = random_network(ConnectFour)


@pytest.mark.parametrize("game", [ConnectFour, Counters, CHECKERS])
@pytest.mark.parametrize("widths", [(32, 16), (8, 4)])
def test_kernels_compute_what_numpy_does_to_the_bit(game, widths):
    network = random_network(game, 3, widths)
    kernels = Kernels(network)
    for state in random_states(game, 5):
        value, policy = network.evaluate(state)
        assert kernels.value(state) == value
        assert sum(policy.values()) == pytest.approx(1.0, abs=1e-6)
        root = bw.MCTS(network=network, seed=1, compiled=False).search(state, simulations=1)
        assert {child.action: child.prior for child in root.children} == policy
        if root.simulations:  # else it is proven already
            assert root.tree.root.value in (value, None) or root.value == value


@pytest.mark.parametrize("game", [ConnectFour, Strip, Counters])
def test_interpreted_and_compiled_trees_are_equal(game):
    network = random_network(game, 2)
    for selection in (None, "ucb1"):
        trees = [
            bw.MCTS(
                network=network, seed=4, **({"selection": selection} if selection else {}), compiled=compiled
            ).search(game(), simulations=400)
            for compiled in (True, False, "meanwhile")
        ]
        assert same_arrays(trees[0], trees[1])
        assert same_arrays(trees[0], trees[2])


def test_the_tree_of_one_seed_is_known():
    result = bw.MCTS(network=FOUR, seed=1).search(ConnectFour(), simulations=500)
    visits = {child.action: child.visits for child in result.children}
    assert visits == {5: 191, 1: 109, 3: 58, 2: 54, 0: 40, 4: 26, 6: 21}


def test_puct_is_the_default_with_a_network_alone():
    assert bw.MCTS(network=FOUR).settings.selection == "puct"
    assert bw.MCTS().settings.selection == "ucb1"
    assert bw.MCTS(network=FOUR, selection="ucb1").settings.selection == "ucb1"


def test_a_second_network_compiles_nothing():
    from branchwise.core.simulation.simulate import run_simulations

    bw.MCTS(network=FOUR, seed=1).search(ConnectFour(), simulations=10)
    before = len(run_simulations.overloads)
    other = random_network(ConnectFour, 8)
    results = [bw.MCTS(network=one, seed=1).search(ConnectFour(), simulations=300) for one in (FOUR, other)]
    assert len(run_simulations.overloads) == before
    assert [c.visits for c in results[0].children] != [c.visits for c in results[1].children]


def test_weights_that_change_are_seen_by_the_next_search():
    network = Network.initial(Inputs.of(TicTacToe), 1)
    planner = bw.MCTS(network=network, seed=1, proofs=False)
    assert planner.search(TicTacToe(), simulations=2).value == 0.0
    network.value_bias[:] = 0.5
    assert planner.search(TicTacToe(), simulations=2).value == -network.evaluate(TicTacToe())[0] < -0.4


def test_proofs_go_on_underneath():
    state = ConnectFour.from_actions([3, 3, 2, 2, 4])  # two ways to win next
    result = bw.MCTS(network=FOUR, seed=1).search(state, simulations=500)
    assert [child.proven for child in result.children] == [-1.0] * 7


def test_threads_share_a_tree():
    planner = bw.MCTS(network=FOUR, seed=1, threads=2)
    result = planner.search(ConnectFour(), simulations=4000)
    assert result.simulations == 4000
    assert sum(child.visits for child in result.children) in range(3990, 4001)
    roots = [
        bw.MCTS(network=FOUR, seed=1, threads=2, parallel="root").search(ConnectFour(), simulations=1000)
        for _ in range(2)
    ]
    assert [c.visits for c in roots[0].children] == [c.visits for c in roots[1].children]


def test_the_tree_is_kept_for_the_next_search():
    planner = bw.MCTS(network=FOUR, seed=1)
    first = planner.search(ConnectFour(), simulations=2000)
    after = ConnectFour()
    after.apply_action(first.best_action)
    assert planner.advance(first.best_action)
    second = planner.search(after, simulations=1)
    assert sum(child.visits for child in second.children) > 100


def test_steps_show_the_same_tree_without_playouts():
    search = bw.MCTS(network=FOUR, seed=1).search(ConnectFour(), simulations=30)
    reports = list(bw.MCTS(network=FOUR, seed=1).steps(ConnectFour(), simulations=30))
    assert len(reports) == 30
    assert all(len(report.playout.games) == 1 for report in reports)
    assert all(not report.playout.games[0].moves for report in reports)
    assert len(reports[0].expansion.children) == 7
    assert reports[0].expansion.choice is None
    assert reports[0].playout.returns[0] == FOUR.evaluate(ConnectFour())[0]
    chosen = [report.selection.choices[0].siblings for report in reports[1:]]
    visits = {child.action: child.visits for child in search.children}
    last = {sibling.move.action for sibling in chosen[-1]}
    assert last == set(visits)


def test_saved_trees_are_read_without_the_network(tmp_path):
    result = bw.MCTS(network=FOUR, seed=1).search(ConnectFour(), simulations=200)
    result.tree.save(tmp_path / "tree.npz")
    assert all_facts(bw.load_tree(tmp_path / "tree.npz").root) == all_facts(result.tree.root)


def test_planners_with_networks_are_pickled():
    planner = pickle.loads(pickle.dumps(bw.MCTS(network=FOUR, seed=1)))
    results = [p.search(ConnectFour(), simulations=100) for p in (planner, bw.MCTS(network=FOUR, seed=1))]
    assert same_arrays(*results)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"playout": "uniform"}, "playout cannot be combined with a network"),
        ({"cutoff": 3}, "cutoff cannot be combined with a network"),
        ({"evaluator": len}, "network cannot be combined with an evaluator"),
        ({"threads": 2, "parallel": "leaf"}, 'parallel="leaf" cannot be combined with a network'),
        ({"spread": True}, "spread cannot be combined with a network"),
    ],
)
def test_settings_that_contradict_a_network(settings, message):
    with pytest.raises(SettingsError, match=message):
        bw.MCTS(network=FOUR, **settings)


def test_networks_that_do_not_fit():
    with pytest.raises(SettingsError, match="is for connect_four, not for tic_tac_toe"):
        bw.MCTS(network=FOUR).search(TicTacToe(), simulations=1)
    with pytest.raises(SettingsError, match=r"is for connect_four, not for connect_four\(rows=5\)"):
        bw.MCTS(network=FOUR).search(ConnectFour.configured(rows=5)(), simulations=1)
    with pytest.raises(SettingsError, match="network = 3 is none"):
        bw.MCTS(network=3).search(TicTacToe(), simulations=1)
    broken = random_network(TicTacToe)
    broken.hidden[0, 0] = np.nan
    with pytest.raises(SettingsError, match="are no numbers"):
        bw.MCTS(network=broken).search(TicTacToe(), simulations=1)
    with pytest.raises(SettingsError, match="first layer of a network cannot be 33 wide"):
        Network.initial(Inputs.of(TicTacToe), 1, (33, 16))
    with pytest.raises(GameError, match="a network cannot be combined with selection"):
        bw.MCTS(network=FOUR, selection="grave").search(ConnectFour(), simulations=1)
