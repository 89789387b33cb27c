"""Numbers that rules return, written to arrays of float64: one a player, rewards, or a vector."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils, errors
from numba.core.extending import intrinsic, overload

from branchwise.core.machine.kernel import INNER


def is_number(found: Any) -> bool:
    """Whether a type of Numba is that of one number."""
    return isinstance(found, types.Integer | types.Float | types.Boolean)


@intrinsic
def write_tuple(typing_context: Any, out: Any, values: Any) -> Any:
    """Write a tuple of numbers of any types to the start of a float64 array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        for i, kind in enumerate(signature.args[1].types):
            item = builder.extract_value(args[1], i)
            number = context.cast(builder, item, kind, types.float64)
            builder.store(number, builder.gep(array.data, [context.get_constant(types.intp, i)]))
        return context.get_dummy_value()

    return types.void(out, values), generate


def is_tuple(found: Any) -> bool:
    """Whether a type of Numba is that of a tuple of numbers."""
    return isinstance(found, types.BaseTuple) and all(map(is_number, found))


def are_numbers(found: Any) -> bool:
    """Whether a type of Numba is that of numbers in any form: one, a tuple, a list, or an array of a row."""
    row = isinstance(found, types.List) or (isinstance(found, types.Array) and found.ndim == 1)
    return is_number(found) or is_tuple(found) or (row and is_number(found.dtype))


def count_of(given):
    """Return how many numbers `given` has."""
    raise NotImplementedError  # there is only the compiled form below


@overload(count_of, jit_options=INNER, strict=False)  # type: ignore[arg-type]
def _overload_count_of(given):
    if is_number(given):
        return lambda given: np.int64(1)
    if is_tuple(given):
        count = len(given)
        return lambda given: np.int64(count)
    return lambda given: np.int64(len(given))


def write_numbers(out, given):
    """Write numbers in any form to the start of a float64 array, which must have room."""
    raise NotImplementedError  # there is only the compiled form below


@overload(write_numbers, jit_options=INNER, strict=False)  # type: ignore[arg-type]
def _overload_write_numbers(out, given):
    if is_number(given):

        def write_number(out, given):
            out[0] = given

        return write_number
    if is_tuple(given):
        return lambda out, given: write_tuple(out, given)

    def write_row(out, given):
        for place in range(len(given)):
            out[place] = given[place]

    return write_row


def _store_whole(state, out, given):
    if count_of(given) == out.size:
        write_numbers(out, given)
    else:
        out[:] = np.nan  # which no bounds allow, and which is in no box


def storing(rule: str) -> Any:
    """Return a function (state, out, given) that writes `rule`'s result, one number a player, to `out`."""

    def store(state, out, given):
        raise NotImplementedError  # there is only the compiled form below

    @overload(store, jit_options=INNER)  # type: ignore[arg-type]
    def overload_store(state, out, given):
        players = state.rules.constants["num_players"]
        if is_tuple(given) and len(given) != players:
            raise errors.TypingError(
                f"{rule} gives {len(given)} numbers, but there are {players} players; "
                "give one number a player"
            )
        if not are_numbers(given) or (is_number(given) and players != 1):
            raise errors.TypingError(
                f"{rule} gives a {given}, not one number a player; give a tuple or an array of numbers"
            )
        if is_tuple(given) or is_number(given):
            return lambda state, out, given: write_numbers(out, given)
        return _store_whole

    return store


@intrinsic
def store_rewards(typing_context: Any, state: Any, out: Any, start: Any, given: Any) -> Any:
    """Write what `apply_action` returned to a float64 array, one number a player, from index `start` on.

    It is None, a number, a tuple of numbers, or an optional one of these if only some paths return it.
    """
    players = state.rules.constants["num_players"]
    inner = given.type if isinstance(given, types.Optional) else given
    if is_tuple(inner):
        count = len(inner)
    elif is_number(inner) or isinstance(inner, types.NoneType):
        count = 1 if is_number(inner) else players
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
            elif is_number(inner):
                number = context.cast(builder, value, inner, types.float64)
            if valid is not None:
                number = builder.select(valid, number, zero)
            place = builder.add(args[2], context.get_constant(types.intp, player))
            builder.store(number, builder.gep(array.data, [place]))
        return context.get_dummy_value()

    return types.void(state, out, types.intp, given), generate


def storing_vector(rule: str) -> Any:
    """Return a function (state, out, given) that writes the vector or number that `rule` returns to `out`."""

    def store(state, out, given):
        raise NotImplementedError  # there is only the compiled form below

    @overload(store, jit_options=INNER)  # type: ignore[arg-type]
    def overload_store(state, out, given):
        if not are_numbers(given):
            raise errors.TypingError(
                f"{rule} gives a {given}, no vector; give a tuple or an array of numbers"
            )
        return _store_whole

    return store
