"""Continuous actions with random transitions, against exact optima: open loop, and widening of both."""

import numpy as np
import pytest

import branchwise as bw
from support.steered import REACH, TARGET, Steered, optimum, values

BOTH = {
    "outcome_widening": 1.0,
    "outcome_widening_power": 0.4,
    "widening": 1.0,
    "widening_power": 0.35,
    "c": 0.05,
}


def found(simulations, seeds=4, **settings):
    return [
        bw.MCTS(seed=seed, **settings).search(Steered(), simulations=simulations) for seed in range(seeds)
    ]


def mean_value(results):
    return float(np.mean([result.value for result in results]))


def regret(results, *, open_loop):
    """Return how much less than the best the first actions are worth, at most."""
    aims = [result.best_action[0] for result in results]
    return float((optimum(open_loop=open_loop)[1] - values(aims, open_loop=open_loop)).max())


def test_the_exact_optima_are_those_that_one_can_work_out():
    aim, worth = optimum(open_loop=True)  # the correction makes up for all but the wind
    assert aim == pytest.approx(0.3)
    assert worth == pytest.approx(-1 / 3, abs=1e-6)
    aim, worth = optimum(open_loop=False)  # the rest, r = .6 - (aim - .3), is missed on average by r^3 / 6
    more = np.linspace(0.0, 0.6, 60_001)
    exact = -(more**2) - (0.6 - more) ** 3 / 6
    assert worth == pytest.approx(exact.max(), abs=1e-6)
    assert aim == pytest.approx(0.3 + more[exact.argmax()], abs=2e-3)


def test_an_open_loop_comes_to_its_own_optimum():
    few, many = found(2000, c=0.1), found(100_000, c=0.1)
    assert regret(many, open_loop=True) < 0.005 < regret(few, open_loop=True)
    assert mean_value(few) < mean_value(many) < -1 / 3
    assert mean_value(many) == pytest.approx(-1 / 3, abs=0.04)


def test_widening_both_plans_for_corrections_that_an_open_loop_cannot_make():
    worth = [mean_value(found(simulations, **BOTH)) for simulations in (2000, 20_000, 200_000)]
    assert worth[0] < worth[1] < worth[2] < optimum(open_loop=False)[1]
    assert worth[1] > -1 / 3
    assert worth[2] > -0.2


def test_corrections_come_near_the_exact_ones_where_they_were_looked_at_often():
    (result,) = found(200_000, seeds=1, **BOTH)
    first = result.tree.root.children[0]
    outcomes = sorted(first.children, key=lambda node: -node.visits)[:20]
    missed, blind = [], []
    for outcome in outcomes:
        assert outcome.visits > 100
        best = outcome.children[0]
        missed.append(-best.value)
        blind.append(-np.mean([child.value for child in outcome.children]))
    assert np.mean(missed) < 0.1 < np.mean(blind)


def test_without_a_limit_on_outcomes_every_correction_is_a_random_one():
    results = found(50_000, open_loop=False, c=0.1)
    aims = [result.best_action[0] for result in results]
    assert np.mean(aims) == pytest.approx((0.3 + TARGET) / 2, abs=0.04)  # the best before a blind correction
    blind = -(0.3**2) - 0.3**2 - 1 / 3 - REACH**2 / 3
    assert mean_value(results) == pytest.approx(blind, abs=0.06)


def test_compiled_and_interpreted_searches_widen_alike():
    compiled, interpreted = (
        bw.MCTS(seed=5, compiled=way, **BOTH).search(Steered(), simulations=400).tree.to_table()
        for way in (None, False)
    )
    for name in ("action_0", "visits", "value", "index"):
        np.testing.assert_array_equal(compiled[name], interpreted[name])


def test_outcome_widening_without_chance_is_one_clear_error():
    from support.boxes import Peak

    with pytest.raises((bw.GameError, bw.SettingsError)) as caught:
        bw.MCTS(outcome_widening=1.0).search(Peak(), simulations=10)
    assert caught.value.mend
