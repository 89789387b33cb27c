"""A small game written to a file, and programs in processes of their own that keep compiled code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

GAME = '''
import numpy as np
import branchwise as bw
from {helpers} import worth


class Tiny(bw.Game):
    """One move: action 0 or 1; the helper says what each is worth."""

    num_players = 2
    num_actions = 2
    stake = {stake}

    chosen: np.int8 = -1

    def current_player(self):
        return 0

    def legal_actions(self):
        yield 0
        yield 1

    def apply_action(self, action):
        self.chosen = action

    def is_terminal(self):
        return self.chosen >= 0

    def returns(self):
        value = worth(self.chosen) * self.stake
        return (value, -value)
'''
HELPER = "def worth(action):\n    return 1.0 if action == {best} else -1.0\n"


def write_game(folder: Path, name: str, *, best: int = 0, stake: float = 1.0) -> Path:
    (folder / f"{name}_help.py").write_text(HELPER.format(best=best))
    file = folder / f"{name}.py"
    file.write_text(GAME.format(helpers=f"{name}_help", stake=stake))
    return file


def run(cache: Path, code: str, *args: object, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "BRANCHWISE_CACHE_DIR": str(cache), **more}
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
