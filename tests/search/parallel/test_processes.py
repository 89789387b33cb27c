"""Several processes for rules in Python: the same trees as without, and no way to fail without a word."""

import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import branchwise as bw
from branchwise.core.backup.keep_subtree import keep_below
from branchwise.core.tree.node_fields import MAX_CHILDREN, UNEXPANDED, USED, array_sizes, new_tree, reset
from branchwise.games.tic_tac_toe import TicTacToe
from branchwise.rules.facts.facts import game_facts
from branchwise.search.composition.composition import Composition
from branchwise.search.composition.search_object import Search
from branchwise.search.drivers.interpreted import InterpretedDriver
from branchwise.search.parallel.runners import shares
from branchwise.search.parallel.shared_memory import SharedArrays
from branchwise.search.session.search_session import _child_by
from branchwise.search.settings.settings import Settings
from branchwise.search.tree.node_reader import NO_NODE
from support.plain import Take, curious
from support.rows import slow
from support.rules import Race

TESTS = Path(__file__).parents[2]
ROOM = 3 * 2000
"""Nodes: enough for every search that is compared here."""


@pytest.fixture(scope="module")
def planner():
    """A planner of two processes, for `Take`."""
    with bw.MCTS(seed=1, threads=2, proofs=False) as planner:
        yield planner


@pytest.fixture(scope="module")
def race_planner():
    """A planner of two processes, for `Race`, whose settings tests change."""
    with bw.MCTS(threads=2, compiled=False) as planner:
        yield planner


def kept_at(driver, node):
    """Make `node` the root of a driver's tree; returns whether it could."""
    tree = driver.search.tree
    if tree.nodes[node]["first"] == UNEXPANDED:
        return False
    used = int(tree.counters[USED])
    return bool(driver.texts.run(keep_below, node, np.empty(used, np.int32), np.empty(used, np.int32)))


class Alone:
    """What processes are to come to: trees of this process, one after the other, with the same streams."""

    def __init__(self, state, planner):
        settings = planner.settings
        self.facts = game_facts(state)
        composition = Composition(state, self.facts, settings, proofs=settings.proofs, in_python=True)
        bounds = (self.facts.min_return, self.facts.max_return)
        self.searches = [
            Search(
                composition,
                new_tree(ROOM, *bounds, composition.kept, moves=self.facts.num_moves),
                settings.seed,
                thread,
            )
            for thread in range(settings.threads)
        ]
        self.drivers = [InterpretedDriver(state, search) for search in self.searches]
        self.total = 0

    def run(self, simulations):
        parts = shares(self.total, self.total + simulations, len(self.drivers))
        for driver, part in zip(self.drivers, parts, strict=True):
            driver.run(part)
        self.total += simulations

    def advance(self, action, state):
        for search, driver in zip(self.searches, self.drivers, strict=True):
            search.forget_places()
            node = _child_by(search.tree, action)
            if node == NO_NODE or not kept_at(driver, node):
                reset(search.tree, self.facts.min_return, self.facts.max_return)
            driver.set_root(state)

    def agrees(self, planner):
        """Whether every tree of a planner is the same as here, to the last bit of every array.

        But for keys, hashes that differ from process to process, and the table that they are entered in.
        """
        trees = planner._states.session.trees
        assert len(trees) == len(self.searches)
        for tree, search in zip(trees, self.searches, strict=True):
            used = int(search.tree.counters[USED])
            for name, array in search.tree.arrays().items():
                if name not in ("keys", "table") and array.size:
                    np.testing.assert_array_equal(getattr(tree, name)[:used], array[:used], err_msg=name)
        return True


def children_of(planner):
    return [process._handle for process in planner._states._pool._processes]


def is_running(pid):
    """Whether there is a process of this number that has not ended; a zombie has."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def left_of_session(leader):
    """Return the processes that still run in the session of a process, after ten seconds at most."""
    end = time.monotonic() + 10
    while True:
        pids = [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]
        left = [pid for pid in pids if is_running(pid) and session_of(pid) == leader]
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.02)


def session_of(pid):
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")


# --- the same result -------------------------------------------------------------------------------------


def test_processes_build_the_trees_that_one_process_builds_one_after_the_other(planner):
    for simulations in (1, 2, 777):
        result = planner.search(Take(30), simulations=simulations)
        alone = Alone(Take(30), planner)
        alone.run(simulations)
        assert alone.agrees(planner)
        assert result.simulations == simulations
        assert sum(child.visits for child in result.children) == simulations
    assert result.tree.root.visits == 389


def test_the_same_seed_gives_the_same_result_and_another_seed_another(planner):
    first, again = (planner.search(Take(30), simulations=500) for _ in range(2))
    assert first.children == again.children
    planner.seed = 2
    assert planner.search(Take(30), simulations=500).children != first.children
    planner.seed = 1


def test_what_advance_keeps_is_searched_on_as_in_one_process(planner):
    state = Take(30)
    planner.search(state, simulations=500)
    alone = Alone(state, planner)
    alone.run(500)
    for action, simulations in ((0, 300), (2, 900)):
        state.apply_action(action)
        assert planner.advance(action)
        alone.advance(action, state)
        assert alone.agrees(planner)
        known = sum(tree.nodes[0]["visits"] for tree in planner._states.session.trees)
        result = planner.search(state, simulations=simulations)  # for which the trees need more room
        assert result.simulations == simulations
        assert sum(child.visits for child in result.children) > known
        alone.run(simulations)
        assert alone.agrees(planner)


@pytest.mark.parametrize(
    "settings",
    [slow({"selection": "rave"}), {"selection": "grave(reference_visits=5)"}, {"transpositions": True}],
)
def test_compositions_and_proofs_are_those_of_one_process(race_planner, settings):
    race_planner.settings = Settings(seed=3, threads=2, parallel="root", compiled=False, **settings)
    state = Race(total=1)
    race_planner.search(state, simulations=400)
    alone = Alone(state, race_planner)
    alone.run(400)
    assert alone.agrees(race_planner)
    race_planner.advance(1)
    state.apply_action(1)
    alone.advance(1, state)
    race_planner.search(state, simulations=200)
    alone.run(200)
    assert alone.agrees(race_planner)


def test_processes_find_what_threads_with_compiled_rules_find():
    state = TicTacToe.from_actions(["a1", "b2"])
    with bw.MCTS(seed=5, threads=2, parallel="root", compiled=False) as planner:
        here = bw.MCTS(seed=5, threads=2, parallel="root").search(state, simulations=301)
        there = planner.search(state, simulations=301)
        assert there.children == here.children
        assert (there.value, there.best_action) == (here.value, here.best_action)
        planner.settings = replace(planner.settings, early_stop=True)
        solved = planner.search(TicTacToe.from_actions(["a1", "b2", "a2"]), simulations=100_000)
        assert (solved.ended_by, solved.value) == ("proven", 0.0)
        assert solved.action_text(solved.best_action) == "a3"
        early = planner.search(TicTacToe.from_actions(["a1", "b1", "a2", "b3"]), simulations=3000)
        assert early.action_text(early.best_action) == "a3"
        assert early.simulations < 3000


@pytest.mark.slow
def test_a_pyspiel_state_is_searched_in_processes():
    pyspiel = pytest.importorskip("pyspiel")
    state = pyspiel.load_game("connect_four").new_initial_state()
    state.apply_action(3)
    with bw.MCTS(seed=1, threads=2, proofs=False) as planner:
        result = planner.search(state, simulations=200)
        alone = Alone(state, planner)
        alone.run(200)
        assert alone.agrees(planner)
        assert len(result.children) == 7


# --- the whole surface -----------------------------------------------------------------------------------


def test_every_limit_ends_a_search(planner):
    assert planner.search(Take(40), seconds=0.2).ended_by == "seconds"
    assert planner.search(Take(40), clock=bw.Clock(2.0)).ended_by == "seconds"
    full = planner.search(Take(40), max_nodes=50)
    assert full.ended_by == "nodes"
    assert len(full.tree) <= 50


def test_progress_is_reported_while_the_processes_search(planner):
    seen, trees = [], []

    def look(found):
        seen.append(found)
        trees.append(found.tree)

    result = planner.search(Take(40), seconds=0.6, progress=look)
    assert 2 <= len(seen) <= 6
    assert [tree.root.visits for tree in trees] == sorted(tree.root.visits for tree in trees)
    assert trees[-1].root.visits <= result.tree.root.visits
    counts = [found.simulations for found in seen]
    assert counts == sorted(counts)
    assert counts[-1] <= result.simulations
    assert trees[0].root.visits > 0


def test_a_search_in_processes_is_stopped_from_another_thread(planner):
    threading.Timer(0.3, planner.stop).start()
    assert planner.search(Take(40), seconds=60).ended_by == "stopped"


def test_a_search_in_processes_runs_in_the_background(planner):
    thinking = planner.start(Take(40))
    counts = [thinking.result().simulations for _ in range(3)]
    assert counts == sorted(counts)
    final = thinking.stop()
    assert final.ended_by == "stopped"
    assert final.simulations >= counts[-1]


def test_ctrl_c_ends_a_search_in_processes_which_can_be_used_again(planner):
    """On a busy machine Ctrl-C may come just when an order is sent, and then other processes are started."""
    planner.search(Take(40), simulations=10)  # loads the code, whose loading Ctrl-C would end
    kept = False
    for _ in range(3):
        before = children_of(planner)
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        result = planner.search(Take(40), seconds=60)
        assert result.ended_by == "interrupted"
        visits = sum(tree.nodes[0]["visits"] for tree in planner._states.session.trees)
        assert result.simulations == visits > 0
        planner.search(Take(30), simulations=300)
        alone = Alone(Take(30), planner)
        alone.run(300)
        assert alone.agrees(planner)
        kept = kept or children_of(planner) == before
    assert kept


def test_processes_are_kept_from_search_to_search(planner):
    planner.search(Take(30), simulations=10)
    before = [process.pid for process in children_of(planner)]
    assert len(before) == 2
    planner.search(Take(20), simulations=10)
    planner.forget()
    planner.start(Take(25), simulations=10).wait()
    assert [process.pid for process in children_of(planner)] == before


def test_trees_of_earlier_results_stay_readable_in_every_form(planner, tmp_path):
    planner.search(Take(30), simulations=100)
    result = planner.search(Take(30), simulations=700)
    text, visits = result.tree.to_text(), result.tree.root.visits
    best = result.tree.find([result.best_action])
    planner.search(Take(12), simulations=900)
    gc.collect()
    assert result.tree.to_text() == text
    assert result.tree.find([result.best_action]) == best
    assert sum(child.visits for child in result.tree.root.children) == visits
    result.tree.save(tmp_path / "take.tree")
    assert bw.load_tree(tmp_path / "take.tree").root.visits == visits
    assert "<svg" in result.tree.to_svg()


@linux
def test_results_that_are_kept_hold_no_descriptors_and_give_their_memory_back(planner):
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    def mappings(pid="self"):
        return Path(f"/proc/{pid}/maps").read_text().count("memfd:branchwise")

    planner.search(Take(30), simulations=10)
    gc.collect()
    fds, before = descriptors(), mappings()
    kept = [planner.search(Take(30), simulations=10) for _ in range(40)]
    assert descriptors() <= fds + 2
    assert mappings() >= before + 38  # each holds the tree that it shows
    kept.clear()
    gc.collect()
    assert mappings() <= before + 2
    assert mappings(children_of(planner)[0].pid) <= 2


def test_a_bot_plays_with_processes_and_ends_them(planner):
    bot = bw.load_bot("mcts(simulations=50,threads=2,proofs=false)", seed=1)
    bot._planner._states._pool = planner._states._pool
    state, chips = Take(20), []
    for _ in range(3):
        state.apply_action(bot.choose(state))
        chips.append(state.chips)
    assert 20 > chips[0] > chips[1] > chips[2]
    assert bot.result.tree.root.visits > 25  # what was known of the position was kept
    bot.close()
    assert children_of(planner) == []


# --- what cannot be done ---------------------------------------------------------------------------------


@pytest.mark.parametrize("parallel", ["tree", "leaf"])
def test_trees_that_threads_share_need_compiled_rules(parallel):
    with pytest.raises(bw.SettingsError, match=f'parallel="{parallel}" needs compiled rules') as error:
        bw.MCTS(threads=2, parallel=parallel, proofs=False).search(Take(), simulations=10)
    assert 'parallel="root"' in error.value.mend


class Lambda(Take):
    def __init__(self):
        super().__init__()
        self.rule = lambda: 1


def test_what_cannot_be_pickled_is_refused_with_the_reason():
    class Local(Take):
        pass

    locked = Take()
    locked.lock = threading.Lock()
    for state, reason in ((Local(), "Local"), (Lambda(), "lambda"), (locked, "lock")):
        with pytest.raises(bw.SettingsError, match=f"cannot be sent to another process.*{reason}") as error:
            bw.MCTS(threads=2, proofs=False).search(state, simulations=10)
        assert "leave threads out" in error.value.mend
    with pytest.raises(bw.SettingsError, match="selection rule <lambda> cannot be sent"):
        bw.MCTS(threads=2, proofs=False, selection=lambda child, parent, options: child.value).search(
            Take(), simulations=10
        )


def test_what_another_process_cannot_find_is_refused_with_the_reason(monkeypatch):
    # Pickled here by a name that leads nowhere there.
    hidden = type("Hidden", (Take,), {"__module__": "support.plain"})
    monkeypatch.setattr(sys.modules["support.plain"], "Hidden", hidden, raising=False)
    planner = bw.MCTS(threads=2, proofs=False)
    with pytest.raises(bw.SettingsError, match=r"another process cannot read a state.*Hidden"):
        planner.search(hidden(), simulations=10)
    assert children_of(planner) == []


def test_a_daemon_may_start_no_processes_and_says_so(monkeypatch):
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    with pytest.raises(bw.SettingsError, match="daemon"):
        bw.MCTS(threads=2, proofs=False).search(Take(), simulations=10)


def run_script(path, text, timeout=120, **options):
    path.write_text(f"import sys\nsys.path.insert(0, {str(TESTS)!r})\n{text}")
    command = [sys.executable, "-W", "error", str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, **options)


def test_a_script_without_a_guard_is_reported_it_and_ends(tmp_path):
    done = run_script(
        tmp_path / "script.py",
        "import branchwise as bw\nfrom support.plain import Take\n"
        "bw.MCTS(seed=1, threads=2, proofs=False).search(Take(), simulations=10)\n",
    )
    assert done.returncode == 1
    assert "WorkerError: a process of this search ran" in done.stderr
    assert "reached a search while it was starting" in done.stderr
    assert '__name__ == "__main__"' in done.stderr
    assert done.stderr.count("Traceback") == 1


def test_a_program_from_standard_input_is_told_that_others_cannot_read_it(tmp_path):
    text = f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
    text += "import branchwise as bw\nfrom support.plain import Take\n"
    text += "bw.MCTS(threads=2, proofs=False).search(Take(), simulations=9)\n"
    done = subprocess.run([sys.executable, "-"], input=text, capture_output=True, text=True, timeout=120)
    assert "other processes cannot read this program" in done.stderr
    assert done.stderr.count("Traceback") == 1


# --- what goes wrong -------------------------------------------------------------------------------------


def test_faults_of_the_rules_are_reported_as_in_one_process_with_the_moves(planner):
    with pytest.raises(bw.GameError) as here:
        bw.MCTS(seed=1, proofs=False).search(Take(fault="wild"), simulations=2000)
    with pytest.raises(bw.GameError) as there:
        planner.search(Take(fault="wild"), simulations=2000)
    assert str(there.value) == str(here.value)
    assert there.value.after


def test_what_rules_raise_is_raised_with_the_line_that_raised_it(planner):
    with pytest.raises(
        bw.GameError, match="raised ZeroDivisionError in a search: no chips to share"
    ) as error:
        planner.search(Take(fault="divides"), simulations=2000)
    cause = error.value.__cause__
    assert type(cause) is ZeroDivisionError
    assert "plain.py" in str(cause.__cause__)
    assert "apply_action" in str(cause.__cause__)
    with pytest.raises(bw.GameError, match="raised OwnError in a search: no chips at three"):
        planner.search(Take(fault="own"), simulations=2000)
    assert planner.search(Take(), simulations=20).simulations == 20


@linux
def test_a_process_that_ends_ends_the_search_with_an_error_and_is_replaced(planner):
    planner.search(Take(40), simulations=10)
    first, second = children_of(planner)
    threading.Timer(0.3, first.kill).start()
    began = time.monotonic()
    with pytest.raises(bw.WorkerError, match="was ended by SIGKILL") as error:
        planner.search(Take(40), seconds=60)
    assert time.monotonic() - began < 5
    assert "search again" in error.value.mend
    assert not is_running(first.pid)
    assert not is_running(second.pid)
    assert not {first, second} & set(multiprocessing.active_children())
    assert not planner.advance(0)
    with pytest.raises(bw.WorkerError, match="ended with exit code 7"):
        planner.search(Take(fault="exits"), simulations=2000)


@linux
def test_processes_end_with_their_planner():
    planner = bw.MCTS(seed=1, threads=2, proofs=False)
    result = planner.search(Take(30), simulations=100)
    pids = [process.pid for process in children_of(planner)]
    fork = os.fork()
    if fork == 0:  # whose processes they are not
        try:
            planner.close()
        finally:
            os._exit(0)
    os.waitpid(fork, 0)
    assert all(map(is_running, pids))
    idle = children_of(planner)[1]
    idle.kill()
    idle.join()
    assert not planner.advance(0)
    assert planner.search(Take(30), simulations=100).children == result.children
    pids += [process.pid for process in children_of(planner)]
    assert list(map(is_running, pids)) == [False, False, True, True]
    del planner, idle
    gc.collect()
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids)  # not as zombies either
    assert sum(child.visits for child in result.children) == 100
    assert result.tree.root.visits == 50


_LIFE = """
import os, signal, sys, threading, time
import branchwise as bw
from support.plain import Take

def main():
    planner = bw.MCTS(seed=1, threads=2, proofs=False)
    planner.search(Take(40), simulations=10)
    threading.Timer(0.3, os.killpg, (0, signal.SIGINT)).start()
    print(planner.search(Take(40), seconds=60).ended_by, flush=True)
    print(planner.search(Take(40), simulations=10).ended_by, flush=True)
    threading.Timer(0.5, os.killpg, (0, signal.SIGINT)).start()
    try:
        planner.search(Take(40, fault="hangs"), seconds=60)
    except bw.GameError as error:
        print("endless" if "do not end" in error.problem else error, flush=True)
    planner.start(Take(40, fault="stuck"))
    while not os.path.exists("stuck"):
        time.sleep(0.01)
    print(os.getpid(), len(planner._states._pool._processes), flush=True)
    if DIES:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    main()
"""


@linux
@pytest.mark.parametrize("dies", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["killed", "ends"])
def test_ctrl_c_in_a_terminal_and_the_end_of_the_program_leave_nothing_behind(tmp_path, dies):
    done = run_script(
        tmp_path / "life.py",
        _LIFE.replace("DIES", str(dies)),
        cwd=tmp_path,
        start_new_session=True,
        timeout=60,
    )
    *ended_by, program, count = done.stdout.split()
    assert ended_by == ["interrupted", "simulations", "endless"]
    assert count == "2"
    assert done.stderr == ""
    assert done.returncode == (-signal.SIGKILL if dies else 0)
    assert left_of_session(int(program)) == []


@pytest.mark.slow
@linux
def test_ctrl_c_while_processes_start_leaves_nothing_behind(tmp_path):
    text = """
import os, signal, threading
import branchwise as bw
from branchwise.search.parallel.process_pool import ProcessPool
from support.plain import Take

def interrupted(pool, states, start=ProcessPool.start):
    threading.Timer(DELAY, os.killpg, (0, signal.SIGINT)).start()
    return start(pool, states)

def main():
    ProcessPool.start = interrupted
    planner = bw.MCTS(seed=1, threads=2, proofs=False)
    try:
        planner.search(Take(40), seconds=60)
        raise SystemExit("no Ctrl-C came through")
    except KeyboardInterrupt:
        print(os.getpid(), len(planner._states._pool._processes), flush=True)

if __name__ == "__main__":
    main()
"""
    for delay in (0.0, 0.002, 0.02, 0.1, 0.3):
        done = run_script(
            tmp_path / "start.py", text.replace("DELAY", str(delay)), start_new_session=True, timeout=60
        )
        assert done.stderr == ""
        assert done.returncode == 0
        program, count = done.stdout.split()
        assert count == "0"
        assert left_of_session(int(program)) == []


# --- shared memory ---------------------------------------------------------------------------------------


def test_arrays_in_shared_memory_are_apart_aligned_and_empty():
    sizes = array_sizes(101, ("priors", "amaf", "graph"))
    arrays = SharedArrays(sizes).arrays
    assert {name: (array.size, array.dtype) for name, array in arrays.items()} == dict(sizes)
    assert not any(array.view(np.uint8).any() for array in arrays.values())
    for value, array in enumerate(arrays.values(), start=1):
        assert array.size == 0 or array.ctypes.data % 128 == 0
        array.view(np.uint8)[:] = value
    for value, array in enumerate(arrays.values(), start=1):
        assert (array.view(np.uint8) == value).all()


def test_large_trees_take_memory_only_as_they_grow():
    nodes = SharedArrays(array_sizes(2**28, ())).arrays["nodes"]  # 8 GiB
    nodes[-1]["visits"] = 7
    assert nodes[-1]["visits"] == 7
    assert nodes[12345]["visits"] == 0


def test_memory_that_the_system_does_not_give_is_reported():
    with pytest.raises(bw.SettingsError, match=r"gives no .* MiB of memory to share") as error:
        SharedArrays({"nodes": (2**61, np.dtype(np.int8))})
    assert "memory_mb" in error.value.mend


def test_own_selection_rules_and_facts_go_to_other_processes():
    rule = bw.SelectionRule(curious, c=0.3)
    assert pickle.loads(pickle.dumps(bw.MCTS(selection=rule).settings)).selection == rule
    assert pickle.loads(pickle.dumps(game_facts(Take()))).num_actions == 3 <= MAX_CHILDREN


def test_processes_leave_actions_out_and_visit_lines_first(planner):
    few = planner.search(Take(), simulations=200, among=[1])
    assert [(child.action, child.visits) for child in few.children] == [(1, 200)]
    free = planner.search(Take(), simulations=600, at_least={(0, 0): 300})
    assert {child.action: child.visits for child in free.children}[0] >= 300
    again = planner.search(Take(), simulations=200)
    assert {child.action for child in again.children} > {1}
