"""Exact values by compiled rules against those of plain Python, and what is refused in both."""

import os
import random
import signal
import threading

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.queries import exact
from branchwise.games.blackjack import Blackjack
from branchwise.games.pig import Pig
from branchwise.games.twenty_forty_eight import TwentyFortyEight
from branchwise.problems.frozen_lake import FrozenLake
from branchwise.problems.sailing import Sailing
from branchwise.problems.taxi import Taxi
from branchwise.testing import Expectimax, UnsolvableError, value_iteration
from support.dice import CoinTicTacToe, Ladder, StubbornPair
from support.paying import Auction, Treadmill, Wheel
from support.rows import slow

SMALL_2048 = {"rows": 2, "columns": 2}


def some_states(start, count=30, seed=1):
    """Return states of random play from `start`, the first included."""
    rng = random.Random(seed)
    states, state = [start], start.copy()
    while len(states) < count:
        state.apply_action(rng.choice(state.legal_actions()))
        if state.is_terminal():
            state = start.copy()
        else:
            states.append(state.copy())
    return states


def assert_same_values(first, second, states):
    for state in states:
        assert first.value(state) == pytest.approx(second.value(state), abs=1e-12)
        expected = second.action_values(state)
        assert first.action_values(state) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "start",
    [
        slow(Pig.configured(target=20)()),
        pytest.param(Pig.configured(target=5)(), marks=pytest.mark.bounds),
        CoinTicTacToe.from_actions([0, 4, 1, 0]),
        slow(TwentyFortyEight.configured(**SMALL_2048)()),
        Blackjack(),
        slow(FrozenLake.configured(discount=0.99)()),
        Taxi.configured(horizon=0, discount=0.9)(),
        slow(Sailing.configured(size=5)()),
        Auction(),
    ],
    ids=lambda state: state.name,
)
def test_value_iteration_finds_the_same_compiled_and_in_plain_python(start):
    first = value_iteration(start, tolerance=1e-13, compiled=True)
    second = value_iteration(start, tolerance=1e-13, compiled=False)
    assert len(first) == len(second)
    assert_same_values(first, second, some_states(start))


@pytest.mark.parametrize(
    "start",
    [
        CoinTicTacToe.from_actions([0, 4, 1, 0]),
        slow(TwentyFortyEight.configured(**SMALL_2048, horizon=4).from_actions("a1=2 b2=2")),
        slow(Taxi.from_actions("c2:G>B")),
        pytest.param(Treadmill(), marks=pytest.mark.bounds),
        Wheel(),
    ],
    ids=lambda state: state.name,
)
def test_expectimax_finds_the_same_compiled_and_in_plain_python(start):
    first, second = Expectimax(compiled=True), Expectimax(compiled=False)
    assert_same_values(first, second, some_states(start, count=5))


def test_expectimax_remembers_states_of_several_games():
    solver = Expectimax(compiled=True)
    start = CoinTicTacToe.from_actions([0, 4, 1, 0, 1, 8])
    value = solver.value(start)
    known = solver.states
    assert solver.value(start) == value
    assert solver.states == known > 1000
    later = CoinTicTacToe.from_actions([0, 4, 1, 0, 1, 8, 0])
    assert solver.value(later) == Expectimax(compiled=False).value(later)
    assert solver.states == known
    solver.value(Ladder())
    assert solver.states > known


def test_pig_to_20_and_2048_on_2x2_have_the_published_values_compiled():
    game = Pig.configured(target=20)
    assert value_iteration(game()).value(game()) == pytest.approx(0.231117, abs=1e-6)
    game = TwentyFortyEight.configured(**SMALL_2048)
    assert value_iteration(game(), compiled=True).value(game()) == pytest.approx(66.964149, abs=1e-6)


@pytest.mark.parametrize("tolerance", [0.1, 1e-3, 1e-6])
def test_compiled_values_are_within_the_tolerance(tolerance):
    game = Pig.configured(target=5)
    exact_values = value_iteration(game(), tolerance=1e-12, compiled=True)
    rough = value_iteration(game(), tolerance=tolerance, compiled=True)
    states = some_states(game(), count=200)
    assert max(abs(exact_values.value(state) - rough.value(state)) for state in states) <= tolerance


def test_more_than_few_states_are_solved_by_compiled_rules(monkeypatch):
    counts = []
    add = exact.ExactStates.add
    monkeypatch.setattr(
        exact.ExactStates, "add", lambda *args, **named: counts.append(1) or add(*args, **named)
    )
    value_iteration(FrozenLake.configured(discount=0.99)())
    assert not counts
    value_iteration(Pig.configured(target=10)())
    assert len(counts) == 1
    value_iteration(Pig.configured(target=10)(), compiled=False)
    assert len(counts) == 1


class Forever(bw.Game):
    """A step pays 1, and there is always another one."""

    num_players = 1
    num_actions = 1

    steps: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        return 1.0

    def is_terminal(self):
        return False


class LongLine(bw.Game):
    """One player counts to 20,000, and wins then: longer than Python's stack."""

    num_players = 1
    num_actions = 1
    max_game_length = 20_000

    steps: np.int32 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.steps += 1

    def is_terminal(self):
        return self.steps == 20_000

    def returns(self):
        return (1.0,)


class Uncompilable(LongLine):
    """The same with rules that only Python can run."""

    def is_terminal(self):
        return self.steps == int(str(20_000), base=len({*range(10)}))


@pytest.mark.bounds
def test_long_lines_are_solved_by_compiled_rules_and_in_plain_python():
    assert Expectimax().value(LongLine()) == 1.0
    assert Expectimax(compiled=False).value(LongLine()) == 1.0


def test_rules_that_do_not_compile_are_solved_in_plain_python():
    assert value_iteration(Uncompilable(steps=15_000)).value(Uncompilable(steps=15_000)) == 1.0
    with pytest.raises(bw.GameError, match="cannot be compiled"):
        value_iteration(Uncompilable(steps=15_000), compiled=True)
    assert Expectimax().value(Uncompilable()) == 1.0


# --- refusals -------------------------------------------------------------------------------------------


class WrongChances(Pig):
    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.25


class BothWin(Pig):
    def returns(self):
        return (1.0, 1.0)


class Stuck(Pig):
    def legal_actions(self):
        if self.turn_total < 3:
            yield 0


class Raises(Pig):
    table = np.zeros(2)

    def apply_action(self, action):
        self.turn_total += 1
        self.table[self.turn_total]


class TooGreat(bw.Game):
    """What each of two steps pays is more than any reward may be."""

    num_players = 1
    num_actions = 1
    steps: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0

    def apply_action(self, action):
        self.steps += 1
        return 1e31

    def is_terminal(self):
        return self.steps == 2


@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("state", "error", "told"),
    [
        (WrongChances(), bw.GameError, "chance_outcomes gave the probabilities 0.5, 0.25"),
        (BothWin(scores=[98, 98]), UnsolvableError, "not those of a zero-sum game"),
        (Stuck(), UnsolvableError, "gave no action in a state not over"),
        (StubbornPair(), UnsolvableError, "stay 2 apart: play can go on for ever"),
        (Raises(), IndexError, "out of bounds"),
        (TooGreat(), bw.GameError, "a reward is a finite number"),
    ],
    ids=lambda value: value.name if isinstance(value, bw.Game) else "",
)
def test_faults_are_reported_in_the_same_words(state, error, told, compiled):
    with pytest.raises(error, match=told):
        value_iteration(state, compiled=compiled)


def test_a_problem_without_end_is_refused_compiled():
    with pytest.raises(UnsolvableError, match="forever do not converge: play can go on for ever"):
        value_iteration(Forever(), compiled=True)


def test_a_cycle_is_found_by_compiled_expectimax_which_then_knows_nothing():
    solver = Expectimax(compiled=True)
    with pytest.raises(UnsolvableError, match="can return to a state") as caught:
        solver.value(Pig.configured(target=5)())
    assert caught.value.mend == "value_iteration takes such games"
    assert solver.states == 0


def test_states_that_do_not_compile_are_refused_where_compiled_is_asked_for():
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    with pytest.raises(bw.SettingsError, match="cannot be solved compiled"):
        Expectimax(compiled=True).value(state)


def test_too_many_states_are_refused_by_compiled_rules(monkeypatch):
    monkeypatch.setattr(exact, "MOST_STATES", 3000)
    with pytest.raises(UnsolvableError, match="more than 3,000 reachable states"):
        value_iteration(Pig())


def test_an_interrupt_ends_the_listing_of_states():
    value_iteration(Pig.configured(target=3)(), compiled=True)  # compile now, not while listing
    game = Pig.configured(target=3)
    interrupt = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        value_iteration(Pig.configured(target=1000)(), compiled=True)
    interrupt.join()
    assert value_iteration(game(), compiled=True).value(game()) > 0.0
