"""Vehicle routing: costs by hand, the shortest routes by trying all, local search, files, what is refused."""

import itertools
import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.trips import shortened
from branchwise.problems.vehicle_routing import TOO_MANY, VehicleRouting

TABLE = """stop,x,y,demand
Depot,0,0,0
North Gate,0,3,2
East,4,0,3
Far East,8,0,2
"""
CVRP = """NAME : square
COMMENT : (six places, two vehicles)
TYPE : CVRP
DIMENSION : 6
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
 1 10 10
 2 0 10
 3 10 0
 4 0 0
 5 5 5
 6 20 10
DEMAND_SECTION
1 3
2 4
3 6
4 2
5 0
6 5
DEPOT_SECTION
 5
 -1
EOF
"""


def from_file(tmp_path, text, name="stops.csv", **options):
    file = tmp_path / name
    file.write_text(text)
    return VehicleRouting.configured(file=str(file), **options)


def shortest(game):
    """Return the length of the shortest routes: all orders of stops, divided in the best way."""
    distances, demands = game.distances, game.demands
    best = np.inf
    for order in itertools.permutations(range(1, game.num_actions)):
        until = [0.0] + [np.inf] * len(order)
        for end in range(1, len(order) + 1):
            for begin in range(end):
                if demands[list(order[begin:end])].sum() <= game.holds:
                    way = [0, *order[begin:end], 0]
                    until[end] = min(until[end], until[begin] + distances[way[:-1], way[1:]].sum())
        best = min(best, until[-1])
    return float(best)


def random_line(state, source):
    state, line = state.copy(), []
    while not state.is_terminal():
        line.append(source.choice(state.legal_actions()))
        state.apply_action(line[-1])
    return line


def score(state, line):
    state, total = state.copy(), 0.0
    for action in line:
        assert action in state.legal_actions()
        total += state.apply_action(action)
    assert state.is_terminal()
    return total


def test_costs_by_hand(tmp_path):
    game = from_file(tmp_path, TABLE, capacity=5.0)
    names = ["Depot", "North_Gate", "East", "Far_East"]
    assert (game.num_actions, game.max_game_length, game.names) == (4, 5, names)
    state = game.from_actions("East")
    names = [state.action_to_string(action) for action in state.legal_actions()]
    assert names == ["Depot", "North_Gate", "Far_East"]
    row = state.plan_row(3)
    assert tuple(row.values()) == (1, "Far_East", 5.0, 4.0)
    assert state.apply_action(3) == -4.0
    assert state.legal_actions() == [0]
    assert state.apply_action(0) == -8.0
    assert state.apply_action(1) == -6.0  # and back
    assert state.is_terminal()
    assert str(state).splitlines() == [
        "vehicle 1: East Far_East, load 5 of 5, length 16",
        "vehicle 2: North_Gate, load 2 of 5, length 6",
        "2 vehicles, length 22",
    ]
    assert state.to_svg().count("<title>") == 3


def test_more_routes_than_vehicles_cost_a_million(tmp_path):
    state = from_file(tmp_path, TABLE, capacity=5.0, vehicles=1).from_actions("East")
    assert state.copy().apply_action(0) == -4.0 - TOO_MANY
    assert score(state, [3, 0, 1]) == -4.0 - 8.0 - TOO_MANY - 6.0


@pytest.mark.parametrize("seed", range(4))
def test_the_default_search_finds_the_shortest_routes(seed):
    game = VehicleRouting.configured(stops=6, capacity=20.0, seed=seed)
    result = bw.Portfolio(seed=1).search(game(), playouts=2000)
    assert -result.best_score == shortest(game)
    assert game.min_return <= result.best_score <= game.max_return


@pytest.mark.parametrize("seed", range(6))
def test_improved_lines_are_legal_and_never_worse(seed):
    source = random.Random(seed)
    game = VehicleRouting.configured(stops=18, capacity=30.0, seed=seed)
    state = game()
    line = random_line(state, source)
    better = state.improve(tuple(line))
    assert score(state, better) > score(state, line)
    assert score(state, state.improve(tuple(better))) == score(state, better)
    for _ in range(9):
        state.apply_action(line.pop(0))
    assert score(state, state.improve(tuple(line))) >= score(state, line)


def test_no_reversal_move_or_exchange_shortens_improved_routes():
    """Each change is made and measured as a whole, in another way than the search does it."""
    source = np.random.default_rng(3)
    for _ in range(5):
        places = source.uniform(0, 100, (9, 2))
        distances = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
        demands = np.array([0.0, *source.integers(1, 9, 8)])

        def length(trip, distances=distances, demands=demands):
            trip = np.array(trip)
            loads = np.add.reduceat(demands[trip], np.flatnonzero(trip == 0))
            return np.inf if loads.max() > 18.0 else distances[trip, np.roll(trip, -1)].sum()

        trip = np.array([place for stop in range(1, 9) for place in (0, stop)])
        found = shortened(trip, distances, demands=demands, capacity=18.0).tolist()
        assert sorted(place for place in found if place) == list(range(1, 9))
        best = length(found) - 1e-9
        assert best < length(trip)
        for i, j in itertools.combinations(range(1, len(found)), 2):
            assert length([*found[:i], *found[i : j + 1][::-1], *found[j + 1 :]]) >= best
            changed = list(found)
            changed[i], changed[j] = found[j], found[i]
            assert 0 in (found[i], found[j]) or length(changed) >= best
        for i, size, k in itertools.product(range(1, len(found)), (1, 2, 3), range(len(found))):
            moved, rest = found[i : i + size], found[:i] + found[i + size :]
            if 0 not in moved and k < len(rest):
                assert length([*rest[: k + 1], *moved, *rest[k + 1 :]]) >= best


def test_a_file_that_has_changed_is_read_again(tmp_path):
    """As when somebody mends a number, and runs a cell of a notebook again."""
    text = "x,y,demand\n0,0,0\n3,4,2\n6,8,{}\n"
    one, same = (from_file(tmp_path, text.format(1)) for _ in range(2))
    file = tmp_path / "stops.csv"
    again = VehicleRouting.configured(file=str(file))
    assert again is VehicleRouting.configured(file=str(file)) is same
    other = from_file(tmp_path, text.format(11))
    assert (one.demands.tolist(), other.demands.tolist()) == ([0, 2, 1], [0, 2, 11])
    assert one.name == other.name


def test_a_file_of_cvrplib_is_read(tmp_path):
    game = from_file(tmp_path, CVRP, "square.vrp")
    assert (game.num_actions, game.holds, game.demands.tolist()) == (6, 10.0, [0, 3, 4, 6, 2, 5])
    assert game.distances[0].tolist() == [0, 7, 7, 7, 7, 16]  # rounded, from the depot at (5, 5)
    state = game.from_actions("1 5 depot 3 4 depot 2")
    assert (score(game(), [1, 5, 0, 3, 4, 0, 2]), state.routes) == (-33.0 - 24.0 - 14.0, 3)
    assert state.to_svg().count("<polyline") == 3


def test_random_stops_depend_on_the_seed_alone():
    one, two = (VehicleRouting.configured(stops=9, seed=seed) for seed in (1, 2))
    assert (one.distances != two.distances).any()
    assert one.demands[0] == 0 < one.demands[1:].min()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("DIMENSION : 6", "DIMENSION : 7"), "line 13: NODE_COORD_SECTION ends after 18 numbers, not 21"),
        (("6 5\nDEPOT", "DEPOT"), "line 19: DEMAND_SECTION ends after 10 numbers, not 12"),
        (("1 3\n2 4", "1 3\n1 4"), "line 16: city 1 is given twice"),
        (("2 4\n", "2 -4\n"), "stop 2 asks for -4, not 0 to 10"),
        (("2 4\n", "2 40\n"), "stop 2 asks for 40, not 0 to 10"),
        (("CAPACITY : 10\n", ""), "has no CAPACITY"),
        (("CAPACITY : 10", "CAPACITY : ten"), "line 6: 'ten' is not a number"),
        (("TYPE : CVRP", "TYPE : TSP"), "line 3: TYPE is TSP, which is not supported"),
        ((" 5\n -1", " 5\n 4\n -1"), "DEPOT_SECTION continues with '-1' after 2 numbers: one depot"),
        ((" 5\n -1", " 9\n -1"), "the depot '9' is not from 1 to 6"),
        ((" 5\n -1", " 2\n -1"), "the depot asks for 4"),
        (("DIMENSION : 6", "DIMENSION : 99999"), "line 4: DIMENSION is '99999', not a number of cities"),
    ],
)
def test_a_damaged_file_of_cvrplib_is_one_clear_error(tmp_path, change, told):
    with pytest.raises(bw.GameError) as raised:
        from_file(tmp_path, CVRP.replace(*change), "square.vrp")
    assert told in str(raised.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no rows"),
        ("x,y\n1,2\n", "line 1: there is no column demand"),
        ("x,y,demand,weight\n", '"weight"'),
        ("x,y,demand\n0,0,0\n1,2,-3\n", "line 3: demand is '-3', not a number from 0 to 50"),
        ("x,y,demand\n0,0,0\n1,2,51\n", "line 3: demand is '51', not a number from 0 to 50"),
        ("x,y,demand\n0,0,0\n1,2\n", "line 3 has 2 cells, and line 1 names 3 columns"),
        ("x,y,demand\n0,0,0\n1,nan,2\n", "line 3: y is 'nan'"),
        ("x,y,demand\n0,0,0\n", "has no stops"),
        ("x,y,demand\n0,0,1\n1,1,1\n", "the depot asks for 1"),
        ("stop,x,y,demand\nA,0,0,0\na,1,1,1\n", "line 3: the name 'a' is empty or not new"),
        ("x,y,demand\n" + "0,0,0\n" * 1001, "line 1002: there are more than 1000 rows"),
    ],
)
def test_a_damaged_table_is_one_clear_error(tmp_path, text, told):
    with pytest.raises(bw.BranchwiseError) as raised:
        from_file(tmp_path, text)
    assert told in str(raised.value)


@pytest.mark.parametrize(
    "options",
    [
        {"stops": 0},
        {"stops": 1000},
        {"capacity": 14.0},
        {"capacity": -1.0},
        {"file": "none.csv"},
        {"vehicles": -1},
    ],
)
def test_options_are_checked(options):
    with pytest.raises(bw.GameError):
        VehicleRouting.configured(**options)


def test_demands_with_fractions_fill_a_vehicle_whatever_their_order(tmp_path):
    rows = "".join(f"{x},{x * x % 7},0.1\n" for x in range(1, 13))
    game = from_file(tmp_path, f"x,y,demand\n0,0,0\n{rows}", capacity=0.3)
    source = random.Random(1)
    for _ in range(20):
        line = random_line(game(), source)
        assert score(game(), game().improve(tuple(line))) >= score(game(), line)
    assert game.from_actions("1 2 3").legal_actions() == [0]
