"""Corrections for errors about a rules class: fields without a type, misspelt names.

Reads classes, values and source lines; never runs rules.
"""

from __future__ import annotations

import ast
import difflib
import linecache
import os
import sys
from typing import Any

import numpy as np


def field_declaration(name: str, value: Any) -> str:
    """Return the class line that declares `name` as a field with the first value `value`.

    >>> print(field_declaration("last", None))
    last: np.int8 = -1, with -1 for none
    >>> print(field_declaration("place", (0, 0)))
    place: bw.Array[np.int8, 2] = (0, 0), set by self.place[:] = ...; or two fields
    """
    if value is None:
        return f"{name}: np.int8 = -1, with -1 for none"
    if isinstance(value, bool | np.bool_):
        return f"{name}: bool = {bool(value)}"
    if isinstance(value, int | np.integer):
        return f"{name}: np.int32 = {int(value)}"
    if isinstance(value, float | np.floating):
        return f"{name}: float = {float(value)}"
    if isinstance(value, str):
        return f"{name}: np.int8 = 0, a number for each text, named by constants or an IntEnum of the module"
    if isinstance(value, np.ndarray) and value.ndim:
        shape = ", ".join(map(str, value.shape))
        return f"{name}: bw.Array[np.{value.dtype.name}, {shape}] = 0"
    numbers = isinstance(value, tuple | list) and all(isinstance(item, int | float) for item in value)
    if numbers and value:
        kind = "float" if any(isinstance(item, float) for item in value) else "np.int8"
        count = {2: "two", 3: "three"}.get(len(value), str(len(value)))
        first = f"{name}: bw.Array[{kind}, {len(value)}] = {tuple(value)}"
        return f"{first}, set by self.{name}[:] = ...; or {count} fields"
    return (
        f"{name}: bw.Array[np.int8, 9] = 0, with as many elements as it may need, and a count if it is not "
        f"always full: num_{name}: np.int16 = 0"
    )


def typed_declaration(name: str, annotation: object, value: Any) -> str:
    """Return a declaration for a field with an unsupported type; `value` : its first value, or None."""
    text = getattr(annotation, "__name__", "") if isinstance(annotation, type) else ""
    text = f"{text} {annotation}".lower()
    if value is not None:
        return field_declaration(name, value)
    if "none" in text or "optional" in text:
        return field_declaration(name, None)
    if "str" in text:
        return field_declaration(name, "")
    if "tuple" in text:
        return field_declaration(name, (0, 0))
    return field_declaration(name, [])


def nearest_attribute(game: type[Any], name: str) -> str:
    """Return a replacement for the attribute `name`, which the game does not have."""
    names = {
        n for owner in game.__mro__[:-2] for n in (*vars(owner), *vars(owner).get("__annotations__", ()))
    }
    close = difflib.get_close_matches(name, sorted(n for n in names if n[0] != "_"), n=1)
    if close:
        return f"did you mean self.{close[0]}?"
    return f"declare it in the class with a type and a first value: {field_declaration(name, 0)}"


def class_line(cls: type, name: str) -> str:
    """Return file, line and text where a class body sets or declares `name`, in brackets, or ""."""
    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    for value in vars(cls).values():
        code = getattr(getattr(value, "func", value), "__code__", None)
        file = code.co_filename if code is not None else file
    if file is None:
        return ""
    for node in ast.walk(syntax_of("".join(linecache.getlines(file)))):
        if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
            for statement in node.body:
                if name in _set_by(statement):
                    return source_line(file, statement.lineno)
    return ""


def syntax_of(source: str) -> ast.Module:
    """Return the syntax of a module's source; that of an empty module if it has none."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module([], [])


def source_line(file: str, number: int) -> str:
    """Return file, line and text of a line of source, in brackets."""
    return f" ({line_text(file, number)})"


def line_text(file: str, number: int, name: str | None = None) -> str:
    """Return a line of source as errors show it: the file, the number and the text.

    name : of the file; by default its path, relative to the working directory if it is inside it.
    """
    text = linecache.getline(file, number).strip()
    return f"{name or near(file)}, line {number}" + (f": {text}" if text else "")


def near(path: str) -> str:
    """Return `path` relative to the working directory if it is inside it."""
    return os.path.relpath(path) if path.startswith(os.getcwd() + os.sep) else path


def _set_by(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.AnnAssign):
        targets: list[ast.expr] = [statement.target]
    elif isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.FunctionDef):
        return {statement.name}
    else:
        return set()
    return {target.id for target in targets if isinstance(target, ast.Name)}
