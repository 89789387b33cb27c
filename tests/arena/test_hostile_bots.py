"""Bots that attack the arena: matches go on, the culprit loses, and nothing is left behind."""

import os
import sys
import time
import uuid
from pathlib import Path

import pytest

import branchwise as bw
from branchwise.arena.play.status_board import THINKING, StatusBoard
from branchwise.arena.play.worker_messages import MOST_NOISE, TASKS_KEY, FloodError, Inlet, Outlet

TESTS = Path(__file__).parents[1]
UNRULY = f"{TESTS / 'support/unruly.py'}:"
RACE = f"{TESTS / 'support/rules.py'}:Race(goal=60)"

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs what only Linux has")


def commands():
    """Return the command line of every process, by its id."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                words = Path(f"/proc/{name}/cmdline").read_bytes()
            except OSError:
                continue
            found[int(name)] = words.replace(b"\0", b" ").decode(errors="replace")
    return found


def left_behind(mark):
    """Return the processes whose environment has the inherited mark."""
    found = []
    for pid, words in commands().items():
        try:
            if mark in Path(f"/proc/{pid}/environ").read_bytes() and pid != os.getpid():
                found.append(words)
        except OSError:
            continue
    return found


@pytest.fixture
def play(monkeypatch):
    """Play a match with one game for each bot; no process may survive it."""

    def play(*bots, game=RACE, **settings):
        mark = uuid.uuid4().hex
        monkeypatch.setenv("BRANCHWISE_TEST_MARK", mark)
        names = [f"{UNRULY}{bot}" for bot in bots]
        result = bw.Match(game, names, games=len(bots), seed=1, openings=[[]], **settings).run()
        assert result.ended_by == "games"
        until = time.monotonic() + 10
        while left_behind(mark.encode()) and time.monotonic() < until:
            time.sleep(0.1)  # the system has not reaped them yet
        assert not left_behind(mark.encode())
        return result.records

    return play


@linux
def test_bots_that_write_to_every_descriptor_fork_or_start_programs_hold_up_nothing(play):
    before = commands().keys()
    records = play("Scribbler", "Twin", "Daemon", concurrency=1)
    assert [(record.ending, record.fault) for record in records] == [("end", None)] * 3
    assert all(len(record.moves) > 9 for record in records)
    assert not [pid for pid, words in commands().items() if "986.75" in words and pid not in before]


@linux
def test_bots_that_take_their_process_down_lose_at_once_whoever_keeps_its_pipe(play):
    records = play("Forker", "Shutter", "Patricide", concurrency=1)
    assert [(record.ending, record.bot_at_fault) for record in records] == [
        ("died", 0),
        ("died", 1),
        ("died", 2),
    ]
    assert records[0].detail == "the process ended with status 3"
    for record in records:
        assert record.returns == (-1.0, 0.0, 0.0)
        assert [move.seat for move in record.moves] == [0, 1, 2, 0, 1, 2]


@linux
def test_bots_that_ignore_signals_or_flood_their_output_are_ended_when_their_time_is_over(play):
    records = play("Deaf", "Flooder", game="nim(heaps=(40,))", seconds=0.2, concurrency=1)
    assert [(record.ending, record.bot_at_fault) for record in records] == [("hung", 0), ("hung", 1)]
    assert records[0].detail == "no answer within 2.3 s"
    assert len(records[1].detail) < 5000


@linux
def test_a_bot_whose_close_hangs_loses_after_a_few_seconds(play):
    records = play("Lingerer", "Scribbler", game="nim", concurrency=2)
    assert [(record.ending, record.bot_at_fault) for record in records] == [("hung", 0)] * 2
    assert {record.detail for record in records} == {"no answer within 5 s while it was being closed"}


@linux
def test_a_game_whose_plan_a_bot_has_read_is_played_by_another_process(play):
    records = play("Reader", "Reader", game="nim", concurrency=1)
    assert [(record.ending, record.fault) for record in records] == [("end", None)] * 2


def test_a_result_that_makes_no_sense_is_the_bots_fault(play):
    records = play("Boaster", "Boaster", game="nim", concurrency=1)
    assert [record.ending for record in records] == ["error"] * 2
    assert "AttributeError" in records[0].detail


# --- the wire ---------------------------------------------------------------------------------------


@pytest.fixture
def pipe():
    read, write = os.pipe()
    yield read, write
    for descriptor in (read, write):
        os.close(descriptor)


def test_messages_come_through_whatever_is_written_between_them(pipe):
    read, write = pipe
    outlet, inlet = Outlet(write, TASKS_KEY), Inlet(read, TASKS_KEY)
    noise = [b"", b"\x80\x04garbage", TASKS_KEY[:7], TASKS_KEY, TASKS_KEY + b"\xff" * 12, TASKS_KEY * 3]
    for number, bytes_ in enumerate(noise):
        os.write(write, bytes_)
        outlet.send(b"message %d" % number)
        outlet.send(b"")
    received = []
    while (payload := inlet.receive(0.05)) is not None:
        received.append(payload)
    for number in range(len(noise)):
        assert b"message %d" % number in received
    assert inlet.is_intact
    assert outlet.is_intact


def test_a_message_longer_than_the_pipe_comes_through_a_pipe_that_does_not_wait(pipe):
    import threading

    read, write = pipe
    for descriptor in pipe:
        os.set_blocking(descriptor, False)
    long = os.urandom(500_000)
    sender = threading.Thread(target=Outlet(write, TASKS_KEY).send, args=(long,))
    sender.start()
    assert Inlet(read, TASKS_KEY).receive(30.0) == long
    sender.join()


def test_noise_without_an_end_is_reported_and_noise_between_messages_is_forgotten(pipe):
    read, write = pipe
    outlet, inlet = Outlet(write, TASKS_KEY), Inlet(read, TASKS_KEY)
    for _ in range(2 * MOST_NOISE // 2**15):
        os.write(write, bytes(2**15))
        outlet.send(b"on")
        assert inlet.receive(5.0) == b"on"
    with pytest.raises(FloodError):
        while True:
            os.write(write, bytes(2**15))
            inlet.receive(0.0)


def test_the_end_and_another_file_in_its_place_are_noticed(pipe, tmp_path):
    read, write = pipe
    outlet, inlet = Outlet(write, TASKS_KEY), Inlet(read, TASKS_KEY)
    with open(tmp_path / "other", "wb") as other:
        os.dup2(other.fileno(), write)
    assert not outlet.is_intact
    with pytest.raises(EOFError):
        inlet.receive(5.0)


# --- the board of turns -----------------------------------------------------------------------------


@linux
def test_the_memory_of_turns_is_neither_resized_nor_written_by_its_descriptor():
    board = StatusBoard()
    other = StatusBoard(os.dup(board.descriptor))
    other.note(THINKING, 1, 5.0)
    for descriptor in (board.descriptor, other.descriptor):
        with pytest.raises(PermissionError):
            os.write(descriptor, b"garbage")
        with pytest.raises(PermissionError):
            os.ftruncate(descriptor, 0)
    assert board.read().seat == 1
    other.note(THINKING, 0, 5.0)
    assert board.read().seat == 0
    board.close()
    other.close()


def test_what_is_spoilt_in_the_memory_of_turns_is_not_read():
    board = StatusBoard()
    board.note(THINKING, 1, 5.0)
    noted = board.read()
    board._memory[:12] = b"\xff" * 12
    assert board.read() == noted
    board.note(THINKING, 0, 7.0)
    assert (board.read().seat, board.read().limit) == (0, 7.0)
    board.close()
