"""Ctrl-C, in bursts too, while threads search: it always ends the search, and no thread works on."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from branchwise.search.drivers import interrupts
from branchwise.search.drivers.compiled import CompiledDriver
from branchwise.search.drivers.interrupts import HeldInterrupts
from branchwise.search.parallel import runners


@pytest.fixture
def at_work(monkeypatch):
    """Numbers of the drivers whose simulations are running; each run takes a moment longer than it would."""
    busy = set()
    run = CompiledDriver.run

    def slow(self, simulations):
        busy.add(id(self))
        try:
            time.sleep(0.02)
            return run(self, simulations)
        finally:
            busy.discard(id(self))

    monkeypatch.setattr(CompiledDriver, "run", slow)
    return busy


def burst(function, presses):
    """Return a function that does the same, with Ctrl-C pressed before it and after it."""

    def disturbed(*args, **options):
        if threading.current_thread() is threading.main_thread():
            for _ in range(presses):
                signal.raise_signal(signal.SIGINT)
        found = function(*args, **options)
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)
        return found

    return disturbed


@pytest.mark.parametrize("place", ["submit", "wait"])
@pytest.mark.parametrize("presses", [0, 3])
def test_a_burst_ends_a_search_of_eight_threads_and_none_works_on(monkeypatch, at_work, place, presses):
    planner = bw.MCTS(seed=1, threads=8, parallel="root")
    planner.search(ConnectFour(), simulations=80)
    planner.carry_on()
    if place == "submit":
        monkeypatch.setattr(ThreadPoolExecutor, "submit", burst(ThreadPoolExecutor.submit, presses))
    else:
        monkeypatch.setattr(runners, "wait", burst(runners.wait, presses))
    result = planner.search(ConnectFour(), seconds=60)
    assert at_work == set()
    assert result.ended_by == "interrupted"
    monkeypatch.undo()
    assert planner.search(ConnectFour(), simulations=16).simulations == 16


def test_what_ctrl_c_does_is_done_once_at_the_end():
    done = []
    with pytest.raises(KeyboardInterrupt), HeldInterrupts(lambda: done.append("told")):
        for _ in range(5):
            signal.raise_signal(signal.SIGINT)
        done.append("end")
    assert done == ["told", "end"]
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_handler_of_the_program_is_called_at_the_end_and_stays():
    calls = []
    before = signal.signal(signal.SIGINT, lambda *_: calls.append(1))
    try:
        with HeldInterrupts(lambda: None):
            signal.raise_signal(signal.SIGINT)
            assert calls == []
        assert calls == [1]
        signal.raise_signal(signal.SIGINT)
        assert calls == [1, 1]
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_again_after_a_while_does_not_wait_for_what_does_not_end(monkeypatch):
    monkeypatch.setattr(interrupts, "PATIENCE", 0.0)
    reached = []
    with pytest.raises(KeyboardInterrupt), HeldInterrupts(lambda: None):
        signal.raise_signal(signal.SIGINT)
        reached.append(1)
        time.sleep(0.01)
        signal.raise_signal(signal.SIGINT)
        reached.append(2)
    assert reached == [1]


def test_other_threads_and_ignored_interrupts_are_left_alone():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with HeldInterrupts(lambda: None):
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    seen = []

    def elsewhere():
        with HeldInterrupts(lambda: None):
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [before]


def test_a_program_may_close_every_file_between_two_searches(tmp_path):
    code = (
        "import os, signal, threading, time\n"
        "import branchwise as bw\n"
        "from branchwise.games.connect_four import ConnectFour\n"
        "bw.MCTS(seed=1, compiled=False).search(ConnectFour(), seconds=0.01)\n"
        "os.closerange(3, 256)\n"
        "taken = [open('taken', 'w+b', buffering=0) for _ in range(20)]\n"
        "taken[0].write(b'kept')\n"
        "taken[0].seek(0)\n"
        "threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()\n"
        "found = bw.MCTS(seed=1, compiled=False).search(ConnectFour(), seconds=60.0)\n"
        "print(found.ended_by, taken[0].read(), os.path.getsize('taken'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "interrupted b'kept' 4\n", done.stderr


def test_tests_and_what_they_start_can_be_interrupted_in_a_background_job():
    """As in `nohup make test &`, where a shell lets its jobs ignore Ctrl-C."""
    started = "import signal; assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    code = (
        f"import subprocess, sys, conftest; subprocess.run([sys.executable, '-c', {started!r}], check=True)"
    )
    done = subprocess.run(
        ["/bin/sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c", f"{code}; {started}"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
