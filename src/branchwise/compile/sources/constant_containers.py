"""Lists, dicts and sets of numbers that are constants, as compiled rules read them.

Numba cannot read them. They are frozen: a list becomes a flat array of its numbers, a list of lists also has
an array of where each begins, and a dict has its keys in order and sorted. Items are numbers, tuples of
numbers, or lists of these, of any lengths; keys are numbers, tuples of numbers, or texts. What a type does
not have here, such as `append`, is an error of `compile.language.numba_messages`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, errors
from numba.core.datamodel import models
from numba.core.extending import (
    intrinsic,
    lower_builtin,
    overload,
    overload_method,
    register_model,
    typeof_impl,
)
from numba.core.imputils import RefType, iternext_impl, lower_constant
from numba.core.typing.typeof import typeof
from numba.np import numpy_support
from numpy.typing import NDArray

from branchwise.core.machine.kernel import INNER

_OPTIONS: dict[str, Any] = {"jit_options": INNER, "strict": False}  # a lambda has no annotations
_OF_LITERALS: dict[str, Any] = {**_OPTIONS, "prefer_literal": True}


class NotOfNumbersError(Exception):
    """A container of something else than numbers."""


# --- in Python: containers as arrays ----------------------------------------------------------------------


class FrozenList:
    """A list as arrays: `starts` for each level of lists in it, and a column for each number of an item."""

    def __init__(self, items: list[Any]) -> None:
        self.size = len(items)
        self.starts: list[NDArray[np.int64]] = []
        while _are_lists(items):
            self.starts.append(np.cumsum([0, *map(len, items)], dtype=np.int64))
            items = [item for inner in items for item in inner]
        if not items:
            raise NotOfNumbersError
        pairs = isinstance(items[0], tuple)
        columns = list(zip(*items, strict=True)) if pairs else [items]
        kinds = [_kind(column) for column in columns]
        self.columns = [np.array(column, _dtype(kind)) for column, kind in zip(columns, kinds, strict=True)]
        item = _tuple_type(items, kinds) if pairs else kinds[0]
        self.numba_type = FrozenListType(len(self.starts), item)


class FrozenDict:
    """A dict, or a set if it has no values, as frozen lists.   words : the keys, if they are texts."""

    def __init__(self, keys: list[Any], values: list[Any] | None) -> None:
        self.words = tuple(keys) if all(type(key) is str for key in keys) else ()
        named = list(range(len(keys))) if self.words else [_number(key) for key in keys]
        order = sorted(range(len(keys)), key=named.__getitem__)
        self.lists = {
            "keys": FrozenList(named if self.words else keys),
            "sorted": FrozenList([named[place] for place in order]),
            "places": FrozenList(order),
        }
        if values is not None:
            self.lists["values"] = FrozenList(values)
        if self.lists["keys"].starts:
            raise NotOfNumbersError
        kinds = {name: frozen.numba_type for name, frozen in self.lists.items()}
        self.numba_type = FrozenDictType(kinds, self.words)


def frozen_container(value: Any) -> Any:
    """Return a list, a dict or a set of numbers as compiled code reads it, anything else as it is."""
    try:
        if type(value) is list:
            return FrozenList(value)
        if type(value) is dict:
            return FrozenDict(list(value), list(value.values()))
        if type(value) in (set, frozenset):
            return FrozenDict(list(value), None)
    except (NotOfNumbersError, TypeError, ValueError, OverflowError):
        pass
    return value


def _are_lists(items: list[Any]) -> bool:
    """Whether items are to be read as lists: these, and tuples of several lengths or of other tuples."""
    if not items or not all(type(item) in (list, tuple) for item in items):
        return False
    of_numbers = all(np.ndim(part) == 0 for item in items for part in item)
    return list in map(type, items) or not of_numbers or len(set(map(len, items))) > 1 or not items[0]


def _tuple_type(items: list[Any], kinds: list[types.Type]) -> types.Type:
    """Return the type of tuples, which may be named tuples of one class."""
    named = {type(item) for item in items if hasattr(item, "_fields")}
    if not named:
        return types.Tuple(kinds)
    if len({type(item) for item in items}) > 1:
        raise NotOfNumbersError
    if len(set(kinds)) == 1:
        return types.NamedUniTuple(kinds[0], len(kinds), named.pop())
    return types.NamedTuple(kinds, named.pop())


def _kind(column: Iterable[Any]) -> types.Type:
    """Return the type of numbers, or raise `NotOfNumbersError`."""
    kinds = {typeof(number) for number in column}
    if len(kinds) == 1:
        kind = kinds.pop()
    else:
        real = any(isinstance(kind, types.Float) for kind in kinds)
        kind = types.float64 if real else types.int64
        if not all(isinstance(k, types.Number | types.Boolean | types.IntEnumMember) for k in kinds):
            raise NotOfNumbersError
    _dtype(kind)
    return kind


def _dtype(kind: types.Type) -> np.dtype[Any]:
    if isinstance(kind, types.IntEnumMember):
        kind = kind.dtype
    if not isinstance(kind, types.Integer | types.Float | types.Boolean):
        raise NotOfNumbersError
    return np.dtype(numpy_support.as_dtype(kind))


def _number(key: Any) -> Any:
    """Return a key that can be ordered: members of an enumeration as numbers."""
    return tuple(map(_number, key)) if isinstance(key, tuple) else key.__index__() if _is_whole(key) else key


def _is_whole(key: Any) -> bool:
    return hasattr(key, "__index__")


# --- types in compiled code ---------------------------------------------------------------------------------


class FrozenListType(types.IterableType):
    """A list that cannot change.   depth : levels of lists in it.   leaf : type of the innermost items."""

    def __init__(self, depth: int, leaf: types.Type) -> None:
        self.depth, self.leaf = depth, leaf
        self.dtype = FrozenListType(depth - 1, leaf) if depth else leaf
        super().__init__(name=f"frozen list({depth}, {leaf})")

    @property
    def iterator_type(self) -> types.Type:
        return FrozenListIterator(self)

    @property
    def columns(self) -> tuple[types.Type, ...]:
        return tuple(self.leaf.types) if isinstance(self.leaf, types.BaseTuple) else (self.leaf,)


class FrozenListIterator(types.SimpleIteratorType):
    """An iterator over a frozen list."""

    def __init__(self, items: FrozenListType) -> None:
        self.items = items
        super().__init__(f"iterator({items})", items.dtype)


class FrozenDictType(types.IterableType):
    """A dict, or a set, that cannot change: several frozen lists."""

    def __init__(self, lists: dict[str, FrozenListType], words: tuple[str, ...]) -> None:
        self.lists, self.words = lists, words
        kind = "dict" if "values" in lists else "set"
        super().__init__(name=f"frozen {kind}({', '.join(map(str, lists.values()))}, {words})")

    @property
    def iterator_type(self) -> types.Type:
        if self.words:
            raise errors.TypingError(f"{self} has texts as keys")
        return self.lists["keys"].iterator_type


@typeof_impl.register(FrozenList)
@typeof_impl.register(FrozenDict)
def _type_of(value: FrozenList | FrozenDict, _: Any) -> types.Type:
    return value.numba_type


@register_model(FrozenListType)
class _ListModel(models.StructModel):
    def __init__(self, manager: Any, kind: FrozenListType) -> None:
        members = [("begin", types.int64), ("end", types.int64)]
        members += [(f"starts_{level}", types.voidptr) for level in range(kind.depth)]
        members += [(f"column_{place}", types.voidptr) for place in range(len(kind.columns))]
        super().__init__(manager, kind, members)


@register_model(FrozenDictType)
class _DictModel(models.StructModel):
    def __init__(self, manager: Any, kind: FrozenDictType) -> None:
        super().__init__(manager, kind, list(kind.lists.items()))


@register_model(FrozenListIterator)
class _IteratorModel(models.StructModel):
    def __init__(self, manager: Any, kind: FrozenListIterator) -> None:
        members = [("items", kind.items), ("place", types.EphemeralPointer(types.int64))]
        super().__init__(manager, kind, members)


@lower_constant(FrozenListType)
def _list_constant(context: Any, builder: Any, kind: FrozenListType, value: FrozenList) -> Any:
    made = cgutils.create_struct_proxy(kind)(context, builder)
    made.begin, made.end = _word(0), _word(value.size)
    arrays = {f"starts_{level}": array for level, array in enumerate(value.starts)}
    arrays |= {f"column_{place}": array for place, array in enumerate(value.columns)}
    for name, array in arrays.items():
        content = cgutils.create_constant_array(ir.IntType(8), bytearray(array.tobytes()))
        data = cgutils.global_constant(builder, ".branchwise.frozen", content)
        data.align = 16
        setattr(made, name, builder.bitcast(data, cgutils.voidptr_t))
    return made._getvalue()


@lower_constant(FrozenDictType)
def _dict_constant(context: Any, builder: Any, kind: FrozenDictType, value: FrozenDict) -> Any:
    made = cgutils.create_struct_proxy(kind)(context, builder)
    for name, frozen in value.lists.items():
        setattr(made, name, context.get_constant_generic(builder, frozen.numba_type, frozen))
    return made._getvalue()


def _word(number: int) -> Any:
    return ir.Constant(ir.IntType(64), number)


def _load(context: Any, builder: Any, kind: types.Type, data: Any, place: Any) -> Any:
    pointer = builder.bitcast(data, context.get_data_type(kind).as_pointer())
    return context.unpack_value(builder, kind, builder.gep(pointer, [place]))


def _item_at(context: Any, builder: Any, kind: FrozenListType, value: Any, place: Any) -> Any:
    """Generate the item of a list at a place from its own begin; not checked."""
    items = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    place = builder.add(items.begin, place)
    columns = [getattr(items, f"column_{i}") for i in range(len(kind.columns))]
    if kind.depth:
        inner = cgutils.create_struct_proxy(kind.dtype)(context, builder)
        inner.begin = _load(context, builder, types.int64, items.starts_0, place)
        inner.end = _load(context, builder, types.int64, items.starts_0, builder.add(place, _word(1)))
        for level in range(kind.depth - 1):
            setattr(inner, f"starts_{level}", getattr(items, f"starts_{level + 1}"))
        for i, column in enumerate(columns):
            setattr(inner, f"column_{i}", column)
        return inner._getvalue()
    pairs = zip(kind.columns, columns, strict=True)
    numbers = [_load(context, builder, column_type, data, place) for column_type, data in pairs]
    if isinstance(kind.leaf, types.BaseTuple):
        return context.make_tuple(builder, kind.leaf, numbers)
    return numbers[0]


# --- what compiled code does with them ----------------------------------------------------------------------


@intrinsic
def _item(typing_context, items, place):
    def generate(context, builder, signature, args):
        return _item_at(context, builder, signature.args[0], *args)

    return items.dtype(items, types.int64), generate


@intrinsic
def _part(typing_context, items, begin, end):
    """Return the items from one place to another, counted from the list's own begin."""

    def generate(context, builder, signature, args):
        made = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        first = made.begin
        made.begin, made.end = builder.add(first, args[1]), builder.add(first, args[2])
        return made._getvalue()

    return items(items, types.int64, types.int64), generate


@intrinsic(prefer_literal=True)
def _list_of(typing_context, items, name):
    """Return one of the lists of a dict."""

    def generate(context, builder, signature, args):
        lists = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return getattr(lists, name.literal_value)

    return items.lists[name.literal_value](items, name), generate


@lower_builtin("getiter", FrozenListType)
def _iterate(context, builder, signature, args):
    made = context.make_helper(builder, signature.return_type)
    made.items, made.place = args[0], cgutils.alloca_once_value(builder, _word(0))
    return made._getvalue()


@lower_builtin("getiter", FrozenDictType)
def _iterate_keys(context, builder, signature, args):
    lists = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
    return _iterate(context, builder, signature, [lists.keys])


@lower_builtin("iternext", FrozenListIterator)
@iternext_impl(RefType.UNTRACKED)
def _next(context, builder, signature, args, result):
    kind = signature.args[0]
    iterator = context.make_helper(builder, kind, value=args[0])
    items = cgutils.create_struct_proxy(kind.items)(context, builder, value=iterator.items)
    place = builder.load(iterator.place)
    valid = builder.icmp_signed("<", place, builder.sub(items.end, items.begin))
    result.set_valid(valid)
    with builder.if_then(valid):
        result.yield_(_item_at(context, builder, kind.items, iterator.items, place))
        builder.store(builder.add(place, _word(1)), iterator.place)


@intrinsic
def _length(typing_context, items):
    def generate(context, builder, signature, args):
        made = cgutils.create_struct_proxy(signature.args[0])(context, builder, value=args[0])
        return builder.sub(made.end, made.begin)

    return types.int64(items), generate


@overload(len, **_OPTIONS)
def _len(items):
    if isinstance(items, FrozenListType):
        return lambda items: _length(items)
    if isinstance(items, FrozenDictType):
        return lambda items: len(_list_of(items, "keys"))
    return None


@overload(bool, **_OPTIONS)
def _bool(items):
    if isinstance(items, FrozenListType | FrozenDictType):
        return lambda items: len(items) > 0
    return None


@overload(operator.getitem, **_OF_LITERALS)
def _getitem(items, index):
    if isinstance(items, FrozenDictType) and "values" in items.lists:

        def value_of(items, index):
            place = _place(items, index)
            if place < 0:
                raise KeyError("a dict does not have this key")
            return _item(_list_of(items, "values"), place)

        return value_of
    if not isinstance(items, FrozenListType):
        return None
    if isinstance(index, types.SliceType) and not index.has_step:

        def part(items, index):
            begin, end, _ = index.indices(len(items))
            return _part(items, begin, max(begin, end))

        return part
    if isinstance(index, types.Integer | types.IntEnumMember | types.Boolean):

        def item(items, index):
            place = np.int64(index)
            if place < 0:
                place += len(items)
            if place < 0 or place >= len(items):
                raise IndexError("list index out of range")
            return _item(items, place)

        return item
    return None


def _place(items, key):
    """Return the place of a key in a dict, or -1."""
    raise NotImplementedError  # only the compiled form below exists


@overload(_place, **_OF_LITERALS)
def _overload_place(items, key):
    if items.words:
        if not isinstance(key, types.StringLiteral):
            return None
        known = items.words.index(key.literal_value) if key.literal_value in items.words else -1
        return lambda items, key: known

    def place(items, key):
        keys = _list_of(items, "sorted")
        low, high = 0, len(keys)
        while low < high:
            middle = (low + high) // 2
            if _item(keys, middle) < key:
                low = middle + 1
            else:
                high = middle
        if low < len(keys) and _item(keys, low) == key:
            return _item(_list_of(items, "places"), low)
        return -1

    return place


@overload(operator.contains, **_OF_LITERALS)
def _contains(items, wanted):
    if isinstance(items, FrozenDictType):
        return lambda items, wanted: _place(items, wanted) >= 0
    if isinstance(items, FrozenListType) and not items.depth:

        def contains(items, wanted):
            for item in items:  # noqa: SIM110 - `any` is not Numba's
                if item == wanted:
                    return True
            return False

        return contains
    return None


_SUMMED_BY_NUMBA = (types.BaseTuple, types.List, types.ListType, types.Array, types.RangeType)


@overload(sum, **_OPTIONS)
def _sum(items, start=0):
    if not isinstance(items, types.IterableType) or isinstance(items, _SUMMED_BY_NUMBA):
        return None
    if not isinstance(items.iterator_type.yield_type, types.Number | types.Boolean):
        return None

    def add_up(items, start=0):
        total = start
        for item in items:
            total = total + item
        return total

    return add_up


@overload(operator.add, **_OPTIONS)
def _add(one, other):
    frozen = [kind for kind in (one, other) if isinstance(kind, FrozenListType)]
    if frozen and all(isinstance(kind, FrozenListType | types.List) for kind in (one, other)):
        return lambda one, other: list(one) + list(other)
    return None


@overload_method(FrozenListType, "index", **_OPTIONS)
def _index(items, wanted):
    def index(items, wanted):
        for place in range(len(items)):
            if _item(items, place) == wanted:
                return place
        raise ValueError("the item is not in the list")

    return index


@overload_method(FrozenListType, "count", **_OPTIONS)
def _count(items, wanted):
    def count(items, wanted):
        found = 0
        for item in items:
            if item == wanted:
                found += 1
        return found

    return count


@overload_method(FrozenListType, "copy", **_OPTIONS)
def _copy(items):
    return lambda items: list(items)


@overload_method(FrozenDictType, "get", **_OF_LITERALS)
def _get(items, key, default=None):
    if "values" not in items.lists:
        return None
    if isinstance(default, types.Omitted | types.NoneType) or default is None:
        raise errors.TypingError("get of a dict that is a constant has no default")

    def get(items, key, default=None):
        place = _place(items, key)
        return default if place < 0 else _item(_list_of(items, "values"), place)

    return get


@overload_method(FrozenDictType, "keys", **_OPTIONS)
def _keys(items):
    return None if items.words else lambda items: _list_of(items, "keys")


@overload_method(FrozenDictType, "values", **_OPTIONS)
def _values(items):
    return (lambda items: _list_of(items, "values")) if "values" in items.lists else None


@overload_method(FrozenDictType, "items", **_OPTIONS)
def _items(items):
    if items.words or "values" not in items.lists:
        return None

    def pairs(items):
        for place in range(len(items)):
            yield _item(_list_of(items, "keys"), place), _item(_list_of(items, "values"), place)

    return pairs
