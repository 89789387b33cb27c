"""Exact values of games of chance against published ones, and against values worked out by hand."""

import math
import random

import pytest

import branchwise as bw
from branchwise.games.cant_stop import LENGTHS, CantStop
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.games.yahtzee import BOXES, EMPTY, Yahtzee
from branchwise.testing import (
    Expectimax,
    UnsolvableError,
    expectimax,
    expectimax_actions,
    solve_actions,
    state_tables,
)
from branchwise.testing.value_iteration import value_iteration
from support.dice import CoinTicTacToe, Ladder, StubbornPair


def odds_of_winning(value):
    return (value + 1) / 2


# --- published values -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "odds"), [({"target": 10, "sides": 2}, 0.5329870), ({"target": 20}, 0.6155585)]
)
def test_pig_has_the_value_of_other_solvers(options, odds):
    """Computed by others' value iteration, to seven places."""
    game = Pig.configured(**options)
    values = value_iteration(game())
    assert odds_of_winning(values.value(game())) == pytest.approx(odds, abs=6e-8)


def test_pig_to_2_with_a_two_sided_die_is_worked_out_by_hand():
    """Each turn wins with 1/2 by rolling, if held at once: p = 1/2 + 1/2 (1 - p), so p = 2/3."""
    game = Pig.configured(target=2, sides=2)
    values = value_iteration(game(), tolerance=1e-12)
    assert odds_of_winning(values.value(game())) == pytest.approx(2 / 3, abs=1e-12)
    assert values.by_name(game()) == pytest.approx({"roll": 1 / 3, "hold": -1 / 3}, abs=1e-12)
    rolling = game.from_actions("roll")
    assert values.action_values(rolling) == pytest.approx({0: -1 / 3, 1: 1.0}, abs=1e-12)
    assert values.value(rolling) == pytest.approx(1 / 3, abs=1e-12)


def test_the_second_players_value_is_the_second_players():
    game = Pig.configured(target=4, sides=3)
    values = value_iteration(game())
    assert values.value(game(mover=1)) == pytest.approx(values.value(game()), abs=1e-8)
    assert values.action_values(game(mover=1)) == pytest.approx(values.action_values(game()), abs=1e-8)


@pytest.mark.parametrize("tolerance", [0.1, 1e-3, 1e-6])
def test_values_are_within_the_tolerance(tolerance):
    game = Pig.configured(target=10, sides=2)
    exact, rough = value_iteration(game(), tolerance=1e-12), value_iteration(game(), tolerance=tolerance)
    states = [game(scores=[a, b], mover=m) for a in range(0, 10, 2) for b in range(0, 10, 2) for m in (0, 1)]
    assert max(abs(exact.value(state) - rough.value(state)) for state in states) <= tolerance


def test_cant_stop_in_which_any_sum_wins_goes_to_whoever_is_the_first_to_find_one():
    """Both have won two columns and are one step from the top of the rest: p + (1 - p) (1 - w) = w."""
    state = CantStop(places=LENGTHS - 1, closed=0b11000000011)
    state.places[0, :2], state.places[1, :2] = LENGTHS[:2], 0
    state.places[1, 9:], state.places[0, 9:] = LENGTHS[9:], 0
    finds = sum(chance for throw, chance in state.chance_outcomes() if moves_on(state, throw))
    odds = finds / (1 - (1 - finds) ** 2)
    assert odds_of_winning(value_iteration(state).value(state)) == pytest.approx(odds, abs=1e-9)


def moves_on(state, throw):
    after = state.copy()
    after.apply_action(throw)
    return after.mover == state.mover


def last_box(name, **fields):
    state = Yahtzee.configured(players=1)(sheet=0, **fields)
    state.sheet[0, BOXES.index(name)] = EMPTY
    return state


def test_the_last_box_of_yahtzee_has_the_published_value():
    """Each die shows a given side after three throws with 91/216; five are alike with 4.603 %."""
    assert expectimax(last_box("ones")) == pytest.approx(5 * 91 / 216)
    assert expectimax(last_box("yahtzee")) == pytest.approx(50 * 0.0460286, abs=1e-5)


def test_chance_keeps_a_die_above_the_mean_of_those_to_come():
    """With one throw left it keeps 4, 5 and 6, with two left 5 and 6: a die is worth 4.25 then."""
    for throws, kept in ((1, "keep456"), (2, "keep56")):
        state = last_box("chance", dice=[1, 3, 4, 5, 6], throws_left=throws)
        values = expectimax_actions(state)
        assert state.action_to_string(max(values, key=values.get)) == kept
    assert expectimax(last_box("chance")) == pytest.approx(5 * 14 / 3)


def test_the_last_throw_of_yahtzee_is_solved_by_a_search():
    state = last_box("sixes", dice=[1, 2, 3, 6, 6], throws_left=1)
    result = bw.MCTS(seed=1).search(state, simulations=20_000)
    assert result.ended_by == "proven"
    assert state.action_to_string(result.best_action) == "keep66"
    assert result.value == pytest.approx(12 + 3 * 6 / 6, abs=1e-4)


# --- expectimax -----------------------------------------------------------------------------------------


def test_without_chance_expectimax_finds_what_the_solver_finds():
    for state in (Nim(chips=9), TicTacToe.from_actions("b2 a2"), TicTacToe.from_actions("b2 a2 c3")):
        assert expectimax_actions(state) == solve_actions(state)


def test_tic_tac_toe_with_a_coin_favours_nobody_at_the_start_and_the_centre_by_symmetry():
    solver = Expectimax()
    start = CoinTicTacToe()
    assert start.current_player() == bw.CHANCE
    values = solver.action_values(start)
    assert values[0] == pytest.approx(-values[1])
    first = CoinTicTacToe.from_actions([0])
    moves = solver.action_values(first)
    assert max(moves, key=moves.get) == 4
    assert moves[0] == pytest.approx(moves[8])
    assert solver.value(first) == pytest.approx(max(moves.values())) == pytest.approx(values[0])


def test_expectimax_is_the_mean_of_outcomes_and_the_best_of_actions():
    rng = random.Random(1)
    for _ in range(5):
        state = CoinTicTacToe.from_actions([0, 4, 1, 0, 0, 2])
        solver = Expectimax()
        while not state.is_terminal():
            values = solver.action_values(state)
            if state.current_player() == bw.CHANCE:
                mean = math.fsum(values[face] * chance for face, chance in state.chance_outcomes())
                assert solver.value(state) == pytest.approx(mean)
            else:
                assert solver.value(state) == max(values.values())
            state.apply_action(rng.choice(state.legal_actions()))


def test_a_game_for_one_player_takes_the_best_mean():
    """From rung 0 of 2: a sure rung each move, or two with 1/4; the return is what is left of 4 moves."""
    assert expectimax_actions(Ladder()) == {0: 0.5, 1: pytest.approx(0.25 * 0.75 + 0.75 * 0.25)}
    assert value_iteration(Ladder()).action_values(Ladder()) == pytest.approx(expectimax_actions(Ladder()))


def test_both_solvers_agree_where_both_apply():
    state = CoinTicTacToe.from_actions([0, 4, 1, 0, 1, 8])
    values = value_iteration(state)
    assert values.value(state) == pytest.approx(expectimax(state), abs=1e-9)
    for action, value in expectimax_actions(state).items():
        assert values.action_values(state)[action] == pytest.approx(value, abs=1e-9)


def test_states_of_openspiel_are_solved_too():
    pyspiel = pytest.importorskip("pyspiel")
    assert expectimax(pyspiel.load_game("tic_tac_toe").new_initial_state().child(4).child(1)) == 1.0


def test_the_state_is_left_as_it_was():
    state = Pig.configured(target=3, sides=2)()
    before = state.copy()
    value_iteration(state).action_values(state)
    assert state == before


# --- refusals -------------------------------------------------------------------------------------------


class WrongChances(Pig):
    def chance_outcomes(self):
        yield 0, 0.5
        yield 1, 0.25


class ThreePlayers(Nim):
    num_players = 3


class BothWin(Nim):
    def returns(self):
        return (1.0, 1.0)


@pytest.mark.parametrize("solve", [expectimax, expectimax_actions, value_iteration])
@pytest.mark.parametrize(
    ("state", "told"),
    [
        (WrongChances(), "chance_outcomes gave the probabilities 0.5, 0.25"),
        (ThreePlayers(), "three_players is for 3"),
        (BothWin(chips=2), "not those of a zero-sum game"),
        (Nim(chips=0), "is over"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_what_cannot_be_solved_is_refused_with_the_reason(state, told, solve):
    with pytest.raises((UnsolvableError, bw.GameError), match=told):
        solve(state)


def test_expectimax_points_to_value_iteration_for_a_game_that_returns_to_a_state():
    solver = Expectimax()
    with pytest.raises(UnsolvableError, match="pig can return to a state") as caught:
        solver.value(Pig())
    assert caught.value.mend == "value_iteration takes such games"
    assert solver.states == 0


def test_values_that_endless_play_leaves_open_are_refused():
    with pytest.raises(UnsolvableError, match="stay 2 apart: play can go on for ever"):
        value_iteration(StubbornPair())


def test_a_state_that_was_not_reached_is_refused():
    values = value_iteration(Nim(chips=3))
    with pytest.raises(UnsolvableError, match="cannot be reached"):
        values.value(Nim(chips=4))


def test_a_state_that_is_not_equal_by_content_is_refused():
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("pig(winscore=5)").new_initial_state()
    with pytest.raises(UnsolvableError, match="not equal by content"):
        value_iteration(state)


def test_games_of_too_many_states_are_refused(monkeypatch):
    monkeypatch.setattr(state_tables, "MOST_STATES", 100)
    with pytest.raises(UnsolvableError, match="more than 100 reachable states"):
        value_iteration(Pig(), compiled=False)


def test_impossible_outcomes_are_not_looked_at():
    class Sure(Pig):
        def chance_outcomes(self):
            yield 0, 0.0
            yield 5, 1.0

    game = Sure.configured(target=6)
    values = value_iteration(game())
    assert values.value(game()) == pytest.approx(1.0)
    assert len(values) == 2 * len({"start", "rolling", "six", "won"})
