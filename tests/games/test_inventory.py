"""The inventory: costs by hand, values against other rules and by a second method, files, what is refused."""

import functools
import math
import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.inventory import Inventory, best_levels

FILE = """product,demand,lead_time,lot,start,holding_cost
screws, 3, 0, 10, 4, .1
nuts, 5, 2, 4, 6, .2
"""


def from_file(tmp_path, text):
    file = tmp_path / "stock.csv"
    file.write_text(text)
    return Inventory.configured(file=str(file))


def paid(state, moves):
    return [state.apply_action(state.action_from_string(move)) for move in moves.split()]


def value_of(start, choose):
    """Return what is paid on average from `start` on, by recursion over states in plain Python."""

    @functools.cache
    def value(state):
        if state.is_terminal():
            return 0.0

        def after(action):
            then = state.copy()
            return then.apply_action(action) + value(then)

        if state.current_player() == bw.CHANCE:
            return sum(chance * after(demand) for demand, chance in state.chance_outcomes())
        return choose(state, after)

    return value(start)


def test_the_stock_of_the_documentation_has_the_known_value():
    """It is the problem of docs/solve.md, which was solved before this class was written."""
    stock = Inventory.configured(lead_time=0, lot=1, lots=12, capacity=26)
    found = bw.solve(stock)
    assert (round(found.value, 6), found.states) == (-490.850889, 1599)


@pytest.mark.parametrize(
    "options", [{"days": 4}, {"days": 2, "products": 2, "lots": 2}, {"days": 4, "lead_time": 2}]
)
def test_values_are_those_of_a_recursion_in_plain_python(options):
    game = Inventory.configured(demand=1.0, **options)
    best = value_of(game(), lambda state, after: max(map(after, state.legal_actions())))
    assert bw.solve(game).value == pytest.approx(best, abs=1e-9)


def test_the_rule_is_close_to_the_best_plan_and_random_orders_are_not():
    game = Inventory.configured(lead_time=0, lot=1, lots=12, capacity=26)
    rule = value_of(game(), lambda state, after: after(state.playout_action(None)))
    assert -490.850889 - 9.0 < rule < -490.850889


def test_costs_by_hand():
    state = Inventory()
    assert paid(state, "+8 -5 +0 -11") == [-25.0, -0.4 * 1, 0.0, -7.0 * 2]
    assert (state.stock[0], state.coming[0, 0], state.day) == (0, 0, 2)


def test_an_order_of_two_days_arrives_when_it_should():
    state = Inventory.configured(lead_time=2)()
    paid(state, "+12 -2")
    assert (state.stock[0], state.coming[0].tolist()) == (4, [12, 0])
    paid(state, "+4 -4")
    assert (state.stock[0], state.coming[0].tolist()) == (12, [4, 0])


def test_products_share_the_cost_of_an_order():
    state = Inventory.configured(products=2)()
    assert paid(state, "+4 +8 -0 -0") == pytest.approx([-9 - 8, -16, -0.4 * 6, -0.4 * 6])
    assert paid(state, "+0 +4") == [0.0, -9 - 8]


def test_stock_never_exceeds_its_place_and_bounds_hold():
    source = random.Random(1)
    for lead_time in (0, 1, 3):
        game = Inventory.configured(products=2, lead_time=lead_time, capacity=17, days=12)
        state, total = game(), 0.0
        while not state.is_terminal():
            actions = state.legal_actions()
            if state.current_player() == bw.CHANCE:
                assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1.0, abs=1e-12)
            total += state.apply_action(source.choice(actions))
            assert all(0 <= state.position(product) <= 17 for product in range(2))
        assert game.min_return <= total <= game.max_return


@pytest.mark.parametrize("lead_time", [0, 2])
def test_levels_are_the_best_of_all_pairs_in_the_long_run(lead_time):
    """Each pair is judged by the stationary distribution of positions, with linear equations."""
    chances = np.array([0.2, 0.3, 0.3, 0.2])
    until = functools.reduce(np.convolve, [chances] * (lead_time + 1))

    def cost(low, top):
        size, floor = top + 4, 4  # positions from low - 3 to top
        moves, costs = np.zeros((size + floor, size + floor)), np.zeros(size + floor)
        for position in range(-floor, top + 1):
            level = top if position <= low else position
            for demand, chance in enumerate(chances):
                if level - demand >= -floor:
                    moves[position + floor, level - demand + floor] += chance
            left = level - np.arange(len(until))
            costs[position + floor] = (8.0 if position <= low else 0.0) + (
                np.maximum(left, 0) * 1.0 + np.maximum(-left, 0) * 6.0
            ) @ until
        moves = moves[: top + 1 + floor, : top + 1 + floor]
        share = np.linalg.lstsq(
            np.vstack([moves.T - np.eye(len(moves)), np.ones(len(moves))]),
            np.eye(len(moves) + 1)[-1],
            rcond=None,
        )[0]
        return float(share @ costs[: len(moves)])

    low, top = best_levels(chances, lead_time, 8.0, 1.0, 6.0, 20)
    best = min(cost(s, S) for S in range(1, 21) for s in range(S))
    assert cost(low, top) == pytest.approx(best, abs=1e-9)


def test_a_file_has_a_row_for_each_product(tmp_path):
    game = from_file(tmp_path, FILE)
    assert (game.names, game.num_products, game.longest_lead) == (["screws", "nuts"], 2, 2)
    assert game.lot_of.tolist() == [10, 4]
    assert game.lost_cost_of.tolist() == [7.0, 7.0]
    state = game.from_actions("+10 +4 -3 -5")
    assert (state.stock.tolist(), state.coming.tolist()) == ([11, 1], [[0, 0], [4, 0]])
    assert str(state).splitlines()[0] == "day 2 of 30: order of screws"
    assert "nuts: 1" in state.to_svg()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no rows"),
        ("product,demand\n", "has no rows"),
        ("product\nscrews\n", "line 1: there is no column demand"),
        ("product,demand,lead\nscrews,1,1\n", 'line 1: "lead"; did you mean "lead_time"?'),
        ("product,demand,demand\nscrews,1,1\n", "line 1: the column demand is named twice"),
        ("product,demand\nscrews,-1\n", "line 2: demand is '-1', not a number from 0.01 to 200"),
        ("product,demand\n\nscrews,nan\n", "line 3: demand is 'nan'"),
        ("product,demand\nscrews\n", "line 2 has 1 cells, and line 1 names 2 columns"),
        ("product,demand,lot\nscrews,1,1.5\n", "line 2: lot is '1.5', not a whole number from 1 to 1000"),
        ("product,demand,start\nscrews,1,31\n", "of screws, 31 do not fit into 30"),
        ("product,demand\n" + "a,1\n" * 21, "line 22: there are more than 20 rows"),
    ],
)
def test_a_damaged_file_is_one_clear_error(tmp_path, text, told):
    with pytest.raises(bw.BranchwiseError) as raised:
        from_file(tmp_path, text)
    assert told in str(raised.value)
    assert "\n" not in raised.value.problem


@pytest.mark.parametrize(
    "options",
    [
        {"products": 0},
        {"demand": -1.0},
        {"demand": math.inf},
        {"lead_time": 31},
        {"start": 40},
        {"file": "none"},
        {"file": "x", "products": 2},
    ],
)
def test_options_are_checked(options):
    with pytest.raises(bw.GameError):
        Inventory.configured(**options)
