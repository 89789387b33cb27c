"""The micro grid: what an hour costs, its chances, and its exact value, which a table computes here."""

import random
from itertools import product
from statistics import mean, stdev

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.micro_grid import (
    CLEAR_SUN,
    DEMAND_SHARES,
    HOURS,
    LEFT_OVER,
    PRICE_SHARES,
    SOLD,
    STAY,
    SUN_SHARES,
    USUAL_DEMAND,
    USUAL_PRICE,
    MicroGrid,
)
from branchwise.testing import value_iteration

SMALL = MicroGrid.configured(capacity=3, power=1)
"""A battery whose exact value is computed in a moment."""
DAYS = 40


def value_by_a_table(capacity, power, efficiency):
    """Return the value of the best policy, by going back from midnight hour by hour."""
    after = np.zeros((capacity + 1, 3, 3, 3)) + LEFT_OVER * np.arange(capacity + 1)[:, None, None, None]
    for hour in reversed(range(HOURS)):
        now = np.empty_like(after)
        for charge, demand, price, sun in product(range(capacity + 1), *[range(3)] * 3):
            need = USUAL_DEMAND[hour] * DEMAND_SHARES[demand] - CLEAR_SUN[hour] * SUN_SHARES[sun]
            paid = USUAL_PRICE[hour] * PRICE_SHARES[price]
            values = []
            for to in range(max(charge - power, 0), min(charge + power, capacity) + 1):
                step = to - charge
                flow = need + (step / efficiency if step > 0 else step * efficiency)
                ahead = after[to, demand, price, sun]
                values.append(ahead - flow * paid * (1.0 if flow > 0 else SOLD))
            now[charge, demand, price, sun] = max(values)
        after = np.einsum("ai,bj,ck,xijk->xabc", STAY, STAY, STAY, now)
    return after[capacity // 2, 1, 1, 1]


def hour(charge=5, game=MicroGrid, **fields):
    return game(charge=charge, drawing=False, **fields)


def rewards_of_days(game, choose, days):
    """Return the returns of days that are drawn from seeds 0, 1, ..."""
    totals = []
    for day in range(days):
        dice, state, total = random.Random(day), game(), 0.0
        while not state.is_terminal():
            if state.current_player() == bw.CHANCE:
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                total += state.apply_action(dice.choices(outcomes, chances)[0])
            else:
                total += state.apply_action(choose(state))
        totals.append(total)
    return totals


@pytest.fixture(scope="module")
def values():
    return value_iteration(SMALL())


def test_value_iteration_finds_the_value_that_a_table_by_hours_has(values):
    assert values.value(SMALL()) == pytest.approx(value_by_a_table(3, 1, 0.9), abs=1e-6)


def test_the_best_policy_earns_its_value_and_the_rule_less_but_more_than_no_battery(values):
    exact = values.value(SMALL())

    def best(state):
        named = values.by_name(state)
        return state.action_from_string(max(named, key=named.get))

    by_policy = rewards_of_days(SMALL, best, DAYS)
    by_rule = rewards_of_days(SMALL, lambda state: state.playout_action(None), DAYS)
    idle = rewards_of_days(SMALL, lambda state: state.power, DAYS)
    assert mean(by_policy) == pytest.approx(exact, abs=3 * stdev(by_policy) / DAYS**0.5)
    for better, worse in ((by_policy, by_rule), (by_rule, idle)):
        differences = [one - other for one, other in zip(better, worse, strict=True)]
        assert mean(differences) > 2 * stdev(differences) / DAYS**0.5


def test_a_search_comes_near_the_exact_value(values):
    state = SMALL.from_actions([13])
    result = bw.MCTS(seed=1, c=0.3).search(state, simulations=4000)
    assert result.value == pytest.approx(values.value(state), abs=0.4)
    named = values.by_name(state)
    assert named[state.action_to_string(result.best_action)] > max(named.values()) - 0.03


def test_an_hour_costs_what_is_bought_and_earns_less_for_what_is_sold():
    night, noon = hour(hour=19), hour(hour=12, sun=2, demand=0)
    assert night.copy().apply_action(2) == pytest.approx(-5.0 * 0.40)
    assert night.copy().apply_action(0) == pytest.approx(-(5.0 - 2 * 0.9) * 0.40)
    assert night.copy().apply_action(4) == pytest.approx(-(5.0 + 2 / 0.9) * 0.40)
    left = 6.0 - 0.75 * 2.7
    assert noon.copy().apply_action(2) == pytest.approx(left * 0.18 * SOLD)
    assert noon.copy().apply_action(4) == pytest.approx((left - 2 / 0.9) * 0.18 * SOLD)
    dear = hour(hour=19, price=2)
    assert dear.apply_action(1) == pytest.approx(-(5.0 - 0.9) * 0.40 * 1.6)
    assert (dear.charge, dear.hour, dear.current_player()) == (4, 20, bw.CHANCE)
    last = hour(hour=23, charge=7)
    assert last.apply_action(2) == pytest.approx(-1.6 * 0.17 + 7 * LEFT_OVER)
    assert last.is_terminal()


def test_a_state_is_reported_in_words():
    assert MicroGrid(hour=9, charge=4, sun=0).told() == (
        "9:00, before: demand normal, sun low, price normal; battery 4 of 10 kWh"
    )
    assert "demand normal 5.0 kW, sun high 0.0 kW, price low 0.24" in hour(hour=19, sun=2, price=0).told()
    assert str(hour(7, hour=19)).splitlines()[0].count("#") == 7
    assert hour(hour=24).told() == "midnight; battery 5 of 10 kWh"
    assert [hour().action_to_string(action) for action in (0, 2, 3)] == ["draw2", "hold", "store1"]


def test_a_battery_cannot_be_more_than_full_or_less_than_empty():
    assert [hour(charge).legal_actions() for charge in (0, 1, 9, 10)] == [
        [2, 3, 4],
        [1, 2, 3, 4],
        [0, 1, 2, 3],
        [0, 1, 2],
    ]


def test_each_chain_stays_most_of_the_time_and_never_jumps():
    chances = dict(MicroGrid(demand=0, price=1, sun=2).chance_outcomes())
    assert sum(chances.values()) == pytest.approx(1)
    assert chances[9 * 0 + 3 * 1 + 2] == pytest.approx(0.8**3)
    assert chances[9 * 1 + 3 * 0 + 1] == pytest.approx(0.2 * 0.1 * 0.2)
    assert all(outcome // 9 < 2 and outcome % 3 > 0 for outcome in chances)


def test_the_rule_charges_what_is_cheap_or_left_over_and_discharges_what_is_dear():
    assert hour(hour=3).playout_action(None) == 4
    assert hour(hour=12, sun=2).playout_action(None) == 4
    assert hour(hour=9).playout_action(None) == 2
    assert hour(hour=19).playout_action(None) == 0
    assert hour(0, hour=19).playout_action(None) == 2
    assert hour(10, hour=3).playout_action(None) == 2


@pytest.mark.parametrize("options", ["capacity=0", "power=0", "power=11", "efficiency=0.0", "efficiency=1.1"])
def test_impossible_options_are_refused(options):
    with pytest.raises(bw.GameError):
        bw.load_game(f"micro_grid({options})")
