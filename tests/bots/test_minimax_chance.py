"""Minimax in games of chance against exact expectimax, compiled and in plain Python."""

import random

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.backgammon import Backgammon
from branchwise.games.pig import Pig
from branchwise.testing import Expectimax
from support.dice import CoinTicTacToe, Ladder


class Plain:
    """A state as an object of somebody else's, whose rules cannot be compiled."""

    num_players, num_actions, utility = 2, 9, "zero_sum"

    def __init__(self, state):
        self.state = state
        self.num_outcomes = state.num_outcomes
        for name in ("current_player", "legal_actions", "apply_action", "is_terminal", "returns"):
            setattr(self, name, getattr(state, name))
        self.chance_outcomes = state.chance_outcomes
        if hasattr(state, "evaluate"):
            self.evaluate = state.evaluate

    def clone(self):
        return Plain(self.state.copy())


class Judged(Pig):
    """Pig to 20 with a judgement of unfinished games, which counts the points on the table too."""

    target = 20

    def evaluate(self):
        worth = (self.scores[0] - self.scores[1]) / 40
        table = self.turn_total / 50 if self.mover == 0 else -self.turn_total / 50
        return (worth + table, -worth - table)


def chosen(state, depth):
    bot = bw.load_bot(f"minimax(depth={depth})", seed=1)
    return bot.choose(state), bot.value


def positions(game, source, moves, count):
    """Yield `count` states after random moves, `moves` by number; in each a player is to move."""
    while count:
        state = game()
        for _ in range(source.randrange(*moves)):
            if not state.is_terminal():
                state.apply_action(source.choice(state.legal_actions()))
        if not state.is_terminal() and state.current_player() != bw.CHANCE:
            count -= 1
            yield state


@pytest.mark.bounds
def test_minimax_to_the_end_is_expectimax():
    exact = Expectimax()
    for state in positions(CoinTicTacToe, random.Random(3), (9, 14), 60):
        values = exact.action_values(state)
        for position in (state, Plain(state)):
            action, value = chosen(position, 30)
            assert value == pytest.approx(exact.value(state), abs=1e-12)
            assert values[action] == pytest.approx(max(values.values()), abs=1e-12)


def expected(state, depth):
    """Return the value for player 0 with nothing pruned."""
    if state.is_terminal():
        return state.returns()[0]
    if depth == 0:
        return state.evaluate()[0]
    if state.current_player() == bw.CHANCE:
        return sum(
            chance * expected(after(state, outcome), depth - 1) for outcome, chance in state.chance_outcomes()
        )
    values = [expected(after(state, action), depth - 1) for action in state.legal_actions()]
    return max(values) if state.current_player() == 0 else min(values)


def after(state, action):
    copy = state.copy()
    copy.apply_action(action)
    return copy


@pytest.mark.bounds
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_outcomes_count_as_moves_looked_ahead(depth):
    for state in positions(Judged, random.Random(depth), (0, 40), 12):
        sign = 1 if state.current_player() == 0 else -1
        for position in (state, Plain(state)):
            action, value = chosen(position, depth)
            assert value == pytest.approx(sign * expected(state, depth), abs=1e-12)
            assert expected(after(state, action), depth - 1) == pytest.approx(sign * value, abs=1e-12)


def test_minimax_bears_off_the_last_checkers_at_once():
    checkers = np.zeros((2, 25), np.int8)
    checkers[0, [1, 3]] = 1
    checkers[1, 0] = 1
    state = Backgammon(checkers=checkers, off=[13, 14], high=4, low=2, started=True)
    action, value = chosen(state, 2)
    assert value == 1.0
    assert after(state, action).is_terminal()


def test_a_game_for_one_is_refused_with_chance_too():
    with pytest.raises(bw.SettingsError, match="minimax plays two-player games"):
        bw.load_bot("minimax").choose(Ladder())


@pytest.mark.parametrize("form", [lambda state: state, Plain], ids=["game", "object"])
def test_probabilities_that_do_not_add_up_are_one_clear_error(form):
    class Loaded(Pig):
        def chance_outcomes(self):
            yield 0, 0.5
            yield 1, 0.25

    with pytest.raises(bw.GameError, match=r"chance_outcomes") as caught:
        bw.load_bot("minimax(depth=3)", seed=1).choose(form(Loaded()))
    assert "0.75" in caught.value.problem or "0.5, 0.25" in caught.value.problem
