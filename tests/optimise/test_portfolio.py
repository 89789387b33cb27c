"""Codes that follow from the place in a line, portfolios of methods, lines to begin from, and patience."""

import json
import math
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import GameError, SettingsError
from branchwise.core.machine.kernel_status import Status
from branchwise.optimise import portfolio
from branchwise.optimise.plan_files import plan_rows, read_plan, write_plan
from branchwise.optimise.walkers import arms_walker
from branchwise.optimise.walkers.arms_walker import ArmsWalker
from branchwise.optimise.walkers.policy_walker import PolicyWalker
from support.puzzles import Fork, Ring, Stairs, small_arrays


class Traced(Ring):
    """The same ring; the state knows the last thing and the number of things taken. A code is the thing."""

    last: np.int8 = -1
    taken: np.int8 = 0

    def apply_action(self, action):
        self.last = action
        self.taken += 1
        for thing in (action + 11, action, action + 1):
            self.barred |= 1 << thing % 12
        return float(self.prices[action])

    def action_code(self, action):
        return action


class AfterPrevious(Traced):
    def action_code(self, action):
        return 12 * (self.last + 1) + action


class AtStep(Traced):
    def action_code(self, action):
        return 12 * self.taken + action


BY_HAND = {"action": Traced, "previous": AfterPrevious, "step": AtStep}


def told(result):
    return result.best_line, result.moves, [found[1:] for found in result.history]


@pytest.mark.bounds
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("code", BY_HAND)
def test_a_code_is_what_a_class_would_write(code, compiled, monkeypatch):
    small_arrays(monkeypatch, 2)
    for settings in ({}, {"beam": 2}, {"playouts": 3, "repetitions": 2}):
        given = {"level": 2, "iterations": 6, "seed": 3, "compiled": compiled, **settings}
        by_hand = told(bw.NRPA(**given).search(BY_HAND[code]()))
        assert told(bw.NRPA(code=code, **given).search(Ring())) == by_hand
        assert told(bw.NRPA(code=code, **given).search(AtStep())) == by_hand


def test_a_code_that_does_not_exist_or_does_not_fit():
    with pytest.raises(SettingsError, match="any order"):
        bw.NRPA(code="step", sweeps=1)
    with pytest.raises(SettingsError, match="code"):
        bw.NRPA(code="steps")


# --- portfolios ------------------------------------------------------------------------------------------


class Watched(ArmsWalker):
    """A walker of which the test asks how much each arm has played."""

    found: ArmsWalker

    def __init__(self, arms):
        super().__init__(arms)
        Watched.found = self

    @property
    def played(self):
        return {arm: walker.playouts for arm, walker in self._arms.items()}


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(portfolio, "ArmsWalker", Watched)
    return Watched


@pytest.mark.parametrize("game", [Stairs, Ring, Fork])
def test_a_portfolio_depends_on_seed_and_playouts_alone(game, monkeypatch):
    first = bw.Portfolio(seed=5).search(game(), playouts=700)
    assert first.playouts == 700
    assert (
        first.best_score == max(first.arms.values()) == first.arms[first.method.removeprefix("portfolio: ")]
    )
    run = ArmsWalker.run
    monkeypatch.setattr(ArmsWalker, "run", lambda walker, most: [run(walker, 1) for _ in range(most)][-1])
    again = bw.Portfolio(seed=5).search(game(), playouts=700)
    assert (told(again), again.arms) == (told(first), first.arms)


def test_threads_share_the_playouts():
    one = bw.Portfolio(seed=5, threads=3).search(Ring(), playouts=1000)
    two = bw.Portfolio(seed=5, threads=3).search(Ring(), playouts=1000)
    assert (one.best_line, one.playouts, one.moves) == (two.best_line, 1000, two.moves)


class Arm:
    """An arm that always has the same score."""

    has_best_possible = False
    runs = moves = playouts = 0

    def __init__(self, score):
        self.best_score = score

    def run(self, playouts):
        self.playouts += playouts
        return Status.DONE

    def new_improvements(self):
        return []


@pytest.mark.parametrize(
    ("scores", "alone"),
    [
        ((7, 6, 5, 4, 3, 2, 1), [8000, 0, 0, 0, 0, 0, 0]),
        ((1, 2, 3, 4, 5, 6, 7), [0, 0, 0, 0, 0, 0, 8000]),
        ((9, 9, 1, 1, 1, 1, 1), [4000, 4000, 0, 0, 0, 0, 0]),
    ],
)
def test_the_better_half_goes_on_and_then_the_best(scores, alone):
    arms = dict(zip("abcdefg", map(Arm, scores), strict=True))
    walker = ArmsWalker(arms)
    walker.allot(10_000, None)
    walker.run(10_000)
    ranked = sorted(arms.values(), key=lambda arm: -arm.best_score)
    third = 2000 / 3
    shares = [third / 7 + third / 4 * (place < 4) + third / 2 * (place < 2) for place in range(7)]
    for place, arm in enumerate(ranked):
        late = alone[list(arms.values()).index(arm)]
        assert arm.playouts == pytest.approx(shares[place] + late, abs=101)
    assert sum(arm.playouts for arm in arms.values()) == 10_000


def test_arms_that_stay_equal_share_the_budget(watched):
    bw.Portfolio(seed=1).search(Ring(), playouts=10_000)
    played = watched.found.played.values()
    assert max(played) - min(played) <= 101


def test_a_slow_arm_keeps_to_its_share_of_the_time(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(arms_walker, "time", SimpleNamespace(perf_counter=lambda: clock[0]))

    class Timed(Arm):
        spent = 0.0

        def __init__(self, score, cost):
            super().__init__(score)
            self.cost = cost

        def run(self, playouts):
            self.spent += playouts * self.cost
            clock[0] += playouts * self.cost
            return super().run(playouts)

    arms = [Timed(9 - place, cost) for place, cost in enumerate((1e-5, 0.05, 1e-5, 0.05, 1e-5, 0.05, 1e-5))]
    walker = ArmsWalker(dict(zip("abcdefg", arms, strict=True)))
    walker.allot(None, 10.0)
    while clock[0] < 10.0:
        walker.run(100_000)  # as many as a quick arm plays in a second
    third = 2 / 3
    for place, arm in enumerate(arms[1:], 1):
        share = third / 7 + third / 4 * (place < 4) + third / 2 * (place < 2)
        assert arm.spent == pytest.approx(share, abs=0.25)
    assert clock[0] < 10.1


def test_every_arm_plays_however_short_the_time(watched):
    bw.Portfolio(seed=1).search(Ring(), playouts=1)
    assert sum(watched.found.played.values()) == 1
    bw.Portfolio(seed=1).search(Ring(), seconds=0.3)
    assert min(watched.found.played.values()) > 0


def test_an_arm_without_memory_leaves(monkeypatch, watched):
    arms = []

    def refuse(walker, most, run=PolicyWalker.run):
        if walker not in arms:
            arms.append(walker)
        if walker is arms[0]:
            raise SettingsError("too little memory")
        return run(walker, most)

    monkeypatch.setattr(PolicyWalker, "run", refuse)
    result = bw.Portfolio(seed=1).search(Ring(), playouts=2000)
    assert result.playouts == 2000
    assert next(iter(watched.found.played.values())) == 0
    assert result.arms["nrpa(level=4,iterations=30,code=action)"] == -math.inf


def test_a_portfolio_says_what_the_class_could_add():
    class Weighed(Ring):
        def prior(self, action):
            return float(self.prices[action])

    class Complete(Weighed):
        def improve(self, line):
            return line

    advice = [bw.Portfolio(seed=1).search(game(), playouts=50).advice for game in (Ring, Weighed, Complete)]
    assert "def prior(self, action)" in advice[0]
    assert "def improve(self, line)" in advice[1]
    assert advice[2] == ""
    assert bw.NRPA(level=1, seed=1).search(Ring()).advice == ""


def test_a_fault_of_the_rules_is_told_with_its_line():
    class Faulty(Ring):
        def action_code(self, action):
            return -1

    with pytest.raises(GameError, match="action_code gave a negative number"):
        bw.Portfolio(seed=1).search(Faulty(), playouts=100)


def test_a_portfolio_has_no_runs():
    with pytest.raises(SettingsError, match="has no runs"):
        bw.Portfolio().search(Ring(), runs=1)


# --- lines to begin from, and patience -------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False])
def test_a_search_begins_from_a_line(compiled, monkeypatch):
    small_arrays(monkeypatch, 2)
    best = bw.NRPA(level=2, seed=1).search(Ring())
    for planner in (
        bw.NRPA(level=2, seed=2, compiled=compiled),
        bw.NRPA(level=2, beam=2, seed=2, compiled=compiled),
        bw.NestedSearch(level=1, seed=2, compiled=compiled),
        bw.LateAcceptance(seed=2, compiled=compiled),
        bw.Portfolio(seed=2, compiled=compiled),
    ):
        result = planner.search(Ring(), playouts=3, start=best.best_line)
        assert (result.best_line, result.playouts) == (best.best_line, 3)
        assert result.history[0].score == best.best_score or result.history[-1].score == best.best_score


def test_nrpa_adapts_to_the_line_that_it_begins_from():
    best = bw.NRPA(level=2, seed=1).search(Ring())
    adapting = bw.NRPA(level=1, iterations=30, alpha=50.0, seed=1)
    one, many = (adapting.search(Ring(), playouts=count, start=best.best_line) for count in (2, 22))
    assert many.moves - one.moves == 20 * len(best.best_line)


@pytest.mark.parametrize("line", [(0,), (0, 1, 2), (0, 2, 4, 6, 8, 10, 10)])
def test_a_line_of_another_instance_is_refused(line):
    with pytest.raises(GameError, match="the line to start from is not one of this"):
        bw.NRPA(level=1).search(Ring(), playouts=1, start=line)


def test_patience_ends_a_search_that_stands_still():
    result = bw.NRPA(level=3, seed=1).search(Ring(), patience=0.2)
    assert result.ended_by == "patience"
    assert result.seconds - result.history[-1].seconds >= 0.2
    assert bw.Portfolio(seed=1).search(Ring(), patience=0.2).ended_by == "patience"
    with pytest.raises(SettingsError, match="patience"):
        bw.NRPA().search(Ring(), patience=0)


# --- plans as files --------------------------------------------------------------------------------------


def test_a_plan_is_written_and_read(tmp_path):
    result = bw.NRPA(level=2, seed=1).search(Stairs())
    file = tmp_path / "plan.csv"
    write_plan(file, result)
    rows = file.read_text().splitlines()
    assert rows[0] == "step,action,move,reward"
    assert (
        rows[1] == f"1,{result.best_line[0]},{result.best_moves[0]},{Stairs.prizes[result.best_line[0]]:.1f}"
    )
    assert read_plan(file) == result.best_line
    (tmp_path / "result.json").write_text(json.dumps(result.to_dict()))
    assert read_plan(tmp_path / "result.json") == result.best_line


def test_a_plan_is_drawn(tmp_path):
    file = tmp_path / "plan.svg"
    result = bw.NRPA(level=1, seed=1).search(Stairs())
    write_plan(file, result)
    texts = [text.text for text in ElementTree.parse(file).iter() if text.tag.endswith("text")]
    title, _, heads, *rows = (text or "" for text in texts)
    assert (title, heads.split()) == (result.title, ["step", "action", "move", "reward"])
    assert [int(row.split()[1]) for row in rows] == list(result.best_line)
    shop = bw.NRPA(level=1, seed=1).search(bw.load_game("job_shop(jobs=2,machines=2)")(), playouts=9)
    write_plan(file, shop)
    assert file.read_text() == shop.end.to_svg() + "\n"
    assert ">machine 2<" in file.read_text()


def test_a_long_line_is_cut_in_texts_alone():
    result = bw.NestedSearch(level=1).search(bw.load_game("left_move(moves=70)")(), playouts=9)
    assert "and 40 more" in str(result)
    assert len(result.best_moves) == len(plan_rows(result)) == 70


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "has no rows"),
        ("step,action\n", "has no rows"),
        ("step,action\n1,2\n2,x\n", "line 3: action is 'x', not a whole number from 0"),
        ("step,action\n1\n", "line 2 has 1 cells"),
        ("action\n-1\n", "line 2: action is '-1'"),
        ("action\n99999999999999999999\n", "line 2"),
        ("{", "is not JSON"),
        ("{}", "has no best_line"),
        ('{"best_line": 3}', "not a list"),
        ('{"best_line": [1, 2.5]}', "action 2: 2.5 is not"),
        ("\x00\x01", "line 1: there is no column action"),
    ],
)
def test_a_damaged_plan_is_one_clear_error(tmp_path, text, told):
    file = tmp_path / "plan.csv"
    file.write_text(text)
    with pytest.raises(GameError) as raised:
        read_plan(file)
    assert told in str(raised.value)
    assert str(file) in str(raised.value)


def test_a_plan_that_cannot_be_written_or_read(tmp_path):
    result = bw.NRPA(level=1, seed=1).search(Stairs())
    with pytest.raises(SettingsError, match="cannot be written"):
        write_plan(tmp_path / "missing" / "plan.csv", result)
    for file in (tmp_path / "missing.csv", tmp_path):
        with pytest.raises(GameError, match="cannot be read"):
            read_plan(file)
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GameError, match="cannot be read"):
        read_plan(tmp_path / "bytes.csv")
