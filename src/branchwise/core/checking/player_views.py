"""What a player sees of one state, and dealing a state anew, for the rule checker."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.machine.kernel import entry_kernel

NOTHING = -1
"""In place of an action, and of what is seen of one."""


class View(NamedTuple):
    """What one player sees."""

    hash: NDArray[np.uint64]  # [1] of the observation
    seen: NDArray[np.int64]  # [1] of an action, or NOTHING
    masks: NDArray[np.uint64]  # [P, W] bits of a state's W words that each of P players sees


@entry_kernel
def look_from(state, player, action, view):
    """Write what `player` sees of a state, and of another's `action` about to be applied, unless NOTHING."""
    view.hash[0] = state.view_hash(player, view.masks)
    view.seen[0] = NOTHING
    if action != NOTHING:
        view.seen[0] = state.seen_of(action, player)
    return 0


@entry_kernel
def key_from(state, player, masks):
    """Return the key of what `player` sees, uint64; masks : uint64 [P W]."""
    return state.view_key(player, masks)


@entry_kernel
def deal_anew(state, player, streams):
    """Deal a blank state anew by the rules' `determinize`, in place; returns whether it is consistent.

    streams : uint64 [NUM_STREAMS], random numbers; rules draw from the playouts' stream.
    """
    if state.determinizes:
        state.deal_anew(player, state.draws_from(streams))
    fits = True
    if state.rejects:
        fits = state.fits(player)
    return 1 if fits else 0
