"""Budgets, seeds, interrupts, memory, and the agreement of all forms of the search."""

import os
import signal
import threading
import time
from itertools import pairwise

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.sudo_tic_tac_toe import SudoTicTacToe
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.games.ultimate_tic_tac_toe import UltimateTicTacToe
from branchwise.testing.reference import ReferencePlanner
from support.rows import slow
from support.rules import Kalah, Passing, Race


def same_trees(one, other):
    mine, theirs = (r.tree._tree.nodes[: len(r.tree)] for r in (one, other))
    return mine.size == theirs.size and bool((mine == theirs).all())


GAMES = [
    ConnectFour,
    TicTacToe,
    UltimateTicTacToe,
    SudoTicTacToe,
    Nim,
    Nim.configured(heaps=(3, 4, 5), max_take=0, misere=True),
    ConnectFour.configured(rows=4, columns=5),
    Race,
    Kalah,
    Passing,
]
BOTH_WAYS = [ConnectFour, Race]


@pytest.mark.parametrize(
    ("game", "proofs", "playout"),
    [
        *(pytest.param(game, True, "uniform", marks=pytest.mark.bounds) for game in BOTH_WAYS),
        *((game, False, "decisive") for game in BOTH_WAYS),
        *((game, True, "uniform") for game in GAMES if game not in BOTH_WAYS),
        *(slow(game, False, "decisive") for game in GAMES if game not in BOTH_WAYS),
    ],
    ids=lambda of: getattr(of, "name", str(of)),
)
def test_compiled_and_python_rules_build_the_same_tree(game, proofs, playout):
    settings = {"seed": 1, "proofs": proofs, "playout": playout}
    compiled = bw.MCTS(**settings).search(game(), simulations=400)
    python = bw.MCTS(compiled=False, **settings).search(game(), simulations=400)
    assert same_trees(compiled, python)


@pytest.mark.parametrize("game", [TicTacToe, ConnectFour, Race, Kalah, Passing], ids=lambda game: game.name)
def test_compiled_search_builds_the_tree_of_the_reference_planner(game):
    for seed, c in ((3, 1.0), (4, 0.3)):
        planner = bw.MCTS(seed=seed, c=c, repeat=1, playout="uniform", proofs=False)
        result = planner.search(game(), simulations=600)
        reference = ReferencePlanner(seed=seed, c=c).search(game(), 600)
        pairs = [(result.tree.root, reference)]
        count = 0
        while pairs:
            mine, theirs = pairs.pop()
            count += 1
            assert mine.visits == theirs.visits
            assert mine.action == (None if theirs is reference else theirs.action)
            assert mine.index == 0 or mine.visits == 0 or mine.value == theirs.value / theirs.visits
            pairs += zip(in_order(mine), theirs.children, strict=True)
        assert count == len(result.tree)


def in_order(node):
    return sorted(node.children, key=lambda child: child.index)


def test_same_seed_and_budget_give_the_same_tree_and_another_seed_another():
    searches = [bw.MCTS(seed=s).search(ConnectFour(), simulations=20_000) for s in (7, 7, 8)]
    assert same_trees(searches[0], searches[1])
    assert not same_trees(searches[0], searches[2])


def test_seed_of_the_result_gives_the_same_tree_again():
    first = bw.MCTS().search(ConnectFour(), simulations=3000)
    again = bw.MCTS(seed=first.seed).search(ConnectFour(), simulations=3000)
    assert same_trees(first, again)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("simulations", [1, 2, 3, 6, 7, 8, 500])
def test_any_budget_of_simulations_is_met_exactly(compiled, simulations):
    result = bw.MCTS(seed=1, compiled=compiled).search(ConnectFour(), simulations=simulations)
    assert result.simulations == simulations
    assert result.tree.root.visits == simulations
    assert sum(child.visits for child in result.children) == simulations
    assert result.ended_by == "simulations"
    assert result.children[0].visits > 0


def test_fewer_simulations_than_moves_give_the_best_visited_move():
    result = bw.MCTS(seed=1).search(UltimateTicTacToe(), simulations=5)
    assert sum(child.visits > 0 for child in result.children) == 5
    assert result.children[0].value == max(c.value for c in result.children if c.value is not None)


def test_expansion_is_in_random_order():
    firsts = {bw.MCTS(seed=s).search(ConnectFour(), simulations=1).best_action for s in range(60)}
    assert firsts == set(range(7))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_budget_of_seconds_is_kept(compiled):
    bw.MCTS(compiled=compiled).search(ConnectFour(), seconds=0.01)  # all is compiled by now
    started = time.perf_counter()
    result = bw.MCTS(compiled=compiled).search(ConnectFour(), seconds=0.3)
    assert result.ended_by == "seconds"
    assert 0.3 <= result.seconds <= time.perf_counter() - started < 20.0  # on a busy machine, too


def test_the_first_limit_reached_ends_the_search():
    assert bw.MCTS().search(ConnectFour(), simulations=100, seconds=60).ended_by == "simulations"
    assert bw.MCTS().search(ConnectFour(), simulations=10**9, seconds=0.05).ended_by == "seconds"
    assert bw.MCTS().search(ConnectFour(), simulations=10**9, max_nodes=5000).ended_by == "nodes"


@pytest.mark.bounds
def test_a_budget_of_nodes_is_kept():
    result = bw.MCTS().search(ConnectFour(), max_nodes=5000)
    assert 4990 < len(result.tree) <= 5000
    assert not result.memory_full


def test_a_budget_of_nodes_that_a_small_game_cannot_use_still_ends():
    result = bw.MCTS(proofs=False).search(Nim(chips=[6]), max_nodes=100_000)
    assert result.ended_by == "complete"
    assert len(result.tree) < 100


def test_a_full_tree_is_searched_on_and_says_so():
    result = bw.MCTS(memory_mb=0.1, seed=1).search(ConnectFour(), simulations=200_000)
    assert result.simulations == 200_000
    assert result.memory_full
    assert result.tree.num_bytes <= 0.1 * 2**20
    assert result.action_text(result.best_action) == "d1"
    assert "memory full" in str(result)


def test_a_node_takes_at_most_32_bytes():
    result = bw.MCTS().search(ConnectFour(), simulations=1000)
    assert result.tree.num_bytes / len(result.tree) <= 32


@pytest.mark.parametrize("compiled", [True, False])
def test_another_thread_can_stop_a_search(compiled):
    planner = bw.MCTS(compiled=compiled)
    planner.search(ConnectFour(), simulations=1)
    timer = threading.Timer(0.2, planner.stop)
    timer.start()
    result = planner.search(ConnectFour(), seconds=60)
    assert result.ended_by == "stopped"
    assert 0 < result.seconds < 10
    assert result.simulations == result.tree.root.visits > 0


@pytest.mark.parametrize("compiled", [True, False])
def test_ctrl_c_ends_a_search_with_what_it_has(compiled):
    planner = bw.MCTS(compiled=compiled)
    planner.search(ConnectFour(), seconds=0.01)  # its code is there
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = planner.search(ConnectFour(), seconds=60)
    assert result.ended_by == "interrupted"
    assert result.simulations == result.tree.root.visits > 0
    assert result.best_action in range(7)


def test_two_searches_in_two_threads_do_not_disturb_each_other():
    alone = [bw.MCTS(seed=s).search(ConnectFour(), simulations=30_000) for s in (1, 2)]
    found = {}
    threads = [
        threading.Thread(
            target=lambda s=s: found.update({s: bw.MCTS(seed=s).search(ConnectFour(), simulations=30_000)})
        )
        for s in (1, 2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same_trees(alone[0], found[1])
    assert same_trees(alone[1], found[2])


def test_progress_is_reported_while_the_search_runs():
    seen = []
    bw.MCTS().search(ConnectFour(), seconds=0.6, progress=seen.append)
    assert 2 <= len(seen) <= 7
    assert all(a.simulations < b.simulations for a, b in pairwise(seen))
    assert seen[0].best_action in range(7)


def test_an_error_in_a_progress_callback_is_the_callers():
    def fail(result):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        bw.MCTS().search(ConnectFour(), seconds=5, progress=fail)


def test_the_state_is_not_changed():
    state = ConnectFour.from_actions(["d1"])
    before = state.copy()
    bw.MCTS().search(state, simulations=100)
    bw.MCTS(compiled=False).search(state, simulations=100)
    assert state == before


def test_strength_rises_with_the_budget_in_both_seats():
    """Sixteen times the simulations win most games, as first and as second player."""
    strong, weak = bw.load_bot("mcts(simulations=800)", seed=1), bw.load_bot("mcts(simulations=50)", seed=2)
    for seat in (0, 1):
        score = 0.0
        for _ in range(30):
            state = ConnectFour()
            while not state.is_terminal():
                bot = strong if state.current_player() == seat else weak
                state.apply_action(bot.choose(state))
            score += (state.returns()[seat] + 1) / 2
        assert score > 21


class Matching:
    """A state object of somebody else's: matching pennies in turn, with nothing but OpenSpiel's methods."""

    def __init__(self, actions=()):
        self.actions = tuple(actions)

    def clone(self):
        return Matching(self.actions)

    def current_player(self):
        return len(self.actions)

    def legal_actions(self):
        return [10, 20]

    def apply_action(self, action):
        self.actions += (action,)

    def is_terminal(self):
        return len(self.actions) == 2

    def returns(self):
        return [1.0, -1.0] if self.actions[0] == self.actions[1] else [-1.0, 1.0]


def test_any_state_object_with_openspiels_methods_is_searched():
    result = bw.MCTS(seed=1).search(Matching(), simulations=400)
    assert {child.action for child in result.children} == {10, 20}
    assert result.value < -0.8
    assert len(result.principal_variation) == 2
    assert "Matching: player 0" in str(result)


def test_a_pyspiel_state_is_searched():
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("connect_four").new_initial_state()
    theirs = bw.MCTS(seed=1).search(state, simulations=500)
    ours = bw.MCTS(seed=1, playout="uniform").search(ConnectFour(), simulations=500)
    assert same_trees(theirs, ours)


def test_result_reads_well():
    result = bw.MCTS(seed=1).search(ConnectFour.from_actions(["d1"]), simulations=2000)
    lines = str(result).splitlines()
    assert lines[0].startswith("connect_four: player 1 to move, 2,000 simulations in ")
    assert lines[1].split() == ["action", "visits", "share", "value", "lower", "line"]
    assert len(lines) == 9
    assert lines[2].split()[0] == result.action_text(result.best_action)
    for child in result.children:
        assert child.lower_bound <= child.value
        assert child.line[0] == child.action
    assert result.to_dict()["best_move"] == result.action_text(result.best_action)


def test_policy_follows_the_visits():
    result = bw.MCTS(seed=1).search(ConnectFour(), simulations=2000)
    policy = result.policy()
    assert sum(policy.values()) == pytest.approx(1)
    for child in result.children:
        assert policy[child.action] == pytest.approx(child.visits / 2000)
    assert result.policy(0) == {a: float(a == result.best_action) for a in policy}
    cold, hot = result.policy(0.1), result.policy(10)
    assert cold[result.best_action] > policy[result.best_action] > hot[result.best_action]
    for temperature in (-1, float("nan"), float("inf")):
        with pytest.raises(bw.SettingsError):
            result.policy(temperature)


def test_first_play_urgency_lets_good_moves_be_tried_again_before_all_are_tried():
    # c1 wins at once; with a first-play value of 0 the search stays with it once it is found
    state = TicTacToe.from_actions(["a1", "a2", "b1", "b2"])
    settings = {"seed": 1, "c": 0.01, "playout": "uniform", "proofs": False}
    eager = bw.MCTS(first_play=0.0, **settings).search(state, simulations=100)
    assert sum(child.visits > 0 for child in eager.children) < 5
    thorough = bw.MCTS(**settings).search(state, simulations=100)
    assert sum(child.visits > 0 for child in thorough.children) == 5


def test_max_depth_keeps_the_tree_flat():
    result = bw.MCTS(seed=1, max_depth=1).search(ConnectFour(), simulations=1000)
    assert len(result.tree) == 8
    assert all(not child.is_expanded for child in result.tree.root.children)


def test_values_stay_exact_in_large_sums():
    result = bw.MCTS(seed=1, proofs=False).search(Nim(chips=[1]), simulations=30_000_000)
    assert result.value == 1.0
    assert result.tree.root.visits == 30_000_000
    assert np.isclose(result.tree._tree.nodes["value"][1], 30_000_000, atol=0)


def test_a_search_that_was_stopped_is_carried_on():
    planner = bw.MCTS(seed=5)
    state = ConnectFour()
    whole = bw.MCTS(seed=5).search(state, simulations=3000)
    first = planner.search(state, simulations=1000)
    tree = first.tree
    assert planner.carry_on()
    second = planner.search(state, simulations=2000)
    assert second.simulations == 2000
    assert second.tree.root.visits == whole.tree.root.visits == 3000
    assert [(c.action, c.visits) for c in second.children] == [(c.action, c.visits) for c in whole.children]
    assert tree.root.visits >= 1000, "trees of earlier results can be read"
    assert planner.search(state, simulations=100).tree.root.visits == 100, "only once"
    assert planner.carry_on()
    other = ConnectFour.from_actions([3])
    assert planner.search(other, simulations=100).tree.root.visits == 100, "only the same state"
    planner.forget()
    assert not planner.carry_on()


def test_progress_takes_little_of_a_search():
    told = []

    def slow(result):
        told.append(time.perf_counter())
        end = time.thread_time() + 0.01
        while time.thread_time() < end:
            pass

    started = time.perf_counter()
    bw.MCTS(seed=1).search(ConnectFour(), seconds=1.3, progress=slow)
    assert 1 <= len(told) <= 3, "0.01 s every 0.5 s are 2 %"
    assert told[0] - started >= 0.1
