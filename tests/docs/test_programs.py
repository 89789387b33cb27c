"""The conversation on the page about programs for Go happens as shown."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from branchwise.bots.programs.gtp import GtpBot
from branchwise.bots.programs.uci import UciBot
from branchwise.bots.servers.gtp_server import GtpServer
from branchwise.games.tic_tac_toe import TicTacToe

PAGE = (Path(__file__).parents[2] / "docs" / "programs.md").read_text(encoding="utf-8")


def test_the_conversation_that_is_shown_takes_place():
    (shown,) = re.findall(r"^```gtp\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (words,) = re.findall(r"^branchwise (gtp .*)$", PAGE, re.MULTILINE)
    asked = re.findall(r"^> (.*)$", shown, re.MULTILINE)
    command = [sys.executable, "-m", "branchwise", *shlex.split(words)]
    said = "".join(f"{line}\n" for line in asked)
    heard = subprocess.run(command, input=said, capture_output=True, text=True, check=True).stdout
    assert heard.split("\n\n") == re.sub(r"^> .*\n", "", shown, flags=re.MULTILINE).split("\n\n")


def test_every_command_of_our_programs_is_in_the_table():
    server = GtpServer(TicTacToe, "random", 1, read=None, write=None)
    for command in (*server._commands, "final_score"):
        assert re.search(rf"^\|[^|]*`{command}[ `]", PAGE, re.MULTILINE), command


def test_every_option_of_the_bots_is_in_the_table():
    for option in {*GtpBot.option_names(), *UciBot.option_names()}:
        assert re.search(rf"^\|[^|]*`{option}`", PAGE, re.MULTILINE), option
