"""Mistakes in rules raise the same errors compiled as in plain Python, and never end the program."""

import functools

import numpy as np
import pytest
from numba import njit

import branchwise as bw
from branchwise.compile.language.division import may_divide_by_zero
from branchwise.compile.queries.checked_games import CompiledState


class Count(bw.Game):
    num_players = 2
    num_actions = 2

    total: np.int16 = 0
    number: np.int64 = 0
    share: np.float64 = 0.0
    board: bw.Array[np.int8, 3, 3] = 0

    def current_player(self):
        return self.total % 2

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.total += 1
        self.change(action)

    def change(self, action):
        pass

    def is_terminal(self):
        return self.total >= 5

    def returns(self):
        return (1.0, -1.0)


def compiled(game):
    state = CompiledState(game)
    state.apply(0)
    return state.record


def changing(change):
    return type("Changing", (Count,), {"change": change, "__module__": __name__})


def divide(self, action):
    self.number = 7 // action


def modulo(self, action):
    self.number = 7 % action


def both(self, action):
    self.number = divmod(7, action)[0]


def in_place(self, action):
    self.number //= action


def of_a_field(self, action):
    self.number = 7 // (self.total - 1)


def of_an_array(self, action):
    self.number = 7 // self.board[0, 0]


def of_numbers_with_a_point(self, action):
    self.share = 1.0 / self.share


def modulo_of_numbers_with_a_point(self, action):
    self.share = 1.0 % self.share


@pytest.mark.parametrize(
    "change",
    [divide, modulo, both, in_place, of_a_field, of_numbers_with_a_point, modulo_of_numbers_with_a_point],
)
def test_division_by_zero_raises_compiled_as_in_plain_python(change):
    game = changing(change)
    with pytest.raises(ZeroDivisionError):
        game().apply_action(0)
    with pytest.raises(ZeroDivisionError):
        compiled(game)


def test_division_by_zero_of_an_array_item_raises():
    with pytest.raises(ZeroDivisionError):
        compiled(changing(of_an_array))


def endless(n):
    return 1 + endless(n + 1) if n >= 0 else 0


def to(n):
    return fro(n) + 1 if n >= 0 else 0


def fro(n):
    return to(n + 1) + 1


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


@pytest.mark.parametrize("function", [endless, to])
def test_recursion_without_end_is_an_error(function):
    def change(self, action):
        self.number = function(action)

    with pytest.raises(RecursionError, match="calls itself too deeply"):
        compiled(changing(change))


def test_recursion_may_be_deep():
    def change(self, action):
        self.number = deep(5000)

    assert compiled(changing(change))["number"] == 5000


@njit
def item(board, row):
    return board[row, 0]


def test_a_helper_that_is_compiled_already_has_its_indices_checked():
    def change(self, action):
        self.number = item(self.board, action + 1_000_000)

    with pytest.raises(IndexError):
        compiled(changing(change))


def test_flat_can_be_looped_over():
    def change(self, action):
        for cell in self.board.flat:
            self.number += cell + 1

    assert compiled(changing(change))["number"] == 9


def twice(rule):
    @functools.wraps(rule)
    def wrapper(self, action):
        rule(self, action)
        rule(self, action)

    return wrapper


def reported(rule):
    @functools.wraps(rule)
    def wrapper(self, *args, **options):
        return rule(self, *args, **options)

    return wrapper


class Twice(Count):
    @twice
    def change(self, action):
        self.number += self.amount()

    def amount(self):
        return 3


def test_a_decorated_rule_keeps_its_decorator():
    state = Twice()
    state.apply_action(0)
    assert state.number == compiled(Twice)["number"] == 6


class TwiceByMore(Twice):
    def amount(self):
        return 5


def test_what_only_the_decorated_rule_names_belongs_to_the_version_of_the_rules():
    assert compiled(Twice)["number"] == 6
    assert compiled(TwiceByMore)["number"] == 10


class Reported(Count):
    @reported
    def change(self, action):
        self.number += 1


class ReportedLegal(Count):
    @reported
    def legal_actions(self):
        yield 0


@pytest.mark.parametrize(("game", "rule"), [(Reported, "change"), (ReportedLegal, "legal_actions")])
def test_a_decorator_with_any_named_arguments_is_refused(game, rule):
    with pytest.raises(bw.GameError, match=rf"decorates {game.__name__}\.{rule} takes any named") as caught:
        compiled(game)
    assert "test_checks.py, line" in caught.value.problem
    assert "write out the arguments" in caught.value.mend


def divides(self, action):
    return action // self.columns


def takes_the_rest(self, action):
    return action % (self.columns - 1)


def divides_in_place(self, action):
    action /= self.mover
    return action


def divides_by_a_number(self, action):
    return action / 2 + action % 3


def divides_by_a_choice(self, action):
    return action // (self.columns if action else self.mover)


def divides_by_the_other_choice(self, action):
    return action // (self.mover if action else self.columns)


def divides_by_name(self, action):
    return divmod(action, 7)


def divides_within(self, action):
    return sum(action // place for place in range(2))


def of_another(other, action):
    return action // other.columns


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (divides, False),
        (takes_the_rest, True),
        (divides_in_place, True),
        (divides_by_a_number, False),
        (divides_by_a_choice, True),
        (divides_by_the_other_choice, True),
        (divides_by_name, True),
        (divides_within, True),
        (of_another, True),
    ],
)
def test_only_divisors_that_cannot_be_zero_go_unchecked(function, expected):
    assert may_divide_by_zero(function.__code__, {"columns": 7}) is expected
    assert may_divide_by_zero(function.__code__, {"columns": 0}) is (function is not divides_by_a_number)
