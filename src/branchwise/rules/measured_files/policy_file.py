"""Policies in files, .npz or .json: the game, a digest of its rules, and arrays. Nothing in a file is run."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from branchwise.common.array_files import read_arrays
from branchwise.common.errors import SettingsError
from branchwise.common.processes import write_whole
from branchwise.game.rules_class import Game
from branchwise.rules.measured_files.digest import rules_digest

Policy = TypeVar("Policy")


def write_policy(file: Path, game: type[Game], form: str, arrays: Mapping[str, Any]) -> None:
    """Write a policy to a file, whole or not at all; raises `SettingsError`.   form : name of the format."""
    ending = file.suffix.lower()
    if ending not in (".npz", ".json"):
        raise SettingsError(f"{file} does not end in .npz or .json", mend="or .csv or .svg, for states")
    about = {"format": form, "game": game.name, "digest": rules_digest(game)}
    if ending == ".json":
        plain = {name: array.tolist() for name, array in arrays.items()}
        content = json.dumps({**about, **plain}).encode()
    else:
        packed = io.BytesIO()
        np.savez_compressed(packed, about=np.array(json.dumps(about)), **arrays)
        content = packed.getvalue()
    write_whole(file, content)


def read_policy(
    file: Path, game: type[Game] | None, form: str, made_of: Callable[[type[Game], dict[str, Any]], Policy]
) -> Policy:
    """Return what `made_of` makes of the rules class and the arrays in a file, which are lists in JSON.

    game : None: the one of the saved name. Raises `SettingsError` for a damaged file, for another game, and
    for rules that have changed since.
    """
    from branchwise.games import load_game

    try:
        if file.suffix.lower() == ".json":
            content = json.loads(file.read_text(encoding="utf-8"))
        else:
            arrays = read_arrays(file)
            content = {**json.loads(str(arrays["about"])), **arrays}
        if content["format"] != form:
            raise ValueError(f"its format is {content['format']!r}")
        name, digest = str(content["game"]), content["digest"]
    except OSError as error:
        raise SettingsError(f"{file} cannot be read: {error.strerror or error}") from error
    except Exception as error:
        raise SettingsError(f"{file} is no policy that was saved: {error}") from error
    rules = load_game(name) if game is None else game
    if rules.name != name or rules_digest(rules) != digest:
        told = f"of {name}" if rules.name != name else f"of rules of {name} that have changed since"
        raise SettingsError(f"{file} is a policy {told}", mend=f"solve {rules.name} again")
    try:
        return made_of(rules, content)
    except Exception as error:
        raise SettingsError(f"{file} is damaged: {error}") from error
