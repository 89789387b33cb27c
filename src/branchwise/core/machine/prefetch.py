"""Fetching memory before it is needed; see `core.beliefs.belief_search`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.extending import intrinsic

_READ, _KEEP, _DATA = 0, 3, 1
"""Arguments of the instruction: to read, soon and often, data and no code."""


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:
    """Let the processor fetch an item of an array into its cache; the index is not checked."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        function = builder.module.declare_intrinsic(
            "llvm.prefetch", [byte], ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        )
        item = builder.bitcast(builder.gep(data, [args[1]]), byte)
        builder.call(function, [item, *(number(given) for given in (_READ, _KEEP, _DATA))])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate
