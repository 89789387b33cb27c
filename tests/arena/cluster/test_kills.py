"""Matches on Ray and Dask whose processes are killed, the driver's too: nothing is lost or counted twice."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

import branchwise as bw

BOTS = ["mcts(simulations=1000)", "mcts(simulations=300)"]
DRIVER = """
import sys
import branchwise as bw
from branchwise.arena.cluster import calls, engine

if __name__ == "__main__":
    name, store, games, workers = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    engine.cores = lambda: workers
    calls._MOST_GAMES = 4  # else a few tasks would be the whole match
    with bw.on_executor(name), bw.Store(store) as kept:
        if kept.matches():
            bw.Match.resume(kept)
        else:
            bw.Match("tic_tac_toe", {bots}, games=games, seed=1).run(store=kept)
"""


def rows(records):
    """Return everything that is stored, but times."""
    return [
        (one.plan, one.returns, one.ending, [(m.seat, m.action, m.value, m.children) for m in one.moves])
        for one in records
    ]


def engine_processes(psutil, driver):
    """Return the processes in which the engine holds games; those of bots are below them."""
    found = []
    with suppress(psutil.Error):
        for process in psutil.Process(driver).children(recursive=True):
            with suppress(psutil.Error):
                words = " ".join(process.cmdline())
                if words.startswith("ray::_Runner") or "dask_worker" in words:
                    found.append(process.pid)
    return found


def stored(file):
    if not file.exists():
        return 0
    with suppress(bw.StoreError), bw.Store(file) as store:
        return sum(match.played for match in store.matches())
    return 0


def killed_match(tmp_path, engine, games, workers, kills, of_driver):
    """Play a match in which, as it goes on, engine processes and drivers are killed; returns its rows."""
    psutil = pytest.importorskip("psutil", reason="psutil comes with Dask")
    script, file = tmp_path / "driver.py", tmp_path / "matches.db"
    script.write_text(DRIVER.format(bots=BOTS))
    rng, made, drivers = random.Random(1), 0, 0
    while True:
        driver = subprocess.Popen([sys.executable, str(script), engine, str(file), str(games), str(workers)])
        while driver.poll() is None:
            time.sleep(0.1)
            share = stored(file) / (0.8 * games)
            if drivers < min(int(share * (of_driver + 1)), of_driver):
                driver.kill()
                driver.wait()
                drivers += 1
                time.sleep(2)
                break
            living = engine_processes(psutil, driver.pid)
            due = min(int(share * kills), kills) - made
            for process in rng.sample(living, min(max(due, 0), len(living))):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
                    made += 1
        else:
            assert driver.returncode == 0
            break
    assert (made, drivers) == (kills, of_driver)
    with bw.Store(file) as store:
        return rows(store.games(1))


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_thirty_kills_and_three_of_the_driver_change_no_row(tmp_path, engine):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[engine], reason=f"{engine} is not installed")
    found = killed_match(tmp_path, engine, games=1000, workers=8, kills=30, of_driver=3)
    with bw.Store(tmp_path / "own.db") as store:
        bw.Match("tic_tac_toe", BOTS, games=1000, seed=1).run(store=store)
        assert found == rows(store.games(1))


@pytest.mark.parametrize("engine", ["dask", "ray"])
def test_an_engine_on_this_machine_plays_the_same_games(engine):
    pytest.importorskip({"dask": "distributed", "ray": "ray"}[engine], reason=f"{engine} is not installed")
    match = bw.Match("tic_tac_toe", BOTS, games=20, seed=1)
    expected = rows(match.run().records)
    with bw.on_executor(engine):
        assert rows(match.run().records) == expected
