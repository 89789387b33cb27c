"""Checking the requests to a thread in compiled code; see `core.machine.stop_flags`.

Code refers to the table of requests by name, not by address, so that code from disk finds the table of the
process that loads it.
"""

from __future__ import annotations

import os
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic

from branchwise.core.machine.stop_flags import (
    FIRST_SLOT,
    LEAVE_RULE,
    POSTED,
    REQUESTS,
    SEEN,
    SLOT_SIZE,
    SLOTS,
    STACK_KEY,
    TABLE,
)

_NAME = "branchwise_requests"
_WORD = ir.IntType(64)

llvm.add_symbol(_NAME, TABLE.ctypes.data)


def is_asked(builder: ir.IRBuilder, request: int) -> Any:
    """Emit a check for `request` to the running thread; returns an i1.

    A check for any request but LEAVE_RULE also shows that the thread is alive.
    """
    posted = peek(builder, POSTED)
    wanted = posted if request != LEAVE_RULE else builder.and_(posted, ir.Constant(_WORD, LEAVE_RULE))
    found = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(1), 0))
    somebody = builder.icmp_unsigned("!=", wanted, ir.Constant(_WORD, 0))
    with builder.if_then(somebody, likely=False):
        answer = builder.call(_lookup(builder.module), [ir.Constant(_WORD, request)])
        builder.store(builder.icmp_unsigned("!=", answer, ir.Constant(_WORD, 0)), found)
    return builder.load(found)


def is_asked_briefly(builder: ir.IRBuilder, request: int) -> Any:
    """Emit the same check with less but slower code, for places where it seldom runs.

    Rules with short loops are inlined into kernels, which makes them fast.
    """
    answer = builder.call(_lookup(builder.module), [ir.Constant(_WORD, request)])
    return builder.icmp_unsigned("!=", answer, ir.Constant(_WORD, 0))


def peek(builder: ir.IRBuilder, index: int) -> Any:
    """Emit code that reads a word of the table from memory."""
    return builder.load_atomic(_place(builder, ir.Constant(_WORD, index)), "monotonic", 8)


def stack_limit(builder: ir.IRBuilder) -> Any:
    """Emit code that returns the lowest address to which this thread's stack may grow; 0 if unknown."""
    if os.name == "nt":
        return ir.Constant(_WORD, 0)
    find = external(builder.module, "pthread_getspecific", _WORD, _WORD)
    return builder.call(find, [peek(builder, STACK_KEY)])


def external(module: ir.Module, name: str, returns: ir.Type, *parameters: ir.Type) -> Any:
    """Return a function of the C library."""
    return cgutils.get_or_insert_function(module, ir.FunctionType(returns, parameters), name)


@intrinsic(prefer_literal=True)
def asked(typing_context: Any, request: Any) -> Any:
    """Return whether there is a `request`, a constant of `core.machine.stop_flags`, to this thread."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return is_asked(builder, request.literal_value)

    return types.boolean(request), generate


def _place(builder: ir.IRBuilder, index: Any) -> Any:
    module = builder.module
    table = module.globals.get(_NAME)
    if table is None:
        table = ir.GlobalVariable(module, ir.ArrayType(_WORD, TABLE.size), _NAME)
        table.linkage = "external"
    return builder.gep(table, [ir.Constant(_WORD, 0), index], inbounds=True)


def _lookup(module: ir.Module) -> Any:
    """Return the function that reads the running thread's slot: (request) -> the request, or 0."""
    name = "branchwise_find_request"
    found = module.globals.get(name)
    if found is not None:
        return found
    function = ir.Function(module, ir.FunctionType(_WORD, [_WORD]), name)
    function.linkage = "linkonce_odr"
    function.attributes.add("noinline")
    function.attributes.add("inaccessiblememonly")  # states and trees: callers may keep them in registers
    (request,) = function.args
    entry, search, look, mine, other, nobody = (
        function.append_basic_block(part) for part in ("entry", "search", "look", "mine", "other", "nobody")
    )
    zero, one = ir.Constant(_WORD, 0), ir.Constant(_WORD, 1)
    builder = ir.IRBuilder(entry)
    builder.cbranch(builder.icmp_unsigned("==", peek(builder, POSTED), zero), nobody, search)

    builder.position_at_end(search)
    if os.name == "nt":
        thread = builder.zext(builder.call(external(module, "GetCurrentThreadId", ir.IntType(32)), []), _WORD)
    else:
        thread = builder.call(external(module, "pthread_self", _WORD), [])
    builder.branch(look)

    builder.position_at_end(look)
    slot = builder.phi(_WORD)
    slot.add_incoming(zero, search)
    start = builder.add(builder.mul(slot, ir.Constant(_WORD, SLOT_SIZE)), ir.Constant(_WORD, FIRST_SLOT))
    owner = builder.load_atomic(_place(builder, start), "monotonic", 8)
    builder.cbranch(builder.icmp_unsigned("==", owner, thread), mine, other)

    builder.position_at_end(mine)
    requests = builder.load_atomic(
        _place(builder, builder.add(start, ir.Constant(_WORD, REQUESTS))), "monotonic", 8
    )
    between = builder.icmp_unsigned("!=", request, ir.Constant(_WORD, LEAVE_RULE))
    with builder.if_then(between):
        seen = _place(builder, builder.add(start, ir.Constant(_WORD, SEEN)))
        builder.atomic_rmw("add", seen, one, "monotonic")
    builder.ret(builder.and_(requests, request))

    builder.position_at_end(other)
    following = builder.add(slot, one)
    slot.add_incoming(following, other)
    builder.cbranch(builder.icmp_unsigned("<", following, ir.Constant(_WORD, SLOTS)), look, nobody)

    builder.position_at_end(nobody)
    builder.ret(zero)
    return function
