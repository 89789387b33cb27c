"""Collecting the fields that a class of rules declares by annotations."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.definition.names import RULES
from branchwise.game.kinds.corrections import class_line, typed_declaration
from branchwise.game.kinds.fields import ArrayType, Field, StateArray, scalar_dtype
from branchwise.game.kinds.game_kinds import NET_CONSTANTS, PLAYOUT_CONSTANTS, STANDARD_CONSTANTS


def collect_fields(cls: type[Any], root: type[Any]) -> tuple[Field, ...]:
    """Return the fields that a class declares or inherits; root : `Game` itself."""
    fields: dict[str, Field] = {}
    for owner in reversed(cls.__mro__):
        if owner is root or not issubclass(owner, root):
            continue
        try:
            annotations = inspect.get_annotations(owner, eval_str=True)
        except Exception as error:
            raise GameError(
                f"the type of a field of {owner.__name__} cannot be read: {error}",
                mend="annotate fields with types that are imported at the top of the module",
            ) from error
        for name, annotation in annotations.items():
            is_constant = name in (*STANDARD_CONSTANTS, *PLAYOUT_CONSTANTS, *NET_CONSTANTS)
            if is_constant or name.startswith("_") or _is_class_variable(annotation):
                continue
            if name == "utility" and isinstance(getattr(cls, name, None), str):
                continue
            fields[name] = _field(cls, name, annotation)
    for name in fields:
        if hasattr(root, name) or name in RULES:
            taken = "Game has an attribute" if hasattr(root, name) else "there is a rule"
            raise GameError(
                f"{cls.__name__}.{name} cannot be a field: {taken} of that name", mend="choose another name"
            )
        if isinstance(getattr(cls, name, None), property | FunctionType):
            raise GameError(
                f"{cls.__name__}.{name} is a field of a base class, and a method or a property"
                f"{class_line(cls, name)}",
                mend="give the method or the property another name",
            )
    return tuple(fields.values())


def _is_class_variable(annotation: object) -> bool:
    return str(annotation).startswith("typing.ClassVar")


def _field(cls: type[Any], name: str, annotation: object) -> Field:
    initial = getattr(cls, name, 0)
    if isinstance(annotation, ArrayType):
        shape = tuple(_length(cls, name, item) for item in annotation.shape)
        return Field(name, annotation.dtype, shape, initial, annotation.sight)
    dtype = scalar_dtype(annotation)
    if dtype is None:
        raise GameError(
            f"{cls.__name__}.{name} has the type {annotation!r}, which is not supported"
            f"{class_line(cls, name)}",
            mend=f"write {typed_declaration(name, annotation, getattr(cls, name, None))}; a field's type is "
            "a NumPy scalar type, bool, int, float, or an array such as Array[np.int8, 6, 7]",
        )
    return Field(name, dtype, (), initial)


def _length(cls: type[Any], field: str, item: int | str) -> int:
    length = getattr(cls, item, None) if isinstance(item, str) else item
    if length is None:
        raise GameError(
            f'the shape of {cls.__name__}.{field} names "{item}", which is not a constant of the class'
        )
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        raise GameError(f"the shape of {cls.__name__}.{field} has the length {length!r}")
    return length


_KINDS = {"b": ("b", "true or false"), "i": ("iu", "whole numbers"), "f": ("iuf", "numbers")}
"""For each kind of field: the kinds of plain values that it accepts, and their name in errors."""


def check_plain(cls: type[Any], field: Field, value: object) -> None:
    """Raise `GameError` unless a value from JSON matches a field's shape and kind."""
    kind = field.dtype.kind
    taken, called = _KINDS["i" if kind == "u" else kind]
    try:
        array = np.array(value)
        if kind == "u" and array.dtype.kind == "f":  # NumPy's type for whole numbers on both sides of 2**63
            items = np.array(value, object)
            if all(type(item) is int for item in items.flat):
                array = items.astype(np.uint64)
    except (ValueError, OverflowError):  # rows of different lengths, or numbers out of range
        array = np.array(None)
    if array.shape != field.shape or array.dtype.kind not in taken:
        shape = f"{' by '.join(map(str, field.shape))} of " if field.shape else ""
        raise GameError(
            f"the field {field.name} of this {cls.name} state has a bad value: {repr(value)[:80]}",
            mend=f"it contains {shape}{called}, as np.{field.dtype.name}",
        )


def initial_array(cls: type[Any], field: Field) -> StateArray:
    """Return the initial value of an array field."""
    array = np.zeros(field.shape, field.dtype)
    try:
        array[...] = field.initial
    except (ValueError, TypeError, OverflowError) as error:
        raise GameError(
            f"the initial value of {cls.__name__}.{field.name} does not fit its type: {error}"
        ) from error
    return array.view(StateArray)
