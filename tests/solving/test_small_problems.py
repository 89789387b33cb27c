"""Finding out without delay whether a problem with chance is small enough to be solved."""

import time

import pytest

import branchwise as bw
from branchwise.games import load_game
from branchwise.solving import small_problems
from branchwise.solving.small_problems import states_of_small
from support.stocks import Stocks, Twins


@pytest.mark.parametrize("name", ["frozen_lake", "inventory", "taxi", "micro_grid"])
def test_it_tells_how_many_states_are_solved(name):
    state = load_game(name)()
    assert states_of_small(state) == bw.solve(type(state)).states


def test_a_large_problem_is_recognised_before_anything_is_compiled(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("compiled")

    monkeypatch.setattr(small_problems, "ExactStates", refuse)
    for game in (load_game("twenty_forty_eight"), load_game("inventory(products=2,lead_time=2)")):
        began = time.process_time()
        assert states_of_small(game()) is None
        assert time.process_time() - began < 1.0


def test_the_time_for_listing_is_bounded():
    assert states_of_small(Stocks(), 1e-4) is None


@pytest.mark.parametrize("name", ["nim", "pig", "mountain_car", "tiger", "driving", "kuhn_poker"])
def test_other_games_are_not_looked_at(name):
    assert states_of_small(load_game(name).new_initial_state(bw.Random(1))) is None


def test_faults_of_rules_are_left_to_what_comes_next():
    class Broken(Twins):
        def chance_outcomes(self):
            yield 0, 1 / self.throws

    assert states_of_small(Broken()) is None
