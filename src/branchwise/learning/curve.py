"""The curve of a training: from its network, or from its last checkpoint while it goes on."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from branchwise.common.array_files import read_arrays
from branchwise.common.errors import SettingsError
from branchwise.learning.train import Progress, checkpoint_of
from branchwise.networks.network_file import FAULTS, SUFFIX, read_notes

_MOST_BYTES = 2**26


@dataclass(frozen=True)
class Curve:
    """A training so far.

    file : of the network.   game : its name, with options.   points : the rounds that are kept, in order.
    written : when, in seconds since 1970; of a training that is not complete, its last checkpoint.
    """

    file: Path
    game: str
    points: tuple[Progress, ...]
    is_complete: bool
    written: float


def read_curve(file: str | Path) -> Curve:
    """Return the curve of the training that writes, or has written, a network; raises `SettingsError`.

    file : the network's, which need not be there yet.
    """
    path = Path(file).expanduser()
    place = path if path.exists() else checkpoint_of(path)
    try:
        written = place.stat().st_mtime
    except OSError as error:
        raise SettingsError(
            f"there is no network {path}, and no training that will write it",
            mend="make one with branchwise train, or correct the path",
        ) from error
    try:
        told = read_notes(path) if place == path else _told(place)
        game = told["game" if place == path else "name"]
        points = msgspec.convert(told.get("curve", []), tuple[Progress, ...])
    except SettingsError:
        raise
    except (*FAULTS, msgspec.ValidationError) as error:
        raise SettingsError(
            f"the curve of {path} cannot be read: {error}", mend="train it again, or name another file"
        ) from error
    return Curve(path, str(game), points, place == path, written)


def curves_of(game: str, folder: Path) -> list[Curve]:
    """Return the curves of a game's trainings in a folder, the latest first.

    Files that cannot be read are left out: nothing says that they are of this game.
    """
    names = {file.name.partition(SUFFIX)[0] + SUFFIX for file in folder.glob(f"*{SUFFIX}*")}
    found = []
    for name in names:
        with suppress(SettingsError):
            found.append(read_curve(folder / name))
    mine = [curve for curve in found if curve.game == game]
    return sorted(mine, key=lambda curve: curve.written, reverse=True)


def _told(checkpoint: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(str(read_arrays(checkpoint, _MOST_BYTES, {"told"})["told"]))
    return told
