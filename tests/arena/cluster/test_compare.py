"""A comparison's runs on an executor."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import branchwise as bw
from branchwise.common.errors import MatchError
from branchwise.compare.comparison import compare


def found(result):
    return [
        (one.method, [(r.seed, r.best_score, r.best_line, r.steps) for r in one.runs])
        for one in result.methods
    ]


def test_runs_are_the_same_as_in_this_process():
    state = bw.load_game("left_move(moves=8)")()
    methods = ["nrpa(level=1)", "nested(level=1)", "dfs"]
    expected = compare(state, methods, steps=50, seeds=2, compiled=False)
    with ProcessPoolExecutor(2) as executor, bw.on_executor(executor):
        assert found(compare(state, methods, steps=50, seeds=2, compiled=False)) == found(expected)


def test_a_state_that_cannot_be_pickled_is_told():
    class Local(bw.load_game("left_move")):
        pass

    told = pytest.raises(MatchError, match=r"ThreadPoolExecutor cannot run a task: .*Local")
    with ThreadPoolExecutor(1) as executor, bw.on_executor(executor), told:
        compare(Local(), ["dfs"], steps=10, seeds=1, compiled=False)
