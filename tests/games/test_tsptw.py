"""The travelling salesman with time windows: trips against all permutations, files, and what is refused."""

import itertools
import math
import random

import pytest

import branchwise as bw
from branchwise.problems.tsptw import LATE, TSPTW, UNWISE

CUSTOMERS = """!! three customers

CUST NO.   XCOORD.   YCOORD.    DEMAND   READY TIME   DUE DATE   SERVICE TIME

    1      0.00      0.00       0.00       0.00     100.00       0.00
    2      3.00      4.00       0.00      20.00      30.00       2.00
    3      0.00      1.50       0.00       0.00       4.00       7.00
  999      0.00      0.00       0.00       0.00       0.00       0.00
"""
MATRIX = "3\n0 5 1\n6 0 4\n9 11 0\n0 100\n20 30\n0 4\n# a remark\n"


def saved(tmp_path, text):
    file = tmp_path / "cities.txt"
    file.write_text(text)
    return str(file)


def told_again(game, trip):
    """Return length, end and missed windows of a round trip."""
    length, time, late = 0.0, float(game.opens[0]), 0
    for here, there in itertools.pairwise(trip):
        length += game.distances[here, there]
        time += game.service[here] + game.distances[here, there]
        late += int(time > game.closes[there])
        time = max(time, game.opens[there])
    return length, time, late


@pytest.mark.parametrize("objective", ["travel", "makespan"])
def test_rewards_add_up_to_the_cost_of_the_trip(objective):
    source = random.Random(1)
    lates = set()
    for seed in range(8):
        game = TSPTW.configured(cities=7, seed=seed, width=120, objective=objective)
        state, total = game(), 0.0
        while not state.is_terminal():
            action = source.choice(state.legal_actions())
            assert state.prior(action) > 0
            total += state.apply_action(action)
        length, time, late = told_again(game, state.trip())
        assert (state.length(), state.time, state.late) == (length, time, late)
        assert total == pytest.approx(-late * LATE - (length if objective == "travel" else time))
        assert game.min_return <= total <= game.max_return
        lates.add(late)
    assert len(lates) > 2


def test_nrpa_finds_the_shortest_trip_that_meets_all_windows():
    game = TSPTW.configured(cities=8, width=100)
    trips = [told_again(game, (0, *order, 0)) for order in itertools.permutations(range(1, 8))]
    shortest = min(length for length, _, late in trips if late == 0)
    assert 1 < sum(late == 0 for _, _, late in trips) < len(trips) / 10
    result = bw.NRPA(level=2, iterations=30, seed=1).search(game(), playouts=2000)
    assert result.best_score == -shortest
    assert result.end.late == 0


def test_our_instances_have_a_trip_that_meets_all_windows():
    for seed in range(5):
        game = TSPTW.configured(cities=7, width=0, seed=seed)
        trips = (told_again(game, (0, *order, 0)) for order in itertools.permutations(range(1, 7)))
        assert 0 in {late for _, _, late in trips}


def test_the_prior_avoids_what_makes_another_city_late():
    """It asks whether a city closes in the meantime that could be reached in time."""
    source = random.Random(2)
    found = set()
    for seed in range(5):
        state = TSPTW.configured(cities=8, width=80, seed=seed, closeness=0.0)()
        while not state.is_terminal():
            legal = state.legal_actions()
            for action in legal:
                begins = max(state.arrival(action), state.opens[action])
                spoils = any(
                    state.arrival(city) <= state.closes[city] < begins for city in legal if city != action
                )
                assert state.prior(action) == (math.exp(-UNWISE) if spoils else 1.0)
                found.add(spoils)
            state.apply_action(source.choice(legal))
    assert found == {False, True}


def test_the_prior_avoids_no_trip_that_meets_all_windows():
    game = TSPTW.configured(cities=7, width=120, closeness=0.0)
    good = 0
    for order in itertools.permutations(range(1, 7)):
        if told_again(game, (0, *order, 0))[2] == 0:
            good += 1
            state = game()
            for city in order:
                assert state.prior(city) == 1.0
                state.apply_action(city)
    assert good > 1


def test_local_search_that_knows_no_windows_is_not_inherited():
    with pytest.raises(bw.GameError, match="needs a method improve, which tsptw does not have"):
        bw.NRPA(level=1, improve=True).search(TSPTW(), playouts=10)


def test_customers_are_read(tmp_path):
    game = TSPTW.configured(file=saved(tmp_path, CUSTOMERS))
    assert game.distances.tolist() == [[0, 5, 1], [5, 0, 3], [1, 3, 0]]  # 1.5 and 3.9 are rounded down
    state = game.from_actions("3 2")
    assert (state.length(), state.time, state.late) == (9, 27, 0)  # 1, 8, 11, open at 20, 22, back at 27
    assert game.from_actions("2 3").late == 1
    assert state.places[1].tolist() == [3, -4]


def test_matrices_may_differ_by_direction(tmp_path):
    game = TSPTW.configured(file=saved(tmp_path, MATRIX), objective="makespan")
    state = game()
    assert [state.apply_action(2), state.apply_action(1)] == [-1, -25]
    assert (state.length(), state.time) == (18, 26)
    assert state.to_svg()


def test_times_of_service_in_a_matrix_may_be_on_its_diagonal(tmp_path):
    """Published instances have them there, and fractions; nobody goes from a city to itself."""
    text = "3\n0 5.25 1.5\n15.25 10 13.5\n11.5 13.5 10\n0 960\n20 30\n0 400\n"
    state = TSPTW.configured(file=saved(tmp_path, text))()
    assert [state.apply_action(1), state.apply_action(2)] == [-5.25, -25.0]
    assert (state.length(), state.time, state.late) == (30.25, 45.0, 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NAME: ulysses\nTYPE: TSP\n", " has an unknown format\n.*CUST NO. XCOORD."),
        ("", " has an unknown format"),
        (CUSTOMERS.replace("    3 ", "    4 "), ", line 7: customer 4 follows 2"),
        (CUSTOMERS.replace("3.00      4.00", "3.00      x"), ", line 6: '2 3.00 x .*' is not 7 numbers"),
        (CUSTOMERS.replace("    3 ", "  999 "), " has 2 cities, not from 3 to 1000"),
        (CUSTOMERS.replace("20.00      30.00", "20.00      10.00"), ": city 2 opens at 20 and closes at 10"),
        (MATRIX.replace("3\n", "2\n", 1), " has 2 cities, not from 3 to 1000"),
        (MATRIX.replace("20 30\n", ""), " has 5 rows below the number of cities, not 6"),
        (MATRIX.replace("6 0 4", "6 0"), ", line 3: '6 0' is not 3 numbers up to 1e9"),
        (MATRIX.replace("6 0 4", "6 0 -4"), " has a time below 0"),
        (MATRIX.replace("6 0 4", "6 0 nan"), ", line 3: '6 0 nan' is not 3 numbers"),
    ],
)
def test_a_bad_file_is_reported(tmp_path, text, told):
    file = saved(tmp_path, text)
    with pytest.raises(bw.GameError, match=rf"tsptw\(file='.*cities\.txt'\){told}"):
        TSPTW.configured(file=file)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"cities": 2}, r"tsptw\(cities=2\) is not from 3 to 1000"),
        ({"width": -1}, r"tsptw\(width=-1\) is not from 0 to 10000"),
        ({"closeness": -1.0}, r"tsptw\(closeness=-1.0\) is not from 0 to 100"),
        ({"file": "none.txt", "seed": 2}, "has its own cities\n.*file= or seed="),
        ({"file": "none.txt"}, "cannot be read"),
    ],
)
def test_options_that_cannot_be_are_reported(options, told):
    with pytest.raises(bw.GameError, match=told):
        TSPTW.configured(**options)


def test_an_unknown_objective_is_reported():
    with pytest.raises(bw.UnknownNameError, match="makespan"):
        TSPTW.configured(objective="makespam")
