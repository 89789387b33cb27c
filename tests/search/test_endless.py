"""Rules that do not end: every search ends, and reports the moves, the rule and the line."""

import gc
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import branchwise as bw
from branchwise.common.errors import RuleLeftError
from branchwise.compile.queries.checked_games import CompiledState
from branchwise.compile.states.stop_checks import line_number, line_of
from branchwise.compile.stopping import time_limits
from branchwise.core.machine.stop_flags import POSTED, TABLE
from branchwise.testing import check_game
from support.rows import slow

PATIENCE = 0.2


class Rare(bw.Game):
    """Twelve moves; after seven 1s in a row, `wait` does not come back."""

    num_players = 2
    num_actions = 3

    total: np.int16 = 0
    run: np.int16 = 0

    def current_player(self):
        return self.total % 2

    def legal_actions(self):
        for action in range(3):
            yield action

    def apply_action(self, action):
        self.total += 1
        self.run = self.run + 1 if action == 1 else 0
        self.wait()

    def wait(self):
        while self.run == 7:
            if self.total < 0:
                break

    def is_terminal(self):
        return self.total >= 12

    def returns(self):
        return (1.0, -1.0) if self.run % 2 else (-1.0, 1.0)


TOLD = r"Rare\.apply_action\(1\) does not end \(.*test_endless.py, line \d+: while self.run == 7:\)"


@pytest.fixture
def impatient(monkeypatch):
    """Let what takes minutes of patience take a moment."""
    monkeypatch.setattr(time_limits.Limits.__init__, "__defaults__", (None, None, PATIENCE))


def searched(state, seconds, **settings):
    return bw.MCTS(seed=1, **settings).search(state, seconds=seconds)


@pytest.mark.parametrize("settings", [{}, {"threads": 2}, slow({"threads": 2, "parallel": "root"})], ids=str)
def test_a_search_in_seconds_ends_with_the_moves_and_the_line_of_the_loop(settings):
    with pytest.raises(bw.GameError, match=TOLD) as caught:
        searched(Rare(total=4, run=4), 1.0, **settings)
    assert caught.value.after.endswith("1 1 (from the state that was searched)")
    assert isinstance(caught.value.__cause__, RuleLeftError)
    assert TABLE[POSTED] == 0


def test_from_the_start_of_a_game_the_error_has_a_command_that_shows_the_fault_again():
    with pytest.raises(bw.GameError, match=TOLD) as caught:
        searched(Rare(), 1.0)
    *before, last = caught.value.after.split()[-6:]
    assert [*before, last] == ["1"] * 6
    assert caught.value.replay.endswith(f'--moves "{caught.value.after} 1"')


def test_a_search_without_a_limit_of_time_ends_too(impatient):
    with pytest.raises(bw.GameError, match=TOLD):
        bw.MCTS(seed=1).search(Rare(total=4, run=4), simulations=100_000)


def test_a_search_in_the_background_ends_when_it_is_told_to():
    thinking = bw.MCTS(seed=1).start(Rare(total=4, run=6))
    with pytest.raises(bw.GameError, match=TOLD):
        thinking.stop()


@pytest.mark.parametrize("ends", ["seconds", "stop"])
def test_rules_in_plain_python_end_as_well(ends):
    planner, state = bw.MCTS(seed=1, compiled=False), Rare(total=4, run=6)
    with pytest.raises(bw.GameError, match=TOLD):
        if ends == "seconds":
            planner.search(state, seconds=0.5)
        else:
            planner.start(state).stop()


def test_rules_in_other_processes_end_as_well():
    with (
        bw.MCTS(seed=1, compiled=False, threads=2) as planner,
        pytest.raises(bw.GameError, match=TOLD),
    ):
        planner.search(Rare(total=4, run=4), seconds=1.0)


def test_a_bot_that_looks_ahead_ends_as_well(impatient):
    with pytest.raises(bw.GameError, match=r"does not end \(.*test_endless.py, line"):
        bw.load_bot("minimax(depth=3)", seed=1).choose(Rare(total=4, run=5))


def test_the_rule_checker_tells_the_moves_and_a_command():
    with pytest.raises(bw.GameError, match=TOLD) as caught:
        check_game(Rare, games=100_000, seconds=1.0, seed=3)
    assert caught.value.after.endswith("1 1 1 1 1 1")
    assert "branchwise check" in caught.value.replay


class Slow(Rare):
    """Long games, and many rounds of loops, but every rule comes to an end."""

    max_game_length = 10_000_000

    def apply_action(self, action):
        self.total = (self.total + 1) % 2
        for i in range(20_000):
            self.run = (self.run + i + action) % 7

    def is_terminal(self):
        return self.run < 0


def test_a_game_that_takes_longer_than_there_is_time_is_no_endless_rule():
    with pytest.raises(bw.GameError, match="no game of slow from this state was over after"):
        bw.MCTS(seed=1).search(Slow(), seconds=0.5)


def test_what_shows_life_is_not_cut(impatient):
    """Without a limit of time a long game goes on, however impatient."""
    planner = bw.MCTS(seed=1)
    thinking = planner.start(Slow(), simulations=1)
    assert not thinking._thread.join(8 * PATIENCE)
    assert thinking.is_running
    with pytest.raises(bw.GameError, match="no game of slow"):
        thinking.stop()


def rounds(n):
    count = 0
    for _ in range(n):
        for _ in range(n):
            count += 1
            if count < 0:
                return count
    return count % 7


class Helper(Rare):
    def wait(self):
        self.run += rounds(2_000_000)


class Generator(Rare):
    def legal_actions(self):
        while self.run >= 0:
            yield 0


class Recursive(Rare):
    def wait(self):
        self.run += fibonacci(90) % 7


def fibonacci(n):
    return 1 if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@pytest.mark.parametrize("game", [Helper, Generator, Recursive])
def test_loops_of_helpers_generators_and_branching_recursion_can_be_left(game):
    limits = time_limits.Limits(patience=PATIENCE)
    with pytest.raises(RuleLeftError), time_limits.limited(limits):
        CompiledState(game).apply(0)


def test_the_line_is_right_after_an_edit_of_comments():
    source = "def rule(n):\n    while n:\n        n -= 1\n    return n\n"
    edited = "# new\n\ndef rule(n):\n\n    # why\n    while n:\n        n -= 1\n    return n\n"
    codes = [compile(text, "rule.py", "exec").co_consts[0] for text in (source, edited)]
    assert line_of(codes[1], line_number(codes[0], 2)) == 6


SCRIPT = """
import os, signal, sys, threading, time
sys.path[:0] = [{folder!r}, {tests!r}]
import branchwise as bw
from branchwise.compile.stopping.time_limits import KERNEL_CALLERS
from test_endless import Rare

main = threading.get_ident()


def interrupt():
    looks = 0
    while looks < 20:  # in a row inside a kernel: the first simulation does not come back
        time.sleep(0.05)
        looks = looks + 1 if sys._current_frames()[main].f_code in KERNEL_CALLERS else 0
    os.kill(os.getpid(), signal.SIGINT)


threading.Thread(target=interrupt, daemon=True).start()
try:
    bw.MCTS(seed=1).search(Rare(total=4, run=6), simulations=10**8)
except bw.GameError as error:
    print(error)
"""


def test_ctrl_c_ends_a_compiled_rule_and_tells_where_it_was():
    command = [
        sys.executable,
        "-c",
        SCRIPT.format(folder=str(Path(__file__).parent), tests=str(Path(__file__).parents[1])),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "does not end" in done.stdout


def test_no_garbage_is_collected_while_rules_may_soon_be_left():
    """What ends a rule would be lost if it came within a collection, with a warning on the standard error."""

    def collect_slowly(phase, info):
        end = time.perf_counter() + 4 * PATIENCE
        while time.perf_counter() < end:
            pass

    def rule():
        rings = []
        for _ in range(3000):
            rings.append([])
            rings[-1].append(rings[-1])

    gc.callbacks.append(collect_slowly)
    try:
        with time_limits.RulesInPython(time_limits.Limits(patience=PATIENCE)):
            rule()
            assert not gc.isenabled()
    finally:
        gc.callbacks.remove(collect_slowly)
    assert gc.isenabled()
    with pytest.raises(RuleLeftError), time_limits.RulesInPython(time_limits.Limits(patience=PATIENCE)):
        endless()
    assert gc.isenabled()


def endless():
    while True:
        pass
