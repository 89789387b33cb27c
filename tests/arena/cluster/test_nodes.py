"""Nodes of Dask that come late, are lost, or stop answering; each is a process with an address of its own."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

import branchwise as bw
from branchwise.arena.cluster import engine
from branchwise.arena.cluster.choice import current_engine
from branchwise.common.errors import MatchError, SettingsError
from branchwise.compare.comparison import compare

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
BOTS = ["mcts(simulations=300)", "mcts(simulations=100)"]


@contextmanager
def dask(program, *words):
    """Run a program of Dask, which is killed after the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{program}", *words, "--no-dashboard"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def scheduler():
    """Yield a scheduler's process and its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with dask("dask_scheduler", "--host", "127.0.0.1", "--port", str(port)) as process:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as tried:
                if not tried.connect_ex(("127.0.0.1", port)):
                    break
            time.sleep(0.1)
        yield process, f"tcp://127.0.0.1:{port}"


def node(address, host, *words):
    words = words or ("--no-nanny", "--nthreads", "1")
    return dask("dask_worker", address, "--host", host, *words)


def rows(store):
    with bw.Store(store) as kept:
        return [(one.plan, one.returns, one.ending, one.actions) for one in kept.games(1)]


def own_rows(folder, games):
    bw.Match("tic_tac_toe", BOTS, games=games, seed=1).run(store=folder / "own.db")
    return rows(folder / "own.db")


def test_a_node_that_comes_late_gets_games_and_those_of_a_lost_one_are_played_again(tmp_path, scheduler):
    late = killing = None
    with node(scheduler[1], "127.0.0.2") as first, bw.on_executor(f"dask={scheduler[1]}"):

        def change(standing):
            nonlocal late, killing
            if standing.played and late is None:
                late = node(scheduler[1], "127.0.0.3")
                late.__enter__()
            if current_engine().ended["127.0.0.3"] and killing is None:
                killing = threading.Timer(0.1, first.kill)  # while it has games
                killing.start()

        try:
            match = bw.Match("tic_tac_toe", BOTS, games=1000, seed=1)
            match.run(store=tmp_path / "matches.db", progress=change)
            told = current_engine()
        finally:
            late.__exit__(None, None, None)
    assert first.returncode == -signal.SIGKILL
    assert set(told.ended) == {"127.0.0.2", "127.0.0.3"}
    assert told.lost == ["127.0.0.2"]
    assert "2 nodes" in told.told()
    assert rows(tmp_path / "matches.db") == own_rows(tmp_path, 1000)


def test_a_node_of_ray_that_comes_late_gets_games_and_is_lost(tmp_path):
    utils = pytest.importorskip("ray.cluster_utils", reason="Ray is not installed")
    cluster = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    late = []

    def change(standing):
        if standing.played and not late:
            late.append(cluster.add_node(num_cpus=1))
        if len(current_engine().ended) == 2 and len(late) == 1:
            late.append(cluster.remove_node(late[0], allow_graceful=False))

    try:
        with bw.on_executor(f"ray={cluster.address}"):
            match = bw.Match("tic_tac_toe", BOTS, games=1000, seed=1)
            match.run(store=tmp_path / "matches.db", progress=change)
            told = current_engine()
    finally:
        cluster.shutdown()
    assert len(late) == len(told.ended) == 2
    assert told.lost
    assert rows(tmp_path / "matches.db") == own_rows(tmp_path, 1000)


@pytest.mark.parametrize("how", [signal.SIGSTOP, signal.SIGKILL])
def test_an_engine_that_stops_answering_is_one_error_and_the_match_goes_on_without_it(
    tmp_path, scheduler, how, monkeypatch
):
    assert engine.PATIENCE < 10
    stopped = 0.0

    def stop(standing):
        nonlocal stopped
        if standing.played and not stopped:
            os.kill(scheduler[0].pid, how)
            monkeypatch.setattr(engine, "PATIENCE", 3.0)
            stopped = time.monotonic()

    with node(scheduler[1], "127.0.0.2"):
        told = pytest.raises(MatchError, match="Dask does not answer")
        with told as error, bw.on_executor(f"dask={scheduler[1]}"):
            bw.Match("tic_tac_toe", BOTS, games=500, seed=1).run(store=tmp_path / "matches.db", progress=stop)
    assert time.monotonic() - stopped < 30
    assert "--resume" in str(error.value)
    kept = rows(tmp_path / "matches.db")
    assert 0 < len(kept) < 500
    bw.Match.resume(tmp_path / "matches.db")
    assert rows(tmp_path / "matches.db") == own_rows(tmp_path, 500)


def test_dask_of_another_version_is_told(scheduler, monkeypatch):
    monkeypatch.setattr(distributed, "__version__", "2000.1.1")
    told = pytest.raises(MatchError, match=r"Dask at tcp.* has version .*, not 2000\.1\.1")
    with told, bw.on_executor(f"dask={scheduler[1]}"):
        pass


def test_ray_of_another_version_is_told(monkeypatch):
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    cluster = pytest.importorskip("ray.cluster_utils").Cluster(initialize_head=True)
    monkeypatch.setattr(ray, "__version__", "1.1.1")
    try:
        told = pytest.raises(MatchError, match=r"Version mismatch.*\n.*that Ray 1.1.1 is there")
        with told, bw.on_executor(f"ray={cluster.address}"):
            pass
    finally:
        monkeypatch.undo()
        ray.shutdown()
        cluster.shutdown()


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_port_where_nobody_speaks_is_one_error(name, monkeypatch):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[name], reason=f"{name} is not installed")
    monkeypatch.setattr(engine, "PATIENCE", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        told = pytest.raises(MatchError, match="does not answer: nothing came within 2 s")
        with told, bw.on_executor(f"{name}={address}"):
            pass


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_ray_where_none_is_running_is_one_error(address):
    pytest.importorskip("ray", reason="Ray is not installed")
    began = time.monotonic()
    told = pytest.raises(MatchError, match=f"Ray at {address} does not answer: Connection")
    with told, bw.on_executor(f"ray={address}"):
        pass
    assert time.monotonic() - began < 10


def test_planners_that_start_processes_in_daemons_of_dask(scheduler):
    """Bots play, since no bot runs in the daemon that a worker below a nanny is; a comparison's run does."""
    searcher = "mcts(simulations=20,threads=2,compiled=False)"
    state = bw.load_game("left_move(moves=4)")()
    with (
        node(scheduler[1], "127.0.0.2", "--nanny", "--nthreads", "2"),
        bw.on_executor(f"dask={scheduler[1]}"),
    ):
        match = bw.Match("tic_tac_toe", [searcher, "random"], games=2, seed=1).run()
        assert [record.ending for record in match.records] == ["end", "end"]
        began = time.monotonic()
        with pytest.raises(SettingsError, match="a daemon of multiprocessing, may start none"):
            compare(state, ["mcts(threads=2)"], steps=50, seeds=1, compiled=False)
        assert time.monotonic() - began < 10
