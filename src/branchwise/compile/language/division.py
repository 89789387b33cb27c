"""Finding functions that may divide by zero, which are compiled with checks of their divisors.

A literal divisor, or a constant of the game that is not 0, needs no check. Checks are cheap, but the compiler
inlines rules that cannot fail better.
"""

from __future__ import annotations

import dis
from collections.abc import Mapping
from itertools import islice
from types import CodeType
from typing import Any

_DIVISIONS = {"/", "//", "%"}
_CALLED = {
    "divmod",
    "fmod",
    "remainder",
    "divide",
    "true_divide",
    "floor_divide",
    "mod",
    "truediv",
    "floordiv",
}
"""Names of functions that divide."""


def may_divide_by_zero(code: CodeType, constants: Mapping[str, Any]) -> bool:
    """Whether `code`, or a function inside it, divides by something that may be 0.

    constants : constants of the method's class, by name, which methods read from `self`.

    >>> def cell(self, action):
    ...     return action // self.columns, action % 7
    >>> may_divide_by_zero(cell.__code__, {"columns": 7}), may_divide_by_zero(cell.__code__, {"columns": 0})
    (False, True)
    """
    if _CALLED.intersection(code.co_names):
        return True
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "EXTENDED_ARG", "NOP")]
    for place, instruction in enumerate(instructions):
        if instruction.opname != "BINARY_OP" or instruction.argrepr.removesuffix("=") not in _DIVISIONS:
            continue
        before = list(islice(instructions, max(place - 2, 0), place))
        if instruction.is_jump_target or not _is_nonzero(before, constants):
            return True
    return any(may_divide_by_zero(c, constants) for c in code.co_consts if isinstance(c, CodeType))


def _is_nonzero(before: list[dis.Instruction], constants: Mapping[str, Any]) -> bool:
    """Whether the last of these instructions pushes a number that is not 0."""
    last = before[-1] if before else None
    if last is None or last.is_jump_target:
        return False
    if last.opname in ("LOAD_CONST", "LOAD_SMALL_INT"):
        return _is_number(last.argval)
    if last.opname != "LOAD_ATTR" or len(before) < 2:
        return False
    owner = before[-2]
    of_self = owner.opname.startswith("LOAD_FAST") and owner.argval == "self"
    return of_self and _is_number(constants.get(str(last.argval)))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and value != 0
