"""The types of states and searches in compiled code.

An `ObjectType` wraps a pointer to a record of fields. Attributes are read from and written to the record;
constants are literal values; methods are resolved by the type's `Table`. So each game, each version of
a game, and each composition of a search has its own type and machine code.
"""

from __future__ import annotations

from collections.abc import Collection
from types import CodeType
from typing import Any, Protocol, TypeVar

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
from numba.np.arrayobj import populate_array, record_getattr, record_setattr
from numpy.typing import NDArray

from branchwise.core.halting import asked
from branchwise.core.kernel import INNER, UNCOUNTED
from branchwise.core.memory import address, aligned_zeros
from branchwise.core.playout import play_for_rewards, play_randomly
from branchwise.core.random import mixed
from branchwise.core.requests import END_GAME
from branchwise.core.shortlist import ShortlistType, write_item
from branchwise.game import Game
from branchwise.starter import INNER as INNER_STATE

ALIGNMENT = 64
_HELPER = {**INNER, **UNCOUNTED}
HASH_STEP = np.uint64(0x9E3779B97F4A7C15)
_ODD = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


class Table(Protocol):
    """The fields, constants and methods of an object type."""

    name: str
    fingerprint: str
    fit_for_cache: bool
    dtype: np.dtype[Any]
    constants: dict[str, Any]
    methods: dict[str, Any]
    statics: dict[str, Any]
    properties: dict[str, Any]
    arrays: dict[str, np.dtype[Any]]
    """Item types of arrays whose address and length are in the fields `name_at` and `name_size`."""


class Rules(Table, Protocol):
    """The table of a game."""

    game: type[Game]
    label: str
    codes: dict[str, CodeType]
    inner: StateType | None
    """The type that the attribute `starter.INNER` has: the same record, read by the game's own rules."""

    def is_current(self) -> bool: ...


T = TypeVar("T", bound="ObjectType")

_types_by_fingerprint: dict[str, ObjectType] = {}
_kinds: set[type[ObjectType]] = set()


class ObjectType(types.Type):
    """Numba type of a record with constants and methods; types are equal if their fingerprints are."""

    mutable = True
    kind = "Object"

    def __init__(self, table: Table) -> None:
        self.table = table
        self.record = numpy_support.from_dtype(_without_bool_arrays(table.dtype))
        self.members = self.record.members
        self.size = self.record.size
        super().__init__(name=f"{self.kind}({table.name}-{table.fingerprint})")

    @property
    def key(self) -> str:
        return self.table.fingerprint

    def field_type(self, name: str) -> Any:
        """Return the type of a field in compiled code."""
        dtype = self.table.dtype[name]
        if dtype.subdtype is not None and dtype.base.kind == "b":
            return types.Array(types.boolean, dtype.ndim, "C")
        return self.record.typeof(name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _known_type, (self.table.fingerprint,)


class StateType(ObjectType):
    """The type of the states of one game."""

    kind = "State"

    @property
    def rules(self) -> Rules:
        rules: Rules = self.table  # type: ignore[assignment]
        return rules

    @property
    def known_constants(self) -> dict[str, Any]:
        """Constants that `core.compiler` writes into kernels in place of attributes."""
        methods = self.table.methods
        return {
            "has_chance": "draw_outcome" in methods,
            "pays": "apply_for_rewards" in methods,
            "moves_alone": "apply_action" in methods,
            "simulates": "apply_randomly" in methods,
            "draws_actions": "draw_action" in methods,
            "samples_actions": "sample_action" in methods and "draw_action" not in methods,
            "samples": "sample_outcome" in methods and "draw_outcome" not in methods,
            "lists_few": "draw_from_few" in methods,
            "codes": "action_code" in methods,
            "biased": "prior" in methods,
            "chooses": "playout_action" in methods,
            "determinizes": "deal_anew" in methods,
            "rejects": "fits" in methods,
            "weighs": "weigh_observation" in methods,
            "jitters": "jitter_state" in methods,
        }


class SearchType(ObjectType):
    """The type of a search: its numbers and its kernels."""

    kind = "Search"

    @property
    def known_constants(self) -> dict[str, Any]:
        """Constants that `core.compiler` writes into kernels in place of attributes."""
        return self.table.constants


def _without_bool_arrays(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the same layout with bytes in place of arrays of bool, which Numba lacks in records."""
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


def object_type(kind: type[T], table: Table) -> T:
    """Return the type for `table`; equal fingerprints give the same object."""
    if kind not in _kinds:
        register_model(kind)(_ObjectModel)
        _kinds.add(kind)
    known = _types_by_fingerprint.get(table.fingerprint)
    if known is None:
        known = _types_by_fingerprint[table.fingerprint] = kind(table)
    assert isinstance(known, kind)
    return known


def _known_type(fingerprint: str) -> ObjectType:
    """Return the type that `object_type` made for this fingerprint; for loading cached code."""
    return _types_by_fingerprint[fingerprint]


class NativeRecords:
    """Memory for `count` records of one type, passed to kernels as a pointer to the first."""

    def __init__(self, native: ObjectType, count: int = 1) -> None:
        self._numba_type_ = native
        self.records: NDArray[Any] = aligned_zeros(count, native.table.dtype)
        self.address: int = address(self.records)

    def part(self, index: int) -> NativeRecords:
        """Return the records from number `index` on, in the same memory."""
        part = object.__new__(NativeRecords)
        part._numba_type_ = self._numba_type_
        part.records = self.records[index:]
        part.address = address(part.records)
        return part


class _ObjectModel(models.RecordModel):
    pass


@unbox(ObjectType)
def _unbox_object(typ: ObjectType, obj: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(obj, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    value = c.builder.bitcast(pointer, c.context.get_value_type(typ))
    return NativeValue(value, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


class _Method(types.BoundFunction):
    """A method of an object's table, bound to the object."""

    def __init__(self, name: str, dispatcher: Any, this: ObjectType) -> None:
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
class _ObjectAttributes(AttributeTemplate):
    key = ObjectType

    def generic_resolve(self, this: ObjectType, name: str) -> Any:
        table = this.table
        if name == INNER_STATE and isinstance(this, StateType) and this.rules.inner is not None:
            return this.rules.inner
        if name in (table.dtype.names or ()):
            return this.field_type(name)
        if name in table.constants:
            return _constant_type(this, name, self.context)
        if name in table.methods:
            return _Method(name, table.methods[name], this)
        if name in table.statics:
            return types.Dispatcher(table.statics[name])
        if name in table.properties:
            return _property_signature(self.context, this, name).return_type
        if name in table.arrays:
            return _array_type(table, name)
        return None


def _constant_type(this: ObjectType, name: str, typing_context: Any) -> Any:
    value = this.table.constants[name]
    found = typing_context.resolve_value_type(value) if not isinstance(value, list | dict | set) else None
    if found is None:
        raise errors.TypingError(
            f"the constant {name} is a {type(value).__name__}, which compiled rules cannot read; "
            "use numbers, tuples or NumPy arrays"
        )
    return types.unliteral(found)


def _property_signature(typing_context: Any, this: ObjectType, name: str) -> Any:
    function = types.Dispatcher(this.table.properties[name])
    return function.get_call_type(typing_context, (this,), {})


@lower_getattr_generic(ObjectType)
def _get_attribute(context: Any, builder: Any, typ: ObjectType, value: Any, name: str) -> Any:
    table = typ.table
    if name == INNER_STATE and isinstance(typ, StateType) and typ.rules.inner is not None:
        return builder.bitcast(value, context.get_value_type(typ.rules.inner))  # its fields come first
    if name in (table.dtype.names or ()):
        return record_getattr(context, builder, typ.record, value, name)
    if name in table.constants:
        constant_type = _constant_type(typ, name, context.typing_context)
        return context.get_constant_generic(builder, constant_type, table.constants[name])
    if name in table.properties:
        function = types.Dispatcher(table.properties[name])
        signature = _property_signature(context.typing_context, typ, name)
        return context.get_function(function, signature)(builder, (value,))
    if name in table.arrays:
        return _array_at_address(context, builder, typ, value, name)
    return context.get_dummy_value()


def _array_type(table: Table, name: str) -> types.Array:
    return types.Array(numpy_support.from_dtype(np.dtype(table.arrays[name])), 1, "C")


def _array_at_address(context: Any, builder: Any, typ: ObjectType, value: Any, name: str) -> Any:
    array_type = _array_type(typ.table, name)
    address, size = (
        record_getattr(context, builder, typ.record, value, f"{name}_{part}") for part in ("at", "size")
    )
    array = context.make_array(array_type)(context, builder)
    item_size = context.get_constant(types.intp, np.dtype(typ.table.arrays[name]).itemsize)
    populate_array(
        array,
        data=builder.inttoptr(address, array.data.type),
        shape=[size],
        strides=[item_size],
        itemsize=item_size,
        meminfo=None,
    )
    return array._getvalue()


@lower_cast(types.Array, types.NestedArray)
def _refuse_other_arrays(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Reject other arrays in an assignment to an array field, which in Numba is a bare AssertionError."""
    if given == wanted:
        return value
    raise errors.TypingError("an array field cannot be set as a whole; write self.name[:] = ...")


@lower_setattr_generic(ObjectType)
def _set_attribute(context: Any, builder: Any, sig: Any, args: Any, name: str) -> Any:
    this, value = sig.args
    if name not in (this.table.dtype.names or ()):
        raise errors.TypingError(f"{name} is not a field, so rules cannot set it")
    field = this.field_type(name)
    same = value == field and isinstance(value, types.NestedArray)  # of known, equal shape
    if isinstance(field, types.Array) and not same:
        raise errors.TypingError("an array field cannot be set as a whole; write self.name[:] = ...")
    return record_setattr(context, builder, sig.replace(args=(this.record, value)), args, name)


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


@intrinsic
def put(typing_context: Any, buffer: Any, index: Any, action: Any) -> Any:
    """Write a legal action to an array, without checking the index, or to a shortlist."""
    if not isinstance(action, types.Integer | types.Boolean):
        raise errors.TypingError(f"legal_actions yields a {action}, not a whole number")

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = context.cast(builder, args[2], signature.args[2], signature.args[0].dtype)
        if isinstance(signature.args[0], ShortlistType):
            write_item(builder, args[0], args[1], number)
            return context.get_dummy_value()
        array = context.make_array(signature.args[0])(context, builder, args[0])
        builder.store(number, builder.gep(array.data, [args[1]]))
        return context.get_dummy_value()

    return types.void(buffer, types.intp, types.unliteral(action)), generate


@njit(**_HELPER)
def _copy_from(self, source):
    """Make this state equal to `source`."""
    _copy_record(self, source)


@njit(**_HELPER)
def _at(self, index):
    """Return the state `index` places further on in the same `NativeRecords`."""
    return _offset_record(self, index)


@intrinsic
def _store_tuple(typing_context: Any, out: Any, values: Any) -> Any:
    """Write a tuple of numbers of any types to the start of a float64 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        for i, kind in enumerate(signature.args[1].types):
            item = builder.extract_value(args[1], i)
            number = context.cast(builder, item, kind, types.float64)
            builder.store(number, builder.gep(array.data, [context.get_constant(types.intp, i)]))
        return context.get_dummy_value()

    return types.void(out, values), generate


def _storing(rule: str) -> Any:
    """Return a function (state, out, values) that writes `rule`'s result, one number a player, to `out`."""

    def store(state, out, values):
        raise NotImplementedError  # there is only the compiled form below

    @overload(store, jit_options=INNER)  # type: ignore[arg-type]
    def overload_store(state, out, values):
        players = state.rules.constants["num_players"]
        if isinstance(values, types.BaseTuple) and all(map(_is_number, values)):
            if len(values) != players:
                raise errors.TypingError(
                    f"{rule} gives {len(values)} numbers, but there are {players} players; "
                    "give one number a player"
                )
            return lambda state, out, values: _store_tuple(out, values)
        row = isinstance(values, types.List) or (isinstance(values, types.Array) and values.ndim == 1)
        if not (row and _is_number(values.dtype)):
            raise errors.TypingError(
                f"{rule} gives a {values}, not one number a player; give a tuple or an array of numbers"
            )

        def store_row(state, out, values):
            if len(values) == out.size:
                for player in range(out.size):
                    out[player] = values[player]
            else:
                out[:] = np.nan  # which no bounds allow

        return store_row

    return store


@intrinsic
def _store_rewards(typing_context: Any, state: Any, out: Any, start: Any, given: Any) -> Any:
    """Write what `apply_action` returned to a float64 array, one number a player, from index `start` on.

    It is None, a number, a tuple of numbers, or an optional one of these if only some paths return it.
    """
    players = state.rules.constants["num_players"]
    inner = given.type if isinstance(given, types.Optional) else given
    if isinstance(inner, types.BaseTuple) and all(map(_is_number, inner.types)):
        count = len(inner)
    elif _is_number(inner) or isinstance(inner, types.NoneType):
        count = 1 if _is_number(inner) else players
    else:
        raise errors.TypingError(
            f"apply_action returns a {inner}, no reward; return a number, or a tuple with one number a player"
        )
    if count != players:
        raise errors.TypingError(
            f"apply_action returns {count} numbers, but there are {players} players; "
            "return a reward for each player"
        )

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[1])(context, builder, args[1])
        value = args[3]
        valid = None
        if isinstance(given, types.Optional):
            optional = context.make_helper(builder, given, value=value)
            valid, value = cgutils.as_bool_bit(builder, optional.valid), optional.data
        zero = context.get_constant(types.float64, 0.0)
        for player in range(players):
            number = zero
            if isinstance(inner, types.BaseTuple):
                item = builder.extract_value(value, player)
                number = context.cast(builder, item, inner.types[player], types.float64)
            elif _is_number(inner):
                number = context.cast(builder, value, inner, types.float64)
            if valid is not None:
                number = builder.select(valid, number, zero)
            place = builder.add(args[2], context.get_constant(types.intp, player))
            builder.store(number, builder.gep(array.data, [place]))
        return context.get_dummy_value()

    return types.void(state, out, types.intp, given), generate


@njit(**INNER)
def _apply_for_rewards(self, action, out, start):
    """Apply an action or an outcome, and write its rewards to `out`, float64, from `start` on."""
    _store_rewards(self, out, start, self.apply_action(np.int64(action)))


@njit(**INNER)
def _apply_together(self, actions):
    """Apply a joint action; actions : int64 [P]."""
    self.apply_actions(actions)


@njit(**INNER)
def _apply_together_for_rewards(self, actions, out, start):
    """The same, and write its rewards to `out`, float64, from `start` on."""
    _store_rewards(self, out, start, self.apply_actions(actions))


@njit(**INNER)
def _apply_randomly(self, action, random):
    """Apply an action of a simulator; random : source of its random numbers."""
    self.apply_action(np.int64(action), random)


@njit(**INNER)
def _apply_randomly_for_rewards(self, action, random, out, start):
    """The same, and write its rewards to `out`, float64, from `start` on."""
    _store_rewards(self, out, start, self.apply_action(np.int64(action), random))


@njit(**INNER)
def _follow_for_rewards(self, levels, depth, out):
    """Apply the actions of a path, levels of `core.visit`, down to `depth`, and record their rewards."""
    for level in range(1, depth + 1):
        self.apply_for_rewards(levels[level].action, out, level * self.num_players)


@njit(**_HELPER)
def write_nothing(self, out):
    """Write 0 into `out`, float64, for each player: no further returns."""
    out[:] = 0.0


def _is_number(found: Any) -> bool:
    return isinstance(found, types.Integer | types.Float | types.Boolean)


def _storing_vector(rule: str) -> Any:
    """Return a function (state, out, given) that writes the vector or number that `rule` returns to `out`."""

    def store(state, out, given):
        raise NotImplementedError  # there is only the compiled form below

    @overload(store, jit_options=INNER)  # type: ignore[arg-type]
    def overload_store(state, out, given):
        if isinstance(given, types.BaseTuple) and all(map(_is_number, given)):
            count = len(given)

            def store_tuple(state, out, given):
                if out.size == count:
                    _store_tuple(out, given)
                else:
                    out[:] = np.nan  # which is in no box

            return store_tuple
        if _is_number(given):

            def store_number(state, out, given):
                if out.size == 1:
                    out[0] = given
                else:
                    out[:] = np.nan

            return store_number
        row = isinstance(given, types.List) or (isinstance(given, types.Array) and given.ndim == 1)
        if not (row and _is_number(given.dtype)):
            raise errors.TypingError(
                f"{rule} gives a {given}, no vector; give a tuple or an array of numbers"
            )

        def store_row(state, out, given):
            if len(given) == out.size:
                for place in range(out.size):
                    out[place] = given[place]
            else:
                out[:] = np.nan

        return store_row

    return store


_store_low = _storing_vector("action_low")
_store_high = _storing_vector("action_high")
_store_action = _storing_vector("sample_action")


@njit(**INNER)
def _write_box(self, low, high):
    """Write the bounds of an action in this state into `low` and `high`, float64; NaN if they are invalid."""
    self.write_low(low)
    self.write_high(high)


@njit(**INNER)
def _write_low(self, out):
    _store_low(self, out, self.action_low())


@njit(**INNER)
def _write_high(self, out):
    _store_high(self, out, self.action_high())


@njit(**INNER)
def _write_same_low(self, out):
    _store_low(self, out, self.action_low)


@njit(**INNER)
def _write_same_high(self, out):
    _store_high(self, out, self.action_high)


@njit(**INNER)
def _draw_action(self, random, out):
    """Write an action drawn by the rules into `out`, float64; NaN if it has another length."""
    _store_action(self, out, self.sample_action(random))


@njit(**INNER)
def _apply_vector_for_rewards(self, action, out, start):
    """Apply a continuous action and write its rewards to `out`, float64, from `start` on."""
    _store_rewards(self, out, start, self.apply_action(action))


@njit(**INNER)
def _apply_vector_randomly(self, action, random):
    """Apply a continuous action of a simulator; random : source of its random numbers."""
    self.apply_action(action, random)


@njit(**INNER)
def _apply_vector_randomly_for_rewards(self, action, random, out, start):
    """The same, and write its rewards to `out`, float64, from `start` on."""
    _store_rewards(self, out, start, self.apply_action(action, random))


_store_returns = _storing("returns")
_store_evaluation = _storing("evaluate")


@njit(**INNER)
def _write_returns(self, out):
    """Write the returns into `out`, float64, one a player."""
    _store_returns(self, out, self.returns())


@njit(**INNER)
def write_evaluation(self, out):
    """Write the values of an unfinished game into `out`, float64, one a player."""
    _store_evaluation(self, out, self.evaluate())


@njit(**_HELPER)
def write_middle(self, out):
    """The same for rules without `evaluate`: the mean of the worst and the best return."""
    out[:] = (self.min_return + self.max_return) / 2


@njit(**INNER)
def fill_from_generator(self, buffer):
    """Fill `buffer` from the rules' generator; returns how many it yielded, or a number above the
    buffer's size.
    """
    count = 0
    for action in self.legal_actions():
        if count < buffer.size:
            buffer[count] = action
        count += 1
        if count > buffer.size:
            break
    return count


@njit(**INNER)
def fill_of_player(self, player, buffer):
    """The same for the actions of one player, where players move at once."""
    count = 0
    for action in self.legal_actions(player):
        if count < buffer.size:
            buffer[count] = action
        count += 1
        if count > buffer.size:
            break
    return count


@njit(**INNER)
def _fill_chance_outcomes(self, faces, odds):
    """Write the outcomes of chance and their probabilities, if there is room; returns their number."""
    count = 0
    for outcome, probability in self.chance_outcomes():
        if count < faces.size:
            faces[count] = outcome
            odds[count] = probability
        count += 1
        if count > faces.size:
            break
    return count


@njit(**INNER)
def draw_outcome(self, share):
    """Return the outcome of chance at cumulative probability `share`, 0 to 1; -1 if there is none."""
    drawn = np.int64(-1)
    total = 0.0
    for outcome, probability in self.chance_outcomes():
        if probability > 0.0:
            drawn = np.int64(outcome)
        total += probability
        if total > share:
            break
    return drawn


@njit(**INNER)
def draw_among_few(self, share):
    """The same for short lists: always to the end, because the CPU cannot predict where a loop would stop."""
    drawn = np.int64(-1)
    total = 0.0
    for outcome, probability in self.chance_outcomes():
        if share >= total and probability > 0.0:
            drawn = np.int64(outcome)
        total += probability
    return drawn


@intrinsic
def _word(typing_context: Any, state: Any, index: Any) -> Any:
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
def _num_words(typing_context: Any, state: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.intp, (signature.args[0].size + 7) // 8)

    return types.intp(state), generate


@njit(**_HELPER)
def _content_hash(self):
    """Return a 64-bit hash of all fields, uint64."""
    total = np.uint64(0)
    for i in range(_num_words(self)):
        total = mixed(total ^ _word(self, i)) + HASH_STEP
    return total


@njit(**_HELPER)
def _has_content_of(self, other):
    """Whether another state of the same game has the same content."""
    same = True
    for i in range(_num_words(self)):
        same &= _word(self, i) == _word(other, i)
    return same


@njit(**_HELPER)
def _key(self, mover):
    """Return the hash-table key of the state after a move of `mover`, uint64, never 0."""
    key = mixed(self.content_hash() + np.uint64(mover))
    return key if key != 0 else np.uint64(1)


@njit(**_HELPER)
def _follow(self, levels, depth):
    """Play the actions of a path, levels of `core.visit`, down to `depth`."""
    for level in range(1, depth + 1):
        self.apply_action(np.int64(levels[level].action))  # as in playouts


@njit(**_HELPER)
def _listed(self, actions, index):
    """Return an item of `actions`, int32 [A]."""
    return np.int64(actions[index])


@njit(**_HELPER)
def _lists(self, actions, count, action):
    """Whether `action` is one of the first `count` of `actions`, int32 [A]."""
    found = False
    for i in range(count):
        found |= actions[i] == action
    return found


@njit(**_HELPER)
def _is_to_be_left(self):
    """Whether this thread is asked to end the simulation at the next move."""
    return asked(END_GAME)


STATE_METHODS = {
    "copy_from": _copy_from,
    "at": _at,
    "write_returns": _write_returns,
    "content_hash": _content_hash,
    "has_content_of": _has_content_of,
    "key": _key,
    "follow": _follow,
    "listed": _listed,
    "lists": _lists,
    "is_to_be_left": _is_to_be_left,
    "play_randomly": play_randomly,
}
"""Methods of the states of all games; `search.drivers.states` has them for rules that are not compiled."""

REWARD_METHODS = {
    "apply_for_rewards": _apply_for_rewards,
    "follow_for_rewards": _follow_for_rewards,
    "write_returns": write_nothing,
    "play_for_rewards": play_for_rewards,
}
"""Additional and different methods for games that pay on the way."""

SIMULATOR_METHODS = {
    "apply_randomly": _apply_randomly,
    "apply_randomly_for_rewards": _apply_randomly_for_rewards,
}
"""Additional methods for simulators."""

JOINT_METHODS = {
    "apply_together": _apply_together,
    "apply_together_for_rewards": _apply_together_for_rewards,
}
"""Additional methods for games in which players move at once."""

CHANCE_METHODS = {"fill_chance_outcomes": _fill_chance_outcomes, "draw_outcome": draw_outcome}
"""Additional methods for games with chance."""


@intrinsic
def _bits_of(typing_context: Any, number: Any) -> Any:
    """Return the 64 bits of a float64 as uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@njit(**_HELPER)
def _view_hash(self, player, masks):
    """Return a hash of the cells that `player` sees, uint64.

    masks : uint64 [P, W], the bits of the state's words that each player sees.
    """
    total = np.uint64(0)
    for i in range(_num_words(self)):
        total = mixed(total ^ (_word(self, i) & masks[player, i])) + HASH_STEP
    return total


@intrinsic
def _whole_word(typing_context: Any, state: Any, index: Any) -> Any:
    """Return word number `index` of a record, as uint64; it must be whole."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = builder.bitcast(args[0], ir.IntType(64).as_pointer())
        return builder.load(builder.gep(words, [args[1]]), align=1)

    return types.uint64(state, types.intp), generate


@intrinsic
def _num_whole_words(typing_context: Any, state: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_constant(types.intp, signature.args[0].size // 8)

    return types.intp(state), generate


@njit(**_HELPER)
def _view_key(self, player, masks):
    """The same, faster and mixed less; masks : uint64 [P W]."""
    words = _num_words(self)
    whole = _num_whole_words(self)
    first = player * words
    total = HASH_STEP
    for i in range(whole):
        total = (total ^ (_whole_word(self, i) & masks[first + i])) * _ODD
        total ^= total >> _HALF
    if words > whole:
        total = (total ^ (_word(self, whole) & masks[first + whole])) * _ODD
    return total


@njit(**INNER)
def _observation_hash(self, player, masks):
    """The same of the numbers that the rules' `observation` gives."""
    total = np.uint64(0)
    for number in self.observation(player):
        total = mixed(total ^ _bits_of(np.float64(number) + 0.0)) + HASH_STEP
    return total


@njit(**_HELPER)
def _nothing_seen(self, action, player):
    return np.int64(-1)


@njit(**INNER)
def _seen_of(self, action, player):
    """Return what `player` sees of another's action by the rules' `action_seen`; -1 for nothing."""
    return np.int64(self.action_seen(action, player))


@njit(**INNER)
def _deal_anew(self, player, random):
    """Fill the cells that `player` does not see, by the rules' `determinize`."""
    self.determinize(player, random)


@njit(**INNER)
def _fits(self, player):
    """Whether `player` thinks this state possible, by the rules' `consistent`."""
    return bool(self.consistent(player))


@intrinsic
def _swap_bytes(typing_context: Any, state: Any, one: Any, other: Any) -> Any:
    """Exchange two bytes of a record."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start = builder.bitcast(args[0], ir.IntType(8).as_pointer())
        places = [builder.gep(start, [place]) for place in args[1:]]
        first, second = map(builder.load, places)
        builder.store(first, places[1])
        builder.store(second, places[0])
        return context.get_dummy_value()

    return types.void(state, types.intp, types.intp), generate


@njit(**INNER)
def _shuffle_cells(self, places, size, random):
    """Put the contents of cells in random order; places : of the cells' first bytes, of `size` bytes each."""
    for last in range(places.size - 1, 0, -1):
        other = random.below(last + 1)
        for byte in range(size):
            _swap_bytes(self, places[last] + byte, places[other] + byte)


VIEW_METHODS = {
    "view_hash": _view_hash,
    "view_key": _view_key,
    "seen_of": _nothing_seen,
    "shuffle_cells": _shuffle_cells,
}
"""What players see, by the types of fields."""

OWN_VIEW_METHODS = {
    "observation": {"view_hash": _observation_hash, "view_key": _observation_hash},
    "action_seen": {"seen_of": _seen_of},
    "determinize": {"deal_anew": _deal_anew},
    "consistent": {"fits": _fits},
}
"""By rule of the class: additional methods, and those in place of the others."""


BOX_METHODS = {
    "apply_for_rewards": _apply_vector_for_rewards,
    "apply_randomly": _apply_vector_randomly,
    "apply_randomly_for_rewards": _apply_vector_randomly_for_rewards,
}
"""Methods for games with continuous actions, in place of those of the same names."""


def box_methods(methods: Collection[str], known: Collection[str]) -> dict[str, Any]:
    """Return the additional and different methods of rules with continuous actions.

    methods : those of the rules' class.   known : the compiled methods so far.
    """
    found = {
        **{name: method for name, method in BOX_METHODS.items() if name in known},
        "write_box": _write_box,
        "write_low": _write_low if "action_low" in methods else _write_same_low,
        "write_high": _write_high if "action_high" in methods else _write_same_high,
    }
    if "sample_action" in methods:
        found["draw_action"] = _draw_action
    return found
