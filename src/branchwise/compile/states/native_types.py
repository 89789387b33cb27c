"""The types of states and searches in compiled code.

An `ObjectType` wraps a pointer to a record of fields. Attributes are read from and written to the record;
constants are literal values; methods are resolved by the type's `Table`. So each game, each version of
a game, and each composition of a search has its own type and machine code.

A state has two types. Rules see their `self` as a `SelfType`, with the names of the class and no others.
Kernels see the same record as a `StateType`, where their own methods come before the names of the class. So a
helper, a field or a constant may have any name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType
from typing import Any, TypeVar

import numpy as np
from numba import types
from numba.core import cgutils, errors
from numba.core.datamodel import models
from numba.core.extending import (
    NativeValue,
    infer_getattr,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    unbox,
)
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.np import numpy_support
from numba.np.arrayobj import record_getattr, record_setattr
from numpy.typing import NDArray

from branchwise.compile.sources.outside_values import Reads
from branchwise.core.machine.memory import address, aligned_zeros
from branchwise.game.random_starter import INNER as INNER_STATE
from branchwise.game.rules_class import Game

ALIGNMENT = 64


@dataclass(kw_only=True)
class Table:
    """The fields, constants and methods of an object type."""

    name: str
    dtype: np.dtype[Any]
    fingerprint: str = ""
    fit_for_cache: bool = True
    constants: dict[str, Any] = field(default_factory=dict)
    methods: dict[str, Any] = field(default_factory=dict)
    statics: dict[str, Any] = field(default_factory=dict)
    properties: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, np.dtype[Any]] = field(default_factory=dict)
    """Item types of arrays whose address and length are in the fields `name_at` and `name_size`."""


@dataclass(kw_only=True)
class Rules(Table):
    """The table of a game."""

    game: type[Game]
    label: str
    reads: Reads
    """The values that the rules were made from."""
    codes: dict[str, CodeType] = field(default_factory=dict)
    """The code of every function that may be compiled, by name."""
    internal: dict[str, Any] = field(default_factory=dict)
    """Methods that kernels call on a state besides the rules; not in `methods`, which rules see."""
    listing: dict[str, Any] = field(default_factory=dict)
    """The same for functions made from the code of the rules, which see `self` as rules do."""
    inner: StateType | None = None
    """The type that the attribute `starter.INNER` has: the same record, read by the game's own rules."""

    def is_current(self) -> bool:
        """Whether nothing that the rules depend on has changed since they were prepared."""
        return self.reads.hold() and (self.inner is None or self.inner.rules.is_current())


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
        return _known_type, (self.table.fingerprint, self.kind)


class SelfType(ObjectType):
    """The type of `self` in the rules of one game."""

    kind = "Self"


class StateType(ObjectType):
    """The type of the states of one game in kernels."""

    kind = "State"

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.self_type = SelfType(table)

    @property
    def rules(self) -> Rules:
        assert isinstance(self.table, Rules)
        return self.table

    @property
    def known_constants(self) -> dict[str, Any]:
        """Constants that `core.machine.compiler` writes into kernels in place of attributes."""
        rules, internal = self.table.methods, self.rules.internal
        return {
            "has_chance": "draw_outcome" in internal,
            "pays": "apply_for_rewards" in internal,
            "moves_alone": "apply_action" in rules,
            "simulates": "apply_randomly" in internal,
            "draws_actions": "draw_action" in internal,
            "samples_actions": "sample_action" in rules and "draw_action" not in internal,
            "samples": "sample_outcome" in rules and "draw_outcome" not in internal,
            "lists_few": "draw_from_few" in internal,
            "codes": "action_code" in rules,
            "biased": "prior" in rules,
            "chooses": "playout_action" in rules,
            "tells_legality": "is_legal" in rules,
            "determinizes": "deal_anew" in internal,
            "rejects": "fits" in internal,
            "weighs": "weigh_observation" in internal,
            "jitters": "jitter_state" in internal,
            "turns": "symmetry" in rules,
        }


class SearchType(ObjectType):
    """The type of a search: its numbers and its kernels."""

    kind = "Search"

    @property
    def known_constants(self) -> dict[str, Any]:
        """Constants that `core.machine.compiler` writes into kernels in place of attributes."""
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
    for one in (kind, SelfType):
        if one not in _kinds:
            register_model(one)(models.RecordModel)
            _kinds.add(one)
    known = _types_by_fingerprint.get(table.fingerprint)
    if known is None:
        known = _types_by_fingerprint[table.fingerprint] = kind(table)
    assert isinstance(known, kind)
    return known


def _known_type(fingerprint: str, kind: str) -> ObjectType:
    """Return the type that `object_type` made for this fingerprint; for loading cached code."""
    known = _types_by_fingerprint[fingerprint]
    return known.self_type if kind == SelfType.kind and isinstance(known, StateType) else known


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
        inner = _inner_state(this, name)
        if inner is not None:
            return inner
        if isinstance(this, StateType):
            rules = this.rules
            if name in rules.internal:
                return _Method(name, rules.internal[name], this)
            this = this.self_type
            if name in rules.listing:
                return _Method(
                    f"kernels' {name}", rules.listing[name], this
                )  # rules may have one of that name
        table = this.table
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


def _inner_state(this: ObjectType, name: str) -> ObjectType | None:
    """Return the type of the attribute `starter.INNER` in a variant with a random starter; else None."""
    inner: StateType | None = getattr(this.table, "inner", None) if name == INNER_STATE else None
    return inner.self_type if inner is not None and isinstance(this, SelfType) else inner


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
    inner = _inner_state(typ, name)
    if inner is not None:
        return builder.bitcast(value, context.get_value_type(inner))  # its fields come first
    if isinstance(typ, StateType):
        typ = typ.self_type
    table = typ.table
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
    item_size = context.get_constant(types.intp, np.dtype(typ.table.arrays[name]).itemsize)
    model = context.data_model_manager[array_type]
    parts = {
        "nitems": size,
        "itemsize": item_size,
        "data": builder.inttoptr(address, context.get_value_type(model.get_type("data"))),
        "shape": cgutils.pack_array(builder, [size]),
        "strides": cgutils.pack_array(builder, [item_size]),
    }
    array = context.get_constant_null(array_type)  # no owner, no parent
    for part, number in parts.items():
        array = model.set(builder, array, number, part)
    return array


@lower_cast(StateType, SelfType)
def _as_self(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Call a method of the rules on the state of a kernel: it is the same record."""
    return value


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
