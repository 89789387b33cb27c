"""States on the stack of a kernel, which the compiler keeps in registers if they are small."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic

_ALIGNMENT = 64
_MOST_BYTES = 8192


@intrinsic
def on_stack(typing_context: Any, state: Any, memory: Any) -> Any:
    """Return a copy of a state: on the stack if it is small, else in `memory`, a state of the same game.

    It must not outlive the kernel that calls this.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, target = args
        size = signature.args[0].size
        if size <= _MOST_BYTES:
            target = cgutils.alloca_once(builder, source.type.pointee)
            target.align = _ALIGNMENT
        byte = ir.IntType(8).as_pointer()
        length = context.get_constant(types.intp, size)
        cgutils.raw_memcpy(builder, builder.bitcast(target, byte), builder.bitcast(source, byte), length, 1)
        return target

    return state(state, memory), generate
