"""Lists of legal actions, from the generators in which rules give them."""

from __future__ import annotations

from typing import Any

from numba import njit, types
from numba.core import errors
from numba.core.extending import intrinsic

from branchwise.core.machine.kernel import INNER
from branchwise.core.machine.two_action_list import ShortlistType, write_item


@intrinsic
def put(typing_context: Any, buffer: Any, index: Any, action: Any) -> Any:
    """Write a legal action to an array, without checking the index, or to a shortlist."""
    if not isinstance(action, types.Integer | types.Boolean | types.IntEnumMember):
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
