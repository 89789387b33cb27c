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


def storing(rule: str) -> Any:
    """Return a function (state, out, values) that writes `rule`'s result, one number a player, to `out`."""

    def store(state, out, values):
        raise NotImplementedError  # there is only the compiled form below

    @overload(store, jit_options=INNER)  # type: ignore[arg-type]
    def overload_store(state, out, values):
        players = state.rules.constants["num_players"]
        if isinstance(values, types.BaseTuple) and all(map(is_number, values)):
            if len(values) != players:
                raise errors.TypingError(
                    f"{rule} gives {len(values)} numbers, but there are {players} players; "
                    "give one number a player"
                )
            return lambda state, out, values: write_tuple(out, values)
        if players == 1 and is_number(values):

            def store_number(state, out, values):
                out[0] = values

            return store_number
        row = isinstance(values, types.List) or (isinstance(values, types.Array) and values.ndim == 1)
        if not (row and is_number(values.dtype)):
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
def store_rewards(typing_context: Any, state: Any, out: Any, start: Any, given: Any) -> Any:
    """Write what `apply_action` returned to a float64 array, one number a player, from index `start` on.

    It is None, a number, a tuple of numbers, or an optional one of these if only some paths return it.
    """
    players = state.rules.constants["num_players"]
    inner = given.type if isinstance(given, types.Optional) else given
    if isinstance(inner, types.BaseTuple) and all(map(is_number, inner.types)):
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
        if isinstance(given, types.BaseTuple) and all(map(is_number, given)):
            count = len(given)

            def store_tuple(state, out, given):
                if out.size == count:
                    write_tuple(out, given)
                else:
                    out[:] = np.nan  # which is in no box

            return store_tuple
        if is_number(given):

            def store_number(state, out, given):
                if out.size == 1:
                    out[0] = given
                else:
                    out[:] = np.nan

            return store_number
        row = isinstance(given, types.List) or (isinstance(given, types.Array) and given.ndim == 1)
        if not (row and is_number(given.dtype)):
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
