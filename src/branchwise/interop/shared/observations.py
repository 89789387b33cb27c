"""What a player sees of a state, as arrays of numbers for learners.

"fields" lists every field of the state, as far as the player sees it: two states that a player can tell apart
look the same only if they differ in digits that float32 lacks. "board" has planes of the board as it is drawn
for the player; it misses state that is not drawn, such as the right to castle.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from branchwise.boards.layer import has_layer
from branchwise.boards.style import look_of
from branchwise.common.errors import GameError, nearest_name
from branchwise.common.players import SIMULTANEOUS
from branchwise.drawing.grid import BLANKS
from branchwise.game.kinds.fields import Field
from branchwise.game.kinds.hidden_information import blanked, has_rule, hides_information
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game

OBSERVATIONS = ("fields", "board")
"""Kinds of observations."""

Floats = NDArray[np.float32]


class Observer(Protocol):
    """Writes what a player sees.

    parts : the shape of each named part of an observation, in order.
    low, high : bounds of the numbers of each part.
    """

    parts: dict[str, tuple[int, ...]]
    low: dict[str, float]
    high: dict[str, float]

    def write(self, state: Game, player: int, out: dict[str, Floats]) -> None:
        """Write what `player` sees of `state` to arrays of the shapes of `parts`."""


def make_observer(game: type[Game], kind: str) -> Observer:
    """Return the observer of a game; kind : one of `OBSERVATIONS`.

    Raises `UnknownNameError` for another kind, and `GameError` for "board" if the game draws no board.
    """
    if kind not in OBSERVATIONS:
        raise nearest_name("observation", kind, OBSERVATIONS)
    return FieldsObserver(game) if kind == "fields" else BoardObserver(game)


class FieldsObserver:
    """Lists the fields of a state, each as a part of the field's name and shape; a number has length 1.

    Of a `Private` field the player sees the row that is the player's own, of a `Secret` one nothing. A class
    with a method `observation` has one part of that name instead, with the numbers that it gives, as many as
    at the start, and zeros where there are fewer.

    Numbers of up to 16 bits, truth values and floating-point numbers are themselves. Whole numbers of 32 and
    64 bits are often sets of bits, and too long for float32: each is a row of its bits, 0 or 1, the lowest
    first, on a last axis. With several players follow "observer", 1 at the player who sees this, and
    "to_move", 1 at the player to move, at all players where they move at once, all 0 for chance and in a
    finished game. Where information is hidden, players see only whether they are to move themselves.

    >>> from branchwise.games.nim import Nim
    >>> FieldsObserver(Nim).parts
    {'chips': (1,), 'mover': (1,), 'observer': (2,), 'to_move': (2,)}
    """

    def __init__(self, game: type[Game]) -> None:
        start = game.new_initial_state(Random(0))  # raises for an incomplete class
        self._players = game.num_players
        self._by_rule = hides_information(game) and has_rule(game, "observation")
        self._fields = [field for field in game._fields if field.sight != "secret" and not self._by_rule]
        self.parts: dict[str, tuple[int, ...]] = {}
        self.low: dict[str, float] = {}
        self.high: dict[str, float] = {}
        for field in self._fields:
            bits = (8 * field.dtype.itemsize,) if _is_long(field) else ()
            shape = field.shape[1:] if field.sight == "private" else field.shape
            self.parts[field.name] = (*shape, *bits) or (1,)
            self.low[field.name], self.high[field.name] = _range(field)
        if self._by_rule:
            lengths = [len(start.observation(player)) for player in range(self._players)]
            self.parts[_BY_RULE] = (max(lengths),)
            self.low[_BY_RULE], self.high[_BY_RULE] = -_GREATEST, _GREATEST
        for name in _SEATS if game.num_players > 1 else ():
            if name in self.parts:
                raise GameError(
                    f'{game.name} has a field {name}, which is a part of the observation "fields"',
                    mend="rename the field",
                )
            self.parts[name], self.low[name], self.high[name] = (game.num_players,), 0.0, 1.0

    def write(self, state: Game, player: int, out: dict[str, Floats]) -> None:
        """Write what `player` sees of `state`."""
        values = state.__dict__
        if self._by_rule:
            seen, part = state.observation(player), out[_BY_RULE]
            if len(seen) > part.size:
                raise GameError(
                    f"{state.name}.observation gave {len(seen)} numbers, and at the start {part.size}",
                    mend="an array has one length: yield zeros for what is not there yet",
                )
            part[: len(seen)], part[len(seen) :] = seen, 0.0
        for field in self._fields:
            value, part = values[field.name], out[field.name]
            if field.sight == "private":
                value = value[player]
            if _is_long(field):
                raw = np.asarray(value, field.dtype.newbyteorder("<")).reshape(-1, 1).view(np.uint8)
                part[...] = np.unpackbits(raw, axis=1, bitorder="little").reshape(part.shape)
            else:
                part[...] = value
        if self._players > 1:
            for name in _SEATS:
                out[name].fill(0.0)
            out["observer"][player] = 1.0
            for mover in movers_seen(state, player):
                out["to_move"][mover] = 1.0


class BoardObserver:
    """Planes of the board as it is drawn, one part "planes" of shape [planes, rows, columns], 0 or 1.

    First a plane for each player, with this player's pieces: the observer's own first, then those of the
    players after it in turn. Then a plane for each text of the game's `symbols`, or of its `board_style`,
    with the cells that show it, and one for all other texts that are not blank. With several players the last
    planes, in the same order of players, are all 1 if this player is to move. Where information is hidden,
    the board is the one that the player sees.

    >>> from branchwise.games.tic_tac_toe import TicTacToe
    >>> BoardObserver(TicTacToe).parts
    {'planes': (8, 3, 3)}
    """

    def __init__(self, game: type[Game]) -> None:
        self._hides = hides_information(game)
        grid = blanked(game.new_initial_state(Random(0)), 0).to_grid()
        unseen = self._hides and not game._hidden  # nothing says which fields are seen
        if grid is None or len({len(row) for row in grid.cells}) != 1 or unseen:
            raise GameError(
                f'{game.name} draws no rectangular board, which the observation "board" needs',
                mend='take the observation "fields", or write to_grid(self)',
            )
        self._players = game.num_players
        look = look_of(game) if has_layer(game) else None
        texts = dict.fromkeys(game.symbols if look is None else chain(*look.symbols))
        self._planes = {text: game.num_players + index for index, text in enumerate(texts)}
        self._others = game.num_players + len(texts)
        self._seats = self._others + 1
        count = self._seats + (game.num_players if game.num_players > 1 else 0)
        self.parts: dict[str, tuple[int, ...]] = {"planes": (count, len(grid.cells), len(grid.cells[0]))}
        self.low: dict[str, float] = {"planes": 0.0}
        self.high: dict[str, float] = {"planes": 1.0}

    def write(self, state: Game, player: int, out: dict[str, Floats]) -> None:
        """Write what `player` sees of `state`."""
        planes, players = out["planes"], self._players
        planes.fill(0.0)
        grid = (blanked(state, player) if self._hides else state).to_grid()
        assert grid is not None
        for row, cells in enumerate(grid.cells):
            for column, cell in enumerate(cells):
                if cell.owner is not None and 0 <= cell.owner < players:
                    planes[(cell.owner - player) % players, row, column] = 1.0
                plane = self._planes.get(cell.text)
                if plane is None and cell.text not in BLANKS:
                    plane = self._others
                if plane is not None:
                    planes[plane, row, column] = 1.0
        if players > 1:
            for mover in movers_seen(state, player):
                planes[self._seats + (mover - player) % players] = 1.0


def movers_seen(state: Game, player: int) -> list[int]:
    """Return the players to move, as far as `player` sees it."""
    if state.is_terminal():
        return []
    mover = state.current_player()
    if mover == SIMULTANEOUS:
        return [one for one in range(state.num_players) if state.legal_actions(one)]
    is_seen = mover == player or (mover >= 0 and not hides_information(type(state)))
    return [mover] if is_seen else []


def empty_parts(observer: Observer) -> tuple[Floats, dict[str, Floats]]:
    """Return a vector for an observation, and views of its parts by name, which share its memory."""
    sizes = {name: math.prod(shape) for name, shape in observer.parts.items()}
    vector = np.zeros(sum(sizes.values()), np.float32)
    views, start = {}, 0
    for name, shape in observer.parts.items():
        views[name] = vector[start : start + sizes[name]].reshape(shape)
        start += sizes[name]
    return vector, views


def field_dtype(field: Field) -> np.dtype[Any]:
    """Return the type that an environment shows a field's values in: int8 for truth values."""
    return np.dtype(np.int8) if field.dtype.kind == "b" else field.dtype


def field_range(field: Field) -> tuple[float, float]:
    """Return the range of a field's type, as far as a `Box` of Gymnasium can sample from it."""
    dtype = field_dtype(field)
    if field.dtype.kind == "b":
        return 0, 1
    if dtype.kind == "f":
        high = float(np.finfo(dtype).max) / 2
        return -high, high
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return low, high - 1 if dtype == np.int64 else high


_SEATS = ("observer", "to_move")
_BY_RULE = "observation"
_GREATEST = float(np.finfo(np.float32).max) / 2


def _is_long(field: Field) -> bool:
    return field.dtype.kind in "iu" and field.dtype.itemsize > 2


def _range(field: Field) -> tuple[float, float]:
    """Return the range of a part: as a float32, and of bits if it is a row of them."""
    if _is_long(field):
        return 0.0, 1.0
    return (-_GREATEST, _GREATEST) if field.dtype.kind == "f" else field_range(field)
