"""Files with measurements of a game, such as its levels and its settings: where they are, how they are read.

They are JSON, named after the text form of the game. For Branchwise's own games they are in the package, for
others in a folder beside the file of the rules. If a user measures one of Branchwise's games, the file goes
to the user's data folder, or to a folder that an environment variable names, and takes precedence over that
of the package.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_origin, get_type_hints

from branchwise.common.errors import SettingsError
from branchwise.common.name_and_options import format_spec
from branchwise.games import is_shipped
from branchwise.rules.measured_files.digest import rules_digest

if TYPE_CHECKING:
    from branchwise.game.rules_class import Game

_PACKAGE = Path(__file__).resolve().parents[2]


def places_beside(game: type[Game], folder: str, variable: str) -> list[Path]:
    """Return the files that may hold a measurement of a game; a new one is written to the first.

    folder : name of the folder beside the rules.   variable : environment variable that names the user's own
    folder for Branchwise's games. Empty for a game that is not written in a file.

    >>> from branchwise.games.nim import Nim
    >>> [file.name for file in places_beside(Nim.configured(misere=True), "levels", "NO_SUCH_VARIABLE")]
    ['nim(misere=True).json', 'nim(misere=True).json']
    """
    name = re.sub(r"[^\w.=,()+-]", "_", game.name) + ".json"
    file = _source(game)
    beside = [] if file is None else [Path(file).parent / folder / name]
    return [_users_folder(folder, variable) / name, *beside] if is_shipped(game) else beside


def first_file(places: list[Path]) -> Path | None:
    """Return the first of some places at which there is a file, or None."""
    return next((place for place in places if place.is_file()), None)


def read_measured(file: Path, what: str) -> str:
    """Return the text of a file; raises `SettingsError`, naming `what` is in it, if it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"cannot read the {what} in {file}: {error}") from error


def fits(game: type[Game], rules: str, file: Path, *, compare: bool) -> bool:
    """Whether a file was measured by the rules that a game has now.

    rules : the `rules_digest` of then.   file : one of `places_beside`, or another.   compare : by the digest
    of today, for which games are played; False: files in the package fit unseen, as its tests ensure.
    """
    if not compare and is_in_package(file):
        return True
    return rules == rules_digest(game)


def is_in_package(file: Path) -> bool:
    """Whether a file came with Branchwise."""
    return file.resolve().is_relative_to(_PACKAGE)


def command_for(game: type[Game], command: str, purpose: str) -> str:
    """Return the command line that measures a game; purpose : what for, where the game is in no file.

    >>> from branchwise.games.nim import Nim
    >>> command_for(Nim, "calibrate", "measure its levels")
    'branchwise calibrate "nim"'
    """
    if is_shipped(game):
        return f'branchwise {command} "{game.name}"'
    file = _source(game)
    if file is None:
        return f"write the game in a file and {purpose}: branchwise {command} my_game.py"
    reference = f"{file}:{(game._base or game).__name__}"
    return f'branchwise {command} "{format_spec(reference, game._options)}"'


def plain_entry(content: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return an entry of a JSON object; raises `KeyError` if it is missing, `TypeError` for another type.

    >>> plain_entry({"games": 20}, "games", int), plain_entry({"step": 3}, "step", float)
    (20, 3.0)
    """
    value = content[name]
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise TypeError(f"{name} is not of type {kind.__name__}")
    return value


def plain_entries(content: Mapping[str, Any], measured: type, besides: tuple[str, ...]) -> dict[str, Any]:
    """Return the entries of a JSON object for the fields of `measured`, a dataclass with `versions`.

    besides : fields that are not of one plain type, which the caller reads. Raises as `plain_entry` does.
    """
    kinds = {name: kind for name, kind in get_type_hints(measured).items() if name not in besides}
    given = {name: plain_entry(content, name, get_origin(kind) or kind) for name, kind in kinds.items()}
    if not all(isinstance(version, str) for version in given["versions"].values()):
        raise TypeError("versions are texts")
    return given


def _source(game: type[Game]) -> str | None:
    """Return the file of the module that a game is written in, or None."""
    return getattr(sys.modules.get(game.__module__), "__file__", None)


def _users_folder(folder: str, variable: str) -> Path:
    named = os.environ.get(variable)
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("branchwise", appauthor=False) / folder
