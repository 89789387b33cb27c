"""Finding lines of rules that are unexpectedly slow to compile and to run, with quicker replacements.

For each of these, Numba compiles a library function together with the rules, for their types.
"""

from __future__ import annotations

import builtins
import dis
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from branchwise.game.kinds.corrections import line_text

_LOOP = "a loop over the array"
_SMALL_ARRAY = "a small array, indexed by the key"
_INSTEAD: dict[str, str] = {
    "np.where": _LOOP,
    "np.unique": "a loop that marks in a small array which values it has seen",
    "np.isin": "a loop that compares",
    "np.rot90": "an index that counts the other way round",
    "np.median": "a loop that counts",
    "np.argsort": "a loop that looks for the smallest",
    "sorted": "a loop that looks for the smallest, or an insertion into a small array",
    "a dict": _SMALL_ARRAY,
}
_FUNCTIONS: dict[Any, str] = {
    builtins.sorted: "sorted",
    builtins.dict: "a dict",
    **{getattr(np, name[3:]): name for name in _INSTEAD if name.startswith("np.")},
}
_DICTS = ("BUILD_MAP", "BUILD_CONST_KEY_MAP", "MAP_ADD")


@dataclass(frozen=True)
class Costly:
    """A line that is slow to compile and to run."""

    construct: str
    file: str
    line: int

    @property
    def instead(self) -> str:
        """A quicker replacement."""
        return _INSTEAD[self.construct]

    def __str__(self) -> str:
        where = line_text(self.file, self.line, Path(self.file).name)
        return f"{self.construct} is slow to compile and to run ({where}); quicker: {self.instead}"


def costly_lines(functions: Iterable[FunctionType]) -> list[Costly]:
    """Return the first line of each slow construct in these functions."""
    found: dict[str, Costly] = {}
    for function in functions:
        for construct, line in _constructs(function.__code__, function.__globals__):
            found.setdefault(construct, Costly(construct, function.__code__.co_filename, line))
    return list(found.values())


def _constructs(code: CodeType, names: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Yield (construct, line) for slow constructs of a function and the functions nested in it."""
    line = code.co_firstlineno
    value: Any = None  # of the last global variable, or attribute of one, that was loaded
    for instruction in dis.get_instructions(code):
        if instruction.positions is not None and instruction.positions.lineno is not None:
            line = instruction.positions.lineno
        operation = instruction.opname
        if operation in _DICTS:
            yield "a dict", line
        if operation == "LOAD_GLOBAL":
            value = names.get(instruction.argval, vars(builtins).get(instruction.argval))
        elif operation in ("LOAD_ATTR", "LOAD_METHOD") and value is np:
            value = getattr(np, instruction.argval, None)
        elif operation not in ("CACHE", "PUSH_NULL"):
            value = None
        if isinstance(value, type(np.where) | type(builtins.sorted) | type) and value in _FUNCTIONS:
            yield _FUNCTIONS[value], line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _constructs(constant, names)
