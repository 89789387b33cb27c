"""The files of rules that a server was started for: whether they have changed since they were run."""

from __future__ import annotations

from pathlib import Path

from branchwise.catalogue.files import files_run_with, forget_files
from branchwise.game.rules_class import Game
from branchwise.games import load_game


class FollowedRules:
    """The rules of a game as they are in a file; text : names the game, as on the command line."""

    def __init__(self, text: str, rules: type[Game]) -> None:
        self._text = text
        self._module = rules.__module__
        self._files = {file: _stamp(file) for file in files_run_with(self._module)}

    @property
    def is_file(self) -> bool:
        """Whether the game is in a file of the user's."""
        return bool(self._files)

    @property
    def changed(self) -> bool:
        """Whether the file, or one that it imports from its folder, differs from what was run."""
        return any(_stamp(file) != stamp for file, stamp in self._files.items())

    def load(self) -> type[Game]:
        """Return the rules as they are now, and take them for known. Raises the errors of `load_game`."""
        self._files = {file: _stamp(file) for file in self._files}
        forget_files(self._module)
        rules = load_game(self._text)
        self._files |= {file: _stamp(file) for file in files_run_with(self._module)}
        return rules


def _stamp(file: Path) -> tuple[int, int]:
    """Return what changes with a file's content; zeros for a file that is gone."""
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
