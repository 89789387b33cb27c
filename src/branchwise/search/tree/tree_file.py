"""Saving and loading search trees.

A file is the eight bytes MAGIC, its version and the length of its head (4 bytes each, little-endian), the
head as JSON, the columns of the tree one after another as one zlib stream, and the SHA-256 of all bytes
before it. A file contains no code. Its data are not trusted: the checksum, types, lengths and every index are
checked before a tree is made of them.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.argument_checks import number
from branchwise.common.errors import BranchwiseError, TreeFileError
from branchwise.common.name_and_options import parse_spec
from branchwise.common.players import TERMINAL
from branchwise.common.processes import replacing
from branchwise.core.tree.child_indices import compacted
from branchwise.core.tree.node_fields import LINK, OF_MOVES, ROOT, SPARE, USED, Tree, dimensions_of, new_tree
from branchwise.game.kinds.continuous_actions import MAX_DIMENSIONS
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.tree.node_reader import node_arrays

if TYPE_CHECKING:
    from hashlib import _Hash

MAGIC = b"\x8eBWTREE\n"
VERSION = 1
_FRONT = struct.Struct("<8sII")
_SUM_BYTES = 32
_LONGEST_HEAD = 2**26
_LONGEST_NAME = 500
_MOST_NODES = 2**31 - 1
_PIECE = 2**20
_MOST_DEFLATION = 1100
"""Maximum ratio by which a zlib stream expands."""

_ALWAYS = ("nodes", "counters")
"""Arrays that every tree has; it has others only if its search kept them."""

_log = logging.getLogger("branchwise")


class _Column(NamedTuple):
    """One array of the tree, or one field of an array, as stored in the file."""

    array: str
    field: str | None
    dtype: str
    shape: tuple[int, ...]

    @property
    def num_bytes(self) -> int:
        return int(np.dtype(self.dtype).itemsize * math.prod(self.shape))


class Contents(NamedTuple):
    """What a file contains: a tree, and the search that it is from; see `SearchTree`."""

    tree: Tree
    state: Any
    facts: GameFacts | None
    seed: int | None
    simulations: int | None
    seconds: float | None


def write_tree(contents: Contents, path: str | PathLike[str]) -> None:
    """Write a tree to the file `path`, whole or not at all; see `SearchTree.save`."""
    target = Path(path)
    try:
        with replacing(target) as unfinished, unfinished.open("xb") as file:
            _write(contents, file)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error


def read_tree(path: str | PathLike[str], game: type[Game] | None, memory_mb: float | None) -> Contents:
    """Read what `write_tree` wrote; see `search.tree.load_tree`."""
    if memory_mb is not None:
        number("memory_mb", memory_mb, 0.0, 1e9, above=True)
    name = os.fspath(path)
    with open(path, "rb") as file:
        size, head_size = _checked_front(file, name)
        head = _head(file.read(head_size), name)
        try:
            columns, nodes = _columns(head), _whole(head, "nodes", 1, _MOST_NODES)
            needed = sum(column.num_bytes for column in columns)
            packed = size - _FRONT.size - head_size - _SUM_BYTES
            if needed > packed * _MOST_DEFLATION:
                raise _WrongError("it is shorter than its nodes")
            if memory_mb is not None and needed > memory_mb * 2**20:
                raise TreeFileError(
                    f"the tree in {name} takes {needed / 2**20:,.0f} MB, more than memory_mb = {memory_mb:g}",
                    mend="give load_tree a greater memory_mb, or None",
                )
            tree = _read_arrays(file, packed, columns, nodes)
            facts = _facts(head)
            _check_nodes(tree, facts)
            seed, simulations, seconds = _origin(head)
        except (_WrongError, zlib.error) as error:
            raise _damaged(name, str(error)) from error
        except MemoryError:
            raise TreeFileError(f"there is not enough memory for the tree in {name}") from None
    state = _state(head, game, name)
    return Contents(tree, state, facts, seed, simulations, seconds)


class _WrongError(Exception):
    """A file's content cannot be that of a tree; the text says why."""


# --- writing ----------------------------------------------------------------------------------------


class _Summed:
    """A file being written, with the checksum of its content so far."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.sum: _Hash = hashlib.sha256()

    def write(self, piece: bytes) -> None:
        self._file.write(piece)
        self.sum.update(piece)


def _write(contents: Contents, file: IO[bytes]) -> None:
    arrays = _used_parts(compacted(contents.tree))
    columns = [
        _Column(name, field, part.dtype.newbyteorder("<").str, part.shape)
        for name, array in arrays.items()
        for field, part in _parts(array)
    ]
    state = contents.state
    head = {
        "facts": None if contents.facts is None else _facts_for_json(contents.facts),
        "state": state.to_json() if isinstance(state, Game) else None,
        "seed": contents.seed,
        "simulations": contents.simulations,
        "seconds": contents.seconds,
        "nodes": len(arrays["nodes"]),
        "columns": [column._asdict() for column in columns],
    }
    encoded = json.dumps(head).encode()
    out = _Summed(file)
    out.write(_FRONT.pack(MAGIC, VERSION, len(encoded)))
    out.write(encoded)
    packer = zlib.compressobj(1)
    for array in arrays.values():
        for _, part in _parts(array):
            for begin in range(0, len(part), _PIECE):
                piece = part[begin : begin + _PIECE]
                out.write(packer.compress(piece.astype(piece.dtype.newbyteorder("<")).tobytes()))
    out.write(packer.flush())
    file.write(out.sum.digest())


def _used_parts(tree: Tree) -> dict[str, NDArray[Any]]:
    """Return the arrays to be written: the counters, and the used part of each array of nodes.

    Vectors have one row per node there.
    """
    used = int(tree.counters[USED])
    arrays: dict[str, NDArray[Any]] = {"counters": tree.counters}
    arrays |= {name: array[:used] for name, array in node_arrays(tree).items()}
    if tree.vectors.size:
        arrays["vectors"] = tree.vectors.reshape(-1, dimensions_of(tree))[:used]
    return arrays


def _parts(array: NDArray[Any]) -> Iterator[tuple[str | None, NDArray[Any]]]:
    """Yield the fields of an array of records by name, or the array itself."""
    if array.dtype.names is None:
        yield None, array
    else:
        for field in array.dtype.names:
            yield field, array[field]


# --- reading ----------------------------------------------------------------------------------------


def _checked_front(file: IO[bytes], name: str) -> tuple[int, int]:
    """Check the file's checksum and return the sizes of the file and of its head, which comes next."""
    size = os.fstat(file.fileno()).st_size
    front = file.read(_FRONT.size)
    if not front.startswith(MAGIC):
        raise TreeFileError(f"{name} is not a search tree", mend="give a file that SearchTree.save wrote")
    if len(front) < _FRONT.size:
        raise _damaged(name, "it is cut short")
    _, version, head_size = _FRONT.unpack(front)
    if version != VERSION:
        raise TreeFileError(
            f"{name} has version {version} of the format, and this Branchwise reads version {VERSION}",
            mend="read it with the Branchwise that wrote it, or a later one",
        )
    if not 0 < head_size <= min(_LONGEST_HEAD, size - _FRONT.size - _SUM_BYTES):
        raise _damaged(name, "it is cut short")
    total = hashlib.sha256(front)
    left = size - _FRONT.size - _SUM_BYTES
    while left:
        piece = file.read(min(_PIECE, left))
        if not piece:
            raise _damaged(name, "it is cut short")
        total.update(piece)
        left -= len(piece)
    if file.read(_SUM_BYTES) != total.digest():
        raise _damaged(name, "its checksum does not match")
    file.seek(_FRONT.size)
    return size, head_size


def _head(encoded: bytes, name: str) -> dict[str, Any]:
    try:
        head = json.loads(encoded)
    except (ValueError, RecursionError):
        raise _damaged(name, "its head is not JSON") from None
    if not isinstance(head, dict):
        raise _damaged(name, "its head is not a JSON object")
    return head


def _columns(head: dict[str, Any]) -> list[_Column]:
    """Return the columns of a file; raises `_WrongError` unless they are those of a tree."""
    listed = head.get("columns")
    if not isinstance(listed, list):
        raise _WrongError("it lists no columns")
    kept = {(array, field): part for array, field, part in _template()}
    columns = []
    for entry in listed:
        if not isinstance(entry, dict) or set(entry) != set(_Column._fields):
            raise _WrongError("one of its columns is not described")
        key = (entry["array"], entry["field"])
        part = kept.pop(key, None) if all(isinstance(word, str | None) for word in key) else None
        if part is None:
            raise _WrongError("it has a column twice, or one that this version does not know")
        what = ".".join(filter(None, key))
        dtype, shape = part.dtype.newbyteorder("<").str, entry["shape"]
        if entry["dtype"] != dtype:
            raise _WrongError(f"its column {what} has another type than in this version")
        axes = 2 if key[0] == "vectors" else part.ndim
        if not isinstance(shape, list) or len(shape) != axes or not all(map(_is_length, shape)):
            raise _WrongError(f"its column {what} has no shape")
        if not _fits(key[0], tuple(shape), part, head.get("nodes")):
            raise _WrongError(f"its column {what} does not have one entry for each node")
        columns.append(_Column(*key, dtype, tuple(shape)))
    if any(array in _ALWAYS for array, _ in kept):
        raise _WrongError("it lacks columns that trees of this version have")
    return columns


def _template() -> Iterator[tuple[str, str | None, NDArray[Any]]]:
    """Yield the arrays of a new tree, records field by field."""
    for name, array in new_tree(1).arrays().items():
        for field, part in _parts(array) if name not in OF_MOVES else ():
            yield name, field, part


def _is_length(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST_NODES


def _fits(array: str, shape: tuple[int, ...], part: NDArray[Any], nodes: object) -> bool:
    if array == "vectors" and not 1 <= shape[1] <= MAX_DIMENSIONS:
        return False
    return shape == part.shape if array == "counters" else shape[0] == nodes


def _read_arrays(file: IO[bytes], packed: int, columns: list[_Column], nodes: int) -> Tree:
    """Return the tree from the columns that come next in the file, in `packed` bytes."""
    unpacked = _Unpacked(file, packed)
    empty = {name: array[:0] for name, array in new_tree(1).arrays().items()}
    arrays: dict[str, NDArray[Any]] = {}
    for column in columns:
        array = arrays.get(column.array)
        if array is None:
            array = arrays[column.array] = np.empty(column.shape, empty[column.array].dtype)
        part = array if column.field is None else array[column.field]
        row_bytes = np.dtype(column.dtype).itemsize * math.prod(column.shape[1:])
        for begin in range(0, len(part) if row_bytes else 0, _PIECE):
            rows = part[begin : begin + _PIECE]
            rows[...] = np.frombuffer(unpacked.read(len(rows) * row_bytes), column.dtype).reshape(rows.shape)
    unpacked.finish()
    if "vectors" in arrays:
        arrays["vectors"] = arrays["vectors"].reshape(-1)
    if len(arrays["nodes"]) != nodes:
        raise _WrongError("it has fewer or more nodes than it declares")
    return Tree(**{**empty, **arrays})


class _Unpacked:
    """A zlib stream, read in pieces of known length; raises `_WrongError` if its length differs."""

    def __init__(self, file: IO[bytes], packed: int) -> None:
        self._file = file
        self._left = packed
        self._inflate = zlib.decompressobj()

    def read(self, size: int) -> bytes:
        pieces = []
        while size:
            piece = self._inflate.decompress(self._more(), size)
            if not piece and not self._left and not self._inflate.unconsumed_tail:
                raise _WrongError("it is shorter than its nodes")
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def finish(self) -> None:
        while not self._inflate.eof:
            given = self._more()
            if not given or self._inflate.decompress(given, 1):
                raise _WrongError("it is longer than its nodes")
        if self._left or self._inflate.unused_data:
            raise _WrongError("it is longer than its nodes")

    def _more(self) -> bytes:
        if self._inflate.unconsumed_tail:
            return self._inflate.unconsumed_tail
        piece = self._file.read(min(_PIECE, self._left))
        self._left -= len(piece)
        return piece


def _check_nodes(tree: Tree, facts: GameFacts | None) -> None:
    """Raise `_WrongError` unless the arrays form a tree, with every index inside it."""
    nodes, used = tree.nodes, len(tree.nodes)
    if int(tree.counters[USED]) != used or (tree.counters < 0).any():
        raise _WrongError("its counters are wrong")
    if (nodes["visits"] < 0).any() or not np.isfinite(nodes["value"]).all():
        raise _WrongError("a node has impossible visits or an impossible value")
    bounds = np.concatenate([nodes["lower"], nodes["upper"]])
    if np.isnan(bounds).any() or (not (facts and facts.pays) and np.isinf(bounds).any()):
        raise _WrongError("a node has impossible bounds")
    if (nodes["flags"] & (LINK | SPARE)).any():
        raise _WrongError("a node has impossible flags")
    first = nodes["first"].astype(np.int64)
    expanded = first > ROOT
    first, count = first[expanded], nodes["count"][expanded].astype(np.int64)
    if (count < 1).any() or (first + count > used).any():
        raise _WrongError("a node has children outside the tree")
    order = np.argsort(first, kind="stable")
    first, end = first[order], (first + count)[order]
    same = (first[1:] == first[:-1]) & (end[1:] == end[:-1])
    if not (same | (first[1:] >= end[:-1])).all():
        raise _WrongError("children of nodes overlap")
    player = nodes["player"][expanded]
    if (player < TERMINAL).any() or (facts is not None and (player >= facts.num_players).any()):
        raise _WrongError("a node has an impossible player")
    kept = node_arrays(tree)
    if not np.isfinite(kept.get("priors", 0.0)).all():
        raise _WrongError("a node has an impossible prior")
    if (kept.get("edge_visits", nodes["visits"]) < 0).any():
        raise _WrongError("a move has impossible visits")
    _check_vectors(tree, facts)
    links = kept.get("links", nodes["visits"][:0])
    if ((links < ROOT) | (links >= used)).any():
        raise _WrongError("a node refers to one outside the tree")


def _check_vectors(tree: Tree, facts: GameFacts | None) -> None:
    """Raise `_WrongError` unless the tree has as many numbers an action as its game, each in its box."""
    size = dimensions_of(tree)
    if facts is not None and facts.dimensions != size:
        raise _WrongError("its actions are of another length than its game's")
    if not size:
        return
    vectors = tree.vectors.reshape(-1, size)[ROOT + 1 :]
    vectors = vectors[~np.isnan(vectors).all(axis=1)]  # the others are outcomes
    if not np.isfinite(vectors).all():
        raise _WrongError("an action is no vector of numbers")
    if facts is None:
        return
    whole = vectors[:, np.array(facts.whole, np.bool_)]
    if (np.floor(whole) != whole).any():
        raise _WrongError("an action has a fraction in place of a whole number")
    if facts.box_varies:
        return
    if ((vectors < facts.low) | (vectors > facts.high)).any():
        raise _WrongError("an action is outside its box")


def _facts(head: dict[str, Any]) -> GameFacts | None:
    given = head.get("facts")
    if given is None:
        return None
    if not isinstance(given, dict) or not isinstance(given.get("name"), str):
        raise _WrongError("it does not name its game")
    if len(given["name"]) > _LONGEST_NAME:
        raise _WrongError("the name of its game is too long")
    pays = given.get("pays", False)
    if not isinstance(pays, bool):
        raise _WrongError("its value of pays is impossible")
    low, high = (
        sign * math.inf if pays and given.get(name) is None else _real(given, name)
        for name, sign in (("min_return", -1), ("max_return", 1))
    )
    if not low < high:
        raise _WrongError("its bounds of returns are impossible")
    discount = _real({"discount": 1.0, **given}, "discount")
    if not 0.0 <= discount <= 1.0:
        raise _WrongError("its discount is impossible")
    box = _box(given)
    return GameFacts(
        given["name"],
        _whole(given, "num_players", 1, 127),
        _whole(given, "num_actions", 0 if box[0] else 1, _MOST_NODES),
        low,
        high,
        _whole(given, "max_game_length", 1, 2**62),
        _whole({"num_outcomes": 0, **given}, "num_outcomes", 0, _MOST_NODES),
        pays,
        discount,
        _whole({"horizon": 0, **given}, "horizon", 0, 2**62),
        given.get("opposed", given.get("num_players") == 2) is True,
        given.get("samples", False) is True,
        given.get("simulates", False) is True,
        *box,
        given.get("box_varies", False) is True,
        given.get("draws_actions", False) is True,
        whole=_whole_numbers(given, len(box[0])),
    )


def _box(given: dict[str, Any]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the box of continuous actions, two empty tuples if actions are numbered."""
    sides = [given.get(name, []) for name in ("low", "high")]
    if not all(isinstance(side, list) and len(side) <= MAX_DIMENSIONS for side in sides):
        raise _WrongError("its box of actions is impossible")
    low, high = (tuple(_real({"box": number}, "box") for number in side) for side in sides)
    if len(low) != len(high) or any(a > b for a, b in zip(low, high, strict=True)):
        raise _WrongError("its box of actions is impossible")
    return low, high


def _whole_numbers(given: dict[str, Any], size: int) -> tuple[bool, ...]:
    """Return which numbers of an action are whole; none in files of earlier versions."""
    flags = given.get("whole") or [False] * size
    if not isinstance(flags, list) or len(flags) != size or any(type(flag) is not bool for flag in flags):
        raise _WrongError("which numbers of its actions are whole is impossible")
    return tuple(flags)


def _facts_for_json(facts: GameFacts) -> dict[str, Any]:
    """Return facts for JSON, with null for missing bounds."""
    return {
        name: None if isinstance(value, float) and math.isinf(value) else value
        for name, value in asdict(facts).items()
    }


def _origin(head: dict[str, Any]) -> tuple[int | None, int | None, float | None]:
    """Return seed, simulations and seconds of the search."""
    return (
        None if head.get("seed") is None else _whole(head, "seed", -(2**127), 2**127),
        None if head.get("simulations") is None else _whole(head, "simulations", 0, 2**62),
        None if head.get("seconds") is None else _real(head, "seconds"),
    )


def _whole(source: dict[str, Any], name: str, low: int, high: int) -> int:
    value = source.get(name)
    if type(value) is not int or not low <= value <= high:
        raise _WrongError(f"its {name} is impossible")
    return value


def _real(source: dict[str, Any], name: str) -> float:
    value = source.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        raise _WrongError(f"its {name} is impossible")
    return float(value)


def _state(head: dict[str, Any], game: type[Game] | None, name: str) -> Game | None:
    """Return the state of the root; None if there is none or its rules are not known."""
    text = head.get("state")
    if not isinstance(text, str):
        return None
    if game is not None:
        return game.from_json(text)
    rules = head["facts"]["name"] if head.get("facts") else ""
    try:
        found = _known_game(rules)
        if found is not None:
            return found.from_json(text)
    except Exception as error:  # a fault in a user's rules: the tree can be shown without them
        reason = error.problem if isinstance(error, BranchwiseError) else f"{type(error).__name__}: {error}"
        _log.warning("%s: moves are shown by number: %s", name, reason)
    return None


def _known_game(text: str) -> type[Game] | None:
    """Return the game registered by this name; files are not run."""
    from branchwise.games import game_names, load_game

    return load_game(text) if parse_spec(text)[0] in game_names() else None


def _damaged(name: str, how: str) -> TreeFileError:
    return TreeFileError(f"{name} is damaged: {how}", mend="save the tree again")
