"""Running the command line inside the tests' own process, and rules with faults to run it on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from branchwise.cli.app import app

RULES = '''
"""Chips."""
import numpy as np
import branchwise as bw


class Chips(bw.Game):
    """Take one to three chips; whoever takes the last wins."""

    num_players = 2
    num_actions = 3

    chips: np.int8 = 9
    mover: np.int8 = 0

    def current_player(self):
        return self.mover

    def legal_actions(self):
        for action in range(min(3, self.chips)):
            yield action

    def apply_action(self, action):
        self.chips -= action + 1
        self.mover = 1 - self.mover

    def is_terminal(self):
        return self.chips == 0

    def returns(self):
        return (-1.0, 1.0) if self.mover == 0 else (1.0, -1.0)
'''


class Outcome:
    """What a command left behind."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run() -> Callable[..., Outcome]:
    """Run the command line with the given words; anything unexpected that it raises is raised."""

    def run(*words: str) -> Outcome:
        result = CliRunner().invoke(app, [str(word) for word in words], prog_name="branchwise")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def rules(tmp_path: Path) -> Callable[..., Path]:
    """Write the rules of `Chips` to a file, with each `old` in them replaced by `new`."""

    def rules(*changes: tuple[str, str], name: str = "chips") -> Path:
        text = RULES
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / f"{name}_{tmp_path.name}.py"
        file.write_text(text)
        return file

    return rules
