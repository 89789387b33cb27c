"""Methods of the states of all games: copies, hashes, returns, and the moves of a path."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.extending import intrinsic

from branchwise.compile.states.methods.record_words import HASH_STEP, num_words, word
from branchwise.compile.states.methods.returned_numbers import storing
from branchwise.core.machine.kernel import INNER, INNER_UNCOUNTED
from branchwise.core.machine.stop_flags import END_GAME
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import mixed
from branchwise.core.simulation.playout import play_choices, play_randomly


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


@njit(**INNER_UNCOUNTED)
def _copy_from(self, source):
    """Make this state equal to `source`."""
    _copy_record(self, source)


@njit(**INNER_UNCOUNTED)
def _at(self, index):
    """Return the state `index` places further on in the same `NativeRecords`."""
    return _offset_record(self, index)


@njit(**INNER_UNCOUNTED)
def _content_hash(self):
    """Return a 64-bit hash of all fields, uint64."""
    total = np.uint64(0)
    for i in range(num_words(self)):
        total = mixed(total ^ word(self, i)) + HASH_STEP
    return total


@njit(**INNER_UNCOUNTED)
def _has_content_of(self, other):
    """Whether another state of the same game has the same content."""
    same = True
    for i in range(num_words(self)):
        same &= word(self, i) == word(other, i)
    return same


@njit(**INNER_UNCOUNTED)
def _key(self, mover):
    """Return the hash-table key of the state after a move of `mover`, uint64, never 0."""
    key = mixed(self.content_hash() + np.uint64(mover))
    return key if key != 0 else np.uint64(1)


@njit(**INNER_UNCOUNTED)
def _follow(self, levels, depth):
    """Play the actions of a path, levels of `core.tree.simulation_path`, down to `depth`."""
    for level in range(1, depth + 1):
        self.apply_action(np.int64(levels[level].action))  # as in playouts


@intrinsic
def _apply_in_line(typing_context: Any, state: Any, action: Any) -> Any:
    function = types.Dispatcher(state.table.methods["apply_action"])
    signature = function.get_call_type(typing_context, (state.self_type, types.int64), {})

    def generate(context: Any, builder: Any, _: Any, args: Any) -> Any:
        block, before = builder.block, len(builder.block.instructions)
        context.get_function(function, signature)(builder, args)
        (call,) = (one for one in block.instructions[before:] if isinstance(one, ir.CallInstr))
        call.attributes.add("alwaysinline")
        return context.get_dummy_value()

    return types.void(state, types.int64), generate


@njit(**INNER)
def _play(self, action):
    """Apply an action of a playout.

    The rules are compiled into the loop of playouts, however long they are: what they leave in variables of
    the state and what the next draw reads there then stays in registers.
    """
    _apply_in_line(self, action)


@njit(**INNER_UNCOUNTED)
def _listed(self, actions, index):
    """Return an item of `actions`, int32 [A]."""
    return np.int64(actions[index])


@njit(**INNER_UNCOUNTED)
def _lists(self, actions, count, action):
    """Whether `action` is one of the first `count` of `actions`, int32 [A]."""
    found = False
    for i in range(count):
        found |= actions[i] == action
    return found


@njit(**INNER_UNCOUNTED)
def _is_to_be_left(self):
    """Whether this thread is asked to end the simulation at the next move."""
    return asked(END_GAME)


_store_returns = storing("returns")


_store_evaluation = storing("evaluate")


@njit(**INNER)
def _write_returns(self, out):
    """Write the returns into `out`, float64, one a player."""
    _store_returns(self, out, self.returns())


@njit(**INNER)
def write_evaluation(self, out):
    """Write the values of an unfinished game into `out`, float64, one a player."""
    _store_evaluation(self, out, self.evaluate())


@njit(**INNER_UNCOUNTED)
def write_middle(self, out):
    """The same for rules without `evaluate`: the mean of the worst and the best return."""
    out[:] = (self.min_return + self.max_return) / 2


STATE_METHODS = {
    "copy_from": _copy_from,
    "at": _at,
    "write_returns": _write_returns,
    "content_hash": _content_hash,
    "has_content_of": _has_content_of,
    "key": _key,
    "follow": _follow,
    "play_action": _play,
    "listed": _listed,
    "lists": _lists,
    "is_to_be_left": _is_to_be_left,
    "play_randomly": play_randomly,
    "play_choices": play_choices,
}
"""Methods of the states of all games; those of rules in plain Python: `search.drivers.interpreted_states`."""
