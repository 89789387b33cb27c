"""Networks as files: one zip, .bwnet, with the weights and what they belong to.

`weights.npz` has the rows that were met in training, rounded to multiples of a step, and other weights in 32
bits; rows that are left out are those of a new network of the same seed. `net.json` has the widths, the
game with its options, digests of its rules and of the inputs, and whatever else the training notes: its seed,
its curve. Nothing in a file is run.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from branchwise.common.array_files import read_arrays
from branchwise.common.errors import SettingsError
from branchwise.common.processes import write_whole
from branchwise.game.rules_class import Game
from branchwise.networks.inputs import Inputs
from branchwise.networks.network import Network
from branchwise.rules.measured_files.digest import rules_digest
from branchwise.rules.measured_files.places import command_for, first_file, places_beside

SUFFIX = ".bwnet"
_FORMAT = 4
_MOST_JSON = 2**24
_MOST_WEIGHTS = 2**28
_GREATEST = 32_000
"""Steps in a number: what two signed bytes hold, with the lower one apart."""
STEP = 0.01
"""What the numbers of rows are rounded to."""
_Found = TypeVar("_Found")
FAULTS = OSError, ValueError, LookupError, TypeError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error
"""What Python raises for files that are damaged."""


def save_network(
    network: Network,
    file: str | Path,
    *,
    met: NDArray[np.bool_] | None = None,
    step: float = STEP,
    notes: Mapping[str, Any] | None = None,
) -> Path:
    """Write a network to a file, whole or not at all, and return its path.

    met : [R] the rows that training met; others are left out, and are those of a new network of its seed.
    None: all.   step : what their numbers are rounded to; larger ones make smaller files.
    notes : values of JSON to keep with it, such as a seed or a curve.
    Raises `SettingsError` for weights that are no numbers.
    """
    path = Path(file)
    _check_numbers(network)
    inputs = network.inputs
    rows = np.arange(inputs.num_rows) if met is None else np.flatnonzero(met)
    kept = network.rows[rows]
    unit = np.float32(max(step, np.abs(kept).max(initial=0.0) / _GREATEST))
    whole = np.rint(kept / unit).astype(np.int16)
    low = whole.astype(np.int8)  # apart from the rest, which is nearly always 0: so files are smaller
    arrays: dict[str, Any] = {name: part for name, part in network.parts.items() if name != "rows"}
    packed = io.BytesIO()
    np.savez_compressed(
        packed,
        met=rows.astype(np.int32),
        rows=np.stack((low, (whole - low) // 256)).astype(np.int8),
        step=unit,
        **arrays,
    )
    says = {
        "format": _FORMAT,
        "game": inputs.name,
        "rules": rules_digest(inputs.game),
        "inputs": inputs.digest,
        "widths": list(network.widths),
        "initial": network.seed,
        **(notes or {}),
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("net.json", json.dumps(says, indent=1))
        members.writestr("weights.npz", packed.getvalue())
    write_whole(path, written.getvalue())
    return path


def read_notes(file: str | Path) -> dict[str, Any]:
    """Return what `net.json` in a file says; raises `SettingsError` for a file that is no network."""
    return _reading(Path(file), _says)


def load_network(file: str | Path, game: type[Game]) -> Network:
    """Return the network in a file; raises `SettingsError` if there is none, or if it is not for `game`.

    A file that is not in the working folder is looked for in `nets`, beside the rules. The same file gives
    the same object until it changes.
    """
    path = Path(file).expanduser()
    if not path.exists() and not path.is_absolute():
        places = places_beside(game, "nets", "BRANCHWISE_NETS")
        path = first_file([place.with_name(path.name) for place in places]) or path
    try:
        stamp = path.stat()
    except OSError as error:
        raise SettingsError(
            f"there is no network {path}", mend="make one with branchwise train, or correct the path"
        ) from error
    same: Any = game  # a class, which can be a key
    return _loaded(path, same, stamp.st_mtime_ns, stamp.st_size)


def network_for(given: Network | str | Path | None, game: type[Any]) -> Network | None:
    """Return the network that a search of `game` is given, itself or by its file; None if there is none.

    Raises `GameError` for a game without networks, and `SettingsError` for a network of another.
    """
    if given is None:
        return None
    inputs = Inputs.of(game)
    if isinstance(given, str | Path):
        return load_network(given, game)
    if not isinstance(given, Network):
        raise SettingsError(f"network = {given!r} is none", mend=f"give a Network, or the path of a {SUFFIX}")
    if given.inputs.digest != inputs.digest or given.inputs.name != game.name:
        raise _of_another(given.inputs.name, game)
    _check_numbers(given)
    return given


def _check_numbers(network: Network) -> None:
    if not np.isfinite(network.weights).all():
        raise SettingsError(f"some weights of {network!r} are no numbers", mend="train it again")


@lru_cache(maxsize=16)
def _loaded(path: Path, game: Any, changed: int, size: int) -> Network:
    says, arrays = _reading(path, _read)
    inputs = Inputs.of(game)
    if says["game"] != game.name:
        raise _of_another(says["game"], game, path)
    for name, now, what in (
        ("rules", rules_digest(game), "the rules of this game have"),
        ("inputs", inputs.digest, "what a network sees of this game has"),
    ):
        if says[name] != now:
            raise SettingsError(f"{path}: {what} changed since it was trained", mend="train it again")
    network, seed = Network(inputs, says["widths"]), says["initial"]
    try:
        if seed is not None:
            network = Network.initial(inputs, seed, network.widths)
        _fill(network, arrays)
    except FAULTS as error:
        raise _damaged(path, f"its weights do not fit: {error}") from error
    return network


def _fill(network: Network, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write the arrays of a file to a network; raises `ValueError` for what does not fit."""
    met, rows, step = arrays["met"], arrays["rows"], arrays["step"]
    if met.size and not (met.min() >= 0 and met.max() < network.rows.shape[0]):
        raise ValueError("there are other rows")
    is_as_wide = rows.shape == (2, *met.shape, network.widths[0])
    if not is_as_wide or rows.dtype != np.int8 or step.shape:
        raise ValueError(f"rows have the shape {rows.shape}, of {rows.dtype}, and their step {step.shape}")
    network.rows[met] = (rows[0] + np.int16(256) * rows[1]) * step
    for name, part in network.parts.items():
        if name != "rows":
            if arrays[name].shape != part.shape:
                raise ValueError(f"{name} has the shape {arrays[name].shape}, not {part.shape}")
            part[:] = arrays[name]
    if not np.isfinite(network.weights).all():
        raise ValueError("some are no numbers")


def _read(whole: zipfile.ZipFile) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a file says and its arrays; nothing larger than a network is read."""
    weights = io.BytesIO(_member(whole, "weights.npz", _MOST_WEIGHTS))
    return _says(whole), read_arrays(weights, _MOST_WEIGHTS)


def _says(whole: zipfile.ZipFile) -> dict[str, Any]:
    says: dict[str, Any] = json.loads(_member(whole, "net.json", _MOST_JSON))
    if says["format"] != _FORMAT:
        raise SettingsError(
            f"{whole.filename} has the format {says['format']}, and this version reads {_FORMAT}",
            mend="train the network again, or use the version that made it",
        )
    width, second = says["widths"]
    if not all(isinstance(says[name], str) for name in ("game", "rules", "inputs")):
        raise ValueError("its texts are none")
    if not (says["initial"] is None or isinstance(says["initial"], int)):
        raise ValueError("its seed is none")
    return {**says, "widths": (int(width), int(second))}


def _reading(path: Path, read: Callable[[zipfile.ZipFile], _Found]) -> _Found:
    """Return what `read` finds in a file, or raise `SettingsError`."""
    try:
        with zipfile.ZipFile(path) as whole:
            return read(whole)
    except SettingsError:
        raise
    except FAULTS as error:
        raise _damaged(path, str(error)) from error


def _member(whole: zipfile.ZipFile, name: str, most: int) -> bytes:
    size = whole.getinfo(name).file_size
    if size > most:
        raise ValueError(f"{name} takes {size:,} bytes, more than {most:,}")
    return whole.read(name)


def _of_another(name: str, game: type[Any], path: Path | None = None) -> SettingsError:
    what = "the network" if path is None else f"the network {path}"
    return SettingsError(
        f"{what} is for {name}, not for {game.name}", mend=command_for(game, "train", "train a network")
    )


def _damaged(path: Path, why: str) -> SettingsError:
    return SettingsError(f"{path} is no network, or a damaged one: {why}", mend="train it again")
