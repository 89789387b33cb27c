"""Helpers for rules that some processors have an instruction for, which is compiled in place of their Python.

The Python of these functions remains what they mean, and what other processors run.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.extending import intrinsic
from numba.core.registry import cpu_target

from branchwise.core.machine.kernel import INNER_UNCOUNTED

_WORD = ir.IntType(64)
_SLOW_DEPOSIT = ("bdver4", "znver1", "znver2")
"""Processors that have the instruction PDEP, but carry it out in many small steps."""


@intrinsic
def _nth_one(typing_context: Any, bits: Any, n: Any) -> Any:
    """Return the position of bit number `n` of those that are set, from 0; 64 if there are not as many."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(_WORD, [_WORD, _WORD])
        deposit = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        single = builder.shl(ir.Constant(_WORD, 1), args[1])
        return builder.cttz(builder.call(deposit, [single, args[0]]), ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64, types.int64), generate


@njit(**INNER_UNCOUNTED)
def _nth_bit(bits, n):  # type: ignore[no-untyped-def]
    return _nth_one(bits, n)  # type: ignore[call-arg]


def deposits_fast() -> bool:
    """Whether code is compiled for a processor with a fast PDEP, which puts bits in the places of others."""
    _, processor, features = cpu_target.target_context.codegen().magic_tuple()
    return "+bmi2" in features.split(",") and processor not in _SLOW_DEPOSIT


_DEPOSITING = {("branchwise.games.bits", "nth_bit"): _nth_bit}
"""By module and name of a function: its compiled form where `deposits_fast`."""


def instruction_for(function: FunctionType) -> Any:
    """Return the compiled form of a function, or None if its Python is to be compiled."""
    compiled = _DEPOSITING.get((function.__module__, function.__qualname__))
    return compiled if compiled is not None and deposits_fast() else None
