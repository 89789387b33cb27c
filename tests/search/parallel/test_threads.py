"""Several threads: nothing lost, nothing out of range, and the same result where that is promised."""

import threading
import time

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.tic_tac_toe import TicTacToe
from support.trees import check_tree


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_in_one_tree_lose_nothing(threads):
    for seed in range(3):
        result = bw.MCTS(seed=seed, threads=threads).search(ConnectFour(), simulations=30_000)
        assert result.simulations == 30_000
        check_tree(result.tree._tree, 30_000)


@pytest.mark.bounds
def test_threads_hammer_a_tiny_tree():
    for seed in range(20):
        result = bw.MCTS(seed=seed, threads=4, proofs=False).search(Nim(chips=[4]), simulations=4000)
        check_tree(result.tree._tree, 4000)


def test_threads_agree_when_memory_is_full():
    result = bw.MCTS(seed=1, threads=4, memory_mb=0.05).search(ConnectFour(), simulations=30_000)
    assert result.memory_full
    check_tree(result.tree._tree, 30_000)


def test_threads_prove_what_one_thread_proves():
    for seed in range(5):
        result = bw.MCTS(seed=seed, threads=4).search(TicTacToe(), simulations=100_000)
        assert (result.ended_by, result.value) == ("proven", 0.0)


@pytest.mark.bounds
@pytest.mark.parametrize("parallel", ["root", "leaf"])
def test_root_and_leaf_parallel_searches_are_the_same_every_time(parallel):
    planner = bw.MCTS(seed=1, threads=2, parallel=parallel)
    first, again = (planner.search(ConnectFour(), simulations=3001) for _ in range(2))
    assert first.simulations == again.simulations == 3001
    assert [c.visits for c in first.children] == [c.visits for c in again.children]
    assert [c.value for c in first.children] == [c.value for c in again.children]


def test_root_parallel_adds_up_independent_trees():
    result = bw.MCTS(seed=1, threads=3, parallel="root").search(ConnectFour(), simulations=3000)
    assert sum(child.visits for child in result.children) == 3000
    assert result.tree.root.visits == 1000


def test_root_parallel_stops_at_a_proof():
    result = bw.MCTS(seed=1, threads=2, parallel="root").search(TicTacToe(), simulations=200_000)
    assert (result.ended_by, result.value) == ("proven", 0.0)


@pytest.mark.parametrize("parallel", ["tree", "root", "leaf"])
def test_a_parallel_search_is_stopped_from_another_thread(parallel):
    planner = bw.MCTS(seed=1, threads=2, parallel=parallel)
    planner.search(ConnectFour(), simulations=10)
    threading.Timer(0.3, planner.stop).start()
    started = time.perf_counter()
    assert planner.search(ConnectFour(), seconds=60).ended_by == "stopped"
    assert time.perf_counter() - started < 20


@pytest.mark.bounds
@pytest.mark.parametrize("parallel", ["tree", "root", "leaf"])
def test_a_fault_of_the_rules_is_reported_by_every_kind_of_team(parallel):
    class Faulty(TicTacToe):
        name = f"faulty_{parallel}"

        def returns(self):
            return (5.0, -5.0)

    with pytest.raises(bw.GameError):
        bw.MCTS(seed=1, threads=2, parallel=parallel).search(Faulty(), simulations=1000)
