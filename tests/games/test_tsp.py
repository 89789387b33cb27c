"""The travelling salesman: TSPLIB's files and rounding, broken files, and trips of an exact solver."""

import itertools
import random
from pathlib import Path

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.trips import shortened
from branchwise.problems.tsp import TSP
from branchwise.problems.tsplib_reader import FORMATS, METRICS, read_cities

TSPLIB = Path(__file__).parents[1] / "support" / "tsplib"


def read(tmp_path, text):
    file = tmp_path / "cities.tsp"
    file.write_text(text)
    return read_cities(str(file), "cities.tsp")


def placed(kind, *places):
    lines = [" ".join(map(str, [number, *place])) for number, place in enumerate(places, start=1)]
    head = f"NAME: ours\nTYPE : TSP (ours)\nDIMENSION: {len(places)}\nEDGE_WEIGHT_TYPE: {kind}\n"
    return f"{head}NODE_COORD_SECTION\n" + "\n".join(lines) + "\nEOF\nnot read\n"


def explicit(form, numbers, count=3):
    return (
        f"TYPE: TSP\nDIMENSION: {count}\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {form}\n"
        f"EDGE_WEIGHT_SECTION\n{numbers}\n"
    )


def shortest(distances):
    """Return the length of the shortest round trip, by the recursion of Held and Karp over sets of cities."""
    count = len(distances) - 1  # the last city is the start
    best = np.full((1 << count, count), np.inf)
    best[1 << np.arange(count), np.arange(count)] = distances[count, :count]
    sets = np.arange(1 << count)
    for size in range(2, count + 1):
        of_size = sets[[int(s).bit_count() == size for s in sets]]
        for last in range(count):
            ending = of_size[of_size >> last & 1 == 1]
            best[ending, last] = (best[ending ^ (1 << last)] + distances[:count, last]).min(axis=1)
    return int((best[-1] + distances[:count, count]).min())


# --- distances ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "other", "distance"),
    [
        ("EUC_2D", (3, 4), 5),
        ("EUC_2D", (1, 1), 1),  # 1.41
        ("EUC_2D", (2.5, 0), 3),
        ("CEIL_2D", (1, 1), 2),
        ("CEIL_2D", (3, 4), 5),
        ("EUC_3D", (1, 2, 2), 3),
        ("EUC_3D", (1, 1, 1), 2),  # 1.73
        ("MAN_2D", (3, -4), 7),
        ("MAN_2D", (0.3, 0.3), 1),
        ("MAN_3D", (3, -4, 2), 9),
        ("MAX_2D", (3.4, -4.5), 5),
        ("MAX_3D", (3, -4, 6), 6),
        ("ATT", (3, 1), 1),
        ("ATT", (4, 0), 2),  # 1.26
        ("ATT", (5, 0), 2),  # 1.58
        ("GEO", (0.0, 1.0), 112),  # 111.3 km
        ("GEO", (0.30, 0.0), 56),  # 30 minutes
    ],
)
def test_distances_are_rounded_as_tsplib_says(tmp_path, kind, other, distance):
    cities = read(tmp_path, placed(kind, (0,) * len(other), other, (9,) * len(other)))
    assert cities.places.tolist()[1] == ([other[1], -other[0]] if kind == "GEO" else [other[0], -other[1]])
    assert cities.distances[0, 1] == cities.distances[1, 0] == distance
    assert cities.distances[0, 0] == 0


def test_places_are_drawn_with_north_on_top(tmp_path):
    assert read(tmp_path, placed("EUC_2D", (1, 2), (3, 4), (5, 6))).places[0].tolist() == [1, -2]
    assert read(tmp_path, placed("GEO", (1, 2), (3, 4), (5, 6))).places[0].tolist() == [2, -1]


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("FULL_MATRIX", "0 1 2\n1 0 3\n2 3 0"),
        ("UPPER_ROW", "1 2\n3"),
        ("LOWER_ROW", "1\n2 3"),
        ("UPPER_DIAG_ROW", "0 1 2 0\n3 0"),
        ("LOWER_DIAG_ROW", "0\n1 0 2\n3\n0"),
        ("UPPER_COL", "1\n2 3"),
        ("LOWER_COL", "1 2\n3"),
        ("UPPER_DIAG_COL", "0\n1 0 2\n3\n0"),
        ("LOWER_DIAG_COL", "0 1 2 0\n3 0"),
    ],
)
def test_matrices_of_all_formats_are_read(tmp_path, form, numbers):
    cities = read(tmp_path, explicit(form, numbers))
    assert cities.distances.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    assert cities.places is None


def test_all_metrics_and_formats_of_tsplib_are_read_but_special_ones():
    flat, deep = {f"{kind}_2D" for kind in ("EUC", "MAN", "MAX", "CEIL")}, {"EUC_3D", "MAN_3D", "MAX_3D"}
    assert set(METRICS) == {"ATT", "GEO"} | flat | deep
    halves = ("UPPER", "LOWER", "UPPER_DIAG", "LOWER_DIAG")
    assert set(FORMATS) == {f"{half}_{way}" for half in halves for way in ("ROW", "COL")} | {"FULL_MATRIX"}


def test_a_section_for_pictures_is_drawn_where_distances_come_from_coordinates(tmp_path):
    shown = "DISPLAY_DATA_SECTION\n1 0 1\n2 3 4\n3 5 5\n"
    cities = read(tmp_path, placed("MAN_2D", (0, 0), (3, 4), (9, 9)).replace("EOF", f"{shown}EOF"))
    assert cities.places.tolist() == [[0, 1], [3, 4], [5, 5]]
    assert cities.distances[0].tolist() == [0, 7, 18]


@pytest.mark.parametrize(("name", "length"), [("burma14", 3323), ("gr17", 2085)])
def test_nrpa_finds_shortest_trips(name, length):
    game = TSP.configured(file=str(TSPLIB / f"{name}.tsp"))
    assert shortest(game.distances) == length
    result = bw.NRPA(level=3, iterations=50, seed=1).search(game(), playouts=100_000)
    assert result.best_score == -length
    assert result.end.length() == length
    assert sorted(result.end.trip()) == sorted([0, *range(game.num_actions)])


def test_rewards_add_up_to_the_length_of_the_trip():
    source = random.Random(1)
    for seed in range(5):
        state = TSP.configured(cities=9, seed=seed)()
        total = 0.0
        while not state.is_terminal():
            action = source.choice(state.legal_actions())
            assert state.prior(action) > 0
            total += state.apply_action(action)
        trip = state.trip()
        steps = [state.distances[a, b] for a, b in itertools.pairwise(trip)]
        assert trip[0] == trip[-1] == 0
        assert len(steps) == 9
        assert total == -sum(steps) == -state.length()
        assert state.min_return <= total <= state.max_return


def test_near_cities_are_preferred():
    state = TSP()
    by_distance = sorted(state.legal_actions(), key=lambda action: state.distances[0, action])
    priors = [state.prior(action) for action in by_distance]
    assert priors == sorted(priors, reverse=True)
    assert priors[0] == 1.0 > priors[-1]


# --- trips made shorter ---------------------------------------------------------------------------------


def length(distances, trip):
    return int(distances[trip, np.roll(trip, -1)].sum())


def neighbours(trip, fixed):
    """Yield each trip that one reversal, or one move of up to three cities, leads to."""
    count = len(trip)
    for start, end in itertools.combinations(range(fixed, count), 2):
        yield [*trip[:start], *reversed(trip[start : end + 1]), *trip[end + 1 :]]
    for size in (1, 2, 3):
        for start in range(fixed, count - size + 1):
            part, rest = trip[start : start + size], [*trip[:start], *trip[start + size :]]
            for place in range(fixed, len(rest) + 1):
                yield [*rest[:place], *part, *rest[place:]]
                yield [*rest[:place], *reversed(part), *rest[place:]]


@pytest.mark.parametrize("fixed", [1, 4])
def test_no_change_shortens_a_shortened_trip(fixed):
    source = np.random.default_rng(1)
    for seed in range(6):
        distances = TSP.configured(cities=11, seed=seed).distances
        trip = np.concatenate([[0], source.permutation(np.arange(1, 11))])
        better = shortened(trip, distances, fixed)
        assert sorted(better) == sorted(trip)
        assert better[:fixed].tolist() == trip[:fixed].tolist()
        least = min(length(distances, other) for other in neighbours(better.tolist(), fixed))
        assert length(distances, better) <= min(least, length(distances, trip))


def test_of_five_cities_every_trip_becomes_a_shortest_one():
    for seed in range(4):
        state = TSP.configured(cities=5, seed=seed)()
        best = shortest(state.distances)
        for line in itertools.permutations(range(1, 5)):
            assert length(state.distances, [0, *state.improve(line)]) == best


def test_improved_lines_continue_from_where_the_trip_is():
    state = TSP.configured(cities=9, seed=2).from_actions([4, 7])
    line = state.improve((1, 2, 3, 5, 6, 8))
    assert sorted(line) == [1, 2, 3, 5, 6, 8]
    assert state.visited == 3


@pytest.mark.parametrize(("name", "length"), [("burma14", 3323), ("gr17", 2085)])
def test_improving_finds_shortest_trips_in_a_few_playouts(name, length):
    state = TSP.configured(file=str(TSPLIB / f"{name}.tsp"))()
    for seed in range(3):
        result = bw.NRPA(level=2, iterations=20, improve=True, seed=seed).search(state, playouts=400)
        assert result.best_score == -length


# --- files that are not read ----------------------------------------------------------------------------

GOOD = placed("EUC_2D", (0, 0), (3, 4), (9, 9))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            GOOD.replace("TYPE : TSP", "TYPE : ATSP"),
            "line 2: TYPE is ATSP, which is not supported\n.*supported: TSP",
        ),
        (
            GOOD.replace("EUC_2D", "XRAY1"),
            "line 4: EDGE_WEIGHT_TYPE is XRAY1, which is not supported\n.*CEIL_2D",
        ),
        (GOOD.replace("TYPE : TSP (ours)\n", ""), "has no TYPE"),
        (GOOD.replace("DIMENSION: 3\n", ""), "has no DIMENSION"),
        (
            GOOD.replace("DIMENSION: 3", "DIMENSION: 2"),
            "line 3: DIMENSION is '2', not a number of",
        ),
        (GOOD.replace("DIMENSION: 3", "DIMENSION: 3\nDIMENSION: 3"), "line 4: DIMENSION is given twice"),
        (
            GOOD.replace("DIMENSION: 3", "DIMENSION: 4"),
            "line 8: NODE_COORD_SECTION ends after 9 numbers",
        ),
        (
            GOOD.replace("3 9 9", "3 9 9\n4 1 1"),
            "line 9: NODE_COORD_SECTION continues with '4'",
        ),
        (GOOD.replace("3 9 9", "2 9 9"), "line 8: city 2 is given twice"),
        (GOOD.replace("3 9 9", "0 9 9"), "line 8: city '0' is not from 1 to 3"),
        (GOOD.replace("3 9 9", "3 9 -x"), "line 8: '-x' is not a number up to 1e9"),
        (GOOD.replace("3 9 9", "3 9 1e99"), "line 8: '1e99' is not a number up to 1e9"),
        (GOOD.replace("3 9 9", "nine"), "line 8: 'nine' cannot be read"),
        (
            GOOD.replace("NODE_COORD_SECTION", "FIXED_EDGES_SECTION"),
            "line 5: FIXED_EDGES_SECTION stands for a trip that has to use given edges, which is not",
        ),
        ("TYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: GEO\n", "has no NODE_COORD_SECTION"),
        ("", "has no TYPE"),
        (
            explicit("WEIGHTS", "1 2 3"),
            "line 4: EDGE_WEIGHT_FORMAT is WEIGHTS, which is not .*UPPER_ROW",
        ),
        (
            GOOD.replace("NODE_COORD_SECTION", "EDGE_WEIGHT_FORMAT: UPPER_ROW\nNODE_COORD_SECTION"),
            "line 5: EDGE_WEIGHT_FORMAT is UPPER_ROW, which is not .*FUNCTION",
        ),
        (
            GOOD.replace("NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION\n1 2 3\nNODE_COORD_SECTION"),
            "line 5: EDGE_WEIGHT_SECTION does not belong here: EDGE_WEIGHT_TYPE EUC_2D has coordinates",
        ),
        (
            explicit("UPPER_ROW", "1 2 3\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n3 2 2"),
            "line 7: NODE_COORD_SECTION does not belong here: EDGE_WEIGHT_TYPE EXPLICIT has distances",
        ),
        (GOOD.replace("EUC_2D", "EUC_3D"), "line 8: NODE_COORD_SECTION ends after 9 numbers, not 12"),
        (
            explicit("UPPER_ROW", "1 2"),
            "line 6: EDGE_WEIGHT_SECTION ends after 2 numbers, not 3",
        ),
        (explicit("UPPER_ROW", "1 2\n3 4"), "line 7: EDGE_WEIGHT_SECTION continues with '4' after 3 numbers"),
        (explicit("UPPER_ROW", "1 2\n-3"), "line 7: '-3' is not a whole number from 0"),
        (explicit("FULL_MATRIX", "0 1 2\n7 0 3\n2 3 0"), "line 7: it is 7 from city 2 to 1, but 1 back"),
        (
            explicit("UPPER_ROW", "1 2 3").replace("EDGE_WEIGHT_FORMAT: UPPER_ROW\n", ""),
            "has no EDGE_WEIGHT_FORMAT",
        ),
    ],
)
def test_a_broken_file_is_reported_by_its_line(tmp_path, text, told):
    with pytest.raises(bw.GameError, match=rf"(?s)^cities\.tsp,? {told}"):
        read(tmp_path, text)


def test_a_comment_in_another_encoding_and_a_byte_order_mark_do_no_harm(tmp_path):
    file = tmp_path / "cities.tsp"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("NAME: ours", "COMMENT: Königsberg").encode("cp1252"))
    assert read_cities(str(file), "cities.tsp").distances[0, 1] == 5


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(bw.GameError, match=r"tsp\(file='.*none\.tsp'\) cannot be read"):
        TSP.configured(file=str(tmp_path / "none.tsp"))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"cities": 2}, r"tsp\(cities=2\) is not from 3 to 1000"),
        ({"closeness": -1.0}, r"tsp\(closeness=-1.0\) is not from 0 to 100"),
        ({"cities": 5, "file": str(TSPLIB / "gr17.tsp")}, "has its own cities"),
    ],
)
def test_options_that_cannot_be_are_reported(options, told):
    with pytest.raises(bw.GameError, match=told):
        TSP.configured(**options)
