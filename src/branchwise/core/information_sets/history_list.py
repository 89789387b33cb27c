"""Listing all histories of a small game, with what each player knows after each.

The walk is breadth-first; Python enlarges its arrays when they are full. What a player knows is a hash; see
`core.information_sets.information_keys`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.core.exact.perft import fill_checked
from branchwise.core.exact.reachable_states import NO_ROOM, UNFINISHED
from branchwise.core.information_sets.information_keys import (
    after_own,
    after_seen,
    after_view,
    first_knowledge,
)
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    DONE,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
)

LOOKED, USED = range(2)  # places in facts


class Histories(NamedTuple):
    """N histories of a game with P players, as nodes of a tree; A is the number of actions or outcomes.

    Node 0 is the start. Children of node n are contiguous, [first[n], first[n] + counts[n]), and come later.
    """

    facts: NDArray[np.int64]  # [2] nodes LOOKED at, whose children are listed; nodes USED
    players: NDArray[np.int8]  # [N] who is to move, CHANCE, or TERMINAL
    parents: NDArray[np.int32]  # [N] -1 for the start
    actions: NDArray[np.int32]  # [N] action or outcome that led to the node
    chances: NDArray[np.float64]  # [N] its probability, of an outcome; else 1
    first: NDArray[np.int32]  # [N]
    counts: NDArray[np.int32]  # [N] number of children
    known: NDArray[np.uint64]  # [N, P] what each player knows
    views: NDArray[np.uint64]  # [N, P] what each player sees now
    returns: NDArray[np.float64]  # [N, P] at the end, elsewhere 0
    masks: NDArray[np.uint64]  # [P, W] bits of a state's W words that each player sees
    moves: NDArray[np.int32]  # [A] of one node
    odds: NDArray[np.float64]  # [A]
    numbers: NDArray[np.float64]  # [P]


@entry_kernel
def list_histories(state, histories, count):
    """Process the next `count` nodes; returns DONE, UNFINISHED, NO_ROOM, or a fault in the node LOOKED.

    state : the first of N, of which the first USED are set; the start is.   Both are modified in place.
    """
    facts = histories.facts
    if facts[USED] == 0:
        _enter_start(state, histories)
    while facts[LOOKED] < facts[USED]:
        if count == 0:
            return UNFINISHED
        count -= 1
        if facts[USED] + histories.moves.size > histories.players.size:
            return NO_ROOM
        status = _look(state, histories, facts[LOOKED])
        if status != DONE:
            return status
        facts[LOOKED] += 1
    return DONE


@kernel
def _enter_start(state, histories):
    histories.parents[0] = -1
    histories.chances[0] = 1.0
    for player in range(histories.numbers.size):
        view = state.view_hash(player, histories.masks)
        histories.views[0, player] = view
        histories.known[0, player] = first_knowledge(view, player)
    histories.facts[USED] = 1


@kernel
def _look(state, histories, node):
    """List the children of a node, or its returns; returns a status."""
    here = state.at(node)
    histories.first[node] = histories.facts[USED]
    histories.counts[node] = 0
    if here.is_terminal():
        histories.players[node] = TERMINAL
        here.write_returns(histories.numbers)
        for player in range(histories.numbers.size):
            if not here.min_return <= histories.numbers[player] <= here.max_return:
                return RETURN_OUT_OF_BOUNDS
            histories.returns[node, player] = histories.numbers[player]
        return DONE
    player = here.current_player()
    decides = True
    if state.has_chance and player == CHANCE:
        decides = False
    elif player < 0 or player >= state.num_players:
        return PLAYER_OUT_OF_RANGE
    histories.players[node] = player
    moves, odds = histories.moves, histories.odds
    status, count, total = fill_checked(here, decides, moves, odds)
    if status != DONE:
        return status
    for i in range(count):
        if odds[i] > 0.0:
            _enter(state, histories, node, player, np.int64(moves[i]), 1.0 if decides else odds[i] / total)
    return DONE


@kernel
def _enter(state, histories, node, mover, action, chance):
    """Add the child of `node` after `action`."""
    place = histories.facts[USED]
    before, after = state.at(node), state.at(place)
    after.copy_from(before)
    after.apply_action(action)
    histories.parents[place] = node
    histories.actions[place] = action
    histories.chances[place] = chance
    for player in range(histories.numbers.size):
        known = histories.known[node, player]
        if player == mover:
            known = after_own(known, action)
        else:
            seen = before.seen_of(action, player)
            if seen >= 0:
                known = after_seen(known, seen)
        view = after.view_hash(player, histories.masks)
        if view != histories.views[node, player]:
            known = after_view(known, view)
        histories.views[place, player] = view
        histories.known[place, player] = known
    histories.counts[node] += 1
    histories.facts[USED] = place + 1
