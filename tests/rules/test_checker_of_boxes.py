"""The checker plays rules with continuous actions in both forms in step, with the same vectors."""

import math

import pytest

import branchwise as bw
from branchwise.common.errors import GameError
from branchwise.problems.pendulum import Pendulum
from branchwise.rules.checking.cross_check import CompiledMirror
from branchwise.rules.checking.faults import Line
from branchwise.rules.checking.random_game import play_random_game
from branchwise.testing import CheckReport, check_game, replay_moves
from support.boxes import Duel, Gusts, Peak, TwoSteps

GAMES = [Peak, TwoSteps, Gusts, Duel, Pendulum]


def wraps(number):
    """Whether a number, of 1 at least, becomes 0 when it is shifted far; a Python number grows instead."""
    big = number << 62
    return big * 4 == 0


@pytest.mark.parametrize("game", GAMES)
def test_compiled_games_are_those_of_plain_python(game):
    seeds = [0, 1, -5, 2**70 + 3]
    mirror = CompiledMirror(game)
    mirror.start(game.new_initial_state(bw.Random(1)))
    played = mirror.play(seeds)
    assert played.fault_after is None
    if game is Pendulum:
        return  # its start is drawn, and a line begins where it is drawn by its own seed
    for seed, length, returns in zip(seeds, played.lengths, played.returns, strict=True):
        line, report = Line(game, seed=seed), CheckReport(game.name)
        play_random_game(line, seed, report)
        assert length == len(line.actions)
        assert returns == pytest.approx(next(iter(report.results)))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_compared_with_compiled_code(game):
    report = check_game(game, games=5, seconds=None)
    assert (report.games, report.compared, report.mirror) == (5, 5, "compiled code")
    numbers = "2 numbers" if game is Peak else "1 number"
    assert f"actions: vectors of {numbers}\n" in str(report)
    assert not report.notes


def test_moves_are_played_in_both_forms():
    assert replay_moves(TwoSteps, ["0.5", "0.25"]).place == 0.75
    with pytest.raises(bw.ActionError, match="outside its box"):
        replay_moves(TwoSteps, ["0.5", "0.5"])


class OtherState(TwoSteps):
    def apply_action(self, action):
        self.place += action[0] * (0.5 if wraps(self.steps + 1) else 0.25)
        self.steps += 1
        return 0.0


class OtherReward(TwoSteps):
    def apply_action(self, action):
        self.steps += 1
        return -1.0 if wraps(self.steps) else -2.0


class OtherHigh(TwoSteps):
    def action_high(self):
        return (0.5 if wraps(self.steps + 1) else 0.25,)


class OtherLow(Gusts):
    def action_low(self):
        return (-1.5 if wraps(self.steps + 1) else -1.25,)


class OtherDraw(Gusts):
    def sample_action(self, random):
        return (self.place + (0.25 if wraps(self.steps + 1) else 0.5) * random.uniform(),)


class MoreDraws(Gusts):
    def sample_action(self, random):
        drawn = random.uniform()
        if not wraps(self.steps + 1):
            random.uniform()
        return (self.place + 0.5 * drawn,)


class OtherEvaluation(TwoSteps):
    def evaluate(self):
        return (-1.0 if wraps(self.steps + 1) else -2.0,)


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (OtherState, "OtherState.apply_action differs: Python has place = "),
        (OtherReward, "OtherReward.apply_action differs: Python has rewards (-2.0,), compiled code has"),
        (OtherHigh, "OtherHigh.action_high differs: Python has (0.25,), compiled code has (0.5,)"),
        (OtherLow, "OtherLow.action_low differs: Python has (-1.25,), compiled code has (-1.5,)"),
        (OtherDraw, "OtherDraw.sample_action differs: Python has "),
        (MoreDraws, "drawn 2 random numbers, compiled code has drawn 1 random numbers"),
        (OtherEvaluation, "OtherEvaluation.evaluate differs: Python has (-2.0,), compiled code has (-1.0,)"),
    ],
)
def test_rules_that_differ_when_they_are_compiled_are_found(game, told):
    with pytest.raises(GameError) as caught:
        check_game(game, games=3, seconds=None)
    assert told in caught.value.problem


class Narrowing(TwoSteps):
    """Its box is none where few games come to: found among the games that compiled code plays."""

    def action_high(self):
        return (-1.0 if self.steps == 1 and self.place > 0.499 else 0.5,)


class Endless(Peak):
    max_game_length = 6

    def is_terminal(self):
        return self.x > 0.999


class Drifting(Gusts):
    def sample_action(self, random):
        return (self.place + 1.0005 * random.uniform(),)


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (Narrowing, "action_low is 0 where action_high is -1"),
        (Endless, "not over after 6 moves, but max_game_length is 6"),
        (Drifting, "is outside its box"),
    ],
)
def test_faults_that_compiled_games_come_to_are_reported_as_in_plain_python(game, told):
    with pytest.raises(GameError) as caught:
        check_game(game, games=20_000, seconds=None)
    assert told in caught.value.problem
    assert "replay" in str(caught.value)


def test_a_fault_in_rules_is_shown_with_its_vectors():
    class Fragile(TwoSteps):
        def apply_action(self, action):
            if action[0] > 0.25 and self.steps == 1:
                raise ZeroDivisionError
            self.place += math.fabs(action[0])
            self.steps += 1
            return 0.0

    with pytest.raises(GameError) as caught:
        check_game(Fragile, games=200, seconds=None)
    assert "Fragile.apply_action" in caught.value.problem
    first = float(caught.value.after)
    assert 0.0 <= first <= 0.5
