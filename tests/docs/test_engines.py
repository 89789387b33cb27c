"""The conversation on the page about engines happens as shown."""

import io
import re
import subprocess
import sys
from pathlib import Path

from branchwise.bots.servers.engine_server import EngineServer
from branchwise.games.nim import Nim

PAGE = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")


def comparable(line):
    """Remove what differs from run to run: times, speeds, and the version."""
    line = re.sub(r"^id name Branchwise \S+", "id name Branchwise", line)
    return re.sub(r" time \d+( nps \d+)?", " time", line)


def test_the_conversation_that_is_shown_takes_place():
    (shown,) = re.findall(r"^```ugi\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (words,) = re.findall(r"With `branchwise (ugi [^`]+)`", PAGE)
    command = [sys.executable, "-m", "branchwise", *words.split()]
    heard = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as engine:
        for line in shown.splitlines():
            if line.startswith("> "):
                engine.stdin.write(f"{line[2:]}\n")
                engine.stdin.flush()
                heard.append(line)
                continue
            answer = engine.stdout.readline().rstrip("\n")
            while answer.startswith("info string compiling"):
                answer = engine.stdout.readline().rstrip("\n")
            heard.append(answer)
        assert engine.stdout.read() == ""
    assert [comparable(line) for line in heard] == [comparable(line) for line in shown.splitlines()]
    assert engine.returncode == 0


def test_every_command_that_our_engines_know_is_in_the_table():
    table = PAGE.partition("## The protocol")[2]
    server = EngineServer(Nim, "random", 1, read=io.BytesIO(), write=io.BytesIO())
    for command in server._commands:
        assert f"| `{command}" in table, command
