"""Python that Numba lacks: rewritten code does the same, and only code that needs it is rewritten."""

import enum
from types import FunctionType

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.language.rewrite_expressions import write_out
from branchwise.compile.language.rewrite_generators import _definition, written_out
from branchwise.compile.queries.checked_games import CompiledState
from branchwise.compile.states.prepared_rules import _plain, _reached_methods, compiled_type
from branchwise.game.rules_class import rule_functions
from branchwise.testing import Observation, check_game

LIMIT = 3


def any_of(xs, n):
    return any(x > n for x in xs)


def all_in_a_row(xs, n):
    return all(x > y for x in xs for y in xs if y < n)


def any_of_all(xs, n):
    return any(all(x >= y for y in xs) for x in xs if x != n)


def sums(xs, n):
    return sum(x * n for x in xs if x > LIMIT) + sum(sum(y for y in xs if y < x) for x in xs)


def best(xs, n):
    return max(x % n for x in xs), min(x % n for x in xs)


def best_by_key(xs, n):
    return max(xs, key=lambda x: (x * 7) % n), min(xs, key=lambda y: (y * 7) % n)


def first(xs, n):
    return next((x for x in xs if x > n), -1)


def guarded(xs, n):
    return len(xs) > 100 and any(xs[i + 100] == n for i in range(len(xs)))


def named_in_a_test(xs, n):
    if len(xs) > 2 and (last := xs[-1]) > n:
        return last
    else:
        return -1


def named_in_a_loop(xs, n):
    i = 0
    while i < len(xs) and (x := xs[i]) < n:
        i += 1
    return i, x


def named_or(xs, n):
    if (a := xs[0]) > n or (b := xs[1]) > n:
        return a
    return a + b


def named_in_a_value(xs, n):
    total = (half := n // 2) + half
    return (less := total - 1) * less


def parts_left_out(xs, n):
    total = n
    del n
    return total


def of_lists(xs, n):
    return sorted(x for x in xs if x != n), list(x for x in xs), len(list(y for y in xs if y > n))  # noqa: C400


def same_names(xs, n):
    total, found, value, item = 1, 2, 3, 4
    return total + found + value + item + sum(total * x for x in xs) + max(x + value for x in xs)


WRITTEN_OUT = [
    any_of,
    all_in_a_row,
    any_of_all,
    sums,
    best,
    best_by_key,
    first,
    guarded,
    named_in_a_test,
    named_in_a_loop,
    named_or,
    named_in_a_value,
    parts_left_out,
    of_lists,
    same_names,
]


def runnable(function):
    """Return the rewritten form of a function, to be run in plain Python."""
    written, parts = written_out(function)
    names = {**function.__globals__, **parts}
    for name, part in parts.items():
        names[name] = FunctionType(part.__code__, names)
    return FunctionType(written.__code__, names, None, written.__defaults__, written.__closure__)


@pytest.mark.parametrize("function", WRITTEN_OUT, ids=lambda function: function.__name__)
@pytest.mark.parametrize("xs", [(5, 1, 4), (0, 2, 2, 7, 3), (9, 8)], ids=str)
@pytest.mark.parametrize("n", [1, 4, 10])
def test_what_is_written_out_does_the_same(function, xs, n):
    assert written_out(function)[0] is not function
    assert runnable(function)(xs, n) == function(xs, n)


def test_what_is_written_out_evaluates_no_more_than_before():
    seen = []

    def see(x):
        seen.append(x)
        return x

    def look(xs):
        return any(see(x) > 3 for x in xs)

    assert runnable(look)((1, 5, 6))
    assert seen == [1, 5]


def keyword_only(a, *, b, c=5):
    return a - b - c


def keyword_only_by_default(a, *, b=2, c=5):
    return a - b - c


def test_keyword_only_arguments_become_ordinary_ones_where_they_can():
    assert written_out(keyword_only)[0] is keyword_only  # a parameter with a default before one without
    assert runnable(keyword_only_by_default)(10, c=1) == 7


@pytest.mark.parametrize("game", bw.game_names())
def test_rules_that_need_no_writing_out_are_compiled_as_they_are(game):
    functions = rule_functions(bw.load_game(game))
    for function in map(_plain, _reached_methods(functions).values()):
        if "super" not in function.__code__.co_names:
            assert written_out(function) == (function, {})


def shadowed(any, xs):  # noqa: A002
    return any(x for x in xs)


def test_names_that_mean_something_else_are_left_alone():
    definition = _definition(shadowed)
    parts = write_out(definition, shadowed)
    assert not parts


class Step(enum.IntEnum):
    ONE = 0
    TWO = 1
    THREE = 2


class Start(bw.Game):
    """Count up to twenty or so; the classes below it go on from its methods."""

    num_players = 2
    num_actions = 3
    max_game_length = 40

    total: np.int16 = 0
    seen: bw.Array[np.int8, 3] = 0

    def current_player(self):
        return self.total % 2

    def legal_actions(self):
        for action in Step:
            if self.total + action < 22:
                yield action

    def apply_action(self, action):
        self.total += action + 1
        self.seen[action] += 1

    def is_terminal(self):
        return self.total >= 20

    def returns(self):
        return (1.0, -1.0)


class Middle(Start):
    width = 7

    @classmethod
    def stop(cls, margin):
        return 20 + margin * cls.width // cls.width

    def apply_action(self, action):
        super().apply_action(action)
        self.seen[0] = 1

    def legal_actions(self):
        yield from super().legal_actions()


class All(Middle):
    def legal_actions(self):
        for action in super().legal_actions():
            if not any(self.seen[i] > 6 for i in range(3) if i == action):
                yield action

    def apply_action(self, action):
        if action in self.legal_actions() and (more := action) >= 0:
            super().apply_action(more)
        flags = np.zeros(3, dtype=bool)
        flags[[0, 2]] = True
        self.seen[1] = flags.sum() + len(self.legal_actions()) - sum(1 for _ in self.legal_actions())

    def is_terminal(self):
        return super().is_terminal() or not self.legal_actions() or self.total >= self.stop(margin=0)

    def returns(self):
        share = max(self.seen[i] / 100 for i in reversed(range(3)))
        sign = 1 if all(self.seen >= 0) and type(self).width == self.__class__.width else -1
        best = max([0, 1], key=lambda player: self.seen[player])
        return [sign * share if best == 0 else -share, 0.0]


class Compiled:
    label = "compiled code"

    def __init__(self, game):
        self.state = CompiledState(game)
        self.start, self.apply = self.state.start, self.state.apply

    def observation(self):
        state = self.state
        if state.terminal:
            return Observation(True, returns=state.returns, record=state.record)
        return Observation(False, state.player, state.legal, record=state.record)


def test_rules_with_more_of_python_are_the_same_compiled():
    assert check_game(All, 30, compiled=False, mirror=Compiled(All)).games == 30


class Compared(Start):
    """The player to move by a comparison, which is a number in Python."""

    def current_player(self):
        return self.total % 2 == 1


def test_a_comparison_is_a_player_in_both_forms():
    assert check_game(Compared, 30, compiled=False, mirror=Compiled(Compared)).games == 30
    assert bw.MCTS(seed=1).search(Compared(), simulations=50).player == 0


def versions():
    """Return three classes; two differ from the first, in what `super()` reaches and in a generator."""

    def make(step, limit):
        class Lower(Start):
            def apply_action(self, action):
                self.total += step

        class Upper(Lower):
            def apply_action(self, action):
                super().apply_action(action)

            def is_terminal(self):
                return self.total >= 20 or any(self.seen[i] > limit for i in range(3))

        return Upper

    return make(1, 9), make(2, 9), make(1, 8)


def test_what_is_reached_by_super_or_in_a_generator_is_part_of_the_fingerprint():
    prints = {compiled_type(game).rules.fingerprint for game in versions()}
    assert len(prints) == 3
    assert compiled_type(versions()[0]).rules.fingerprint in prints
