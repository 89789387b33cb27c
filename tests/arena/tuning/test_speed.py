"""Measuring speeds: what is compared, and which positions count. Times themselves are not tested."""

import random

import pytest

import branchwise as bw
from branchwise.arena.tuning import speed
from branchwise.arena.tuning.speed import MOST_RATIO, POSITIONS, Speeds, positions
from branchwise.common.players import CHANCE
from branchwise.games.connect_four import ConnectFour
from branchwise.games.nim import Nim
from branchwise.games.pig import Pig
from support.simulators import Drift


@pytest.mark.parametrize("game", [ConnectFour, Pig, Drift])
def test_positions_are_open_and_the_same_for_the_same_seed(game):
    found = positions(game, 8, 3)
    assert len(found) == 8
    assert not any(state.is_terminal() or state.current_player() == CHANCE for state in found)
    assert positions(game, 8, 3) == found != positions(game, 8, 4)


def test_a_game_without_moves_is_refused():
    class Over(Nim):
        def is_terminal(self):
            return True

    with pytest.raises(bw.MatchError, match="are over before a player moves"):
        positions(Over, 2, 1)


class Paces:
    """Stands for timed searches: the defaults make 1,000 simulations a second, others as many as told."""

    def __init__(self, others, early=()):
        self.others, self.early, self.asked = others, early, []

    def __call__(self, planner, state, simulations):
        self.asked.append((planner.settings.c, simulations))
        place = self.states.index(state)
        pace = 1000.0 if planner.settings.c is None else self.others[place]
        return pace, (simulations // 2 if place in self.early else simulations)


def measured(monkeypatch, others, early=(), seconds=0.1):
    paces = Paces(others, early)
    monkeypatch.setattr(speed, "_paced", paces)
    speeds = Speeds(ConnectFour, seconds, 1)
    paces.states = speeds._states
    return speeds.of_defaults(), speeds.ratio({"c": 0.2}), paces


def test_the_ratio_is_the_median_over_positions_in_turns(monkeypatch):
    others = [500.0, 400.0, 450.0, 600.0, 550.0, 480.0, 520.0, 9000.0]
    plain, ratio, paces = measured(monkeypatch, others)
    assert plain == 1000.0
    assert ratio == pytest.approx(0.51)
    last = paces.asked[-2 * POSITIONS :]
    assert {count for _, count in last} == {100}  # as many as the defaults make in a tenth of a second
    assert [c for c, _ in last] == [None, 0.2, 0.2, None] * (POSITIONS // 2)


def test_positions_that_are_solved_do_not_count_unless_all_are(monkeypatch):
    others = [500.0] * 6 + [300.0, 300.0]
    assert measured(monkeypatch, others, early=(0, 1, 2, 3, 4))[1] == pytest.approx(0.3)
    assert measured(monkeypatch, others, early=range(8))[1] == pytest.approx(0.5)


def test_ratios_are_limited(monkeypatch):
    assert measured(monkeypatch, [1e6] * 8)[1] == MOST_RATIO
    assert measured(monkeypatch, [1.0] * 8)[1] == 1 / MOST_RATIO


def test_short_moves_are_measured_by_longer_searches(monkeypatch):
    *_, paces = measured(monkeypatch, [1000.0] * 8, seconds=0.001)
    assert paces.asked[-1][1] == 64


def test_speeds_of_real_searches_are_numbers_in_range():
    speeds = Speeds(Nim, 0.001, random.Random(1).getrandbits(20))
    assert speeds.of_defaults() > 0
    assert 1 / MOST_RATIO <= speeds.ratio({"c": 0.3}) <= MOST_RATIO
