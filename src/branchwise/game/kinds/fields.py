"""The typed fields of a state, and their layout in memory.

A field is an annotated attribute of a rules class: a NumPy scalar type, `bool`, `int`, `float`, or
`Array[type, shape...]`, whose shape may name constants of the class. All fields of a class form one NumPy
structured dtype. A record of this dtype is the state that compiled code reads and writes.

All players see a field, unless its type is `Private[type, players, shape...]`, of which each player sees one
row, or `Secret[type, shape...]`, which nobody sees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from branchwise.common.errors import GameError

__all__ = [
    "Array",
    "ArrayType",
    "Field",
    "Private",
    "Secret",
    "Sight",
    "StateArray",
    "record_dtype",
    "scalar_converter",
    "scalar_dtype",
]

_PLAIN_TYPES: dict[type, type] = {bool: np.bool_, int: np.int64, float: np.float64}

Sight = Literal["public", "private", "secret"]
"""Who sees a field: everybody; of each row of its first axis, the player of that number; nobody."""


@dataclass(frozen=True)
class ArrayType:
    """The type of an array field: element type, a shape of lengths or constants' names, and who sees it."""

    dtype: np.dtype[Any]
    shape: tuple[int | str, ...]
    sight: Sight = "public"


if TYPE_CHECKING:
    from typing import Annotated as Array
    from typing import Annotated as Private
    from typing import Annotated as Secret
else:

    class Array:
        """Type of an array field: `Array[np.int8, 6, 7]` or `Array[np.int8, "rows", "columns"]`.

        >>> Array[np.int8, 6, "columns"].shape
        (6, 'columns')
        """

        def __class_getitem__(cls, items):
            return _array_type("Array", items, "public", "Array[np.int8, 6, 7]")

    class Private:
        """Type of a field with a row for each player, seen by that player alone.

        The first length is the number of players.

        >>> Private[np.int8, "num_players", 5].sight
        'private'
        """

        def __class_getitem__(cls, items):
            return _array_type("Private", items, "private", 'Private[np.int8, "num_players", 5]')

    class Secret:
        """Type of an array field that no player sees; one number has the shape 1.

        >>> Secret[np.int8, 52].shape
        (52,)
        """

        def __class_getitem__(cls, items):
            return _array_type("Secret", items, "secret", "Secret[np.int8, 52]")

    def _array_type(name, items, sight, example):
        """Return the type that `items`, an element type and a shape, describe."""
        article = "an" if name == "Array" else "a"
        if not isinstance(items, tuple) or len(items) < 2:
            raise GameError(f"{article} {name} needs an element type and a shape", mend=f"write {example}")
        dtype = scalar_dtype(items[0])
        if dtype is None:
            raise GameError(
                f"{items[0]!r} cannot be the element type of {article} {name}",
                mend="use a NumPy scalar type such as np.int8, or bool, int, float",
            )
        for length in items[1:]:
            if not isinstance(length, (int, str)) or isinstance(length, bool):
                raise GameError(
                    f"{length!r} cannot be a length of {article} {name}",
                    mend="use whole numbers or names of constants",
                )
        return ArrayType(dtype, tuple(items[1:]), sight)


@dataclass(frozen=True)
class Field:
    """One field of a rules class: `shape` is empty for a scalar, `initial` is its first value."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    initial: Any
    sight: Sight = "public"

    @property
    def is_scalar(self) -> bool:
        return not self.shape


def scalar_dtype(annotation: object) -> np.dtype[Any] | None:
    """Return the dtype of a scalar field with this annotation, or None if it is no scalar type.

    >>> scalar_dtype(int), scalar_dtype(np.int8), scalar_dtype(str)
    (dtype('int64'), dtype('int8'), None)
    """
    if not isinstance(annotation, type):
        return None
    kind = _PLAIN_TYPES.get(annotation, annotation)
    if issubclass(kind, (np.integer, np.floating, np.bool_)):
        return np.dtype(kind)
    return None


def record_dtype(fields: Iterable[Field]) -> np.dtype[Any]:
    """Return the aligned structured dtype for `fields`, in their order."""
    described = [(field.name, field.dtype, field.shape) for field in fields]
    return np.dtype(described, align=True)


def scalar_converter(owner: str, field: Field) -> Callable[[Any], Any]:
    """Return the function that converts a value assigned to a scalar field to the Python number stored.

    Compiled code would truncate a value that does not fit. Plain Python raises `GameError` instead, because
    such an assignment is a mistake in the rules.
    """
    kind = field.dtype.kind
    where = f"{owner}.{field.name}"
    type_name = f"np.{field.dtype.name}"
    if kind == "b":
        return bool
    if kind == "f":
        if field.dtype.itemsize == 8:
            return float
        narrow = field.dtype.type
        return lambda value: float(narrow(value))
    bounds = np.iinfo(field.dtype)
    low, high = int(bounds.min), int(bounds.max)

    def convert(value: Any) -> int:
        try:
            number = int(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise GameError(
                f"{where} = {value!r} is not a whole number", mend=_number_instead(field.name, value)
            ) from error
        if number != value:
            raise GameError(
                f"{where} = {value!r} is not a whole number, but the field's type is {type_name}",
                mend="use // instead of /, or make the field a float",
            )
        if not low <= number <= high:
            raise GameError(
                f"{where} = {number} does not fit {type_name} ({low} to {high})",
                mend="give the field a wider type",
            )
        return number

    return convert


def _number_instead(name: str, value: Any) -> str:
    """Return advice for storing a value that is not a whole number."""
    if value is None:
        return f"use -1 for none: self.{name} = -1"
    if isinstance(value, str):
        return "use a number for each text, named by constants or an IntEnum of the module"
    if isinstance(value, tuple | list | np.ndarray):
        return (
            f"make it an array field, {name}: bw.Array[np.int8, {len(value)}] = 0, or a field for each number"
        )
    return "assign a number, or declare another field with a suitable type"


_number = np.ndarray.item
_item = np.ndarray.__getitem__


class StateArray(np.ndarray[Any, Any]):
    """An array field in plain Python: a NumPy array whose elements read as Python numbers.

    Compiled code computes with 64-bit numbers whatever the width of the array's elements. Python numbers
    behave the same; NumPy's own scalars would overflow at the width of the element.
    """

    def __getitem__(self, index: Any) -> Any:
        """Return NumPy's item; a number as a Python number.

        Whole numbers as indices, which most rules use, take a quarter of the time that NumPy's scalars take.
        """
        try:
            if type(index) is int:
                if self.ndim == 1:
                    return _number(self, index)
            elif type(index) is tuple and len(index) == self.ndim == 2:
                row, column = index
                if type(row) is type(column) is int:
                    return _number(self, row, column)
        except (IndexError, OverflowError):
            pass  # NumPy says what is wrong
        item = _item(self, index)
        return item.item() if isinstance(item, np.generic) else item

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        """Return NumPy's result; a single number, as from `sum`, becomes a scalar, not a 0-d array."""
        return array[()] if return_scalar else super().__array_wrap__(array, context, return_scalar)
