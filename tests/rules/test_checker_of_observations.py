"""The rule checker: what is observed of a partially observed problem."""

import numpy as np
import pytest

import branchwise as bw
from branchwise.problems.light_dark import LightDark
from branchwise.problems.tiger import Tiger
from branchwise.testing import check_game
from support.observing import AtTheEnd, Probe, Row


@pytest.mark.parametrize("game", [Tiger, LightDark, Probe, Row])
def test_right_rules_pass_and_observations_are_counted(game):
    report = check_game(game, games=20, compiled=False)
    assert report.observations > 10
    assert "observations:" in str(report)


def test_compiled_observations_are_compared_with_plain_python():
    assert check_game(Tiger, games=20, seconds=10).observations > 10


def changing(self, action, random):
    self.tiger = 1 - self.tiger
    return 1


def own_numbers(self, action, random):
    return float(np.random.default_rng().random())


def never_heard(self, action, seen):
    return 0.0 if seen == 2 else 1.0


def moving(self, random):
    self.stopped = True


@pytest.mark.parametrize(
    ("base", "members", "message"),
    [
        (Tiger, {"observe": changing}, "observe changes the state"),
        (Tiger, {"observe": lambda self, action, random: None}, "observe gave None"),
        (Tiger, {"observe": lambda self, action, random: np.nan}, "observe gave nan"),
        (Tiger, {"observe": own_numbers}, "in the same state with the same random numbers"),
        (Tiger, {"observation_density": never_heard}, "gave 2, of which observation_density says 0.0"),
        (LightDark, {"jitter": moving}, "jitter changes which actions are legal"),
    ],
)
def test_a_fault_of_the_rules_is_named(base, members, message):
    faulty = type("Faulty", (base,), members)
    with pytest.raises(bw.GameError, match=message):
        check_game(faulty, games=20, compiled=False)


def by_the_tiger(self):
    yield 0
    yield 1 + self.tiger


def by_the_bit_after_looks(self):
    yield 0
    yield 1
    if self.looks < 2 or self.bit == 1:
        yield 2


def by_the_place(self):
    yield 0
    if self.place > 0:
        yield 3


@pytest.mark.parametrize(
    ("base", "legal_actions"),
    [(Tiger, by_the_tiger), (AtTheEnd, by_the_bit_after_looks), (LightDark, by_the_place)],
    ids=["at the start", "after noisy observations", "with a density"],
)
def test_legal_actions_that_do_not_follow_from_what_was_observed_are_found(base, legal_actions):
    faulty = type("Faulty", (base,), {"legal_actions": legal_actions})
    with pytest.raises(bw.GameError, match="in which the planner has done and observed the same"):
        check_game(faulty, games=20, compiled=False)


def test_legal_actions_that_follow_from_what_was_observed_pass():
    def seen_exactly(self, action, random):
        return self.bit

    members = {"legal_actions": by_the_bit_after_looks, "observe": seen_exactly}
    told = type("Told", (AtTheEnd,), members)
    assert check_game(told, games=20, compiled=False).observations > 10
