"""Engines that break: what is wrong is said, the program is ended, and the next choice starts it anew."""

import os
import shlex
import signal
import subprocess
import sys
import threading
import time

import pytest

import branchwise as bw
from branchwise.bots.programs.engine import EngineBot
from branchwise.games.nim import Nim
from support.engine_talk import ENGINES, faulty, is_gone, process_ids


@pytest.mark.parametrize(
    ("fault", "patience", "told"),
    [
        ("dies at the start", 20.0, ["ended by itself, with exit status 3", "no room\n    for the tables"]),
        ("is killed", 20.0, ["was ended by signal 11"]),
        ("keeps silent", 0.3, ['did not answer "ugi" within 0.3 s', "patience=... waits longer"]),
        ("speaks another language", 0.3, ['did not answer "ugi" within 0.3 s, but wrote "uciok"']),
        ("offers nonsense", 20.0, ['sent an invalid line: "option type spin" has no name']),
        ("closes its input", 20.0, ["does not read its input any more"]),
        ("closes its output", 20.0, ['closed its output, after the command "go movetime 50"']),
        ("hangs", 0.3, ['did not answer "go movetime 50" within 0.35 s', "it said: thinking"]),
        ("talks without an end", 0.3, ['did not answer "go movetime 50" within 0.35 s']),
        ("writes without an end", 20.0, ["bytes without the end of a line"]),
        ("plays what is illegal", 20.0, ['answered "z9", which is not a legal move']),
        ("has no move", 20.0, ['answered "none", which is not a legal move', "it said: error: no idea"]),
        ("says nothing", 20.0, ["answered bestmove without a move"]),
    ],
)
def test_a_fault_is_reported_and_ends_the_engine(tmp_path, fault, patience, told):
    log = tmp_path / "log"
    bot = faulty(fault, log, patience=patience)
    began = time.monotonic()
    with pytest.raises(bw.EngineError) as caught:
        bot.choose(Nim())
    assert time.monotonic() - began < 15
    for text in told:
        assert text in str(caught.value)
    assert "perl" in str(caught.value)
    assert is_gone(process_ids(log)[0])


@pytest.mark.parametrize(
    "fault", ["starts slowly", "speaks in tongues", "writes to its errors", "writes garbage", "answers twice"]
)
def test_what_is_odd_but_no_fault_is_borne(fault):
    bot = faulty(fault)
    state = Nim()
    while not state.is_terminal():
        action = bot.choose(state)
        assert action == 0
        state.apply_action(action)
    bot.close()


def test_an_engine_that_dies_in_the_game_says_what_it_wrote_and_is_started_again(tmp_path):
    log = tmp_path / "log"
    bot = faulty("dies in the game", log)
    with pytest.raises(bw.EngineError) as caught:
        bot.choose(Nim.from_actions([0, 0, 0]), moves=[0, 0, 0])
    assert caught.value.last_words == "lost [31m it"
    (first,) = process_ids(log)
    assert bot.choose(Nim()) == 0
    assert process_ids(log) != [first]
    bot.close()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("./no_such_engine", "there is no program ./no_such_engine"),
        ("no_such_engine_at_all --x", "there is no program no_such_engine_at_all"),
        (str(ENGINES / "faulty.pl"), "Permission denied"),
        (str(ENGINES), "Permission denied"),
    ],
)
def test_a_program_that_cannot_be_started_is_named(command, told):
    with pytest.raises(bw.EngineError, match="cannot be started") as caught:
        EngineBot(command=shlex.quote(command) if "/" in command else command).new_game()
    assert told in str(caught.value)
    with pytest.raises(bw.EngineError, match="cannot be started"):
        EngineBot(command=command).check_program()


def test_a_program_whose_interpreter_is_missing_and_a_folder_that_is_not_there(tmp_path):
    program = tmp_path / "engine"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    with pytest.raises(bw.EngineError, match=r"what runs \./engine is missing"):
        EngineBot(command="./engine", folder=str(tmp_path)).new_game()
    with pytest.raises(bw.EngineError, match="there is no folder /no/such/folder"):
        EngineBot(command="perl x", folder="/no/such/folder").new_game()


def test_an_engine_runs_in_its_folder_with_its_arguments_as_they_are_quoted(tmp_path):
    program = tmp_path / "my engine"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$PWD" "$@" > seen\n')
    program.chmod(0o755)
    bot = EngineBot(command="'./my engine' 'a b' --x=\"it's\" '$HOME' ';'", folder=str(tmp_path))
    with pytest.raises(bw.EngineError, match="ended by itself, with exit status 0"):
        bot.new_game()
    assert (tmp_path / "seen").read_text().splitlines() == [str(tmp_path), "a b", "--x=it's", "$HOME", ";"]


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"hash": 1}, bw.UnknownNameError, 'did you mean "hash size"'),
        ({"hash size": 65}, bw.SettingsError, "hash size = 65 is outside its range"),
        ({"hash size": "big"}, bw.SettingsError, "is not a whole number"),
        ({"style": "odd"}, bw.SettingsError, "one of calm, wild"),
        ({"book": 1}, bw.SettingsError, "neither True nor False"),
        ({"log file": "a\nb"}, bw.SettingsError, "several lines"),
    ],
)
def test_options_that_the_engine_does_not_take_are_refused(tmp_path, options, error, told):
    bot = faulty("", tmp_path / "log", options=options)
    with pytest.raises(error, match=told):
        bot.new_game()
    assert is_gone(process_ids(tmp_path / "log")[0])


def test_what_an_engine_starts_ends_with_it(tmp_path):
    bot = faulty("leaves a child", tmp_path / "log")
    bot.new_game()
    engine, child = process_ids(tmp_path / "log")
    bot.close()
    assert is_gone(engine)
    assert is_gone(child)


def test_an_engine_that_does_not_quit_is_ended(tmp_path):
    bot = faulty("does not quit", tmp_path / "log")
    bot.new_game()
    bot.close()
    assert is_gone(process_ids(tmp_path / "log")[0])


def test_an_engine_outlives_the_thread_that_it_was_started_in():
    bot = faulty("")
    starter = threading.Thread(target=bot.new_game)
    starter.start()
    starter.join()
    time.sleep(0.2)
    assert bot.choose(Nim()) == 0
    bot.close()


OWNER = """
import sys, time
from support.engine_talk import faulty
from pathlib import Path
bot = faulty(sys.argv[2], Path(sys.argv[1]))
bot.new_game()
print("started", flush=True)
time.sleep(100)
"""


@pytest.mark.parametrize("fault", ["leaves a child", "leaves its group"])
def test_an_engine_dies_with_its_parent_however_that_ends(tmp_path, fault):
    if fault == "leaves its group" and not sys.platform.startswith("linux"):
        pytest.skip("only Linux binds such a process")
    log = tmp_path / "log"
    path = os.pathsep.join([str(ENGINES.parents[1]), os.environ.get("PYTHONPATH", "")])
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(log), fault],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
    )
    with owner:
        assert owner.stdout.readline() == b"started\n"
        owner.send_signal(signal.SIGKILL)
    assert len(process_ids(log)) == (2 if fault == "leaves a child" else 1)
    assert all(is_gone(process_id) for process_id in process_ids(log))
