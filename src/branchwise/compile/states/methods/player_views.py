"""What players see of a state, and what they do not see dealt anew."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.extending import intrinsic

from branchwise.compile.states.methods.record_words import (
    HASH_STEP,
    num_whole_words,
    num_words,
    whole_word,
    word,
)
from branchwise.core.machine.kernel import INNER, INNER_UNCOUNTED
from branchwise.core.numbers.random_streams import mixed

_ODD = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


@intrinsic
def _bits_of(typing_context: Any, number: Any) -> Any:
    """Return the 64 bits of a float64 as uint64."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], ir.IntType(64))

    return types.uint64(types.float64), generate


@njit(**INNER_UNCOUNTED)
def _view_hash(self, player, masks):
    """Return a hash of the cells that `player` sees, uint64.

    masks : uint64 [P, W], the bits of the state's words that each player sees.
    """
    total = np.uint64(0)
    for i in range(num_words(self)):
        total = mixed(total ^ (word(self, i) & masks[player, i])) + HASH_STEP
    return total


@njit(**INNER_UNCOUNTED)
def _view_key(self, player, masks):
    """The same, faster and mixed less; masks : uint64 [P W]."""
    words = num_words(self)
    whole = num_whole_words(self)
    first = player * words
    total = HASH_STEP
    for i in range(whole):
        total = (total ^ (whole_word(self, i) & masks[first + i])) * _ODD
        total ^= total >> _HALF
    if words > whole:
        total = (total ^ (word(self, whole) & masks[first + whole])) * _ODD
    return total


@njit(**INNER)
def _observation_hash(self, player, masks):
    """The same of the numbers that the rules' `observation` gives."""
    total = np.uint64(0)
    for number in self.observation(player):
        total = mixed(total ^ _bits_of(np.float64(number) + 0.0)) + HASH_STEP
    return total


@njit(**INNER_UNCOUNTED)
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
