"""Atomic operations for kernels that run in several threads over one tree.

Operations on a field of an array of records, such as `Tree.nodes`; the field's name is a literal string:

    add_to_field, add_bits_to_field, clear_bits_in_field, swap_field_if, raise_field, lower_field,
    publish_field, read_field, peek_field

Operations on an item of a plain array, such as `Tree.counters`:

    add_to_item, swap_item_if, publish_item, read_item, peek_item

Arrays have one dimension and natural alignment, which is checked for records only. Indices start at 0: a
negative one does not count from the end; NUMBA_BOUNDSCHECK=1 checks them. Values are converted to the type
of the field.

What a thread wrote, by plain assignment too, before it published, added, swapped, raised, lowered or set
bits, another thread sees after it read that value. Of two threads that each change one field, other than by
publishing, and then read the other's, one at least sees the change. Peeking promises neither: it is a plain
load that is safe beside other threads' changes, for statistics. Orders of memory: LLVM Language Reference,
"Atomic Memory Ordering Constraints".
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, errors
from numba.core.extending import intrinsic

Emit = Callable[..., Any]
"""emit(builder, pointer, *values) writes one operation and returns its result, or None if it has none."""

_CHANGE = "seq_cst"
_PUBLISH = "release"
_READ = "seq_cst"  # the same instruction as "acquire" on x86-64, a hardly slower one on AArch64
_PEEK = "monotonic"


# --- on a field of a record -----------------------------------------------------------------------------


@intrinsic(prefer_literal=True)
def add_to_field(typing_context: Any, array: Any, index: Any, field: Any, value: Any) -> Any:
    """Add `value` to a field; returns the field's value before. Whole numbers wrap around."""
    kind = _field_type(array, field, types.Integer, types.Float)
    return _operation(kind, _add, kind, array, index, field, value=value)


@intrinsic(prefer_literal=True)
def add_bits_to_field(typing_context: Any, array: Any, index: Any, field: Any, bits: Any) -> Any:
    """Set the bits in `bits` in a field of whole numbers; returns the field's value before."""
    kind = _field_type(array, field, types.Integer)
    return _operation(kind, _add_bits, kind, array, index, field, bits=bits)


@intrinsic(prefer_literal=True)
def clear_bits_in_field(typing_context: Any, array: Any, index: Any, field: Any, bits: Any) -> Any:
    """Clear the bits in `bits` in a field of whole numbers; returns the field's value before."""
    kind = _field_type(array, field, types.Integer)
    return _operation(kind, _clear_bits, kind, array, index, field, bits=bits)


@intrinsic(prefer_literal=True)
def swap_field_if(typing_context: Any, array: Any, index: Any, field: Any, expected: Any, new: Any) -> Any:
    """Set a field of whole numbers to `new` if it is `expected`; returns whether it was."""
    kind = _field_type(array, field, types.Integer)
    return _operation(kind, _swap_if, types.boolean, array, index, field, expected=expected, new=new)


@intrinsic(prefer_literal=True)
def raise_field(typing_context: Any, array: Any, index: Any, field: Any, value: Any) -> Any:
    """Set a floating-point field to `value` if it is greater; returns whether it was. NaN is not greater."""
    kind = _field_type(array, field, types.Float)
    return _operation(kind, _replace_if(">"), types.boolean, array, index, field, value=value)


@intrinsic(prefer_literal=True)
def lower_field(typing_context: Any, array: Any, index: Any, field: Any, value: Any) -> Any:
    """Set a floating-point field to `value` if it is smaller; returns whether it was. NaN is not smaller."""
    kind = _field_type(array, field, types.Float)
    return _operation(kind, _replace_if("<"), types.boolean, array, index, field, value=value)


@intrinsic(prefer_literal=True)
def publish_field(typing_context: Any, array: Any, index: Any, field: Any, value: Any) -> Any:
    """Set a field; a thread that reads the new value sees everything that this thread wrote before."""
    kind = _field_type(array, field, types.Integer, types.Float)
    return _operation(kind, _publish, types.none, array, index, field, value=value)


@intrinsic(prefer_literal=True)
def read_field(typing_context: Any, array: Any, index: Any, field: Any) -> Any:
    """Return a field; this thread then sees everything that was written before the value."""
    kind = _field_type(array, field, types.Integer, types.Float)
    return _operation(kind, _load(_READ), kind, array, index, field)


@intrinsic(prefer_literal=True)
def peek_field(typing_context: Any, array: Any, index: Any, field: Any) -> Any:
    """Return a field with no promise about other writes, at the cost of a plain load."""
    kind = _field_type(array, field, types.Integer, types.Float)
    return _operation(kind, _load(_PEEK), kind, array, index, field)


# --- on an item of a plain array ------------------------------------------------------------------------


@intrinsic
def add_to_item(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Add `value` to an item; returns the item's value before. Whole numbers wrap around."""
    kind = _item_type(array, types.Integer, types.Float)
    return _operation(kind, _add, kind, array, index, value=value)


@intrinsic
def swap_item_if(typing_context: Any, array: Any, index: Any, expected: Any, new: Any) -> Any:
    """Set an item, a whole number, to `new` if it is `expected`; returns whether it was."""
    kind = _item_type(array, types.Integer)
    return _operation(kind, _swap_if, types.boolean, array, index, expected=expected, new=new)


@intrinsic
def publish_item(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Set an item; a thread that reads the new value sees everything that this thread wrote before."""
    kind = _item_type(array, types.Integer, types.Float)
    return _operation(kind, _publish, types.none, array, index, value=value)


@intrinsic
def read_item(typing_context: Any, array: Any, index: Any) -> Any:
    """Return an item; this thread then sees everything that was written before the value."""
    kind = _item_type(array, types.Integer, types.Float)
    return _operation(kind, _load(_READ), kind, array, index)


@intrinsic
def peek_item(typing_context: Any, array: Any, index: Any) -> Any:
    """Return an item with no promise about other writes, at the cost of a plain load."""
    kind = _item_type(array, types.Integer, types.Float)
    return _operation(kind, _load(_PEEK), kind, array, index)


# --- their forms in LLVM --------------------------------------------------------------------------------


def _add(builder: Any, pointer: Any, value: Any) -> Any:
    whole = isinstance(value.type, ir.IntType)
    return builder.atomic_rmw("add" if whole else "fadd", pointer, value, _CHANGE)


def _add_bits(builder: Any, pointer: Any, bits: Any) -> Any:
    return builder.atomic_rmw("or", pointer, bits, _CHANGE)


def _clear_bits(builder: Any, pointer: Any, bits: Any) -> Any:
    return builder.atomic_rmw("and", pointer, builder.not_(bits), _CHANGE)


def _swap_if(builder: Any, pointer: Any, expected: Any, new: Any) -> Any:
    return builder.extract_value(builder.cmpxchg(pointer, expected, new, _CHANGE), 1)


def _publish(builder: Any, pointer: Any, value: Any) -> None:
    builder.store_atomic(value, pointer, _PUBLISH, _size(value.type))


def _load(order: str) -> Emit:
    def emit(builder: Any, pointer: Any) -> Any:
        return builder.load_atomic(pointer, order, _size(pointer.type.pointee))

    return emit


def _replace_if(comparison: str) -> Emit:
    """Return code that stores `value` if `value comparison stored`, retried if another thread interferes."""

    def emit(builder: Any, pointer: Any, value: Any) -> Any:
        bits = ir.IntType(_size(value.type) * 8)
        pointer = builder.bitcast(pointer, bits.as_pointer())
        compare, swap, end = (builder.append_basic_block(name) for name in ("compare", "swap", "end"))
        before = builder.load_atomic(pointer, _READ, _size(bits))
        start = builder.block
        builder.branch(compare)

        builder.position_at_end(compare)
        stored = builder.phi(bits)
        better = builder.fcmp_ordered(comparison, value, builder.bitcast(stored, value.type))
        builder.cbranch(better, swap, end)

        builder.position_at_end(swap)
        outcome = builder.cmpxchg(pointer, stored, builder.bitcast(value, bits), _CHANGE)
        stored.add_incoming(before, start)
        stored.add_incoming(builder.extract_value(outcome, 0), swap)
        builder.cbranch(builder.extract_value(outcome, 1), end, compare)

        builder.position_at_end(end)
        replaced = builder.phi(ir.IntType(1))
        replaced.add_incoming(cgutils.false_bit, compare)
        replaced.add_incoming(cgutils.true_bit, swap)
        return replaced

    return emit


def _size(number: Any) -> int:
    """Return the size of an LLVM number in bytes."""
    if isinstance(number, ir.IntType):
        return int(number.width) // 8
    return {ir.FloatType(): 4, ir.DoubleType(): 8}[number]


def _operation(
    kind: Any, emit: Emit, result: Any, array: Any, index: Any, field: Any = None, **values: Any
) -> Any:
    """Return signature and code of an operation on an item of `array`, or on its `field`; kind : its type."""
    if not isinstance(index, types.Integer):
        raise errors.TypingError(f"the index is {index}, not a whole number")
    fitting = types.Integer if isinstance(kind, types.Integer) else (types.Integer, types.Float)
    for name, value in values.items():
        if not isinstance(value, fitting):
            raise errors.TypingError(f"{name} is {value}, which does not go into {kind}")
    place = (array, types.intp) if field is None else (array, types.intp, field)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        items = context.make_array(array)(context, builder, args[0])
        pointer = cgutils.get_item_pointer(
            context, builder, array, items, [args[1]], boundscheck=context.enable_boundscheck
        )
        if field is not None:
            offset = array.dtype.offset(field.literal_value)
            pointer = cgutils.get_record_member(builder, pointer, offset, context.get_data_type(kind))
        outcome = emit(builder, pointer, *args[len(place) :])
        return context.get_dummy_value() if outcome is None else outcome

    return result(*place, *[kind] * len(values)), generate


# --- supported types ------------------------------------------------------------------------------------


def _field_type(array: Any, field: Any, *kinds: type[types.Type]) -> Any:
    """Return the type of the field, one of `kinds`, of the records in the array."""
    _check_array(array)
    record = array.dtype
    if not isinstance(record, types.Record) or not record.aligned:
        raise errors.TypingError(f"the items are {record}, not records of a dtype with align=True")
    if not isinstance(field, types.StringLiteral):
        raise errors.TypingError("the field must be named by a literal string")
    name = field.literal_value
    if name not in record.fields:
        nearest = get_close_matches(name, record.fields, 1)
        raise errors.TypingError(
            f"the records have no field {name!r}" + "".join(f"; did you mean {n!r}?" for n in nearest)
        )
    kind = record.typeof(name)
    if not isinstance(kind, kinds):
        raise errors.TypingError(f"{name} is {kind}, for which there is no such operation")
    return kind


def _item_type(array: Any, *kinds: type[types.Type]) -> Any:
    """Return the type of the items of the array, one of `kinds`."""
    _check_array(array)
    if not isinstance(array.dtype, kinds):
        raise errors.TypingError(f"the items are {array.dtype}, for which there is no such operation")
    return array.dtype


def _check_array(array: Any) -> None:
    if not isinstance(array, types.Array) or array.ndim != 1:
        raise errors.TypingError(f"{array} is not an array of one dimension")
    if not array.mutable:
        raise errors.TypingError(f"{array} cannot be written to")
