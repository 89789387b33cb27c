"""Games on an executor: the same rows as on this machine, losses that are repeated, and faults of bots."""

import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import branchwise as bw
from branchwise.arena.cluster import host
from branchwise.arena.cluster.calls import ATTEMPTS
from branchwise.arena.cluster.choice import current_engine
from branchwise.arena.cluster.engine import Engine
from branchwise.arena.cluster.host import Job, play, versions_for
from branchwise.arena.play.pool import warm_workers
from branchwise.arena.play.referee import Terms
from branchwise.arena.play.time_control import TimeControl
from branchwise.common.errors import MatchError, SettingsError, UnknownNameError

BOTS = ["mcts(simulations=20)", "random"]


def rows(result):
    """Return everything that is recorded, but times."""
    return [
        (
            one.plan,
            one.returns,
            one.ending,
            one.fault,
            [(m.ply, m.seat, m.action, m.value) for m in one.moves],
        )
        for one in result.records
    ]


def small_match(games=12):
    return bw.Match("tic_tac_toe", BOTS, games=games, seed=3)


class LossyExecutor(ThreadPoolExecutor):
    """Loses the process of some tasks, which then give no result."""

    def __init__(self, lose):
        super().__init__(2)
        self.lose, self.tasks = lose, 0

    def submit(self, function, *arguments):
        self.tasks += 1
        if self.lose(self.tasks):
            lost = Future()
            lost.cancel()
            lost.set_running_or_notify_cancel()
            return lost
        return super().submit(function, *arguments)


def test_rows_are_those_of_the_own_processes_with_every_third_task_lost():
    expected = rows(small_match().run())
    with LossyExecutor(lambda task: task % 3 == 0) as executor, bw.on_executor(executor):
        found = rows(small_match().run())
        told = current_engine().told()
    assert found == expected
    assert "lost processes" in told


def test_a_game_that_ends_its_host_each_time_ends_the_match_and_nothing_half_written_stays(tmp_path):
    told = pytest.raises(MatchError, match=rf"ended {ATTEMPTS} times")
    with LossyExecutor(lambda task: task > 2) as executor, bw.on_executor(executor), told:
        small_match().run(store=tmp_path / "matches.db")
    result = bw.Match.resume(tmp_path / "matches.db")
    assert rows(result) == [(*row[:4], []) for row in rows(small_match().run())]


def test_without_a_block_there_is_no_engine():
    assert current_engine() is None
    with bw.on_executor(None):
        assert current_engine() is None


def test_an_executor_that_is_dead_is_one_error():
    executor = ProcessPoolExecutor(1, initializer=os._exit, initargs=(1,))
    began = time.monotonic()
    with bw.on_executor(executor), pytest.raises(MatchError, match="runs nothing any more"):
        small_match().run()
    assert time.monotonic() - began < 10


class RefusingExecutor(ThreadPoolExecutor):
    def submit(self, function, *arguments):
        raise pickle.PicklingError("cannot pickle it")


def test_a_task_that_cannot_be_pickled_is_one_error():
    told = pytest.raises(MatchError, match="cannot run a task: PicklingError: cannot pickle it")
    with RefusingExecutor(1) as executor, bw.on_executor(executor), told:
        small_match().run()


@pytest.mark.parametrize("name", ["rya", ""])
def test_unknown_engines_are_told(name):
    with pytest.raises(UnknownNameError, match="no executor"), bw.on_executor(name):
        pass


def test_what_submits_nothing_is_no_executor():
    with pytest.raises(SettingsError, match="is no executor"), bw.on_executor(3):
        pass


def test_an_address_where_nobody_answers_is_one_error():
    pytest.importorskip("distributed", reason="Dask is not installed")
    told = pytest.raises(MatchError, match=r"Dask at tcp://127.* does not answer: ConnectionRefused")
    with told, bw.on_executor("dask=tcp://127.0.0.1:1"):
        pass


def job(**others):
    terms = Terms(tuple(BOTS), TimeControl(), at_once=True)
    needed = dict(versions_for("tic_tac_toe", terms.bots)) | others
    return Job("tic_tac_toe", terms, tuple(needed.items()))


@pytest.mark.parametrize("what", ["numba", "the game"])
def test_a_node_that_differs_is_told_with_what_differs(what):
    with pytest.raises(MatchError, match=f"differs from .*{what}: .*, not other") as told:
        play(job(**{what: "other"}), ())
    assert host.node() in told.value.problem
    host.compare_versions(job())


def test_a_missing_file_of_a_bot_is_told():
    terms = Terms(("/nowhere/my_bot.py:MyBot", "random"), TimeControl())
    needed = (*versions_for("tic_tac_toe", ("random",)), ("/nowhere/my_bot.py", "1234"))
    with pytest.raises(MatchError, match=r"/nowhere/my_bot.py: missing, not 1234"):
        host.compare_versions(Job("tic_tac_toe", terms, needed))


def test_rules_that_a_node_does_not_have_are_told():
    needed = (("the game", "1234"),)
    with pytest.raises(MatchError, match=r"the game: .*nowhere.*, not 1234"):
        host.compare_versions(Job("/nowhere/my_game.py", Terms(("random",), TimeControl()), needed))


KILLER = """
import os, signal
import branchwise as bw

class Killer(bw.Bot):
    name = "killer"

    def choose(self, state, limit=None, moves=None):
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("name", ["threads", "dask", "ray"])
def test_a_bot_that_kills_its_own_process_loses_each_game_once(tmp_path, name):
    if name != "threads":
        pytest.importorskip({"dask": "distributed", "ray": "ray"}[name], reason=f"{name} is not installed")
    file = tmp_path / "killer.py"
    file.write_text(KILLER)
    with ThreadPoolExecutor(2) as executor, bw.on_executor(executor if name == "threads" else name):
        result = bw.Match("tic_tac_toe", [f"{file}:Killer", "random"], games=4, seed=1).run()
        assert not current_engine().lost
    assert [record.ending for record in result.records] == ["died"] * 4
    assert result.tallies()[0].faults == 4


def test_bots_with_threads_get_the_cores_that_they_need():
    with ThreadPoolExecutor(5) as executor:
        engine = Engine("threads", executor)
    assert engine.places(2, 100) == {"threads": 2}
    assert engine._rooms({"a": 5, "b": 1}, 2) == {"a": 2}
    with pytest.raises(MatchError, match="a game needs 2 cores"):
        engine._rooms({"b": 1}, 2)


def test_a_series_keeps_its_workers_and_ends_them():
    from branchwise.arena.play import pool

    with warm_workers():
        first = rows(small_match(4).run())
        kept = [worker._process.pid for worker in pool._kept]
        again = rows(small_match(4).run())
        assert set(kept) <= {worker._process.pid for worker in pool._kept}
        other = bw.Match("nim", ["random", "random"], games=2, seed=1).run()
    assert kept
    assert first == again
    assert len(other.records) == 2
    assert not pool._kept
    for pid in kept:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, signal.SIG_DFL)


PLAIN = """
import sys
import branchwise as bw

if __name__ == "__main__":
    bw.Match("tic_tac_toe", ["random", "random"], games=2, seed=1).run()
    print(sorted({"ray", "dask", "distributed", "concurrent.futures.process"} & {*sys.modules}))
    with bw.on_executor("dask"):
        print("distributed" in sys.modules)
"""


def test_a_plain_match_imports_no_engine(tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    script = tmp_path / "plain.py"
    script.write_text(PLAIN)
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120, check=True)
    assert told.stdout.split("\n")[:2] == ["[]", "True"]
