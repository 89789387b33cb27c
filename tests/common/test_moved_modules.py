"""Modules that have moved are found by their old paths, with a warning, for one release."""

import importlib
import subprocess
import sys

import pytest

from branchwise.common.moved_modules import MOVED


@pytest.mark.parametrize("old", MOVED)
def test_an_old_path_is_the_module_at_its_new_path_and_warns(old, monkeypatch):
    monkeypatch.delitem(sys.modules, old, raising=False)
    with pytest.warns(DeprecationWarning, match=rf"{old} is {MOVED[old]} now"):
        module = importlib.import_module(old)
    assert module is importlib.import_module(MOVED[old])
    assert module.__spec__.name == MOVED[old]
    monkeypatch.delitem(sys.modules, old, raising=False)


USERS = """
import numpy as np
from branchwise.boxes import has_box
from branchwise.errors import GameError
from branchwise.fields import Array
from branchwise.game import Game
from branchwise.players import CHANCE
from branchwise.render.grid import Cell, Grid
import branchwise.draws
import branchwise as bw
assert Game is bw.Game and Array is bw.Array and branchwise.draws.Random is bw.Random
"""


def test_imports_of_users_rules_work_and_each_is_warned_of_at_the_users_line(tmp_path):
    file = tmp_path / "rules.py"
    file.write_text(USERS)
    done = subprocess.run(
        [sys.executable, "-W", "default", str(file)], capture_output=True, text=True, check=True
    )
    warned = [line for line in done.stderr.splitlines() if "DeprecationWarning" in line]
    assert len(warned) == 7
    assert all(str(file) in line for line in warned)


def test_a_module_that_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("branchwise.no_such_module")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("branchwise.render.no_such_module")


def test_a_stored_match_finds_its_bot_by_the_old_path():
    from branchwise.bots import BOTS
    from branchwise.bots.players.random import RandomBot

    assert BOTS.find("branchwise.bots.random:RandomBot") is RandomBot
