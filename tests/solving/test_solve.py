"""Exact values and policies, against a second method and published values; what is refused."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.blackjack import Blackjack
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.twenty_forty_eight import TwentyFortyEight
from branchwise.problems.cliff_walking import CliffWalking
from branchwise.problems.frozen_lake import FrozenLake
from branchwise.problems.sailing import Sailing
from branchwise.problems.taxi import Taxi
from branchwise.rules.facts.game_type import pays
from branchwise.testing import Expectimax, UnsolvableError, exact_value, value_iteration
from support.dice import StubbornPair
from support.rows import slow
from support.second_method import by_policies, by_sweeps, listed

NATURAL = Path(__file__).parents[2] / "benchmarks" / "natural"


def natural(name):
    sys.path.insert(0, str(NATURAL))
    try:
        return __import__(name)
    finally:
        sys.path.remove(str(NATURAL))


Stock = natural("stock").Stock


@pytest.mark.parametrize(
    ("game", "second", "published"),
    [
        (Stock, by_policies, -490.850889),
        (FrozenLake, by_policies, 14 / 17),
        slow(FrozenLake.configured(discount=0.99), by_policies, 0.542026),
        (FrozenLake.configured(map_name="8x8"), by_policies, 1.0),
        slow(FrozenLake.configured(map_name="8x8", discount=0.99), by_policies, None),
        (Sailing.configured(size=5), by_policies, -8.5625),
        slow(Sailing.configured(size=10), by_policies, -21.466614),
        slow(Pig.configured(target=20), by_sweeps, 0.231117),
        (Pig.configured(target=10, sides=2), by_sweeps, 0.065974),
        slow(Blackjack.configured(natural=True, sab=False), by_policies, -0.025729),
        slow(TwentyFortyEight.configured(rows=2, columns=2), by_policies, 66.964149),
        slow(CliffWalking, by_policies, -13.0),
        (Taxi, by_policies, 7.93),
        slow(Taxi.configured(horizon=0), by_policies, 7.93),
        slow(Taxi.configured(is_rainy=True), by_policies, None),
    ],
    ids=lambda value: value.name if isinstance(value, type) else "",
)
def test_values_of_all_states_are_those_of_a_second_method(game, second, published):
    found = bw.solve(game, seconds=30)
    if published is not None:
        assert found.value == pytest.approx(published, abs=6e-7)
    expected = listed(game(), pays(game))
    assert found.states == len(expected.states)
    values = second(expected)
    for number, state in enumerate(expected.states):
        if expected.movers[number] is not None:
            value = found.policy.value(state, 0, expected.left[number])
            assert value == pytest.approx(values[number], abs=1e-9)


@pytest.mark.slow
def test_problems_with_a_horizon_have_the_values_of_expectimax():
    for state in (Taxi.from_actions("c2:G>B"), TwentyFortyEight.configured(rows=2, columns=2, horizon=4)()):
        found = bw.solve(state, seconds=30)
        assert found.value == pytest.approx(Expectimax(compiled=False).value(state), abs=1e-9)
    assert bw.solve(bw.load_game("racetrack"), seconds=30).value == -10.0


class Counter(bw.Game):
    """Up or down, by one; 3 pays 1, but stands apart from the rest by a choice that a horizon cuts off."""

    num_players = 1
    num_actions = 2
    horizon = 3

    place: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.place += 1 if action == 1 else -1
        return float(self.place == 3)

    def is_terminal(self):
        return self.place == 3 or self.place < -5


def test_a_policy_with_a_horizon_is_asked_with_the_decisions_left():
    found = bw.solve(Counter)
    assert found.value == 1.0
    assert found.policy[Counter(place=2)] == found.policy[Counter(place=2), 1] == 1
    assert found.policy.value(Counter(place=1), left=2) == 1.0
    with pytest.raises(bw.GameError, match="has no such state"):
        found.policy[Counter(place=2), 3]
    bot = bw.load_bot("optimal")
    state = Counter(place=-1)  # too far for the horizon: solved anew from each state
    assert bot.choose(state) in (0, 1)
    assert bot.choose(Counter(place=0)) == 1


# --- policies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "game", [FrozenLake, FrozenLake.configured(map_name="8x8"), Pig.configured(target=5)]
)
def test_what_a_policy_plays_comes_to_an_end_and_is_worth_what_it_says(game):
    """Equally good actions are many: by values alone, a walker would stay on the ice for ever."""
    found = bw.solve(game)
    states = listed(game(), pays(game))
    for state, steps in enumerate(states.steps):
        if states.movers[state] in (0, 1):
            legal = states.states[state].legal_actions()
            states.steps[state] = [steps[legal.index(found.policy[states.states[state]])]]
            if game.num_players == 1:
                states.movers[state] = bw.CHANCE
    values = by_sweeps(states)
    assert values[0] == pytest.approx(found.value, abs=1e-7)


class Escape(bw.Game):
    """A walker who may stay in a room for ever for nothing, or pay to leave; `prize` waits outside."""

    num_players = 1
    num_actions = 3
    prize = 5.0

    place: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1
        if self.place == 1:
            yield 2

    def apply_action(self, action):
        if action == 2:
            self.place = 2
            return self.prize - 3.0
        self.place = action
        return 0.0

    def is_terminal(self):
        return self.place == 2


@pytest.mark.parametrize(("prize", "value"), [(5.0, 2.0), (1.0, 0.0), (3.0, 0.0)])
def test_staying_for_ever_is_worth_nothing_and_leaving_what_it_pays(prize, value):
    game = Escape.configured(prize=prize)
    found = bw.solve(game)
    assert (found.value, found.policy.value(game(place=1))) == (value, value)
    assert (
        found.value
        == value_iteration(game()).value(game())
        == value_iteration(game(), compiled=False).value(game())
    )
    if value > 0.0:
        assert (found.policy[game()], found.policy[game(place=1)]) == (1, 2)


class Carousel(bw.Game):
    """Leave for a fee, or step on a carousel where chance turns for ever and nothing is paid."""

    num_players = 1
    num_actions = 2
    num_outcomes = 2

    place: np.int8 = 0
    fee: float = 1.0

    def current_player(self):
        return bw.CHANCE if self.place in (1, 2) else 0

    def legal_actions(self):
        yield 0
        yield 1

    def chance_outcomes(self):
        yield 0, 0.25
        yield 1, 0.75

    def apply_action(self, action):
        if self.place == 0 and action == 0:
            self.place = 3
            return -self.fee
        self.place = 1 + action
        return 0.0

    def is_terminal(self):
        return self.place == 3


@pytest.mark.parametrize(("fee", "value"), [(1.0, 0.0), (-1.0, 1.0)])
def test_chance_that_goes_on_for_ever_is_worth_nothing(fee, value):
    state = Carousel(fee=fee)
    found = bw.solve(state)
    assert (found.value, found.policy[state]) == (value, 0 if value > 0.0 else 1)
    for compiled in (True, False):
        assert value_iteration(state, compiled=compiled).value(state) == value


class Ring(bw.Game):
    """Rooms in a ring, without an exit, beside a short way to a small return."""

    num_players = 1
    num_actions = 2
    min_return = 0.0

    place: np.int8 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        if self.place == 0:
            yield 1

    def apply_action(self, action):
        self.place = 9 if action == 1 else 1 + self.place % 3

    def is_terminal(self):
        return self.place == 9

    def returns(self):
        return (0.25,)


def test_play_for_returns_that_cannot_end_is_refused_and_pays_nothing_where_rewards_are_paid():
    with pytest.raises(UnsolvableError, match="can go on for ever"):
        bw.solve(Ring)


class Three(bw.Game):
    """Three players name a number in turn; what each gets follows from all three."""

    num_players = 3
    num_actions = 3
    max_return = 3.0

    names: bw.Array[np.int8, 3] = 0
    turn: np.int8 = 0

    def current_player(self):
        return self.turn

    def legal_actions(self):
        yield 0
        yield 1
        yield 2

    def apply_action(self, action):
        self.names[self.turn] = action
        self.turn += 1

    def is_terminal(self):
        return self.turn == 3

    def returns(self):
        total = self.names[0] * 9 + self.names[1] * 3 + self.names[2]
        return (float(total * 7 % 4) - 1.0, float(total * 5 % 3) - 1.0, float(total * 3 % 5) - 1.0)


class Pair(Three):
    """Two of them, whose returns do not add up to the same."""

    num_players = 2

    def is_terminal(self):
        return self.turn == 2

    def returns(self):
        total = self.names[0] * 3 + self.names[1]
        return (float(total * 7 % 4) - 1.0, float(total * 5 % 3) - 1.0)


def backwards(state):
    if state.is_terminal():
        return state.returns()
    options = []
    for action in state.legal_actions():
        after = state.copy()
        after.apply_action(action)
        options.append(backwards(after))
    return max(options, key=lambda returns: returns[state.current_player()])


@pytest.mark.parametrize("game", [Three, Pair])
def test_more_players_and_other_sums_are_solved_by_backward_induction(game):
    found = bw.solve(game)
    assert found.values == pytest.approx(backwards(game()))
    assert found.method == "backward induction"
    state = game()
    while not state.is_terminal():
        state.apply_action(found.policy[state])
    assert state.returns() == pytest.approx(found.values)


class Shares(Nim):
    """The winner gets 1, the other 0: the sum is constant, and not zero."""

    min_return = 0.0
    utility = "constant_sum"

    def returns(self):
        return (0.0, 1.0) if self.mover == 0 else (1.0, 0.0)


def test_two_players_with_a_constant_sum_have_complementary_values():
    found = bw.solve(Shares)
    assert found.values == (1.0, 0.0)
    assert found.policy.action_values(Shares(chips=20, mover=1)) == {0: 0.0, 1: 0.0, 2: 0.0}
    for chips in range(1, 22):
        assert bw.solve(Nim(chips=chips)).value == exact_value(Nim(chips=chips))


# --- simultaneous moves and hidden information ----------------------------------------------------------


def test_goofspiel_with_four_cards_has_its_known_value_and_first_bid():
    game = bw.load_game("goofspiel(num_cards=4,points_order='descending')")
    found = bw.solve(game, seconds=60)
    assert found.value == pytest.approx(0.0, abs=1e-9)
    start = game()
    assert found.policy[start][0][3] == pytest.approx(1.0)
    start.apply_actions((0, 3))
    assert found.policy.value(start) == pytest.approx(-3 / 19, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kuhn_poker", -1 / 18),
        slow("leduc_poker", -0.085606),
        slow("dark_hex(size=2)", 1.0),
        slow("liars_dice(faces=3)", None),
    ],
)
def test_hidden_games_are_solved_with_no_exploitability(name, value):
    found = bw.solve(bw.load_game(name), seconds=60)
    assert found.exploitability < 1e-9
    assert bw.exploitability(found.policy) == found.exploitability
    assert sum(found.values) == pytest.approx(0.0, abs=1e-9)
    if value is not None:
        assert found.value == pytest.approx(value, abs=6e-7)


# --- refusals -------------------------------------------------------------------------------------------


class Raises(Nim):
    table = np.zeros(5)

    def apply_action(self, action):
        self.chips -= action + 1
        self.table[self.chips]


class Unequal(Pig):
    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.4


@pytest.mark.parametrize(
    ("game", "error", "told"),
    [
        (bw.load_game("kuhn_poker(players=3)"), UnsolvableError, "is for 3 players"),
        (bw.load_game("tiger"), UnsolvableError, "is partially observed"),
        (bw.load_game("pendulum"), UnsolvableError, "are continuous"),
        (StubbornPair, UnsolvableError, "can go on for ever"),
        (Nim(chips=0), UnsolvableError, "is over"),
        (Raises, IndexError, "out of bounds"),
        (Unequal, bw.GameError, "chance_outcomes gave the probabilities 0.5, 0.4"),
        ("nim", bw.GameError, "is a text, not a state"),
        (bw.load_game("kuhn_poker").from_actions("J K"), UnsolvableError, "is solved from its start"),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else "",
)
def test_what_cannot_be_solved_is_refused_with_the_reason(game, error, told):
    with pytest.raises(error, match=told):
        bw.solve(game)


def test_a_game_that_is_too_large_is_given_up_in_time_and_says_how_far_it_got():
    with pytest.raises(
        UnsolvableError, match=r"too large to be solved in 0.05 s: [\d,]+ states were found"
    ) as caught:
        bw.solve(bw.load_game("connect_four"), seconds=0.05)
    assert "bw.MCTS" in caught.value.mend
    with pytest.raises(UnsolvableError, match=r"[\d,]+ histories were found") as caught:
        bw.solve(bw.load_game("phantom_tic_tac_toe"), seconds=0.05)
    assert "bw.OOS" in caught.value.mend


def test_memory_is_bounded_before_it_is_taken(monkeypatch):
    monkeypatch.setattr(sys.modules["branchwise.solving.solve"], "MOST_BYTES", 2**20)
    with pytest.raises(UnsolvableError, match="too large"):
        bw.solve(Pig, seconds=60)


@pytest.mark.parametrize("seconds", [0, -1, math.nan, math.inf])
def test_a_limit_is_a_number_of_seconds(seconds):
    with pytest.raises(bw.SettingsError, match="seconds"):
        bw.solve(Nim, seconds=seconds)


def test_the_old_name_of_exact_value_warns():
    from branchwise import testing

    with pytest.warns(DeprecationWarning, match="exact_value"):
        assert testing.solve(Nim()) == 1.0
    with pytest.raises(AttributeError, match="nothing"):
        testing.nothing  # noqa: B018
