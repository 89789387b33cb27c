"""Fields of a state as lines of text, their values named as the class's `value_names` say.

Without a board, that is what people read of a state: hands of cards as rows of names, kinds by their names,
and nothing of fields that only help the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any

from branchwise.common.errors import GameError, nearest_name

Names = Sequence[str] | Mapping[int, str] | type[IntEnum] | None
_MEND = (
    'give each field its names in the order of its values, {"hands": ("", "ace", "king")}, a dictionary, an '
    "IntEnum, or None to leave the field out"
)


def check_value_names(game: str, fields: Sequence[str], given: object) -> None:
    """Raise `GameError` or `UnknownNameError` unless `given` has names for fields."""
    if not isinstance(given, Mapping):
        raise GameError(f"{game}.value_names is {given!r}, which is no dictionary", mend=_MEND)
    for field, names in given.items():
        if field not in fields:
            raise nearest_name(f"field in {game}.value_names", str(field), fields)
        if isinstance(names, Mapping):
            known = all(isinstance(value, int) and isinstance(text, str) for value, text in names.items())
        elif isinstance(names, type):
            known = issubclass(names, IntEnum)
        else:
            is_row = isinstance(names, Sequence) and not isinstance(names, str)
            known = names is None or (is_row and all(isinstance(name, str) for name in names))
        if not known:
            raise GameError(f'{game}.value_names["{field}"] is {names!r}, which has no names', mend=_MEND)


def field_lines(fields: Mapping[str, Any], names: Mapping[str, Names], num_players: int) -> list[str]:
    """Return lines that show the values of fields, by name.

    names : how the values of fields are called; None leaves a field out, as a name with a leading underscore
    does. An array of bool with names is a set: they are those of its places. An array with a row for each
    player has a line for each.

    >>> import numpy as np
    >>> fields = {"hands": np.array([[1, 0], [2, 1]]), "pot": 3}
    >>> print(*field_lines(fields, {"hands": ("", "jack", "queen")}, 2), sep="\\n")
    hands of player 0 = jack
    hands of player 1 = queen jack
    pot = 3
    """
    lines: list[str] = []
    for name, value in fields.items():
        if not name.startswith("_") and names.get(name, ()) is not None:
            lines += _lines(name, value, names.get(name), num_players)
    return lines


def _lines(name: str, value: Any, names: Names, num_players: int) -> Iterator[str]:
    if hasattr(value, "tolist") and value.ndim == 2 and 1 < num_players == len(value):
        for player, row in enumerate(value):
            yield f"{name} of player {player} = {_text(names, row)}".rstrip()
    else:
        yield f"{name} = {_text(names, value)}".rstrip()


def _text(names: Names, value: Any) -> str:
    """Return a number by its name, an array by those of its items, without those that are empty."""
    if not hasattr(value, "tolist"):
        return _name(names, value)
    if names is None:
        return str(value.tolist())
    values = value.ravel().tolist()
    if value.dtype.kind == "b":
        values = [place for place, is_there in enumerate(values) if is_there]
    return " ".join(text for item in values if (text := _name(names, item)))


def _name(names: Names, value: Any) -> str:
    """Return the name of a value, or the value itself as text if it has none."""
    if isinstance(names, type):
        known = {member.value: member.name.lower().replace("_", " ") for member in names}
        return known.get(value, str(value))
    if isinstance(names, Mapping):
        return names.get(value, str(value))
    if names is not None and value == int(value) and 0 <= value < len(names):
        return names[int(value)]
    return str(value)
