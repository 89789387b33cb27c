"""Draws of rules: the same numbers in plain Python and compiled, from the right distributions."""

import math
import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.states.randomness import Randomness, randomness
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.numbers.random_streams import new_streams
from branchwise.testing import check_game

COUNT = 200_000


class Draws(bw.Game):
    """A simulator of which each action draws from a distribution of its own."""

    num_players = 1
    num_actions = 12
    horizon = 5

    drawn: float = 0.0

    def current_player(self):
        return 0

    def legal_actions(self):
        for action in range(12):
            yield action

    def apply_action(self, action, random):
        self.drawn = self.draw(action, random)
        return 0.0

    def draw(self, action, random):
        match action:
            case 0:
                return random.integers(6) + 10.0 * random.integers(-3, high=4)
            case 1:
                return random.uniform(2, 5) + random.uniform(high=0.5)
            case 2:
                return random.normal(1.0, deviation=2.0)
            case 3:
                return random.exponential()
            case 4:
                return random.exponential(2.5)
            case 5:
                return random.gamma(0.4)
            case 6:
                return random.gamma(3, scale=2.0)
            case 7:
                return 1.0 * random.binomial(9, 0.3)
            case 8:
                return 1.0 * random.binomial(n=300, p=0.9)
            case 9:
                return 1.0 * random.poisson()
            case 10:
                return 1.0 * random.poisson(4.5)
        return 1.0 * random.poisson(60)

    def is_terminal(self):
        return False


@entry_kernel
def draw_many(state, streams, action, numbers):
    """Fill `numbers` with draws of one action."""
    for i in range(numbers.size):
        numbers[i] = state.draw(action, randomness(streams))


@pytest.fixture(scope="module")
def compiled():
    native = NativeRecords(compiled_type(Draws))

    def draw(action, count, seed=1):
        numbers = np.zeros(count)
        call(draw_many, native, new_streams(seed), action, numbers)
        return numbers

    return draw


@pytest.mark.parametrize("action", range(Draws.num_actions))
def test_plain_python_and_compiled_rules_draw_the_same_numbers(compiled, action):
    plain = Randomness(new_streams(1))
    drawn = [Draws.draw(Draws(), action, plain) for _ in range(500)]
    assert drawn == compiled(action, 500).tolist()


def poisson(mean):
    return lambda k: math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))


def binomial(n, p):
    return lambda k: math.comb(n, k) * p**k * (1 - p) ** (n - k)


WHOLE = {7: binomial(9, 0.3), 8: binomial(300, 0.9), 9: poisson(1), 10: poisson(4.5), 11: poisson(60)}


def surplus(counts, expected):
    """Return by how many standard deviations chi-squared is above its mean."""
    assert counts.sum() == COUNT
    assert sum(expected) == pytest.approx(COUNT)
    cells = len(counts) - 1
    return (((counts - expected) ** 2 / expected).sum() - cells) / math.sqrt(2 * cells)


@pytest.mark.parametrize("action", WHOLE)
def test_whole_numbers_come_as_often_as_their_distribution_says(compiled, action):
    chance = np.array(
        [WHOLE[action](k) for k in range(301 if action == 8 else 200)][: 10 if action == 7 else None]
    )
    numbers = compiled(action, COUNT)
    often = np.flatnonzero(chance * COUNT > 20)
    low, high = often[0], often[-1]
    inside = np.clip(numbers, low, high)  # the tails count as their first numbers
    expected = chance[low : high + 1] * COUNT
    expected[0] += chance[:low].sum() * COUNT
    expected[-1] += chance[high + 1 :].sum() * COUNT
    assert (numbers == np.round(numbers)).all()
    assert surplus(np.bincount(inside.astype(int) - low, minlength=len(expected)), expected) < 5


def test_integers_are_equally_likely(compiled):
    numbers = compiled(0, COUNT) + 30
    counts = np.bincount(numbers.astype(int), minlength=66)
    possible = [10 * tens + ones for tens in range(7) for ones in range(6)]
    assert surplus(counts[possible], np.full(42, COUNT / 42)) < 5


def erlang(shape, scale):
    """Return the distribution function of the gamma distribution for a whole shape."""
    return lambda x: (
        1 - sum(math.exp(-x / scale) * (x / scale) ** k / math.factorial(k) for k in range(shape))
    )


REAL = {
    2: lambda x: 0.5 * math.erfc((1 - x) / (2 * math.sqrt(2))),
    3: lambda x: 1 - math.exp(-x),
    4: lambda x: 1 - math.exp(-x / 2.5),
    6: erlang(3, 2.0),
}


@pytest.mark.parametrize("action", REAL)
def test_real_numbers_come_as_often_as_their_distribution_says(compiled, action):
    shares = np.array([REAL[action](x) for x in compiled(action, COUNT)])
    counts, _ = np.histogram(shares, np.linspace(0, 1, 51))
    assert surplus(counts, np.full(50, COUNT / 50)) < 5


def test_gamma_of_a_small_shape_has_its_moments(compiled):
    numbers = compiled(5, COUNT)
    assert abs(numbers.mean() - 0.4) < 5 * math.sqrt(0.4 / COUNT)
    assert abs(numbers.var() - 0.4) < 0.02
    assert numbers.min() >= 0


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("integers", (0,), "low < high"),
        ("integers", (3, 3), "low < high"),
        ("gamma", (0,), "above 0"),
        ("binomial", (-1, 0.5), "n from 0"),
        ("binomial", (5, 1.5), "p from 0 to 1"),
        ("poisson", (-0.1,), "from 0"),
    ],
)
def test_parameters_that_no_distribution_has_are_refused(name, arguments, told):
    with pytest.raises(ValueError, match=told):
        getattr(bw.Random(1), name)(*arguments)


def test_limits_of_distributions_are_sure():
    drawn = bw.Random(1)
    assert [drawn.binomial(40, 0.0), drawn.binomial(40, 1), drawn.binomial(0, 0.5)] == [0, 40, 0]
    assert drawn.poisson(0) == 0


class Dice(Draws):
    """The classes below draw wrongly."""

    num_actions = 1

    def legal_actions(self):
        yield 0


class Randint(Dice):
    def draw(self, action, random):
        return random.randint(1, 6)


class OtherName(Dice):
    def apply_action(self, action, rng):
        self.drawn = rng.randrange(6)
        return 0.0


@pytest.mark.parametrize(("game", "name"), [(Randint, "randint"), (OtherName, "randrange")])
def test_a_wrong_method_of_the_argument_is_answered_by_the_list_of_right_ones(game, name):
    native = NativeRecords(compiled_type(game))
    with pytest.raises(bw.GameError, match=rf"line \d+: .*{name}\(.*random has no {name}") as by_compiler:
        call(apply_once, native, new_streams(1))
    with pytest.raises(bw.GameError, match=rf"random has no {name} .*line \d+: .*{name}\(") as by_check:
        check_game(game, 1, compiled=False)
    for error in (by_compiler.value, by_check.value):
        for right in ("below(n)", "integers(low, high)", "poisson(mean)", "shuffle(array)"):
            assert right in error.mend


@entry_kernel
def apply_once(state, streams):
    """Apply action 0 of a simulator."""
    state.apply_action(0, randomness(streams))


RNG = np.random.default_rng(1)
DICE = random.Random(1)


def roll():
    return RNG.integers(6)


class ByGenerator(Dice):
    def apply_action(self, action):
        self.drawn = RNG.integers(6)
        return 0.0


class ByModulesFunction(Dice):
    def apply_action(self, action):
        self.drawn = roll()
        return 0.0


class ByOwnGenerator(Dice):
    dice = np.random.default_rng(2)

    def apply_action(self, action):
        self.drawn = self.dice.normal()
        return 0.0


class ByPythons(Dice):
    def apply_action(self, action):
        self.drawn = sum(DICE.random() for _ in range(2))
        return 0.0


class ByItsMethod(Dice):
    def apply_action(self, action):
        self.drawn = draw_one()
        return 0.0


draw_one = DICE.random


@pytest.mark.parametrize(
    ("game", "line"),
    [
        (ByGenerator, "self.drawn = RNG.integers(6)"),
        (ByModulesFunction, "return RNG.integers(6)"),
        (ByOwnGenerator, "self.drawn = self.dice.normal()"),
        (ByPythons, "self.drawn = sum(DICE.random() for _ in range(2))"),
        (ByItsMethod, "self.drawn = draw_one()"),
    ],
)
def test_a_generator_of_ones_own_is_named_with_its_line(game, line):
    with pytest.raises(bw.GameError, match="rules may not draw from random or a generator") as by_compiler:
        compiled_type(game)
    with pytest.raises(bw.GameError, match="for the same fields") as by_check:
        check_game(game, 3, compiled=False)
    for error in (by_compiler.value, by_check.value):
        assert f": {line})" in error.problem
        assert "random.below(n) and others in a method that is given random" in error.mend
