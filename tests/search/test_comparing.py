"""Before a game is first searched with compiled rules, they must build the tree that plain Python builds."""

import logging

import numpy as np
import pytest

import branchwise as bw
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.rules.checking import before_compiling
from branchwise.search.drivers import form_comparison
from support.rules import Race


def is_compared(game):
    return before_compiling.is_compared(compiled_type(game).rules)


class Wide(Race):
    """Its rules compute with a number of more than 64 bits, which compiled code cuts off."""

    FACTOR = 6364136223846793005

    def legal_actions(self):
        yield 0
        if (self.total * self.FACTOR + 12345) % 5 > 1:
            yield 1


class Narrow(Race):
    """Its field is too small for what moves add up to, which compiled code cuts off."""

    gained: np.int8 = 0

    def apply_action(self, action):
        super().apply_action(action)
        self.gained += 50


@pytest.fixture(autouse=True)
def never_compared(monkeypatch):
    """Forget what was compared before."""
    monkeypatch.setattr(before_compiling, "_compared", set())
    monkeypatch.setattr(before_compiling, "_is_kept", lambda rules: False)


def messages(caplog):
    """Return what was logged, but for what is being compiled."""
    return [text for record in caplog.records if not (text := record.getMessage()).startswith("compiling")]


@pytest.fixture
def in_python(monkeypatch):
    """Return a list of the simulations that ran in plain Python for a comparison alone."""
    found, run = [], form_comparison._run_in_python

    def counted(driver):
        found.append(run(driver))
        return found[-1]

    monkeypatch.setattr(form_comparison, "_run_in_python", counted)
    return found


@pytest.mark.parametrize("compiled", [None, True, "meanwhile"])
def test_rules_that_differ_are_one_clear_error(compiled):
    for _ in range(2):  # they are refused again
        with pytest.raises(
            bw.GameError, match=r"Wide.legal_actions differs: Python has .*, compiled"
        ) as told:
            bw.MCTS(seed=1, compiled=compiled).search(Wide(), simulations=10_000)
        assert "branchwise check" in told.value.replay
    assert bw.MCTS(seed=1, compiled=False).search(Wide(), simulations=20).simulations == 20


def test_simulations_that_ran_while_code_was_compiled_are_compared(late_code, in_python):
    late_code.asked_for = 60
    with pytest.raises(bw.GameError, match=r"Wide.legal_actions differs"):
        bw.MCTS(seed=1, compiled="meanwhile").search(Wide(), simulations=10_000)
    assert in_python == []
    assert (
        bw.MCTS(seed=1, compiled="meanwhile")
        .search(
            Race(),
            simulations=500,
        )
        .simulations
        > 60
    )
    assert is_compared(Race)
    assert in_python == []


def test_a_tree_that_was_kept_is_not_taken_for_a_new_one(late_code, in_python):
    planner = bw.MCTS(seed=1, compiled="meanwhile")
    state = Race()
    late_code.asked_for = 10**9
    planner.search(state, simulations=50)
    planner.advance(1)
    state.apply_action(1)
    late_code.asked_for = 0
    planner.search(state, simulations=50)
    assert len(in_python) == 1
    assert is_compared(Race)


@pytest.mark.parametrize(
    "steered",
    [{"among": [0]}, {"avoid": {(0, 1): 2}}, {"at_least": {(1, 0): 100}}],
    ids=lambda kind: next(iter(kind)),
)
def test_sound_rules_are_found_sound_by_a_search_that_is_steered(steered, late_code, caplog):
    late_code.asked_for = 60
    with caplog.at_level(logging.INFO, "branchwise"):
        result = bw.MCTS(seed=1, compiled="meanwhile").search(Race(), simulations=500, **steered)
    assert result.simulations > 60
    assert is_compared(Race)
    assert messages(caplog) == []


def test_rules_are_compared_once(in_python):
    for settings in ({}, {"c": 0.5}, {"selection": "rave"}):
        bw.MCTS(seed=1, **settings).search(Race(), simulations=20)
    assert len(in_python) == 1
    ((done, failed),) = in_python
    assert 1 <= done <= form_comparison.MOST
    assert not failed


def test_the_note_is_kept_on_disk_for_this_toolchain(monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setattr(before_compiling, "_compared", set())
    monkeypatch.setattr(before_compiling, "_mark", lambda rules: tmp_path / rules.fingerprint)
    before_compiling.note_sound(Race)
    assert not is_compared(Race)
    before_compiling.note_compared(Race)
    monkeypatch.setattr(before_compiling, "_compared", set())
    assert is_compared(Race)
    monkeypatch.setattr(before_compiling, "_compared", set())
    monkeypatch.setattr(before_compiling, "toolchain_fingerprint", lambda: "another")
    assert not is_compared(Race)


def test_a_fault_that_compiled_code_hides_is_told(monkeypatch):
    monkeypatch.setattr("branchwise.search.drivers.compiled.vet", lambda game: None)
    with pytest.raises(bw.GameError, match=r"Narrow.gained .*np.int8"):
        bw.MCTS(seed=1).search(Narrow(), simulations=200)


def test_trees_may_differ_by_rounding_and_by_nothing_else():
    one, other = (bw.MCTS(seed=1, compiled=False).search(Race(), simulations=50).tree._tree for _ in "ab")
    assert form_comparison._are_same(one, other)
    other.nodes["value"] *= 1 + 1e-7
    assert form_comparison._are_same(one, other)
    other.nodes["visits"][3] += 1
    assert not form_comparison._are_same(one, other)


def test_a_difference_that_random_games_do_not_show_is_a_warning(monkeypatch, caplog):
    monkeypatch.setattr("branchwise.rules.checking.checker.check_game", lambda *args, **named: None)
    with caplog.at_level(logging.WARNING, "branchwise"):
        for _ in range(2):
            assert bw.MCTS(seed=1).search(Wide(), simulations=100).simulations == 100
    (told,) = messages(caplog)
    assert told.startswith("wide: ")
    assert "branchwise check" in told


def test_rules_whose_games_take_long_are_left_uncompared(monkeypatch, in_python):
    monkeypatch.setattr(form_comparison, "SECONDS", 0.0)

    class Endless(Race):
        def apply_action(self, action):
            super().apply_action(action)
            for _ in range(20_000):
                self.total += 1
                self.total -= 1

    bw.MCTS(seed=1).search(Endless(), simulations=20)
    assert in_python == [(0, False)]
    assert is_compared(Endless)
