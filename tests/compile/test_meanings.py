"""Errors about rules: the problem, its line, and a mend that works."""

import enum
import functools
import random
import subprocess
import sys

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.language.unsupported import CONSTRUCTS, found_in, line_at
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.game.kinds.corrections import field_declaration
from branchwise.testing import check_game


class Phase(enum.IntEnum):
    START = 0
    END = 1


class Count(bw.Game):
    """Count to five; the classes below break it."""

    num_players = 2
    num_actions = 2
    max_game_length = 20

    total: np.int16 = 0

    def current_player(self):
        return self.total % 2

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.total += action + 1

    def is_terminal(self):
        return self.total >= 5

    def returns(self):
        return (1.0, -1.0)


FIRST_VALUES = {
    "None": None,
    "a text": "start",
    "a pair": (0, 0),
    "fractions": [0.5, 1.5],
    "an empty list": [],
    "a dict": {},
    "an array": np.zeros((3, 2), np.int8),
    "a number": 3,
    "a truth": True,
    "a fraction": 0.5,
}


@pytest.mark.parametrize("value", FIRST_VALUES.values(), ids=FIRST_VALUES)
def test_the_declaration_that_an_error_advises_can_be_written(value):
    declaration = field_declaration("field", value).partition(", set by")[0].partition(", with")[0]
    declaration = declaration.partition(", a number for")[0]
    names = {"np": np, "bw": bw, "Count": Count}
    exec(f"class Mended(Count):\n    {declaration}", names)
    assert "field" in names["Mended"]().to_record().dtype.names
    assert check_game(names["Mended"], 2, compiled=False).games == 2


@pytest.mark.parametrize("value", [None, "start", (0, 0)], ids=str)
def test_setting_a_constant_advises_a_field_that_can_hold_it(value):
    class Constant(Count):
        last = value

        def apply_action(self, action):
            self.last = action

    with pytest.raises(bw.GameError, match=r"Constant.last is a constant .*test_meanings.py, line") as caught:
        check_game(Constant, 1, compiled=False)
    assert caught.value.mend == f"to make it a field, give it a type: {field_declaration('last', value)}"


def test_a_field_may_be_an_int_enum():
    class Phased(Count):
        phase: np.int8 = Phase.START

        def apply_action(self, action):
            self.total += action + 1
            self.phase = Phase.END

    assert check_game(Phased, 2, compiled=False).games == 2


@pytest.mark.parametrize(
    ("annotation", "value", "advised"),
    [
        (str, "start", "np.int8 = 0"),
        (int | None, None, "np.int8 = -1"),
        (tuple[int, int], (0, 0), "bw.Array[np.int8, 2] = (0, 0)"),
        (list[int], [], "bw.Array[np.int8, 9] = 0"),
    ],
    ids=str,
)
def test_a_field_of_an_impossible_type_is_told_one_that_is_possible(annotation, value, advised):
    with pytest.raises(bw.GameError, match=r"Typed.last has the type .*test_meanings.py, line") as caught:

        class Typed(Count):
            last: annotation = value

    assert f"write last: {advised}" in caught.value.mend


def test_an_init_is_refused_for_setup():
    with pytest.raises(bw.GameError, match=r"__init__.*line \d+: def __init__\(self\):") as caught:

        class Made(Count):
            def __init__(self):
                super().__init__()

    assert "setup(self)" in caught.value.mend


def test_a_cached_property_is_refused():
    with pytest.raises(bw.GameError, match=r"Cached.size is a cached_property"):

        class Cached(Count):
            @functools.cached_property
            def size(self):
                return 3


def test_constant_arrays_are_read_only():
    steps = np.array([1, 2])

    class Reads(Count):
        STEPS = steps

        def apply_action(self, action):
            self.STEPS[0] = 2

    with pytest.raises(bw.GameError, match=r"read-only .*self\.STEPS\[0\] = 2") as caught:
        check_game(Reads, 1, compiled=False)
    assert "an array field" in caught.value.mend
    steps[0] = 7
    assert Reads.STEPS[0] == 7


def test_one_number_of_an_array_is_a_number():
    class Board(Count):
        board: bw.Array[np.int8, 2, 2] = 1

    board = Board().board
    for number in (board.sum(), np.sum(board), board.max(), board.mean(), (board == 1).sum()):
        assert np.ndim(number) == 0
        assert not isinstance(number, np.ndarray)
    assert type(board + 1) is type(board)
    assert (board == 1).all() in (True, np.True_)
    assert not isinstance((board == 1).all(), np.ndarray)


class Draws(Count):
    def playout_action(self, numbers):
        return np.random.randint(2)


class DrawsByHelper(Count):
    def apply_action(self, action):
        self.step(action)

    def step(self, action):
        self.total += random.randint(1, 2)


@pytest.mark.parametrize(
    ("game", "line"),
    [(Draws, "return np.random.randint(2)"), (DrawsByHelper, "self.total += random.randint(1, 2)")],
)
def test_random_numbers_in_rules_are_refused_before_they_are_compiled(game, line):
    with pytest.raises(bw.GameError, match="rules may not draw from random") as caught:
        compiled_type(game)
    assert line in caught.value.problem
    assert "random.below(n) and others in a method that is given random: playout_action" in caught.value.mend


def test_the_line_that_draws_is_named_where_an_outcome_does_not_follow_from_the_fields():
    with pytest.raises(bw.GameError, match=r"for the same fields .*random\.randint\(1, 2\)") as caught:
        check_game(DrawsByHelper, 30, compiled=False)
    assert "random.below(n)" in caught.value.mend


class Shown(Count):
    """Methods that no rule calls may use all of Python."""

    def action_to_string(self, action):
        return str(len({1, action, *(2 for _ in {3})}))


class ByHelper(Count):
    def evaluate(self):
        return self.share(0), 0.0

    def share(self, player):
        return 1.0 * len({cell % 3 for cell in range(player)})


def test_a_set_is_refused_where_rules_may_call_it_alone():
    assert compiled_type(Shown)
    with pytest.raises(bw.GameError, match=r"line \d+: return 1\.0 \* len\(\{.*cannot use a set"):
        compiled_type(ByHelper)


def test_warnings_of_numba_about_casts_are_not_shown():
    warn = (
        "import warnings, branchwise.compile.states.stop_checks\n"
        "from numba.core.errors import NumbaTypeSafetyWarning\n"
        "warnings.warn('unsafe cast from uint64 to int64', NumbaTypeSafetyWarning)\n"
        "warnings.warn('another', UserWarning)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", warn], capture_output=True, text=True, check=True
    )
    assert "another" in done.stderr
    assert "unsafe cast" not in done.stderr


class Plain:
    """A state that is no `Game`."""

    def __init__(self, moves=0):
        self.moves = moves

    def current_player(self):
        return self.moves % 2

    def legal_actions(self):
        return [0, 1]

    def apply_action(self, action):
        self.moves += 1 + action

    def is_terminal(self):
        return self.moves >= 4

    def returns(self):
        return (1.0, -1.0)

    def clone(self):
        return type(self)(self.moves)


class ReturnsNothing(Plain):
    def returns(self):
        if self.moves > 9:
            return (1.0, -1.0)


class Misspelt(Plain):
    def legal_actions(self):
        return [0, 1] if self.moves < 2 else [self.bord]


def test_a_plain_state_that_returns_nothing_is_reported():
    with pytest.raises(bw.GameError, match=r"ReturnsNothing.returns gave None, not 2 numbers") as caught:
        bw.MCTS(seed=1).search(ReturnsNothing(), simulations=20)
    assert "line" in caught.value.problem
    assert "every way" in caught.value.mend
    assert "compiled=False" not in str(caught.value)


def test_a_plain_state_that_raises_is_told_its_line():
    with pytest.raises(bw.GameError, match=r"raised AttributeError: .*else \[self\.bord\]") as caught:
        bw.MCTS(seed=1).search(Misspelt(), simulations=20)
    assert "compiled=False" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("total = np.trace(x)", "np.trace"),
        ("x[x == 1] = 0", "cells set by a mask"),
        ("first, *rest = x", "an unpacking with a star"),
        ("with open(x):\n    pass", "with"),
        ("put(**x)", "arguments from a dict"),
        ("a = Base.rows", "the class by its name"),
        ("a = b if (c := x) else 0", ":= in this place"),
        ("a = [c for b in x if (c := b)]", ":= in this place"),
        ("if (a := x) > 1:\n    pass", None),
        ("a = any(b for b in x)", None),
        ("a = (b for b in x)", "a generator that is stored or passed on"),
        ("a = max(x, key=lambda b: -b)", None),
        ("a = super().rows", "super() of a property"),
        ("a = super().rows()", None),
        ("a = random.below(3)", None),
        ("a = random.random()", "random numbers in a rule"),
        ("for a in x:\n    b = np.trace(a)", None),
    ],
)
def test_a_construct_is_found_on_its_line(line, name):
    body = "\n".join(f"    {part}" for part in line.splitlines())
    found = found_in(line_at(f"def rule(self, x):\n{body}\n", 2, frozenset({"Base"})))
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("body", "number", "name"),
    [
        ("first, *rest = x; self.n = first", 2, "an unpacking with a star"),
        ("self.n = 1; s = self.clone(); self.n = s.n", 2, "a copy of the state"),
        ("try: self.n = x\n    except IndexError: pass", 3, "try and except"),
        ("if x: self.n = 1\n    self.n = bin(x); self.n = 2", 3, "bin(...)"),
    ],
)
def test_a_construct_is_found_among_several_statements_on_a_line(body, number, name):
    found = found_in(line_at(f"def rule(self, x):\n    {body}\n", number))
    assert found is not None
    assert found.name == name


def test_every_row_of_the_table_is_a_row_of_its_own():
    assert len({row.name for row in CONSTRUCTS}) == len({row.write for row in CONSTRUCTS}) == len(CONSTRUCTS)
