"""What networks see of a state in compiled code: the cells of its board, and the inputs of its class."""

from __future__ import annotations

from typing import Any

from numba import njit
from numba.core.extending import intrinsic

from branchwise.boards.array import board_field
from branchwise.core.machine.kernel import INNER, INNER_UNCOUNTED


@intrinsic
def _board_array(typing_context: Any, state: Any) -> Any:
    """Return the array field of a state that is its board."""
    name = board_field(state.rules.game())
    found = typing_context.resolve_getattr(state, name)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return context.get_getattr(state, name)(context, builder, state, args[0], name)

    return found(state), generate


@njit(**INNER)
def write_cells(self, flat, rows, columns):
    """Write the owner and the kind of each cell to `flat`, int16 [2 rows columns]."""
    for cell in range(rows * columns):
        flat[2 * cell] = -1
        flat[2 * cell + 1] = 0
    self.board_cells(flat.reshape((rows, columns, 2)))


@njit(**INNER_UNCOUNTED)
def write_array_cells(self, flat, rows, columns):
    """The same for a class without `board_cells`: see `boards.layer.array_cells`."""
    place = 0
    for value in _board_array(self).flat:
        owned = 1 <= value <= self.num_players
        flat[place] = value - 1 if owned else -1
        flat[place + 1] = 1 if owned else value
        place += 2


@njit(**INNER)
def fill_from_inputs(self, player, buffer):
    """Fill `buffer` from the rules' generator `net_inputs`; returns how many, or more than its size."""
    count = 0
    for index in self.net_inputs(player):
        if count < buffer.size:
            buffer[count] = index
        count += 1
        if count > buffer.size:
            break
    return count
