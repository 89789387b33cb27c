"""Searches with rules in Python: phases are compiled only when that pays, and the tree does not show it."""

import threading

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import branchwise as bw
from branchwise.core.interpret import as_interpreted
from branchwise.core.simulation.search_arrays import EVENT
from branchwise.core.tree.node_fields import NODE
from branchwise.games.leduc_poker import LeducPoker
from branchwise.games.othello import Othello
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.problems.tiger import Tiger
from branchwise.search.drivers import interpreted
from support.trees import all_facts

STARTS = {
    "tic_tac_toe": (TicTacToe, {"selection": "rave", "playout": "mast"}),
    "pig": (Pig, {}),
    "leduc_poker": (lambda: bw.Playthrough(LeducPoker(), [0, 3]).information_state(0), {}),
    "tiger": (lambda: bw.Belief(Tiger, 50, seed=1), {}),
}


@pytest.fixture
def few(monkeypatch):
    """Set how many simulations are few, and forget those that were run before."""

    def set_few(simulations):
        monkeypatch.setattr(interpreted, "FEW_SIMULATIONS", simulations)
        monkeypatch.setattr(interpreted, "_are_loaded", lambda *_: False)
        monkeypatch.setattr(interpreted, "_are_on_disk", lambda *_: False)
        interpreted._simulations.clear()

    return set_few


@pytest.fixture
def nothing_compiled(monkeypatch):
    def refuse(*_):
        raise AssertionError("nothing is to be compiled here")

    monkeypatch.setattr(interpreted, "load", refuse)
    monkeypatch.setattr(interpreted, "call", refuse)


def test_few_simulations_compile_nothing(few, nothing_compiled):
    few(1000)
    for _ in range(5):
        assert bw.MCTS(seed=1, compiled=False).search(TicTacToe(), simulations=200).simulations == 200
    with pytest.raises(AssertionError):
        bw.MCTS(seed=1, compiled=False).search(TicTacToe(), simulations=1)


def test_a_search_in_seconds_does_not_spend_them_on_slow_simulations(few, nothing_compiled):
    few(1000)
    with pytest.raises(AssertionError):
        bw.MCTS(seed=1, compiled=False).search(TicTacToe(), seconds=0.01)


def test_a_tree_grows_and_is_kept_and_shown_without_machine_code(few, nothing_compiled):
    few(1000)
    planner = bw.MCTS(seed=1, compiled=False)
    action = planner.search(TicTacToe(), simulations=100).best_action
    planner.advance(action)
    state = TicTacToe()
    state.apply_action(action)
    found = planner.search(state, simulations=100)
    assert found.tree.root.visits > 100
    assert len(bw.MCTS(seed=1).walkthrough(TicTacToe(), simulations=20).simulations) == 20


@pytest.mark.parametrize("name", STARTS)
def test_the_tree_is_the_same_whenever_phases_are_compiled(name, few):
    start, settings = STARTS[name]
    trees = []
    for limit in (0, 10**9):
        few(limit)
        found = bw.MCTS(seed=3, compiled=False, **settings).search(start(), simulations=150)
        trees.append(all_facts(found.tree.root))
    assert trees[0] == trees[1]


def test_a_planner_goes_on_with_compiled_phases_in_the_same_tree(few):
    trees = []
    for limit in (0, 150):  # with 150 the second search is the first with machine code
        few(limit)
        planner = bw.MCTS(seed=3, compiled=False, selection="rave", playout="mast")
        planner.search(TicTacToe(), simulations=100)
        planner.advance(4)
        state = TicTacToe()
        state.apply_action(4)
        trees.append(all_facts(planner.search(state, simulations=100).tree.root))
    assert trees[0] == trees[1]


def test_few_simulations_do_not_wait_for_the_compiler_to_finish_other_code(monkeypatch):
    interpreted._simulations.clear()
    monkeypatch.setattr(interpreted, "_are_loaded", lambda *_: False)
    busy, done = threading.Event(), threading.Event()

    def compile_something_large():
        with global_compiler_lock:
            busy.set()
            done.wait(60)

    compiling = threading.Thread(target=compile_something_large)
    compiling.start()
    busy.wait(60)
    try:
        planner = bw.MCTS(seed=1, compiled=False, selection="rave", playout="last_good_reply")
        assert planner.search(TicTacToe(), simulations=20).simulations == 20
        assert compiling.is_alive(), "the search did not wait for it"
    finally:
        done.set()
        compiling.join()


def test_rules_get_numbers_of_python_from_kernels_that_are_interpreted(few, nothing_compiled):
    few(1000)
    kinds = set()

    class Curious(Othello):  # its sets of bits overflow if numbers of NumPy take part
        def apply_action(self, action):
            kinds.add(type(action))
            super().apply_action(action)

    bw.MCTS(seed=1, compiled=False).search(Curious(), simulations=20)
    assert kinds == {int}


@pytest.mark.parametrize("dtype", [NODE, EVENT], ids=["node", "event"])
def test_fields_of_records_are_attributes_whatever_their_names(dtype):
    array = np.zeros(2, dtype)
    record = as_interpreted(array)[1]
    for number, name in enumerate(dtype.names):
        setattr(record, name, number)
        assert getattr(record, name) == record[name] == array[name][1] == number
        assert type(getattr(record, name)) is type(array[name][1])
    assert array[0] == np.zeros(1, dtype)[0]
