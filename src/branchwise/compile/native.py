"""The type that a state has in compiled code.

`StateType` wraps a pointer to the record of a state's fields. Getting and setting an attribute goes to the
record; constants of the game are literal values; methods resolve through the game's own `Rules` table, so
each game, and each version of a game, has a type and machine code of its own.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils, errors
from numba.core.datamodel import models
from numba.core.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
    overload,
    register_model,
    unbox,
)
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.np import numpy_support
from numba.np.arrayobj import record_getattr, record_setattr
from numpy.typing import NDArray

from branchwise.core.kernel import INNER
from branchwise.game import Game

ALIGNMENT = 64


class Rules(Protocol):
    """What compiled code needs to know of a game."""

    game: type[Game]
    name: str
    label: str
    fingerprint: str
    fit_for_cache: bool
    dtype: np.dtype[Any]
    field_names: frozenset[str]
    constants: dict[str, Any]
    methods: dict[str, Any]
    statics: dict[str, Any]
    properties: dict[str, Any]

    def is_current(self) -> bool: ...


_types_by_fingerprint: dict[str, StateType] = {}


class StateType(types.Type):
    """Numba's type of a state of one game; equal exactly for equal fingerprints."""

    mutable = True

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.record = numpy_support.from_dtype(_without_bool_arrays(rules.dtype))
        self.members = self.record.members
        self.size = self.record.size
        super().__init__(name=f"State({rules.name}-{rules.fingerprint})")

    @property
    def key(self) -> str:
        return self.rules.fingerprint

    def field_type(self, name: str) -> Any:
        """Return the type that rules see when they read a field."""
        dtype = self.rules.dtype[name]
        if dtype.subdtype is not None and dtype.base.kind == "b":
            return types.Array(types.boolean, dtype.ndim, "C")
        return self.record.typeof(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return state_type_of, (self.rules.fingerprint,)


def _without_bool_arrays(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same layout with bytes for arrays of bool, which Numba has not in records."""
    assert dtype.fields is not None
    names = list(dtype.fields)
    formats = [
        np.dtype((np.uint8, field.shape)) if field.subdtype is not None and field.base.kind == "b" else field
        for field, *_ in dtype.fields.values()
    ]
    offsets = [place[1] for place in dtype.fields.values()]
    return np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": dtype.itemsize},
        align=dtype.isalignedstruct,
    )


def state_type(rules: Rules) -> StateType:
    """Return the type for `rules`, the same object for the same fingerprint."""
    known = _types_by_fingerprint.get(rules.fingerprint)
    if known is None:
        known = _types_by_fingerprint[rules.fingerprint] = StateType(rules)
    return known


def state_type_of(fingerprint: str) -> StateType:
    """Return the type that `state_type` made for this fingerprint; used when cached code is loaded."""
    return _types_by_fingerprint[fingerprint]


class NativeStates:
    """Memory for `count` states of one game, passed to kernels as a pointer to the first."""

    def __init__(self, state_type: StateType, count: int = 1) -> None:
        self._numba_type_ = state_type
        self.records: NDArray[Any] = np.zeros(count, state_type.rules.dtype)
        self.address: int = self.records.ctypes.data


@register_model(StateType)
class _StateModel(models.RecordModel):
    pass


@unbox(StateType)
def _unbox_state(typ: StateType, obj: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(obj, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    value = c.builder.bitcast(pointer, c.context.get_value_type(typ))
    return NativeValue(value, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


class _Method(types.BoundFunction):
    """A method of the rules, bound to a state."""

    def __init__(self, name: str, dispatcher: Any, this: StateType) -> None:
        function = types.Dispatcher(dispatcher)

        class Template(AbstractTemplate):
            key = (this, name)

            def generic(self, args: Any, kws: Any) -> Any:
                plain = [types.unliteral(a) for a in args]
                named = {k: types.unliteral(a) for k, a in kws.items()}
                signature = function.get_call_type(self.context, (this, *plain), named)
                if signature is None:
                    return None
                python = signature.pysig
                parameters = list(python.parameters.values())[1:]
                return signature.as_method().replace(pysig=python.replace(parameters=parameters))

        self._dispatcher = dispatcher
        super().__init__(Template, this)

    @property
    def key(self) -> Any:
        return self.typing_key, self.this

    def get_impl_key(self, sig: Any) -> Any:
        return self._dispatcher.get_overload(sig.args)


@register_model(_Method)
def _method_model(manager: Any, method: _Method) -> Any:
    return manager[method.this]


@infer_getattr
class _StateAttributes(AttributeTemplate):
    key = StateType

    def generic_resolve(self, state: StateType, name: str) -> Any:
        rules = state.rules
        if name in rules.field_names:
            return state.field_type(name)
        if name in rules.constants:
            return _constant_type(state, name, self.context)
        if name in rules.methods:
            return _Method(name, rules.methods[name], state)
        if name in rules.statics:
            return types.Dispatcher(rules.statics[name])
        if name in rules.properties:
            return _property_signature(self.context, state, name).return_type
        return None


def _constant_type(state: StateType, name: str, typing_context: Any) -> Any:
    value = state.rules.constants[name]
    found = typing_context.resolve_value_type(value) if not isinstance(value, list | dict | set) else None
    if found is None:
        raise errors.TypingError(
            f"the constant {name} is a {type(value).__name__}, which compiled rules cannot read; "
            "use numbers, tuples or NumPy arrays"
        )
    return types.unliteral(found)


def _property_signature(typing_context: Any, state: StateType, name: str) -> Any:
    function = types.Dispatcher(state.rules.properties[name])
    return function.get_call_type(typing_context, (state,), {})


@lower_getattr_generic(StateType)
def _get_attribute(context: Any, builder: Any, typ: StateType, value: Any, name: str) -> Any:
    rules = typ.rules
    if name in rules.field_names:
        return record_getattr(context, builder, typ.record, value, name)
    if name in rules.constants:
        constant_type = _constant_type(typ, name, context.typing_context)
        return context.get_constant_generic(builder, constant_type, rules.constants[name])
    if name in rules.properties:
        function = types.Dispatcher(rules.properties[name])
        signature = _property_signature(context.typing_context, typ, name)
        return context.get_function(function, signature)(builder, (value,))
    return context.get_dummy_value()


@lower_cast(types.Array, types.NestedArray)
def _refuse_other_arrays(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Numba would end an assignment of any other array to an array field in a bare AssertionError."""
    if given == wanted:
        return value
    raise errors.TypingError("an array field cannot be set as a whole; write self.name[:] = ...")


@lower_setattr_generic(StateType)
def _set_attribute(context: Any, builder: Any, sig: Any, args: Any, name: str) -> Any:
    state, value = sig.args
    if name not in state.rules.field_names:
        raise errors.TypingError(f"{name} is not a field, so rules cannot set it")
    field = state.field_type(name)
    same = value == field and isinstance(value, types.NestedArray)  # of known, equal shape
    if isinstance(field, types.Array) and not same:
        raise errors.TypingError("an array field cannot be set as a whole; write self.name[:] = ...")
    return record_setattr(context, builder, sig.replace(args=(state.record, value)), args, name)


# --- what every state can do in kernels -----------------------------------------------------------------


@intrinsic
def _copy_record(typing_context: Any, target: Any, source: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = context.get_constant(types.intp, signature.args[0].size)
        byte = ir.IntType(8).as_pointer()
        cgutils.raw_memcpy(builder, builder.bitcast(args[0], byte), builder.bitcast(args[1], byte), size, 1)
        return context.get_dummy_value()

    return types.void(target, source), generate


@intrinsic
def _offset_record(typing_context: Any, state: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return state(state, types.intp), generate


@njit(**INNER)
def _copy_from(self, source):
    """Make this state equal to `source`."""
    _copy_record(self, source)


@njit(**INNER)
def _at(self, index):
    """Return the state `index` places further in the same `NativeStates`."""
    return _offset_record(self, index)


@intrinsic
def _store_tuple(typing_context: Any, out: Any, values: Any) -> Any:
    """Write a tuple of numbers, of whatever types, to the start of a float64 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        for i, kind in enumerate(signature.args[1].types):
            item = builder.extract_value(args[1], i)
            number = context.cast(builder, item, kind, types.float64)
            builder.store(number, builder.gep(array.data, [context.get_constant(types.intp, i)]))
        return context.get_dummy_value()

    return types.void(out, values), generate


def _store(state, out, values):
    """Write `values`, one number a player, to `out`; there is only the compiled form below."""
    raise NotImplementedError


@overload(_store)
def _overload_store(state, out, values):
    players = state.rules.constants["num_players"]
    if isinstance(values, types.BaseTuple):
        if len(values) != players:
            raise errors.TypingError(
                f"it gives {len(values)} numbers, but there are {players} players; give one number a player"
            )
        return lambda state, out, values: _store_tuple(out, values)
    if not isinstance(values, types.Array):
        raise errors.TypingError(f"it gives a {values}, not one number a player; give a tuple or an array")

    def store_array(state, out, values):
        if values.size == out.size:
            for player in range(out.size):
                out[player] = values[player]
        else:
            out[:] = np.nan  # which no bounds allow

    return store_array


@njit(**INNER)
def _write_returns(self, out):
    """Write the returns into `out`, float64, one a player."""
    _store(self, out, self.returns())


@njit(**INNER)
def write_evaluation(self, out):
    """Write the worth of an unfinished game into `out`, float64, one a player."""
    _store(self, out, self.evaluate())


@njit(**INNER)
def write_middle(self, out):
    """The same for rules without `evaluate`: the middle between the worst and the best return."""
    out[:] = (self.min_return + self.max_return) / 2


@njit(**INNER)
def fill_from_generator(self, buffer):
    """Fill `buffer` from the rules' generator itself; returns how much it yielded."""
    count = 0
    for action in self.legal_actions():
        if count < buffer.size:
            buffer[count] = action
        count += 1
    return count


STATE_METHODS = {"copy_from": _copy_from, "at": _at, "write_returns": _write_returns}
