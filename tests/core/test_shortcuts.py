"""Shortcuts through Numba's compiler: they give what Numba gives, and only while code is compiled."""

import itertools
import operator

import numba
import numpy as np
import pytest
from llvmlite.binding import ffi
from numba import types
from numba.core import base, compiler_lock, errors, ir, lowering, utils
from numba.core.compiler import run_frontend
from numba.core.registry import cpu_target
from numba.core.types.functions import BaseFunction
from numba.extending import overload

from branchwise.core.machine.compiler_shortcuts import shortcuts
from branchwise.core.machine.kernel import entry_kernel, kernel

OPERATORS = (
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod,
    operator.pow, operator.lshift, operator.rshift, operator.and_, operator.or_, operator.xor,
    operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge, operator.iadd,
)  # fmt: skip
NUMBERS = (
    types.int8, types.int64, types.uint64, types.float32, types.float64, types.boolean, types.literal(3)
)  # fmt: skip


def replaced():
    """Return what the shortcuts stand in for, as it is now."""
    return (
        BaseFunction.get_call_type,
        base.BaseContext.refresh,
        base._has_loc,
        ir.Inst._rec_list_vars,
        utils.order_by_target_specificity,
        lowering.new_error_context,
        compiler_lock.ev,
        ffi.lib._lock._cblist,
    )


def typed(function, *kinds):
    """Return the signature that Numba finds for an operator, or None."""
    context = cpu_target.typing_context
    try:
        return context.resolve_function_type(function, kinds, {})
    except errors.TypingError:
        return None


@pytest.mark.parametrize("function", OPERATORS, ids=lambda function: function.__name__)
def test_operators_of_numbers_have_the_types_that_numba_gives_them(function):
    numba.njit(lambda: 0)()  # the contexts have read their registries
    for kinds in itertools.product(NUMBERS, repeat=2):
        plain = typed(function, *kinds)
        with shortcuts():
            first, second = typed(function, *kinds), typed(function, *kinds)
        assert plain == first == second, kinds


def test_arrays_are_added_as_by_numba():
    array = types.Array(types.float64, 1, "C")
    plain = typed(operator.add, array, types.int64)
    with shortcuts():
        assert typed(operator.add, array, types.int64) == plain
    assert plain is not None


def test_every_variable_of_a_statement_is_listed():
    def function(a, b, *rest):
        first, second = a[b], (a, b, rest)
        a[b] = first + a[1:b][0]
        return [first, *second, {1: b}[1]]

    statements = [one for block in run_frontend(function).blocks.values() for one in block.body]
    assert any(len(statement.list_vars()) > 2 for statement in statements)
    for statement in statements:
        plain = [variable.name for variable in statement.list_vars()]
        with shortcuts():
            assert [variable.name for variable in statement.list_vars()] == plain, statement


def test_nothing_is_replaced_before_and_after_a_compile():
    before = replaced()
    during = []

    @kernel
    def inner(x):
        return x + 1

    @entry_kernel
    def outer(x):
        return inner(x)

    class Listener(numba.core.event.Listener):
        def on_start(self, event):
            during.append(replaced())

        def on_end(self, event):
            pass

    listener = Listener()
    numba.core.event.register("numba:run_pass", listener)
    try:
        assert outer(2) == 3
    finally:
        numba.core.event.unregister("numba:run_pass", listener)
    assert during
    assert all(now is not then for seen in during for now, then in zip(seen, before, strict=True))
    assert all(now is then for now, then in zip(replaced(), before, strict=True))


def test_nothing_is_replaced_after_a_compile_that_failed():
    before = replaced()

    @entry_kernel
    def faulty(x):
        return x.no_such_attribute

    with pytest.raises(errors.TypingError, match="no_such_attribute") as caught:
        faulty(1)
    assert "During: typing of get attribute at" in str(caught.value)
    assert "test_shortcuts.py" in str(caught.value)
    assert all(now is then for now, then in zip(replaced(), before, strict=True))


def test_what_was_registered_meanwhile_is_found():
    @entry_kernel
    def one(x):
        return x * 2

    assert one(3) == 6

    def doubled(x):
        raise AssertionError("only its overload is called")

    @overload(doubled)
    def overload_doubled(x):
        return lambda x: x * 2

    @entry_kernel
    def other(x):
        return doubled(x)

    assert other(4) == 8


def test_an_operator_of_a_type_of_ones_own_is_found():
    @overload(operator.add)
    def add_to_text(one, other):
        if isinstance(one, types.UniTuple) and isinstance(other, types.Integer):
            return lambda one, other: one[0] + other
        return None

    @entry_kernel
    def added(x):
        return (x, x) + 5

    assert added(2) == 7
    assert added(np.int8(3)) == 8
