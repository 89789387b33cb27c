"""The content of a state's record, in words of 8 bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic

HASH_STEP = np.uint64(0x9E3779B97F4A7C15)


@intrinsic
def word(typing_context: Any, state: Any, index: Any) -> Any:
    """Return word number `index` of a record, 8 bytes as uint64; the last can be shorter."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = signature.args[0].size
        word = ir.IntType(64)
        start = builder.bitcast(args[0], ir.IntType(8).as_pointer())
        whole = cgutils.alloca_once_value(builder, ir.Constant(word, 0))
        offset = builder.mul(args[1], ir.Constant(args[1].type, 8))
        rest = builder.sub(ir.Constant(args[1].type, size), offset)
        eight = ir.Constant(args[1].type, 8)
        length = builder.select(builder.icmp_signed("<", rest, eight), rest, eight)
        source = builder.gep(start, [offset])
        cgutils.raw_memcpy(builder, builder.bitcast(whole, ir.IntType(8).as_pointer()), source, length, 1)
        return builder.load(whole)

    return types.uint64(state, types.intp), generate


@intrinsic
def num_words(typing_context: Any, state: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.intp, (signature.args[0].size + 7) // 8)

    return types.intp(state), generate


@intrinsic
def whole_word(typing_context: Any, state: Any, index: Any) -> Any:
    """Return word number `index` of a record, as uint64; it must be whole."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = builder.bitcast(args[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(words, [args[1]]), align=1)

    return types.uint64(state, types.intp), generate


@intrinsic
def num_whole_words(typing_context: Any, state: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.intp, signature.args[0].size // 8)

    return types.intp(state), generate
