"""Checks in compiled rules: in loops and in recursive functions, so that they can be stopped, and at stores.

A pass of the compiler adds the checks to every user function, including helpers; it needs no source. In each
iteration of a loop the code checks whether its thread is asked to leave the rule
(`core.machine.stop_requests`). If so, it raises `RuleLeftError`, which passes through all kernels to Python
like any exception of the rules.

Compiled code cuts a number that is too large for its field. Rules that are compiled for the rule checker
raise `OverflowError` instead; searches do not pay for that.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from types import CodeType, FunctionType
from typing import Any

import numpy as np
from llvmlite import ir as ir_types
from numba import types
from numba.core import cgutils, errors, ir
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.extending import intrinsic
from numba.core.typed_passes import NativeLowering, NopythonTypeInference
from numba.core.untyped_passes import FindLiterallyCalls

from branchwise.common.errors import RuleLeftError
from branchwise.compile.language.in_place_operations import OperateInPlace, RulePass
from branchwise.compile.states.native_types import ObjectType
from branchwise.core.machine.compiler import FULL, Compiler, LowerForLinking, replace_pass
from branchwise.core.machine.stop_flags import LEAVE_RULE
from branchwise.core.machine.stop_requests import is_asked, is_asked_briefly, stack_limit

warnings.filterwarnings("ignore", category=errors.NumbaTypeSafetyWarning)  # it names lines of Numba's own

FREE_ROUNDS = 400
"""Iterations of a loop, each time it is entered, before it checks requests.

Most loops of rules never run that long; if the compiler can prove it, it drops the counter.
"""

ORIGINAL_NAME = "branchwise_original_name"
"""Attribute of a twin with the user's name of the function."""

CALLS_ITSELF = "branchwise_calls_itself"
"""Attribute that is set on a function that may call itself, directly or through others."""

WATCHES_STORES = "branchwise_watches_stores"
"""Attribute that is set on a function whose stores are checked."""

_WORD = ir_types.IntType(64)


@intrinsic(prefer_literal=True)
def _begin_loop(typing_context: Any, loop: Any) -> Any:
    """Set a loop's counter to 0; `loop` is the literal number of the loop in its function."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(ir_types.Constant(_WORD, 0), _rounds(builder, loop.literal_value))
        return context.get_dummy_value()

    return types.void(loop), generate


@intrinsic(prefer_literal=True)
def _count_round(typing_context: Any, loop: Any, function: Any, line: Any) -> Any:
    """Count an iteration; after many, raise `RuleLeftError` if this thread is asked to leave the rule.

    function, line : literals for the error.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rounds = _rounds(builder, loop.literal_value)
        count = builder.add(builder.load(rounds), ir_types.Constant(_WORD, 1))
        builder.store(count, rounds)
        many = builder.icmp_unsigned(">", count, ir_types.Constant(_WORD, FREE_ROUNDS))
        unlikely = partial(builder.if_then, likely=False)
        with unlikely(many), unlikely(is_asked_briefly(builder, LEAVE_RULE)):
            place = (function.literal_value, line.literal_value)
            context.call_conv.return_user_exc(builder, RuleLeftError, place)
        return context.get_dummy_value()

    return types.void(loop, function, line), generate


@intrinsic(prefer_literal=True)
def _check_store(typing_context: Any, target: Any, field: Any, value: Any) -> Any:
    """Raise OverflowError if a number does not fit into an integer field, or an item of an array.

    field : literal name of the field of a state; '' for an item.
    """
    dtype = _narrow_type(target, field.literal_value)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = signature.args[2]
        if dtype is not None:
            where = f"self.{field.literal_value}" if field.literal_value else "an array"
            told = f"a number stored in {where} does not fit np.{dtype.name}"
            for is_wrong in _misfits(builder, number, np.iinfo(dtype), args[2]):
                with builder.if_then(is_wrong, likely=False):
                    context.call_conv.return_user_exc(builder, OverflowError, (told,))
        return context.get_dummy_value()

    return types.void(target, field, value), generate


def _narrow_type(target: Any, field: str) -> np.dtype[Any] | None:
    """Return the type of the field or the items that are stored to; None if all whole numbers fit.

    Those of 64 bits are not checked: the number itself was computed with as many.
    """
    dtype = None
    if isinstance(target, ObjectType) and field in (target.table.dtype.names or ()):
        dtype = target.table.dtype[field]
    elif isinstance(target, types.Array) and isinstance(target.dtype, types.Integer):
        dtype = np.dtype(target.dtype.name)
    return dtype if dtype is not None and dtype.kind in "iu" and dtype.itemsize < _WORD.width // 8 else None


def _misfits(builder: Any, number: Any, limits: Any, value: Any) -> Iterator[Any]:
    """Yield what is true if a whole number of type `number` is below or above `limits`."""
    if isinstance(number, types.Integer):
        compare = builder.icmp_signed if number.signed else builder.icmp_unsigned
        if number.minval < limits.min:
            yield compare("<", value, ir_types.Constant(value.type, int(limits.min)))
        if number.maxval > limits.max:
            yield compare(">", value, ir_types.Constant(value.type, int(limits.max)))


def _rounds(builder: Any, loop: int) -> Any:
    """Return the variable that counts the iterations of a loop in the function being compiled."""
    function = builder.function
    if not hasattr(function, "branchwise_rounds"):
        function.branchwise_rounds = {}
    if loop not in function.branchwise_rounds:
        function.branchwise_rounds[loop] = cgutils.alloca_once(builder, _WORD)
    return function.branchwise_rounds[loop]


@intrinsic(prefer_literal=True)
def _enter(typing_context: Any, function: Any, line: Any) -> Any:
    """Raise RecursionError if the thread's stack is nearly full, `RuleLeftError` if asked to leave."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        name = function.literal_value
        here = builder.ptrtoint(cgutils.alloca_once(builder, _WORD), _WORD)
        with builder.if_then(builder.icmp_unsigned("<", here, stack_limit(builder)), likely=False):
            told = (f"{name} calls itself too deeply",)
            context.call_conv.return_user_exc(builder, RecursionError, told)
        with builder.if_then(is_asked(builder, LEAVE_RULE), likely=False):
            context.call_conv.return_user_exc(builder, RuleLeftError, (name, line.literal_value))
        return context.get_dummy_value()

    return types.void(function, line), generate


@register_pass(mutates_CFG=False, analysis_only=False)
class _AddChecks(RulePass):
    _name = "branchwise_add_checks"

    def run_pass(self, state: Any) -> bool:
        blocks = state.func_ir.blocks
        code, name = state.func_id.code, original_name(state.func_id.func)
        if state.func_id.func.__dict__.get(CALLS_ITSELF):
            first = blocks[min(blocks)]
            arguments = sum(isinstance(s, ir.Assign) and isinstance(s.value, ir.Arg) for s in first.body)
            _insert_call(first, arguments, _enter, name, 0)
        loops = sorted(compute_cfg_from_blocks(blocks).loops().values(), key=lambda loop: loop.header)
        for number, loop in enumerate(loops):
            for entry in loop.entries:
                block = blocks[entry]
                _insert_call(block, len(block.body) - 1, _begin_loop, number)
            header = blocks[loop.header]
            _insert_call(header, 0, _count_round, number, name, line_number(code, header.loc.line))
        if state.func_id.func.__dict__.get(WATCHES_STORES):
            for block in blocks.values():
                _watch_stores(block)
        return True


def _watch_stores(block: ir.Block) -> None:
    """Insert a check before each statement that stores to a field or an item."""
    for place in range(len(block.body) - 1, -1, -1):
        statement = block.body[place]
        if isinstance(statement, ir.SetAttr | ir.SetItem | ir.StaticSetItem):
            field = statement.attr if isinstance(statement, ir.SetAttr) else ""
            _insert_call(block, place, _check_store, statement.target, field, statement.value)


def _insert_call(block: ir.Block, place: int, function: Any, *arguments: Any) -> None:
    """Insert a call before statement number `place` of a block; arguments : variables and constants."""
    scope, loc = block.scope, block.loc
    called = scope.redefine("$check", loc)
    calls = [ir.Assign(ir.FreeVar(0, "branchwise_check", function, loc), called, loc)]
    given = []
    for argument in arguments:
        if not isinstance(argument, ir.Var):
            calls.append(ir.Assign(ir.Const(argument, loc), scope.redefine("$check", loc), loc))
            argument = calls[-1].target
        given.append(argument)
    calls.append(ir.Assign(ir.Expr.call(called, given, (), loc), scope.redefine("$checked", loc), loc))
    block.body[place:place] = calls


@register_pass(mutates_CFG=True, analysis_only=False)
class _LowerRule(LowerForLinking):
    _name = "branchwise_lower_rule"
    _level = FULL
    """Rules can be large: Connect Four's became a tenth slower at level 1."""

    def needs_address(self, function: FunctionType) -> bool:
        return bool(function.__dict__.get(CALLS_ITSELF))


class GuardedCompiler(Compiler):
    """Numba's compiler, extended by checks in loops."""

    def define_pipelines(self) -> list[Any]:
        manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
        manager.add_pass_after(_AddChecks, FindLiterallyCalls)
        manager.add_pass_after(OperateInPlace, NopythonTypeInference)
        manager.add_pass_after(_RefuseUnchecked, NopythonTypeInference)
        replace_pass(manager, NativeLowering, _LowerRule)
        manager.finalize()
        return [manager]


@register_pass(mutates_CFG=False, analysis_only=True)
class _RefuseUnchecked(RulePass):
    _name = "branchwise_refuse_unchecked"

    def run_pass(self, state: Any) -> bool:
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                array = _indexed(statement)
                if array is not None and isinstance(state.typemap[array.name], types.NumpyFlatType):
                    raise errors.TypingError(
                        "items of .flat cannot be taken by number",
                        loc=statement.loc,
                    )
        return False


def _indexed(statement: Any) -> Any:
    """Return the variable of which a statement gets or sets an item; None if it does neither."""
    if isinstance(statement, ir.SetItem | ir.StaticSetItem):
        return statement.target
    value = getattr(statement, "value", None)
    if isinstance(value, ir.Expr) and value.op in ("getitem", "static_getitem"):
        return value.value
    return None


def original_name(function: FunctionType) -> str:
    """Return the user's name of a function, given its compilable twin."""
    return str(function.__dict__.get(ORIGINAL_NAME, function.__qualname__))


def line_number(code: CodeType, line: int) -> int:
    """Return the index, among the lines of `code`, of line `line` of its file.

    Edits of comments or blank lines do not change it, and so do not make cached code stale.
    """
    lines = _lines(code)
    return lines.index(line) if line in lines else 0


def _lines(code: CodeType) -> list[int]:
    found = {number for *_, number in code.co_lines() if number}
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(_lines(constant))
    return sorted(found)


def place_of(error: RuleLeftError, codes: Mapping[str, CodeType]) -> tuple[str, int] | None:
    """Return file and line of the interrupted loop, if known.

    codes : of the functions that may have been left, by name.
    """
    if error.file is not None:
        return error.file, error.line
    code = codes.get(error.function)
    return None if code is None else (code.co_filename, line_of(code, error.place))


def line_of(code: CodeType, place: int) -> int:
    """Return the line in its file for a `place` that `line_number` returned."""
    lines = _lines(code)
    return lines[min(place, len(lines) - 1)]
