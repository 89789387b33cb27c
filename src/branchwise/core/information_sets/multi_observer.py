"""Multiple-observer information-set MCTS: each player chooses at an information set of that player's own.

A simulation begins in a state that the searching player thinks possible. The information sets of all
players are in one table, found by what each knows. An information set always has the same legal actions, so
its visits are the number of times that each of its actions was available.

Source: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search", 2012 (MO-ISMCTS).
"""

from __future__ import annotations

import math

import numpy as np

from branchwise.common.players import CHANCE
from branchwise.core.information_sets.information_keys import learn, watch
from branchwise.core.information_sets.regret_table import (
    ACTIONS_DIFFER,
    DEPTH,
    FULL,
    GROWS,
    NO_ROOM,
    SIMULATIONS,
    draw_outcome,
    enter,
    find,
    has_room,
    list_moves,
    note_move,
    play_to_end,
)
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import BAD_OUTCOME, DONE, NEVER_ENDS
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import (
    OUTCOME_STREAM,
    SELECT_STREAM,
    draw_below,
    draw_by_sums,
    next_counter,
)

VISITS, TOTAL = range(2)
"""Columns of `InformationSets.numbers`: visits of the action; sum of returns of the player who chooses."""
NUM_COLUMNS = 2


@entry_kernel
def search_observers(ends, memory, sets, path, known, views, shares, c, count):
    """Run `count` simulations; returns DONE, NO_ROOM or a fault.

    It runs fewer if this thread is asked to end.   ends : R states, in which simulations begin.   memory :
    room for a state.   known, views : uint64 [R, P], what each player knows and sees there.   shares :
    float64 [R], sums of their weights up to each.   c : exploration constant, for returns scaled to [0, 1].
    """
    facts = sets.facts
    until = facts[SIMULATIONS] + count
    while facts[SIMULATIONS] < until and not asked(END_BATCH):
        if facts[GROWS] == 1 and not has_room(sets, path):
            return NO_ROOM
        facts[DEPTH] = 0
        end = _draw_end(path, shares)
        sight = path.sight
        for player in range(sight.known.size):
            sight.known[player] = known[end, player]
            sight.views[player] = views[end, player]
        status = _simulate(ends.at(end), memory, sets, path, c)
        if status != DONE:
            return status
        facts[SIMULATIONS] += 1
    return DONE


@kernel
def _draw_end(path, shares):
    """Return the number of a state, drawn by weight."""
    if shares.size == 1:
        return np.int64(0)
    return draw_by_sums(next_counter(path.streams, OUTCOME_STREAM), shares)


@kernel
def _simulate(start, memory, sets, path, c):
    """Play one game, and add its returns to the information sets on its way; returns a status."""
    here = on_stack(start, memory)
    here.copy_from(start)
    facts = sets.facts
    known_on = True
    while not here.is_terminal():
        if facts[DEPTH] >= path.sets.size:
            return NEVER_ENDS
        player = here.current_player()
        if start.has_chance and player == CHANCE:
            action = draw_outcome(here, path)
            if action < 0 or action >= start.num_outcomes:
                return BAD_OUTCOME
            note_move(sets, path, -1, CHANCE, -1, action)
            watch(here, path.sight, player, action)
            here.apply_action(action)
            learn(here, path.sight, player, action)
            continue
        count = list_moves(here, player, path)
        if count < 0:
            return -count
        key = path.sight.known[player]
        number = find(sets, key)
        if number < 0:
            if not has_room(sets, path):
                facts[FULL] = 1
                break
            number = enter(sets, key, count)
            known_on = False
        elif sets.counts[number] != count:
            return ACTIONS_DIFFER
        place = _choose(here, sets, path, number, c)
        action = np.int64(path.moves[place])
        note_move(sets, path, number, player, place, action)
        watch(here, path.sight, player, action)
        here.apply_action(action)
        if not known_on or here.is_terminal():
            break
        learn(here, path.sight, player, action)
    status = play_to_end(here, path)
    if status != DONE:
        return status
    for depth in range(facts[DEPTH]):
        number = np.int64(path.sets[depth])
        if number >= 0:
            entry = sets.first[number] + path.places[depth]
            sets.visits[number] += 1
            sets.numbers[entry, VISITS] += 1.0
            sets.numbers[entry, TOTAL] += path.returns[path.players[depth]]
    return DONE


@kernel
def _choose(state, sets, path, number, c):
    """Return the place of the action with the highest upper confidence bound; ties go to the first.

        (total / n - min_return) / (max_return - min_return) + c sqrt(ln N / n)

    N is the number of times that the action was available, n that of its visits. While some actions are
    unvisited, one of them is drawn.
    """
    first, count = sets.first[number], np.int64(sets.counts[number])
    numbers = sets.numbers
    untried = 0
    for place in range(count):
        if numbers[first + place, VISITS] == 0.0:
            untried += 1
    if untried > 0:
        left = draw_below(next_counter(path.streams, SELECT_STREAM), untried)
        for place in range(count):
            if numbers[first + place, VISITS] == 0.0:
                if left == 0:
                    return np.int64(place)
                left -= 1
    log_visits = math.log(np.float64(sets.visits[number]))
    scale = 1.0 / (state.max_return - state.min_return)
    best, chosen = -math.inf, np.int64(0)
    for place in range(count):
        part = 1.0 / numbers[first + place, VISITS]
        gain = (numbers[first + place, TOTAL] * part - state.min_return) * scale
        score = gain + c * math.sqrt(log_visits * part)
        if score > best:
            best, chosen = score, np.int64(place)
    return chosen
