"""Operations in place on arrays, such as `self.sums[3:] |= self.members[:5]`, as NumPy does them.

Python stores the result of such a statement in the place that it came from, where it already is. Numba copies
it element by element, twice if it cannot tell that both are the same place. In `weak_schur` that took half of
the time of a playout. And where both sides share memory, as in `a[1:] += a[:-1]`, NumPy uses the elements on
the right as they were before; Numba would read some that it has just changed.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils, ir
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.extending import intrinsic
from numba.np.arrayobj import extents_may_overlap, get_array_memory_extents, make_array

from branchwise.core.machine.kernel import counting_kernel


@intrinsic
def _may_share_memory(typing_context: Any, one: Any, other: Any) -> Any:
    """Return whether two arrays are in parts of memory that overlap."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        extents: list[Any] = []
        for kind, value in zip(signature.args, args, strict=True):
            array = make_array(kind)(context, builder, value)
            shape, strides = (cgutils.unpack_tuple(builder, one) for one in (array.shape, array.strides))
            extents += get_array_memory_extents(context, builder, kind, array, shape, strides, array.data)
        return extents_may_overlap(context, builder, *extents)

    return types.boolean(one, other), generate


@counting_kernel
def _as_it_was(source: Any, target: Any) -> Any:
    """Return all of `source`, or a copy of it if writing to `target` could change it."""
    whole = source[:]  # the same type for a field of a state as for any other array
    if _may_share_memory(whole, target[:]):  # type: ignore[call-arg]
        return whole.copy()
    return whole


class RulePass(FunctionPass):  # type: ignore[misc]
    """A pass of the compiler over a function of the rules."""

    def __init__(self) -> None:
        super().__init__()


@register_pass(mutates_CFG=False, analysis_only=False)
class OperateInPlace(RulePass):
    """Leaves out copies of parts to themselves, and reads what an operation changes before it does."""

    _name = "branchwise_operate_in_place"

    def run_pass(self, state: Any) -> bool:
        changed = False
        for block in state.func_ir.blocks.values():
            assigned = [one for one in block.body if isinstance(one, ir.Assign)]
            values = {one.target.name: one.value for one in assigned}
            kept: list[Any] = []
            for statement in block.body:
                if not _is_self_copy(statement, values, state.typemap):
                    kept += _calls_before(statement, block, state)
                    kept.append(statement)
            changed |= len(kept) != len(block.body)
            block.body = kept
        return changed


def _calls_before(statement: Any, block: ir.Block, state: Any) -> list[ir.Assign]:
    """Return the call of `_as_it_was` for the second operand of an operation in place, which then uses it."""
    value = getattr(statement, "value", None)
    if not isinstance(value, ir.Expr) or value.op != "inplace_binop":
        return []
    target, source = (state.typemap[one.name] for one in (value.lhs, value.rhs))
    if not isinstance(target, types.Array) or not isinstance(source, types.Array):
        return []
    if not (target.mutable and source.mutable) or target.dtype != source.dtype:
        return []
    scope, loc = block.scope, statement.loc
    called, result = scope.redefine("$as_it_was", loc), scope.redefine("$source", loc)
    function = types.Dispatcher(_as_it_was)
    signature = function.get_call_type(state.typingctx, (source, target), {})
    call = ir.Expr.call(called, (value.rhs, value.lhs), (), loc)
    state.typemap[called.name] = function
    state.typemap[result.name] = signature.return_type
    state.calltypes[call] = signature
    value.rhs = result
    del state.calltypes[value]  # it cannot be overwritten
    operands = target, signature.return_type
    state.calltypes[value] = state.typingctx.resolve_function_type(value.fn, operands, {})
    return [ir.Assign(ir.Global("_as_it_was", _as_it_was, loc), called, loc), ir.Assign(call, result, loc)]


def _is_self_copy(statement: Any, values: dict[str, Any], typemap: dict[str, Any]) -> bool:
    """Whether a statement stores `a[i] op= x` where a[i] is a view of the array, which shares its memory.

    values : what the variables of its block are set to, each once.
    """
    if not isinstance(statement, ir.SetItem | ir.StaticSetItem):
        return False
    result = values.get(statement.value.name)
    if not isinstance(result, ir.Expr) or result.op != "inplace_binop":
        return False
    view = values.get(result.lhs.name)
    if not isinstance(view, ir.Expr) or view.op not in ("getitem", "static_getitem"):
        return False
    index, taken = _index(statement), _index(view)
    if view.value.name != statement.target.name or index is None or taken is None or taken.name != index.name:
        return False
    whole, part, stored = (typemap[one.name] for one in (view.value, result.lhs, statement.value))
    arrays = all(isinstance(kind, types.Array) for kind in (whole, part, stored))
    return arrays and part.mutable and _is_basic(typemap[index.name])


def _index(one: Any) -> Any:
    """Return the variable with the index of a statement or expression about items; None for a constant."""
    is_static = isinstance(one, ir.StaticSetItem) or getattr(one, "op", "") == "static_getitem"
    return one.index_var if is_static else one.index


def _is_basic(index: Any) -> bool:
    """Whether an index gives a view; an array of indices gives a copy, which has to be stored."""
    if isinstance(index, types.BaseTuple):
        return all(map(_is_basic, index))
    return isinstance(index, types.Integer | types.SliceType | types.EllipsisType)
