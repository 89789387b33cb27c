"""Routes: histories from the start of a game after which one player knows what that player knows now.

All of them are found depth-first. If there are too many, some are drawn at random. They are kept as a trie of
moves; its ends are the states that the player thinks possible.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE
from branchwise.core.exact.perft import fill_checked
from branchwise.core.information_sets.information_keys import Sight, look, play_seen
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    DONE,
    NEVER_ENDS,
    PLAYER_OUT_OF_RANGE,
)
from branchwise.core.numbers.random_streams import (
    OUTCOME_STREAM,
    advanced,
    draw_below,
    draw_share,
    next_counter,
)

UNFINISHED, NO_ROOM = -1, -2
LEVEL, NODES, ENDS, LOOKED, PLAYER, TRIED = range(6)
"""Places in `Routes.facts`: LEVEL of the walk, -1 at its end; NODES of the trie and ENDS in use; states
LOOKED at; the PLAYER; histories TRIED at random."""
NUM_FACTS = 6
NONE = -1


class Routes(NamedTuple):
    """A trie of N nodes with R ends; L levels of a walk, A distinct actions or outcomes, P players.

    Node 0 is the start of the game. A node comes before its children.
    """

    facts: NDArray[np.int64]  # [NUM_FACTS]
    chain: NDArray[np.uint64]  # [K] what the player knew at first and after each event
    parents: NDArray[np.int32]  # [N]
    places: NDArray[np.int32]  # [N] place of the move into the node among the legal moves
    children: NDArray[np.int32]  # [N] one of the children, or NONE
    siblings: NDArray[np.int32]  # [N] another child of the same parent, or NONE
    shares: NDArray[np.float64]  # [N] probability of the node if the moves of others are taken as given
    ends: NDArray[np.int32]  # [R] nodes at which the player knows what is known now
    drawn: NDArray[np.int64]  # [R] how often the end was drawn
    known: NDArray[np.uint64]  # [R, P] what each player knows there
    views: NDArray[np.uint64]  # [R, P] what each player sees there
    node: NDArray[np.int32]  # [L]
    events: NDArray[np.int32]  # [L] how many of the events have happened
    counts: NDArray[np.int32]  # [L] number of moves
    tried: NDArray[np.int32]  # [L]
    fits: NDArray[np.int32]  # [L] moves of another player that fit
    movers: NDArray[np.int32]  # [L]
    moves: NDArray[np.int32]  # [L, A]
    odds: NDArray[np.float64]  # [L, A]
    level_known: NDArray[np.uint64]  # [L, P]
    level_views: NDArray[np.uint64]  # [L, P]
    sight: Sight


@entry_kernel
def find_routes(state, ends, routes, count):
    """Continue the walk for `count` states; returns DONE, UNFINISHED, NO_ROOM or a fault.

    state : the start of the game, followed by room for one state a level and one more.   ends : room for R
    states.   All are modified in place. The walk begins when no state has been LOOKED at.
    """
    facts = routes.facts
    if facts[LOOKED] == 0:
        status = _begin(state, ends, routes)
        if status != DONE:
            return status
    while facts[LEVEL] >= 0:
        if count == 0:
            return UNFINISHED
        if facts[NODES] >= routes.parents.size or facts[ENDS] >= routes.ends.size:
            return NO_ROOM
        level = facts[LEVEL]
        if routes.tried[level] == routes.counts[level]:
            _leave(routes, level)
            continue
        count -= 1
        place = routes.tried[level]
        routes.tried[level] += 1
        events = _try(state, routes, level, place)
        if events == NONE:
            continue
        if routes.movers[level] >= 0 and routes.movers[level] != facts[PLAYER]:
            routes.fits[level] += 1
        status = _enter(state, ends, routes, level + 1, place, events)
        if status != DONE:
            return status
    return DONE


@entry_kernel
def draw_routes(state, ends, routes, streams, count, most):
    """Draw histories at random and keep those that fit, until `most` were drawn or `count` were tried.

    Returns DONE, NO_ROOM or a fault.   Chance counts with its probabilities; a move of another player is
    drawn from those after which the player sees what was seen.   streams : see `core.numbers.random_streams`.
    """
    facts = routes.facts
    if facts[LOOKED] == 0:
        status = _begin(state, ends, routes)
        if status != DONE:
            return status
    found = 0
    for end in range(facts[ENDS]):
        found += routes.drawn[end]
    while count > 0 and found < most:
        if facts[NODES] + routes.counts.size > routes.parents.size or facts[ENDS] >= routes.ends.size:
            return NO_ROOM
        count -= 1
        facts[TRIED] += 1
        level = 0
        while not _is_end(state.at(level), routes, level):
            if level > 0:
                status = _list(state.at(level), routes, level)
                if status != DONE:
                    return status
            status = _draw(state, routes, streams, level)
            if status == NONE:
                break
            if status != DONE:
                return status
            level += 1
        if _is_end(state.at(level), routes, level):
            _keep(state, ends, routes, level)
            found += 1
    return DONE


@entry_kernel
def weigh_ends(routes, weights):
    """Write the probability of each end, not scaled, into `weights`, float64 [R].

    It is the share of draws if ends were drawn, else the product of shares of all nodes on the way.
    """
    for end in range(routes.facts[ENDS]):
        weight = 1.0
        if routes.drawn[end] > 0:
            weight = np.float64(routes.drawn[end])
        else:
            node = np.int64(routes.ends[end])
            while node > 0:
                weight *= routes.shares[node]
                node = np.int64(routes.parents[node])
        weights[end] = weight


@kernel
def _begin(state, ends, routes):
    sight = routes.sight
    look(state, sight)
    _set_level(routes, 0, 0)
    routes.facts[LOOKED] = 1
    routes.facts[NODES] = 1
    routes.parents[0] = NONE
    routes.places[0] = NONE
    routes.children[0] = NONE
    routes.siblings[0] = NONE
    routes.shares[0] = 1.0
    routes.node[0] = 0
    routes.facts[LEVEL] = 0
    if sight.known[routes.facts[PLAYER]] != routes.chain[0]:
        routes.facts[LEVEL] = NONE  # the game does not begin as the player saw it
        routes.counts[0] = 0
        return DONE
    if _is_end(state, routes, 0):
        _add_end(state, ends, routes, 0)
        routes.counts[0] = 0
        return DONE
    return _list(state, routes, 0)


@kernel
def _set_level(routes, level, events):
    routes.events[level] = events
    for player in range(routes.sight.known.size):
        routes.level_known[level, player] = routes.sight.known[player]
        routes.level_views[level, player] = routes.sight.views[player]


@kernel
def _list(here, routes, level):
    """List the moves of a level's state; returns a status. A game that is over has none."""
    routes.counts[level] = 0
    routes.tried[level] = 0
    routes.fits[level] = 0
    routes.movers[level] = CHANCE
    if here.is_terminal():
        return DONE
    player = here.current_player()
    decides = True
    if here.has_chance and player == CHANCE:
        decides = False
    elif player < 0 or player >= here.num_players:
        return PLAYER_OUT_OF_RANGE
    if level + 2 > routes.counts.size:
        return NEVER_ENDS
    status, count, _ = fill_checked(here, decides, routes.moves[level], routes.odds[level])
    if status != DONE:
        return status
    routes.counts[level] = count
    routes.movers[level] = player
    return DONE


@kernel
def _is_end(here, routes, level):
    """Whether the player knows at a level what is known now, and is to move."""
    if routes.events[level] != routes.chain.size - 1 or here.is_terminal():
        return False
    return here.current_player() == routes.facts[PLAYER]


@kernel
def _try(state, routes, level, place):
    """Play a move of a level; returns the number of events after it, or NONE if it does not fit.

    The state and what is known after it are those of the next level.
    """
    if routes.odds[level, place] == 0.0:
        return np.int64(NONE)
    player, sight = routes.facts[PLAYER], routes.sight
    for one in range(sight.known.size):
        sight.known[one] = routes.level_known[level, one]
        sight.views[one] = routes.level_views[level, one]
    before = sight.known[player]
    after = state.at(level + 1)
    after.copy_from(state.at(level))
    routes.facts[LOOKED] += 1
    play_seen(after, sight, routes.movers[level], np.int64(routes.moves[level, place]))
    events = np.int64(routes.events[level])
    if sight.known[player] != before:
        events += 1
        if events >= routes.chain.size or sight.known[player] != routes.chain[events]:
            return np.int64(NONE)
    _set_level(routes, level + 1, events)
    return events


@kernel
def _enter(state, ends, routes, level, place, events):
    """Enter the state of `level`, after a move that fits; returns a status."""
    node = routes.facts[NODES]
    parent = routes.node[level - 1]
    routes.facts[NODES] = node + 1
    routes.node[level] = node
    routes.parents[node] = parent
    routes.places[node] = place
    routes.children[node] = NONE
    routes.siblings[node] = NONE
    routes.shares[node] = routes.odds[level - 1, place]
    routes.facts[LEVEL] = level
    if _is_end(state.at(level), routes, level):
        _add_end(state.at(level), ends, routes, level)
        routes.counts[level] = 0
        routes.tried[level] = 0
        return DONE
    return _list(state.at(level), routes, level)


@kernel
def _leave(routes, level):
    """Leave a level, all moves of which were tried; its node stays if an end was found below."""
    node = routes.node[level]
    routes.facts[LEVEL] = level - 1
    child = routes.children[node]
    while child != NONE and routes.fits[level] > 0:
        routes.shares[child] /= routes.fits[level]
        child = routes.siblings[child]
    if level == 0:
        return
    is_end = routes.facts[ENDS] > 0 and routes.ends[routes.facts[ENDS] - 1] == node
    if routes.children[node] == NONE and not is_end:
        routes.facts[NODES] = node  # it is the last one
        return
    parent = routes.node[level - 1]
    routes.siblings[node] = routes.children[parent]
    routes.children[parent] = node


@kernel
def _add_end(here, ends, routes, level):
    end = routes.facts[ENDS]
    ends.at(end).copy_from(here)
    routes.ends[end] = routes.node[level]
    routes.drawn[end] = 0
    for player in range(routes.sight.known.size):
        routes.known[end, player] = routes.level_known[level, player]
        routes.views[end, player] = routes.level_views[level, player]
    routes.facts[ENDS] = end + 1


@kernel
def _draw(state, routes, streams, level):
    """Play a random move of a level that fits; returns DONE, or NONE if there is none."""
    count = np.int64(routes.counts[level])
    counter = next_counter(streams, OUTCOME_STREAM)
    if routes.movers[level] == CHANCE:
        left = draw_share(counter)
        chosen = np.int64(NONE)
        for place in range(count):
            if routes.odds[level, place] > 0.0:
                chosen = np.int64(place)
                left -= routes.odds[level, place]
                if left < 0.0:
                    break
        if chosen == NONE or _try(state, routes, level, chosen) == NONE:
            return NONE
        routes.tried[level] = chosen
        return DONE
    fitting = 0
    chosen = np.int64(NONE)
    for place in range(count):
        if _try(state, routes, level, place) != NONE:
            fitting += 1
            counter = advanced(counter)
            if draw_below(counter, fitting) == 0:
                chosen = np.int64(place)
    streams[OUTCOME_STREAM] = counter
    if chosen == NONE:
        return NONE
    _try(state, routes, level, chosen)
    routes.tried[level] = chosen
    return DONE


@kernel
def _keep(state, ends, routes, level):
    """Add the moves tried at each level to the trie, with an end."""
    facts = routes.facts
    node = np.int64(0)
    for at in range(level):
        place = routes.tried[at]
        child = np.int64(routes.children[node])
        while child != NONE and routes.places[child] != place:
            child = np.int64(routes.siblings[child])
        if child == NONE:
            child = facts[NODES]
            facts[NODES] = child + 1
            routes.parents[child] = node
            routes.places[child] = place
            routes.children[child] = NONE
            routes.siblings[child] = routes.children[node]
            routes.children[node] = child
        node = child
    for end in range(facts[ENDS]):
        if routes.ends[end] == node:
            routes.drawn[end] += 1
            return
    routes.node[level] = node
    _add_end(state.at(level), ends, routes, level)
    routes.drawn[facts[ENDS] - 1] = 1
