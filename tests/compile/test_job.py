"""Compiling in a separate thread: interrupts, errors, and progress messages."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
import traceback
from contextlib import contextmanager
from functools import partial
from select import select

import pytest
from numba.core import event

import branchwise as bw
from branchwise.compile.code import announcements, progress
from branchwise.compile.code.compile_thread import Cancelled, Job, current_job
from branchwise.compile.code.compile_times import expected_seconds, note_seconds
from branchwise.compile.code.progress import Compiling, compiling_now, told_of_compiling

PATIENCE = 60.0


@pytest.fixture(autouse=True)
def hears_interrupts():
    """Handle Ctrl-C even if the tests run in the background, where processes ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def head_start(monkeypatch):
    """A head start that lasts until the event is set."""
    over = threading.Event()
    monkeypatch.setattr("branchwise.compile.code.compile_thread._HEAD_START", PATIENCE)
    monkeypatch.setattr("branchwise.compile.code.compile_thread._leaving", over)
    yield over
    over.set()


def test_a_job_that_nobody_waits_for_gives_the_search_a_head_start(head_start):
    job = Job(lambda: current_job().begins(Compiling("chess", expected=1.0)))
    job.start()
    until = time.monotonic() + PATIENCE
    while not job.holds_back and time.monotonic() < until:
        time.sleep(0.001)
    assert job.is_compiling
    assert not job.wait(0)
    head_start.set()
    assert job.wait(PATIENCE)
    assert not job.holds_back


def test_a_job_that_is_awaited_begins_at_once(head_start):
    Job(lambda: current_job().begins(Compiling("chess", expected=1.0))).run()
    assert not head_start.is_set()


def test_jobs_that_nobody_waits_for_take_turns_and_the_newest_is_next():
    begun, may_go_on, order = threading.Event(), threading.Event(), []

    def first():
        begun.set()
        may_go_on.wait(PATIENCE)

    jobs = [Job(first)] + [Job(partial(order.append, name)) for name in ("old", "middle", "new")]
    for job in jobs:
        job.start()
        begun.wait(PATIENCE)
        time.sleep(0.05)  # its thread begins
    assert Job(lambda: "at once").run() == "at once", "someone waits for this one"
    assert order == []
    jobs[1].tell_thread()  # another search needs it
    may_go_on.set()
    assert all(job.wait(PATIENCE) for job in jobs)
    assert order == ["old", "new", "middle"]


def test_jobs_that_nobody_waits_for_let_awaited_ones_go_first():
    begun, may_go_on, order = threading.Event(), threading.Event(), []

    def awaited():
        begun.set()
        may_go_on.wait(PATIENCE)
        order.append("awaited")

    waiting = threading.Thread(target=Job(awaited).run)
    waiting.start()
    begun.wait(PATIENCE)
    job = Job(partial(order.append, "nobody waits"))
    job.start()
    assert not job.wait(0.05)
    may_go_on.set()
    waiting.join()
    assert job.wait(PATIENCE)
    assert order == ["awaited", "nobody waits"]


def test_jobs_whose_turn_has_not_come_end_with_the_program(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(
        "import time\n"
        "from branchwise.compile.code.compile_thread import Job\n"
        "def wait():\n"
        "    time.sleep(0.5)\n"
        "for job in (Job(wait), Job(lambda: print('too late', flush=True))):\n"
        "    job.start()\n"
        "    time.sleep(0.1)\n"
    )
    ended = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def press_ctrl_c_when(ready: threading.Event) -> None:
    def press():
        ready.wait(PATIENCE)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()


def test_interrupt_is_heard_in_the_middle_of_a_step_and_the_job_ends_before_the_next():
    busy, step_is_over, ended = threading.Event(), threading.Event(), []

    def compile_now():
        try:
            current_job().begins(Compiling("chess", expected=1.0))
            busy.set()
            step_is_over.wait(PATIENCE)
            with event.trigger_event("numba:run_pass"):
                ended.append("ran on")
        except BaseException as error:
            ended.append(type(error))
            raise

    job = Job(compile_now)
    press_ctrl_c_when(busy)
    with pytest.raises(KeyboardInterrupt, match="interrupted while compiling chess"):
        job.run()
    assert ended == []  # nobody waited for it
    step_is_over.set()
    while compiling_now() is not None:
        time.sleep(0.01)
    assert ended == [Cancelled]


def test_error_comes_through_with_its_traceback():
    def fails_within():
        raise ValueError("here")

    with pytest.raises(ValueError, match="here") as caught:
        Job(fails_within).run()
    assert "fails_within" in [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]


def test_whoever_waits_is_told_what_is_compiled():
    told = []

    def compile_now():
        current_job().begins(Compiling("chess", expected=9.6))
        told.append(str(compiling_now()))
        return 7

    with told_of_compiling(told.append):
        assert Job(compile_now).run() == 7
    assert [getattr(one, "what", one) for one in told] == [
        "chess",
        "compiling chess: 0 s of about 10 s",
        None,
    ]
    assert compiling_now() is None
    assert progress.listener_of_thread() is None


def test_what_a_job_compiles_on_the_way_is_over_when_the_job_is():
    def compile_now():
        current_job().begins(Compiling("chess", expected=9.0))
        current_job().begins(Compiling("a part of chess", expected=1.0))
        return compiling_now().what

    assert Job(compile_now).run() == "chess"
    assert compiling_now() is None


def test_job_that_only_loads_ends_where_it_would_compile():
    went_on = []

    def compile_now():
        current_job().begins(Compiling("chess", expected=9.0))
        went_on.append(True)

    job = Job(compile_now, may_compile=False)
    job.start()
    assert job.wait(PATIENCE)
    assert job.found_nothing
    assert went_on == []
    assert compiling_now() is None


def test_job_that_only_loads_gives_what_it_found():
    job = Job(lambda: 7, may_compile=False)
    assert job.run() == 7
    assert not job.found_nothing


def test_whoever_joins_a_job_is_told_what_it_compiles():
    told, begun, may_end = [], threading.Event(), threading.Event()

    def compile_now():
        current_job().begins(Compiling("chess", expected=9.0))
        begun.set()
        may_end.wait(PATIENCE)

    job = Job(compile_now)
    job.start()
    begun.wait(PATIENCE)
    with told_of_compiling(told.append):
        job.tell_thread()
    assert [one.what for one in told] == ["chess"]
    assert told[0].meanwhile
    may_end.set()
    job.wait(PATIENCE)
    assert told[1:] == [None]


def test_expected_time_is_that_of_the_last_compile_or_of_other_games(tmp_path):
    first = expected_seconds(tmp_path, "run", "chess")
    assert first > 0
    note_seconds(tmp_path, "run", "go", 10.0)
    note_seconds(tmp_path, "run", "nim", 20.0)
    note_seconds(tmp_path, "line", "chess", 3.0)
    assert expected_seconds(tmp_path, "run", "chess") == 15.0
    note_seconds(tmp_path, "run", "chess", 30.0)
    assert expected_seconds(tmp_path, "run", "chess") == 30.0
    (tmp_path / "times.json").write_text('{"run": [1, 2]}')
    assert expected_seconds(tmp_path, "run", "chess") == first
    assert [file.name for file in tmp_path.iterdir()] == ["times.json"]


def test_log_says_once_that_a_game_is_compiled_and_what_is_slow_about_it(caplog, monkeypatch, tmp_path):
    from branchwise.compile.states.prepared_rules import compiled_type

    class Sorting(bw.games.Nim):
        def returns(self):
            return (0.0, 1.0) if sorted((1, 2))[0] else (1.0, 0.0)

    monkeypatch.setenv("BRANCHWISE_CACHE_DIR", str(tmp_path))
    announcements.note("run_simulations", compiled_type(Sorting), 41.4)
    for _ in range(2):
        announcements.announce("run_simulations", compiled_type(Sorting))
    assert [record.getMessage().partition(" (")[0] for record in caplog.records] == [
        "compiling sorting, once",
        "sorted is slow to compile and to run",
    ]
    assert "about 41 s" in caplog.text


# --- whole processes ---------------------------------------------------------------------------------------

SEARCH = ("-m", "branchwise", "search", "nim", "--simulations", "10", "--json")
CHOOSE = (
    "-c",
    """
import branchwise as bw
from branchwise.games import Nim
print("chose", bw.load_bot("minimax(depth=2)").choose(Nim()))
""",
)


@contextmanager
def started(cache, *command):
    """Start a process and wait until it compiles, None if it does not; it is ended afterwards."""
    with subprocess.Popen(
        [sys.executable, *command],
        env={**os.environ, "BRANCHWISE_CACHE_DIR": str(cache), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process if any(line.startswith("compiling") for line in process.stderr) else None
        finally:
            process.kill()


def test_interrupted_command_ends_with_a_word(tmp_path):
    with started(tmp_path, *SEARCH) as process:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert err.strip() == "interrupted while compiling nim"


def test_interrupted_program_ends_as_python_ends_it(tmp_path):
    with started(tmp_path, *CHOOSE) as process:
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -signal.SIGINT
    assert out == ""
    assert err.endswith("KeyboardInterrupt: interrupted while compiling nim\n")
    assert "ignored" not in err


@pytest.mark.slow
@pytest.mark.parametrize("command", [CHOOSE, SEARCH], ids=["program", "command"])
def test_interrupts_at_any_moment_are_heard_and_leave_a_usable_cache(tmp_path, command):
    moments = random.Random(7)
    for _ in range(10):
        with started(tmp_path, *command) as process:
            if process is None:
                break
            time.sleep(moments.uniform(0, 8.0 if command == SEARCH else 1.0))
            if select([process.stdout], [], [], 0)[0]:  # it has printed its result
                break
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=PATIENCE)
        if process.returncode == 0 and out:  # it ended just before
            break
        assert process.returncode in (130, -signal.SIGINT), err
        assert "ignored" not in err
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, *command],
            env={**os.environ, "BRANCHWISE_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
    assert "compiling" not in done.stderr


AGAIN = """
import os, signal, sys, threading, time
import branchwise as bw
from branchwise.games import Nim
from branchwise.compile.code.progress import compiling_now
def press():
    while compiling_now() is None:
        time.sleep(0.01)
    time.sleep(float(sys.argv[1]))
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    bw.load_bot("minimax(depth=2)").choose(Nim())
    print("too late")
except KeyboardInterrupt as interrupt:
    print(interrupt)
bot = bw.load_bot("minimax(depth=9)")
print(bot.choose(Nim(chips=6)), bot.value)
"""


@pytest.mark.parametrize("moment", [0.0, pytest.param(0.1, marks=pytest.mark.slow)])
def test_program_that_continues_after_an_interrupt_compiles_again(tmp_path, moment):
    done = subprocess.run(
        [sys.executable, "-c", AGAIN, str(moment)],
        env={**os.environ, "BRANCHWISE_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "interrupted while compiling nim\n1 1.0\n"
