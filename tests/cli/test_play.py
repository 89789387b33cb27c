"""`branchwise play` as a process: without a terminal, and at one."""

import json
import os
import re
import select
import subprocess
import sys
import time

import pytest

import branchwise as bw
from branchwise.games.connect_four import ConnectFour
from support.engine_talk import faulty, first_point, told


def test_without_a_terminal_the_bot_plays_itself_and_says_so(run):
    shown = run("play", "tic_tac_toe", "--seed", "1")
    assert shown.code == 0
    assert "No terminal to play at: mcts(simulations=2000,seed=1) plays tic_tac_toe" in shown.out
    assert "1. X plays" in shown.out
    assert "2. O plays" in shown.out
    assert "Game over after 9 moves: a draw." in shown.out


def test_without_a_terminal_the_same_seed_plays_the_same_game(run):
    words = ("play", "connect_four", "--seed", "3", "--simulations", "300")
    assert run(*words).out == run(*words).out


def test_play_as_json(run):

    shown = run("play", "connect_four", "--moves", "d d", "--opponent", "random", "--seed", "3", "--json")
    played = json.loads(shown.out)
    assert list(bw.Playthrough.from_json(shown.out, ConnectFour).actions) == played["actions"]
    assert played["moves"][:2] == [ConnectFour().action_to_string(3), played["moves"][1]]
    end = ConnectFour.from_actions(played["moves"])
    assert end.is_terminal()
    assert played["returns"] == list(end.returns())


def test_limits_of_the_command_line_are_those_of_the_opponent(run):
    played = json.loads(run("play", "nim", "--simulations", "50", "--opponent", "flat", "--json").out)
    assert played["bot"] == "flat(simulations=50)"
    played = json.loads(
        run("play", "nim", "--simulations", "50", "--opponent", "mcts(simulations=7)", "--json").out
    )
    assert played["bot"] == "mcts(simulations=7)"


def test_play_from_a_finished_position_tells_the_result(run):
    shown = run("play", "tic_tac_toe", "--moves", "a1 b1 a2 b2 a3")
    assert shown.code == 0
    assert "player 0 (X, mcts) wins" in shown.out


pty = pytest.importorskip("pty")

AT_TERMINAL = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)  # so that Ctrl-C reaches this process
from branchwise.cli.app import main
main()
"""


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, *words):
        self._here, there = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", AT_TERMINAL, *words],
            stdin=there,
            stdout=there,
            stderr=there,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
            start_new_session=True,
        )
        os.close(there)
        self.shown = ""
        self._looked_at = 0

    def wait_for(self, text, seconds=60):
        """Read until `text` has been shown after what the last call waited for."""
        end = time.monotonic() + seconds
        while text not in self.shown[self._looked_at :]:
            assert time.monotonic() < end, self.shown
            if select.select([self._here], [], [], 0.2)[0]:
                try:
                    read = os.read(self._here, 65536).decode()
                except OSError:
                    pytest.fail(f"the program ended:\n{self.shown}")
                self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", read)
        self._looked_at = self.shown.index(text, self._looked_at) + len(text)

    def wait_for_prompt(self):
        self.wait_for("> ")
        time.sleep(0.5)  # readline does not hear of a Ctrl-C in the moment before it starts to wait

    def type(self, text):
        os.write(self._here, text.encode())

    def end(self):
        return self.process.wait(60)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self._here)


@pytest.fixture
def terminal():
    """Start the command line at a terminal; whatever still runs at the end is ended."""
    started = []

    def start(*words):
        started.append(Terminal(*words))
        return started[-1]

    yield start
    for one in started:
        one.close()


def test_a_person_at_a_terminal_plays_and_leaves(terminal):
    play = terminal("play", "connect_four", "--simulations", "500", "--seed", "1")
    play.wait_for("X to move")
    play.type("zz\n")
    play.wait_for("is not a legal move here")
    play.type("d\n")
    play.wait_for("O plays")
    play.wait_for("X to move")
    play.wait_for_prompt()
    play.type("\x04")
    play.wait_for("Goodbye.")
    assert play.end() == 0


def test_ctrl_c_at_the_prompt_ends_with_130_and_no_traceback(terminal):
    play = terminal("play", "nim", "--simulations", "100")
    play.wait_for("to move")
    play.wait_for_prompt()
    play.type("\x03")
    assert play.end() == 130
    assert "Traceback" not in play.shown


def test_ctrl_c_makes_a_thinking_bot_move_now(terminal):
    play = terminal("play", "connect_four", "--seconds", "600", "--side", "second")
    play.wait_for("simulations, best")
    play.type("\x03")
    play.wait_for("O to move")
    play.type("quit\n")
    play.wait_for("Goodbye.")
    assert play.end() == 0


def test_ctrl_c_ends_a_search_which_shows_what_it_has(terminal):
    search = terminal("search", "connect_four", "--seconds", "600")
    search.wait_for("simulations, best")
    search.type("\x03")
    search.wait_for("lower")
    assert search.end() == 130


def test_ctrl_c_ends_a_check(terminal):
    check = terminal("check", "connect_four", "--games", "1000000", "--seconds", "600")
    check.wait_for("checking connect_four")
    check.type("\x03")
    assert check.end() == 130
    assert "Traceback" not in check.shown


def test_an_engine_is_asked_to_quit_at_the_end(run, tmp_path):
    engine = faulty("", tmp_path / "log")
    outcome = run("play", "nim", "--opponent", repr(engine), "--json")
    assert outcome.code == 0
    assert told(tmp_path / "log")[-1] == "quit"


def test_an_engine_that_fails_ends_play_with_its_cause(run):
    outcome = run("play", "nim", "--opponent", repr(faulty("dies in the game")), "--json")
    assert outcome.code == 2
    assert "ended by itself, with exit status 1" in " ".join(outcome.err.split())


def test_programs_by_gtp_play_at_the_command_line_and_may_resign(run):
    shown = run("play", "tic_tac_toe", "--opponent", repr(first_point()))
    assert shown.code == 0
    assert "player 0 (X, gtp) wins" in shown.out
    shown = run("play", "tic_tac_toe", "--opponent", repr(first_point("resigns")))
    assert shown.code == 0
    assert "resigns." in " ".join(shown.out.split())


def test_what_people_choose_at_once_is_not_shown_as_they_type(terminal):
    play = terminal("play", "rock_paper_scissors", "--side", "both")
    play.wait_for("player 0 to choose (typing is not shown): rock paper scissors")
    play.wait_for_prompt()
    play.type("scissors\n")
    play.wait_for("player 0 has chosen.")
    assert play.shown.partition("> ")[2].startswith("\r\nplayer 0 has chosen.")
    play.wait_for("player 1 to choose")
    play.wait_for_prompt()
    play.type("rock\n")
    play.wait_for("player 0 scissors : player 1 rock")
    play.wait_for("player 1 (you) wins")
    play.wait_for_prompt()
    play.type("n\n")
    assert play.end() == 0
