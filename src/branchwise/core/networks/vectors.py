"""Vectors of float32 in registers, for kernels whose sums must be fast and in a fixed order.

Each operation is one of LLVM's on vectors. Nothing is reordered and no product is fused with a sum, so every
processor computes the same bits. A width is a number known when the kernel is compiled.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.extending import intrinsic, register_model

_FLOAT = ir.FloatType()
_ALIGNMENT = 4


class Vector(types.Type):
    """The type of a vector of `width` numbers."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Vector({width})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager: Any, vector: Vector) -> None:
        super().__init__(manager, vector, ir.VectorType(_FLOAT, vector.width))


def _place(context: Any, builder: Any, signature: Any, args: Any, width: int) -> Any:
    """Return a pointer to the `width` numbers of an array from an index on."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    start = builder.gep(array.data, [args[1]])
    return builder.bitcast(start, ir.VectorType(_FLOAT, width).as_pointer())


@intrinsic
def load(typing_context: Any, array: Any, start: Any, width: Any) -> Any:
    """Return the `width` numbers of a float32 array from index `start` on."""
    if not isinstance(width, types.IntegerLiteral):
        return None
    size = width.literal_value

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_place(context, builder, signature, args, size), align=_ALIGNMENT)

    return Vector(size)(array, types.intp, width), generate


@intrinsic
def store(typing_context: Any, array: Any, start: Any, vector: Any) -> Any:
    """Write a vector to a float32 array from index `start` on."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature, args, vector.width)
        builder.store(args[2], place, align=_ALIGNMENT)
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), generate


def _number_by_number(operation: str) -> Any:
    """Return the operation of LLVM on two vectors of equal width."""

    @intrinsic
    def operate(typing_context: Any, left: Any, right: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, operation)(*args)

        return left(left, right), generate

    return operate


plus, times = _number_by_number("fadd"), _number_by_number("fmul")


@intrinsic
def scaled(typing_context: Any, vector: Any, factor: Any) -> Any:
    """Return a vector times a float32."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = args[0].type
        one = builder.insert_element(ir.Constant(whole, ir.Undefined), args[1], ir.IntType(32)(0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), vector.width), [0] * vector.width)
        return builder.fmul(args[0], builder.shuffle_vector(one, ir.Constant(whole, ir.Undefined), lanes))

    return vector(vector, types.float32), generate


@intrinsic
def positive(typing_context: Any, vector: Any) -> Any:
    """Return a vector with 0 in place of numbers below."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(args[0].type, [0.0] * vector.width)
        return builder.select(builder.fcmp_unordered("ult", args[0], zero), zero, args[0])

    return vector(vector), generate


@intrinsic
def total(typing_context: Any, vector: Any) -> Any:
    """Return the sum of a vector whose width is a power of 2: halves are added until one number is left."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, width = args[0], vector.width
        while width > 1:
            width //= 2
            nothing, lanes = ir.Constant(value.type, ir.Undefined), ir.VectorType(ir.IntType(32), width)
            low, high = (ir.Constant(lanes, [*range(start, start + width)]) for start in (0, width))
            halves = (builder.shuffle_vector(value, nothing, half) for half in (low, high))
            value = builder.fadd(*halves)
        return builder.extract_element(value, ir.IntType(32)(0))

    return types.float32(vector), generate
