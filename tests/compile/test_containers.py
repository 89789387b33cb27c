"""Lists, dicts and sets of numbers as constants: compiled rules read them as plain Python does."""

import enum
import re
from typing import NamedTuple

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.sources.constant_containers import FrozenDict, FrozenList, frozen_container
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel
from support.asked import compiled_answers, game_of, plain_answer


class Kind(enum.IntEnum):
    PAWN = 1
    ROOK = 5


class Ship(NamedTuple):
    length: int
    worth: float


STEPS = [1, -1, 3, -3]
HALVES = [0.5, 1, 2.5]
TRUTHS = [True, False, True]
PAIRS = [(0, 1), (1, 0), (0, -1), (-1, 0)]
KING, KNIGHT = [(1, 1), (0, 1)], [(1, 2), (2, 1), (-1, 2)]
CHANCES = [(0, 0.5), (1, 0.25), (2, 0.25)]
SHIPS = [Ship(3, 1.5), Ship(4, 2.0)]
LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 4, 8]]
NEIGHBOURS = [[1, 3], [0, 2, 4], [1, 5], [0, 4, 6], [1, 3, 5, 7], [2, 4, 8], [3, 7], [4, 6, 8], [5, 7]]
MATRIX = [[1, 0.5], [2, 0.25], [0, 3.5]]
CUBE = [[[1, 2], [3]], [[4, 5, 6], []]]
WIDE = [[row * 9 + column for column in range(9)] for row in range(9)]
KINDS = [Kind.PAWN, Kind.ROOK]
BYTES = [np.int8(3), np.int8(4)]
WORTH = {0: 0, 1: 1, 2: 5, -7: 9}
PLACES = {(0, 0): 3, (1, 1): 5, (2, 2): 3}
AROUND = {cell: [n for n in range(9) if abs(n - cell) in (1, 3)] for cell in range(9)}
BY_KIND = {Kind.PAWN: [(1, 0)], Kind.ROOK: [(0, 1), (1, 1)]}
DIRECTIONS = {"north": (-1, 0), "south": (1, 0)}
CORNERS = {8, 0, 6, 2}
DIAGONAL = frozenset({(0, 0), (1, 1), (2, 2)})


class Reads(bw.Game):
    """The helpers below read constants."""

    num_players = 2
    num_actions = 9

    steps = [1, 2, 4]
    worth = {1: 0.5, 3: 2}

    cell: np.int8 = 2

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.cell = action

    def is_terminal(self):
        return self.cell == 3

    def returns(self):
        return (0.0, 0.0)

    def first_of(self, items):
        return items[0]


def loops(self, action):
    total = 0
    for step in STEPS:
        total = 3 * total + step * action
    for place, step in enumerate(self.steps):
        total += place * step
    for step, other in zip(STEPS, self.steps):  # noqa: B905
        total += step * other
    for step in reversed(STEPS):
        total = 2 * total + step
    return total


def indices(self, action):
    return STEPS[action % 4] + 10 * STEPS[-1 - action % 4] + 100 * len(STEPS) + self.steps[self.cell]


def searches(self, action):
    return (action in STEPS) + 2 * (action not in self.steps) + 4 * STEPS.index(3) + 8 * STEPS.count(1)


def sums(self, action):
    return sum(STEPS) + 10 * max(STEPS) + 100 * min(self.steps) + sum(step * 2 for step in STEPS if step > 0)


def comprehensions(self, action):
    return [step + 1 for step in STEPS][action % 4] + 10 * any(step == action for step in STEPS)


def best_by_key(self, action):
    return max(STEPS, key=lambda step: (step * action) % 5)


def slices(self, action):
    return sum(STEPS[1:]) + 10 * sum(STEPS[:-1]) + 100 * len(STEPS[2:9]) + 1000 * len(STEPS[3:1])


def lists_of_ones_own(self, action):
    mine = list(STEPS)
    mine.append(action)
    more = STEPS + [action] + self.steps  # noqa: RUF005
    return mine[-1] + 10 * len(more) + 100 * STEPS.copy()[0]


def truth(self, action):
    return 1 if STEPS and WORTH and CORNERS else 2


def fractions_and_truths(self, action):
    return HALVES[action % 3] / 4 + sum(HALVES) + (TRUTHS[action % 3] and not TRUTHS[1])


def small_numbers(self, action):
    return BYTES[action % 2] * 10 + BYTES[0]


def pairs(self, action):
    total = 0
    for row, column in PAIRS:
        total = 3 * total + row - column * action
    return total + 100 * ((0, 1) in PAIRS) + PAIRS[action % 4][1]


def one_of_two(self, action):
    steps = KNIGHT if action > 3 else KING
    total = 0
    for row, column in steps:
        total += 3 * row + column
    return total * len(steps)


def pairs_of_two_kinds(self, action):
    share = 0.0
    for outcome, chance in CHANCES:
        share += STEPS[outcome] * chance
    return share


def named_tuples(self, action):
    ship = SHIPS[action % 2]
    return ship.length * STEPS[ship.length - 2] + sum(other.worth for other in SHIPS)


def rows(self, action):
    for a, b, c in LINES:
        if action in (a, b, c) and a + b + c == 12:
            return 1
    return sum(action in line for line in LINES) * 10


def rows_of_numbers(self, action):
    first, second = MATRIX[action % 3]
    return MATRIX[action % 3][action % 2] + 10 * first + second + LINES[3].index(4) + LINES[0].count(1)


def nested_items(self, action):
    total = 0
    for place, ((row, column), worth) in enumerate(PLACES.items()):
        total = total * 3 + place * row - column + worth
    return total + min(CORNERS) + max(CORNERS) + sum(CORNERS) + len(list(WORTH.items()))


def lists_of_any_length(self, action):
    total = 0
    for other in NEIGHBOURS[action]:
        total = total * 10 + other
    return total + len(NEIGHBOURS[action]) + NEIGHBOURS[action][-1] + (self.cell in NEIGHBOURS[action])


def lists_in_lists_in_a_list(self, action):
    total = 0
    for plane in CUBE:
        for row in plane:
            for number in row:
                total += number
            total *= 2
    return total + CUBE[1][0][2] + len(CUBE[1][1])


def long_rows(self, action):
    return sum(sum(row) for row in WIDE) + WIDE[action][8 - action] + WIDE[1][-1]


def given_to_a_method(self, action):
    return self.first_of(STEPS) + self.first_of(WIDE[action])


def members(self, action):
    return sum(kind.value for kind in KINDS if kind == Kind.ROOK)


def values_of_a_dict(self, action):
    return WORTH[self.cell] + 10 * WORTH.get(action, -1) + WORTH[-7] + self.worth[3] + self.worth.get(9, 0.25)


def keys_of_a_dict(self, action):
    total = 100 * (action in WORTH) + 1000 * len(WORTH)
    for key in WORTH:
        total = total * 3 + key
    for key in WORTH.keys():  # noqa: SIM118
        total += key
    return total


def items_of_a_dict(self, action):
    total = 0
    for key, value in WORTH.items():
        total = total * 3 + key * value
    return total + sum(WORTH.values()) + max(WORTH.values()) + sum(value for _, value in WORTH.items())


def pairs_as_keys(self, action):
    return PLACES.get((action // 3, action % 3), 0) + 10 * ((1, action) in PLACES)


def lists_in_a_dict(self, action):
    return sum(other for other in AROUND[action]) + len(AROUND[self.cell])


def members_as_keys(self, action):
    total = 0
    for kind in Kind:
        for row, column in BY_KIND[kind]:
            total = 3 * total + row - column
    return total + BY_KIND[5][1][1]


def words_as_keys(self, action):
    row, column = DIRECTIONS["north"]
    for rows, _ in DIRECTIONS.values():
        row = 3 * row + rows
    return row + column + ("west" in DIRECTIONS) + len(DIRECTIONS)


def sets(self, action):
    total = 0
    for corner in CORNERS:
        total = total * 10 + corner
    return total + 3 * (action in CORNERS) + len(CORNERS) + 5 * ((action // 3, action % 3) in DIAGONAL)


ALIKE = [
    loops,
    indices,
    searches,
    sums,
    comprehensions,
    best_by_key,
    slices,
    lists_of_ones_own,
    truth,
    fractions_and_truths,
    small_numbers,
    pairs,
    one_of_two,
    pairs_of_two_kinds,
    named_tuples,
    rows,
    rows_of_numbers,
    nested_items,
    lists_of_any_length,
    lists_in_lists_in_a_list,
    long_rows,
    given_to_a_method,
    members,
    values_of_a_dict,
    keys_of_a_dict,
    items_of_a_dict,
    pairs_as_keys,
    lists_in_a_dict,
    members_as_keys,
    words_as_keys,
    sets,
]


def test_constants_are_read_as_in_plain_python():
    game = game_of("AllReads", Reads, ALIKE)
    compiled = compiled_answers(game, [helper.__name__ for helper in ALIKE], range(9))
    plain = {(name, action): plain_answer(game, name, action) for name, action in compiled}
    assert {key: (plain[key], compiled[key]) for key in plain if plain[key] != compiled[key]} == {}


def missing_key(self, action):
    return WORTH[action + 50]


def missing_item(self, action):
    return STEPS.index(action + 50)


def index_too_large(self, action):
    return STEPS[action + 50]


def index_too_small(self, action):
    return NEIGHBOURS[0][-action - 50]


@entry_kernel
def ask(state, action):
    """Call a helper that fails."""
    return state.prior(action)


def asked(name, helper):
    game = type(name, (Reads,), {"prior": helper, "__module__": __name__})
    return call(ask, NativeRecords(compiled_type(game)), 1)


@pytest.mark.parametrize(
    ("helper", "error"),
    [
        (missing_key, KeyError),
        (missing_item, ValueError),
        (index_too_large, IndexError),
        (index_too_small, IndexError),
    ],
    ids=lambda value: value.__name__,
)
def test_what_a_constant_does_not_have_raises_as_in_plain_python(helper, error):
    with pytest.raises(error):
        helper(Reads(), 1)
    with pytest.raises(error):
        asked(helper.__name__, helper)


def appends(self, action):
    self.steps.append(action)


def sets_an_item(self, action):
    STEPS[0] = action


def sets_a_key(self, action):
    WORTH[0] = action


def adds_to_a_set(self, action):
    CORNERS.add(action)


def doubles(self, action):
    return len(STEPS * 2)


def compares(self, action):
    return STEPS == [1, 2]


def skips(self, action):
    return len(STEPS[::2])


def compares_rows(self, action):
    return (0, 1, 2) in LINES or LINES[0] == (0, 1, 2)


def joins_sets(self, action):
    return len(CORNERS | DIAGONAL)


def walks_over_words(self, action):
    for word in DIRECTIONS:  # noqa: B007
        action += 1
    return action


def asks_without_a_default(self, action):
    return WORTH.get(action) is None


NAMES = ["cross", "nought"]
EMPTY = []
ARRAYS = {1: np.array([1, 2])}


def reads_words(self, action):
    return NAMES[0] == "x"


def reads_nothing(self, action):
    return len(EMPTY)


def reads_arrays(self, action):
    return ARRAYS[1][0]


ARRAY = r"history: bw\.Array"
LOOP = "a loop over the constant, or an array in its place"
NUMBERS = "numbers, or tuples and lists of numbers"


@pytest.mark.parametrize(
    ("helper", "problem", "mend"),
    [
        (appends, "a list that is a constant is changed", ARRAY),
        (sets_an_item, "a list that is a constant is changed", ARRAY),
        (sets_a_key, "a dict that is a constant is changed", ARRAY),
        (adds_to_a_set, "a set that is a constant is changed", ARRAY),
        (doubles, "cannot do this with a list that is a constant", LOOP),
        (compares, "cannot do this with a list that is a constant", LOOP),
        (skips, "cannot do this with a list that is a constant", LOOP),
        (compares_rows, "cannot do this with a list that is a constant", LOOP),
        (joins_sets, "cannot do this with a set that is a constant", LOOP),
        (walks_over_words, "a dict with texts as keys is walked over", NUMBERS),
        (asks_without_a_default, "get gives None for a key", r"WORTH\.get\(key, 0\)"),
        (reads_words, "NAMES is a list", NUMBERS),
        (reads_nothing, "EMPTY is a list", NUMBERS),
        (reads_arrays, "ARRAYS is a dict", NUMBERS),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_a_constant_cannot_do_is_named(helper, problem, mend):
    with pytest.raises(bw.GameError, match=rf"test_containers\.py, line \d+: .*{problem}") as caught:
        asked(helper.__name__, helper)
    assert re.search(mend, caught.value.mend)


def test_an_edit_in_place_gives_a_new_type_and_does_not_change_the_old():
    constants = {"list": [1, 2], "dict": {1: 2}, "set": {1, 2}}

    class Edited(Reads):
        first = constants["list"]
        second = constants["dict"]
        third = constants["set"]

        def prior(self, action):
            return self.first[0] + self.second[1] + len(self.third)

    native = NativeRecords(compiled_type(Edited))
    assert call(ask, native, 0) == 5
    constants["list"][0] = 5
    assert call(ask, native, 0) == 5
    seen = {native._numba_type_, compiled_type(Edited)}
    constants["dict"][1] = 3
    seen.add(compiled_type(Edited))
    constants["set"].add(7)
    seen.add(compiled_type(Edited))
    assert len(seen) == 4
    assert call(ask, NativeRecords(compiled_type(Edited)), 0) == Edited().prior(0) == 11


@pytest.mark.parametrize(
    "value",
    [
        [],
        [1, "a"],
        [None],
        [[1], 2],
        [(1, 2), (1, 2, 3), "x"],
        {},
        {1: None},
        {(1, 2): 3, 4: 5},
        {1: 2, "a": 3},
        {1, "a"},
    ],
)
def test_other_containers_are_left_as_they_are(value):
    assert frozen_container(value) is value


def test_numbers_are_stored_without_loss():
    assert isinstance(frozen_container({1: 2}), FrozenDict)
    assert [column.dtype.kind for column in FrozenList(CHANCES).columns] == ["i", "f"]
    assert FrozenList([2**62, 1]).columns[0].tolist() == [2**62, 1]
    assert frozen_container([2**70]) == [2**70]
