"""What each player sees of a state: fields that are hidden, and observations.

A class hides information if it has a field of the type `Private` or `Secret`, a method
`observation(self, player)`, or a method `determinize(self, player, random)`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from branchwise.common.errors import GameError, nearest_name
from branchwise.game.kinds.corrections import class_line
from branchwise.game.kinds.fields import Field
from branchwise.game.kinds.game_kinds import num_arguments

HIDING_RULES = {"observation": 1, "action_seen": 2, "determinize": 2, "consistent": 1}
"""Optional methods of a class that hides information, with their number of arguments besides self."""

POOL = "pool"


def hides_information(cls: type[Any]) -> bool:
    """Whether a class hides information from players.

    >>> from branchwise.games.nim import Nim
    >>> hides_information(Nim)
    False
    """
    return bool(cls._hidden) or has_rule(cls, "observation") or has_rule(cls, "determinize")


def has_rule(cls: type[Any], name: str) -> bool:
    """Whether a class itself has one of the `HIDING_RULES`; the default of `Game` does not count."""
    owner = next((base for base in cls.__mro__ if name in base.__dict__), None)
    root = [base for base in cls.__mro__ if "_hidden" in base.__dict__][-1]
    return owner not in (None, root) and num_arguments(cls, name) == HIDING_RULES[name]


def pool_of(cls: type[Any]) -> tuple[str, ...]:
    """Return the fields whose unseen cells are permuted to deal anew; empty if there is no pool.

    Without hidden fields an attribute of that name is something else.
    """
    pool = getattr(cls, POOL, ()) if cls._hidden else ()
    return tuple(pool) if isinstance(pool, tuple | list) else ()


def blanked(state: Any, player: int) -> Any:
    """Return a copy of a state in which all cells that `player` does not see have their first values.

    In a class that hides information by its `observation` alone, these are all cells.
    player : from 0, or -1 for a spectator, who sees public fields alone.
    """
    twin = state.copy()
    blank(twin, player)
    return twin


def blank(state: Any, player: int) -> None:
    """Set all cells that `player` does not see to their first values, in place."""
    if not state._hidden and has_rule(type(state), "observation"):
        for field in state._fields:
            setattr(state, field.name, first_values(field) if field.shape else field.initial)
        return
    for field in state._hidden:
        array = np.asarray(state.__dict__[field.name])
        unseen = unseen_cells(field, player)
        array[unseen] = first_values(field)[unseen]


def first_values(field: Field) -> np.ndarray[Any, Any]:
    """Return the first values of a field's cells, in its shape."""
    return np.broadcast_to(np.asarray(field.initial, field.dtype), field.shape)


def unseen_cells(field: Field, player: int) -> np.ndarray[Any, Any]:
    """Return which cells of a field `player` does not see, bool in the field's shape."""
    unseen = np.full(field.shape, field.sight != "public")
    if field.sight == "private" and player >= 0:
        unseen[player] = False
    return unseen


def derived_observation(state: Any, player: int) -> tuple[float, ...]:
    """Return the numbers that `player` sees, by the types of the fields, in the fields' order."""
    seen: list[float] = []
    for field, part in _seen_parts(state, player):
        value = state.__dict__[field.name]
        if field.is_scalar:
            seen.append(value)
        else:
            seen += np.ravel(value[part]).tolist()
    return tuple(seen)


def _seen_parts(game: Any, player: int) -> list[tuple[Field, Any]]:
    """Return the fields of which `player` sees something, each with the index of what is seen."""
    return [
        (field, player if field.sight == "private" else ...)
        for field in game._fields
        if field.sight == "public" or (field.sight == "private" and player >= 0)
    ]


def state_observed(cls: type[Any], player: int, observation: tuple[float, ...]) -> Any:
    """Return a state in which `player` sees these numbers, and all other cells have their first values.

    observation : as `derived_observation` gives.
    """
    state, start = cls(), 0
    for field in cls._fields:
        value = np.array(first_values(field))
        seen = field.sight == "public" or (field.sight == "private" and player >= 0)
        row = value[player] if field.sight == "private" and seen else value
        if seen:
            part = np.reshape(np.array(observation[start : start + row.size]), row.shape)
            start += row.size
            if row.shape:
                row[...] = part
            elif value.shape:
                value[player] = part
            else:
                value = part.astype(field.dtype)
        if field.shape:
            state.__dict__[field.name][...] = value
        else:
            setattr(state, field.name, value.item())
    return state


def first_observation(cls: type[Any], player: int) -> list[float]:
    """Return `derived_observation` of a state in which all fields have their first values."""
    seen: list[float] = []
    for field, part in _seen_parts(cls, player):
        seen += np.ravel(first_values(field)[part]).tolist()
    return seen


def observed_names(cls: type[Any], player: int) -> list[str]:
    """Return the names of the numbers in `derived_observation`, such as `board[0,2]`."""
    names = []
    for field, part in _seen_parts(cls, player):
        if field.is_scalar:
            names.append(field.name)
            continue
        cells = [cell for cell in np.ndindex(field.shape) if part is ... or cell[0] == part]
        names += [f"{field.name}[{','.join(map(str, cell))}]" for cell in cells]
    return names


def check_hidden(cls: type[Any]) -> None:
    """Raise `GameError` for declarations of hidden information that contradict each other."""
    players = getattr(cls, "num_players", None)
    if not cls._hidden:
        if has_rule(cls, "determinize"):
            raise GameError(
                f"{cls.__name__} has determinize, but no field is hidden{class_line(cls, 'determinize')}",
                mend="declare what is hidden: deck: bw.Secret[np.int8, 52] = 0, or bw.Private for what one "
                "player sees",
            )
        return
    for field in cls._hidden:
        if field.sight == "private" and isinstance(players, int) and field.shape[0] != players:
            raise GameError(
                f"{cls.__name__}.{field.name} is Private with a first axis of {field.shape[0]}, but "
                f"num_players is {players}{class_line(cls, field.name)}",
                mend=f"row i is seen by player i alone: {field.name}: bw.Private[np.{field.dtype.name}, "
                '"num_players", ...]',
            )
    _check_pool(cls)


def _check_pool(cls: type[Any]) -> None:
    """Raise `GameError` for a `pool` that cannot be dealt."""
    pool = getattr(cls, POOL, None)
    if pool is None:
        return
    line = class_line(cls, POOL)
    if not isinstance(pool, tuple | list) or not pool or not all(isinstance(name, str) for name in pool):
        raise GameError(
            f"{cls.__name__}.pool is {pool!r}{line}", mend='name its fields: pool = ("hands", "deck")'
        )
    fields = {field.name: field for field in cls._fields}
    for name in pool:
        if name not in fields:
            raise nearest_name(f"field for the pool of {cls.__name__}", name, fields)
        if np.ndim(fields[name].initial):
            raise GameError(
                f"{cls.__name__}.{name} is in the pool, but its first value is not one number{line}",
                mend=f"the first value of a field in the pool means an empty cell: {name} ... = 0, and cards "
                "are put there by setup or dealt by chance",
            )
    if len({fields[name].dtype for name in pool}) > 1:
        raise GameError(
            f"the fields in the pool of {cls.__name__} have different types{line}",
            mend="give them one type: cards go from one to another",
        )
    left_out = [field.name for field in cls._hidden if field.name not in pool]
    if left_out and not has_rule(cls, "determinize"):
        raise GameError(
            f"{cls.__name__}.{left_out[0]} is hidden, but not in the pool{line}",
            mend=f"add it: pool = ({', '.join(repr(n) for n in (*pool, left_out[0]))}); or write "
            "determinize(self, player, random); or leave the pool out, so that states are found by playing "
            "from the start",
        )
