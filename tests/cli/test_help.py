import subprocess
import sys

import pytest

import branchwise

COMMANDS = (
    *("play", "search", "tree", "walkthrough"),
    *("match", "tournament", "results", "replay", "review"),
    *("sweep", "tune", "train", "figure", "levels", "calibrate"),
    *("games", "check", "perft", "bench", "doctor"),
)

ONLY_HELP = """
import sys
from branchwise.cli.app import app
for words in (["--help"], ["-h"], ["--version"], *([name, "--help"] for name in sys.argv[1:])):
    try:
        app(words, prog_name="branchwise")
    except SystemExit as end:
        assert end.code in (0, None), (words, end.code)
heavy = {"numba", "numpy", "rich", "pydantic", "matplotlib", "msgspec", "starlette", "uvicorn"}
heavy &= sys.modules.keys()
sys.exit(f"help imports {heavy}" if heavy else 0)
"""


def test_help_of_every_command_imports_neither_numba_nor_numpy():
    done = subprocess.run(
        [sys.executable, "-c", ONLY_HELP, *COMMANDS, "ugi", "serve"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command_has_an_example_and_json(run, command):
    shown = run(command, "--help")
    assert shown.code == 0
    assert "Example" in shown.out
    assert f"branchwise {command}" in shown.out
    assert "--json" in shown.out


@pytest.mark.parametrize(
    "command",
    [
        *("play", "search", "tree", "walkthrough", "match", "tournament", "review"),
        *("sweep", "tune", "figure", "calibrate", "check", "bench"),
    ],
)
def test_commands_that_draw_lots_take_a_seed(run, command):
    assert "--seed" in run(command, "--help").out


def test_general_help_lists_the_commands(run):
    shown = run("--help")
    assert shown.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in shown.out


def test_without_a_command_the_help_is_shown(run):
    shown = run()
    assert "Commands:" in shown.out + shown.err


def test_version(run):
    assert run("--version").out == f"branchwise {branchwise.__version__}\n"


def test_unknown_command_offers_the_nearest(run):
    shown = run("serach")
    assert shown.code == 2
    assert "Did you mean 'search'?" in shown.err
