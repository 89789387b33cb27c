"""Broken rules, states and settings: one clear error each."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.games.nim import Nim
from branchwise.optimise import run
from support import narrow
from support.puzzles import Sum


class Walk(bw.Game):
    """Walk three steps, left or right; subclasses break one rule each."""

    num_players = 1
    num_actions = 2
    max_game_length = 20

    steps: np.int16 = 0
    place: np.int16 = 0

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.steps += 1
        self.place += action
        return 1.0

    def is_terminal(self):
        return self.steps == 3


class Endless(Walk):
    def is_terminal(self):
        return False


class NoAction(Walk):
    def legal_actions(self):
        if self.steps < 2:
            yield 0
            yield 1


class OutOfRange(Walk):
    def legal_actions(self):
        yield 0
        yield 1 + self.steps


class TooMany(Walk):
    def legal_actions(self):
        yield 0
        yield 1
        if self.steps == 2:
            yield 1


class Raises(Walk):
    table = np.zeros(2)

    def apply_action(self, action):
        self.steps += 1
        return self.table[self.steps]


class Infinite(Walk):
    def apply_action(self, action):
        self.steps += 1
        return np.inf if self.steps == 2 else 0.0


class NegativeCode(Walk):
    def action_code(self, action):
        return action - self.steps


class NegativePrior(Walk):
    def prior(self, action):
        return 1.0 - self.steps


class NoPrior(Walk):
    def prior(self, action):
        return 0.0


class BadMove(Walk):
    def playout_action(self, random):
        return self.steps


class Wrong(Sum):
    max_return = 2.0


FAULTS = [
    (Endless, "not over after 20 moves"),
    (NoAction, "no action in a state that is not over"),
    (OutOfRange, "gave action 2, but num_actions is 2"),
    (TooMany, "gave action 1 twice"),
    (Raises, "IndexError"),
    (Infinite, "inf"),
    (Wrong, "max_return is 2.0"),
]


@pytest.mark.parametrize(("game", "told"), FAULTS)
@pytest.mark.parametrize(
    "planner",
    [bw.NRPA(level=2, iterations=5, seed=1), bw.NestedSearch(level=1, seed=1), bw.LateAcceptance(seed=1)],
    ids=repr,
)
def test_rules_with_a_fault_give_one_clear_error(game, told, planner):
    for compiled in (None, False):
        planner.compiled = compiled
        with pytest.raises(bw.GameError, match=told):
            planner.search(game())


@pytest.mark.parametrize(
    ("game", "planner", "told"),
    [
        (NegativeCode, bw.NRPA(level=1, seed=1), "NegativeCode.action_code gave a negative number"),
        (
            NegativePrior,
            bw.NRPA(level=1, seed=1, compiled=False),
            "NegativePrior.prior gave a weight that is",
        ),
        (
            NegativePrior,
            bw.NestedSearch(level=1, seed=1, compiled=False),
            "NegativePrior.prior gave a weight",
        ),
        (
            NegativePrior,
            bw.NestedSearch(playout="uniform", min_prior=0.1, seed=1),
            "NegativePrior.prior gave a weight",
        ),
        (NoPrior, bw.NestedSearch(playout="uniform", min_prior=0.1, seed=1), "NoPrior.prior gave"),
        (
            BadMove,
            bw.NestedSearch(level=1, seed=1),
            "BadMove.playout_action gave an action that is not legal",
        ),
    ],
)
def test_optional_rules_with_a_fault_are_named(game, planner, told):
    with pytest.raises(bw.GameError, match=told):
        planner.search(game())


def test_only_problems_of_one_player_without_chance_are_searched():
    with pytest.raises(bw.GameError, match=r"nim is for 2 players, and NRPA looks for the best line of one"):
        bw.NRPA().search(Nim())
    with pytest.raises(bw.GameError, match="chance moves in frozen_lake"):
        bw.NestedSearch(compiled=False).search(bw.load_game("frozen_lake")())
    with pytest.raises(bw.GameError, match="chance moves in sailing"):
        bw.NRPA(compiled=False).search(bw.load_game("sailing")())


def test_a_state_that_is_over_is_refused():
    with pytest.raises(bw.GameError, match="this walk game is over"):
        bw.NRPA().search(Walk(steps=3))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: bw.NRPA(level=0), "level = 0"),
        (lambda: bw.NRPA(iterations=0), "iterations = 0"),
        (lambda: bw.NRPA(iterations=None), "iterations = None is not a whole number"),
        (lambda: bw.NRPA(playouts=None), "playouts = None is not a whole number"),
        (lambda: bw.NestedSearch(level=None), "level = None is not a whole number"),
        (lambda: bw.LateAcceptance(history=0), "history = 0 is outside its range"),
        (lambda: bw.LateAcceptance(history=2.5), "history = 2.5 is not a whole number"),
        (
            lambda: bw.LateAcceptance(threads=2, parallel="leaf"),
            'parallel="leaf" is for searches by playouts',
        ),
        (lambda: bw.NestedSearch(samples=None), "samples = None is not a whole number"),
        (lambda: bw.NestedSearch(threads=None), "threads = None is not a whole number"),
        (lambda: bw.NRPA(alpha=0.0), "alpha = 0.0"),
        (lambda: bw.NRPA(bias=-1.0), "bias = -1.0"),
        (lambda: bw.NRPA(spare=1.5), "spare = 1.5"),
        (lambda: bw.NRPA(clamp=0.0), "clamp = 0.0"),
        (lambda: bw.NRPA(clamp=461), "clamp = 461"),
        (lambda: bw.NRPA(repetitions=0), "repetitions = 0"),
        (lambda: bw.NRPA(compiled="meanwhile"), "compiled = 'meanwhile'"),
        (lambda: bw.NestedSearch(playout="mast"), "playout = 'mast' is unknown"),
        (lambda: bw.NestedSearch(threads=0), "threads = 0"),
        (lambda: bw.NestedSearch(min_prior=1.5), "min_prior = 1.5 is outside its range"),
        (lambda: bw.NestedSearch(min_prior="all"), "min_prior = 'all' is not a number"),
        (lambda: bw.NestedSearch(width=0), "width = 0 is outside its range"),
        (lambda: bw.NestedSearch(width=2.5), "width = 2.5 is not a whole number"),
        (lambda: bw.NestedSearch(level=1, width=3), "width = 3 has no use at level 1"),
        (lambda: bw.NestedSearch(width=3, samples=0), "samples = 0 is outside its range"),
        (lambda: bw.NestedSearch(level=1, samples=0), "samples = 0 is outside its range"),
        (
            lambda: bw.NestedSearch(level=3, width=[3]),
            "width = [3] is not one number for each of the levels 2 to 3",
        ),
        (lambda: bw.NestedSearch(level=3, width=(3, 0)), "width = 0 is outside its range"),
        (lambda: bw.NestedSearch(level=3, width="35"), "width = '35' is not a whole number"),
        (lambda: bw.NRPA().search(Walk(), playouts=0), "playouts = 0"),
        (lambda: bw.NRPA().search(Walk(), seconds=-1), "seconds = -1"),
        (lambda: bw.NRPA(threads=2, compiled=False).search(Walk()), "stay in Python"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, told):
    with pytest.raises(bw.SettingsError) as caught:
        make()
    assert told in str(caught.value)


def test_a_playout_needs_its_rule():
    with pytest.raises(bw.GameError, match='playout = "game" needs a method playout_action'):
        bw.NestedSearch(playout="game", compiled=False).search(Walk())
    with pytest.raises(bw.GameError, match=r"min_prior = 0\.5 needs a method prior, which"):
        bw.NestedSearch(min_prior=0.5).search(Walk())


def test_weights_stay_within_their_memory():
    state = bw.load_game("left_move(moves=30000)")()
    with pytest.raises(bw.SettingsError, match="need more than 1 MB"):
        bw.NRPA(level=1, memory_mb=1, seed=1, compiled=False).search(state)


@pytest.mark.parametrize(
    "planner",
    [bw.NRPA(level=2, seed=1), bw.NestedSearch(level=2, seed=1), bw.LateAcceptance(seed=1)],
    ids=repr,
)
def test_a_field_that_is_too_narrow_for_better_lines_is_an_error(monkeypatch, planner):
    """Compiled code cuts the number, so that lines look bad that are better than the best one found."""
    monkeypatch.setattr(run, "_CHECK_SHARE", 1e9)
    monkeypatch.setattr(run, "_CHECK_SECONDS", 5.0)
    with pytest.raises(bw.GameError, match=r"Climb.height = 128 does not fit np.int8") as caught:
        planner.search(narrow.Climb(height=123), playouts=20_000)
    assert caught.value.after.endswith("(from the state that was searched)")
