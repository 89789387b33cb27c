"""A growing table of information sets, found by what the player to move knows.

Rows of numbers belong to the actions of each information set; a search decides what they mean. There is at
most one new information set for each simulation, so Python can make room between two of them. At the limit
of memory the search goes on without adding any.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.information_sets.information_keys import Sight
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    DONE,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    TOO_MANY_ACTIONS,
)
from branchwise.core.numbers.random_streams import OUTCOME_STREAM, draw_share, next_counter
from branchwise.core.tree.node_table import slot_of

USED, ENTRIES, GROWS, SIMULATIONS, DEPTH, FULL = range(6)
"""Places in `InformationSets.facts`: information sets and ENTRIES in use; whether the table GROWS when there
is no room; SIMULATIONS so far; DEPTH of the simulation under way; whether an information set was left out
because the table is FULL."""
NUM_FACTS = 6

NO_ROOM, ACTIONS_DIFFER = -1, -2
"""Statuses besides `core.machine.kernel_status`: the table must be enlarged; an information set has other
legal actions than when it was entered."""


class InformationSets(NamedTuple):
    """N information sets with E actions in all, C numbers an action, and T slots, a power of two above N."""

    facts: NDArray[np.int64]  # [NUM_FACTS]
    slots: NDArray[np.int32]  # [T] number of an information set + 1, by its key; 0 is free
    keys: NDArray[np.uint64]  # [N] what the player knows
    first: NDArray[np.int64]  # [N] row of the first action
    counts: NDArray[np.int32]  # [N] number of legal actions
    visits: NDArray[np.int64]  # [N] simulations that chose here
    numbers: NDArray[np.float64]  # [E, C]


class Path(NamedTuple):
    """One simulation: L levels, A distinct actions or outcomes, P players."""

    sets: NDArray[np.int32]  # [L] information set at which a player chose, or -1
    players: NDArray[np.int32]  # [L] who chose, or CHANCE
    actions: NDArray[np.int32]  # [L] what was chosen
    places: NDArray[np.int32]  # [L] its place among the legal actions
    moves: NDArray[np.int32]  # [A] legal actions or outcomes of one state
    odds: NDArray[np.float64]  # [A] probabilities of outcomes
    returns: NDArray[np.float64]  # [P]
    known: NDArray[np.uint64]  # [P] what each player knows where simulations begin
    views: NDArray[np.uint64]  # [P]
    streams: NDArray[np.uint64]  # see `core.numbers.random_streams`
    sight: Sight


@kernel
def has_room(sets, path):
    """Whether one more information set fits."""
    facts = sets.facts
    return facts[USED] < sets.keys.size and facts[ENTRIES] + path.moves.size <= sets.numbers.shape[0]


@kernel
def find(sets, key):
    """Return the number of an information set, or -1."""
    return np.int64(sets.slots[slot_of(sets.slots, sets.keys, key, sets.slots.size)]) - 1


@kernel
def enter(sets, key, count):
    """Add an information set with `count` actions, whose numbers are 0, and return its number.

    There must be room.
    """
    facts = sets.facts
    found = facts[USED]
    sets.slots[slot_of(sets.slots, sets.keys, key, sets.slots.size)] = found + 1
    sets.keys[found] = key
    sets.first[found] = facts[ENTRIES]
    sets.counts[found] = count
    sets.visits[found] = 0
    facts[USED] = found + 1
    facts[ENTRIES] += count
    return found


@kernel
def list_moves(state, player, path):
    """Write the legal actions of `player` to path.moves; returns how many, or a negative status."""
    if player < 0 or player >= state.num_players:
        return np.int64(-PLAYER_OUT_OF_RANGE)
    count = np.int64(state.fill_legal_actions(path.moves))
    if count < 1:
        return np.int64(-NO_LEGAL_ACTION)
    return count if count <= path.moves.size else np.int64(-TOO_MANY_ACTIONS)


@kernel
def play_to_end(state, path):
    """Play random moves to the end of the game, and write the returns to path.returns; returns a status."""
    status = state.play_randomly(path.moves, path.streams)
    if status != DONE:
        return status
    state.write_returns(path.returns)
    for player in range(path.returns.size):
        if not state.min_return <= path.returns[player] <= state.max_return:
            return RETURN_OUT_OF_BOUNDS
    return DONE


@kernel
def draw_move(path, stream, total, count):
    """Return the place of one of `count` moves, drawn by path.odds, which add up to `total`."""
    left = draw_share(next_counter(path.streams, stream)) * total
    chosen = np.int64(0)
    for place in range(count):
        if path.odds[place] > 0.0:
            chosen = np.int64(place)
            left -= path.odds[place]
            if left < 0.0:
                break
    return chosen


@kernel
def draw_outcome(state, path):
    """Return an outcome of chance for `state`, drawn by its probabilities; -1 if there is none."""
    return state.draw_outcome(draw_share(next_counter(path.streams, OUTCOME_STREAM)))


@kernel
def note_move(sets, path, number, player, place, action):
    """Append a move to the path."""
    depth = sets.facts[DEPTH]
    path.sets[depth] = number
    path.players[depth] = player
    path.places[depth] = place
    path.actions[depth] = action
    sets.facts[DEPTH] = depth + 1


@entry_kernel
def enter_all(sets):
    """Fill the slots, which are free, with all information sets."""
    for number in range(sets.facts[USED]):
        slot = slot_of(sets.slots, sets.keys, sets.keys[number], sets.slots.size)
        sets.slots[slot] = number + 1


@entry_kernel
def find_all(sets, keys, found):
    """Write the number of the information set with each key, or -1, into `found`, int64."""
    for i in range(keys.size):
        found[i] = find(sets, keys[i])
