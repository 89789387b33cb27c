"""A list of at most two actions, kept in registers, and a hint for branches that are nearly always taken.

A processor guesses which action a random game draws. If the guess was wrong, it starts again once the action
is known, which is later if the action has to be read from memory. Random games of Pig, whose rules take a few
instructions, are 1.4 times as fast with this list. Lists of three or four actions gain nothing.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.extending import infer_getattr, intrinsic, lower_getattr_generic, register_model
from numba.core.typing.templates import AttributeTemplate

ROOM = 2
"""Actions that a list has room for."""

_ACTION = ir.IntType(32)
_BIT = ir.IntType(1)


class ShortlistType(types.Type):
    """The type of these lists; a value is the addresses of ROOM variables of the function that made it."""

    dtype = types.int32

    def __init__(self) -> None:
        super().__init__(name="Shortlist")


SHORTLIST = ShortlistType()


@register_model(ShortlistType)
class _ShortlistModel(models.StructModel):
    def __init__(self, manager: Any, kind: ShortlistType) -> None:
        members = [(f"item_{place}", types.CPointer(kind.dtype)) for place in range(ROOM)]
        super().__init__(manager, kind, members)


@infer_getattr
class _ShortlistAttributes(AttributeTemplate):
    key = ShortlistType

    def generic_resolve(self, this: ShortlistType, name: str) -> Any:
        return types.intp if name == "size" else None


@lower_getattr_generic(ShortlistType)
def _size(context: Any, builder: Any, kind: ShortlistType, value: Any, name: str) -> Any:
    return context.get_constant(types.intp, ROOM)


@intrinsic
def new_shortlist(typing_context: Any) -> Any:
    """Return a list of zeros, for use in the calling function and those that it calls."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = ir.Constant(context.get_value_type(SHORTLIST), ir.Undefined)
        for place in range(ROOM):
            variable = cgutils.alloca_once(builder, _ACTION)
            builder.store(ir.Constant(_ACTION, 0), variable)
            made = builder.insert_value(made, variable, place)
        return made

    return SHORTLIST(), generate


@intrinsic
def item_of(typing_context: Any, shortlist: Any, place: Any) -> Any:
    """Return the action at `place`, int32; the first for a place outside of the list."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = builder.load(builder.extract_value(args[0], 0))
        for other in range(1, ROOM):
            here = builder.icmp_signed("==", args[1], ir.Constant(args[1].type, other))
            found = builder.select(here, builder.load(builder.extract_value(args[0], other)), found)
        return found

    return types.int32(SHORTLIST, types.intp), generate


def write_item(builder: ir.IRBuilder, shortlist: Any, place: Any, action: Any) -> None:
    """Emit code that writes an i32 at `place`, an integer; it does nothing if that is outside of the list."""
    for item in range(ROOM):
        variable = builder.extract_value(shortlist, item)
        here = builder.icmp_signed("==", place, ir.Constant(place.type, item))
        builder.store(builder.select(here, action, builder.load(variable)), variable)


@intrinsic
def likely(typing_context: Any, test: Any) -> Any:
    """Return `test`, a bool; the branch on it is compiled as one that is nearly always taken."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        expect = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_BIT, [_BIT, _BIT]), "llvm.expect.i1"
        )
        return builder.call(expect, [args[0], ir.Constant(_BIT, 1)])

    return types.boolean(types.boolean), generate
