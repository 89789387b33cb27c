"""Listing the states that can be reached from others, and the steps between them.

The walk is breadth-first; Python enlarges its arrays when they are full. States are recognised by their
content. With a horizon, a state is listed once for each number of decisions that can be left when it is
reached.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, GREATEST_REWARD, TERMINAL
from branchwise.core.exact.perft import fill_checked
from branchwise.core.machine.kernel import entry_kernel, inlined_kernel, kernel
from branchwise.core.machine.kernel_status import (
    DONE,
    NOT_CONSTANT_SUM,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    REWARD_IS_NO_NUMBER,
)
from branchwise.core.numbers.random_streams import mixed

UNFINISHED, NO_ROOM = -1, -2
LOOKED, USED, STEPS = range(3)  # places in facts
NO_HORIZON = -1
_ROUNDING = 1e-9


class Reached(NamedTuple):
    """States and the steps between them; N states, E steps, T slots, A distinct actions or outcomes.

    Steps of state n are contiguous: [first[n], first[n + 1]). A step is an action or an outcome of chance.
    Returns and rewards are those of the first V players. If that is 1 of 2, theirs must add up to 0.
    """

    facts: NDArray[np.int64]  # [3] states LOOKED at, whose steps are listed; states and STEPS USED
    table: NDArray[np.int32]  # [T] place of a state + 1, by its hash; 0 is free; T is a power of two above N
    left: NDArray[np.int32]  # [N] decisions before the horizon, or NO_HORIZON
    players: NDArray[np.int8]  # [N] who is to move; TERMINAL where nothing is to come
    final: NDArray[np.float64]  # [N, V] returns at the end, elsewhere 0
    first: NDArray[np.int64]  # [N + 1] first step
    actions: NDArray[np.int32]  # [E], or [0] if nobody asks: the action, or the outcome
    targets: NDArray[np.int32]  # [E] the state after the step
    chances: NDArray[np.float64]  # [E] probability of an outcome; 1 for an action
    rewards: NDArray[np.float64]  # [E, V], or [0, V] without rewards on the way
    moves: NDArray[np.int32]  # [A] steps of one state
    odds: NDArray[np.float64]  # [A] their probabilities
    numbers: NDArray[np.float64]  # [players] returns, or rewards for one step


@entry_kernel
def reach(state, reached, count):
    """Process the next `count` states; returns DONE, UNFINISHED, NO_ROOM in an array, or a fault.

    A fault is in the state number LOOKED.   state : the first of N, which `reached` describes; both are
    modified in place.
    """
    facts = reached.facts
    while facts[LOOKED] < facts[USED]:
        if count == 0:
            return UNFINISHED
        count -= 1
        place = facts[LOOKED]
        most = reached.moves.size
        if facts[USED] + most >= reached.players.size or facts[STEPS] + most > reached.targets.size:
            return NO_ROOM
        status = _look(state, reached, place)
        if status != DONE:
            return status
        facts[LOOKED] = place + 1
        reached.first[place + 1] = facts[STEPS]
    return DONE


@entry_kernel
def enter(state, reached, left):
    """Return the place of the state behind the last one, entered as a new one if it was not seen before.

    left : decisions before its horizon.   There must be room for it.
    """
    return _place(state, reached, np.int32(left))


@entry_kernel
def find(state, reached, left):
    """Return the place of the state behind the last one, or -1."""
    place = reached.table[_slot(state, reached, reached.facts[USED], np.int32(left))]
    return np.int64(place) - 1


@entry_kernel
def enter_all(state, reached):
    """Fill the table, which is empty, with all states."""
    for place in range(reached.facts[USED]):
        reached.table[_slot(state, reached, place, reached.left[place])] = place + 1


@kernel
def _look(state, reached, place):
    """List the steps of a state, or its return; returns a status."""
    here = state.at(place)
    left = reached.left[place]
    reached.players[place] = TERMINAL
    if here.is_terminal():
        return DONE if state.pays else _write_final(here, reached, place)
    player = here.current_player()
    decides = not (state.has_chance and player == CHANCE)
    if decides and not 0 <= player < state.num_players:
        return PLAYER_OUT_OF_RANGE
    if decides and left != NO_HORIZON:
        if left == 0:
            return DONE
        left -= np.int32(1)
    reached.players[place] = player
    return _list_steps(state, reached, place, left, decides)


@kernel
def _write_final(here, reached, place):
    here.write_returns(reached.numbers)
    status = _check_numbers(reached, here.min_return, here.max_return, RETURN_OUT_OF_BOUNDS)
    for player in range(reached.final.shape[1]):
        reached.final[place, player] = reached.numbers[player]
    return status


@kernel
def _check_numbers(reached, low, high, fault):
    """Return DONE, `fault` for a number out of bounds, or NOT_CONSTANT_SUM for two that must add up to 0."""
    total = 0.0
    for number in reached.numbers:
        if not low <= number <= high:
            return fault
        total += number
    oppose = reached.numbers.size == 2 and reached.final.shape[1] == 1
    return NOT_CONSTANT_SUM if oppose and not abs(total) <= _ROUNDING else DONE


@kernel
def _list_steps(state, reached, place, left, decides):
    """List the steps of a state; left : decisions before the horizon after each."""
    facts = reached.facts
    here = state.at(place)
    moves, odds = reached.moves, reached.odds
    status, count, total = fill_checked(here, decides, moves, odds)
    if status != DONE:
        return status
    for i in range(count):
        if odds[i] == 0.0:
            continue
        after = state.at(facts[USED])
        after.copy_from(here)
        step = facts[STEPS]
        if state.pays:
            after.apply_for_rewards(np.int64(moves[i]), reached.numbers, 0)
            status = _check_numbers(reached, -GREATEST_REWARD, GREATEST_REWARD, REWARD_IS_NO_NUMBER)
            if status != DONE:
                return status
            for player in range(reached.rewards.shape[1]):
                reached.rewards[step, player] = reached.numbers[player]
        else:
            after.apply_action(np.int64(moves[i]))
        if reached.actions.size > 0:
            reached.actions[step] = moves[i]
        reached.targets[step] = _place(state, reached, left)
        reached.chances[step] = 1.0 if decides else odds[i] / total
        facts[STEPS] = step + 1
    return DONE


@inlined_kernel
def _place(state, reached, left):
    """Return the place of the state behind the last one, entered as a new one if it was not seen before."""
    slot = _slot(state, reached, reached.facts[USED], left)
    place = np.int64(reached.table[slot]) - 1
    if place < 0:
        place = reached.facts[USED]
        reached.table[slot] = place + 1
        reached.left[place] = left
        reached.facts[USED] = place + 1
    return place


@inlined_kernel
def _slot(state, reached, number, left):
    """Return the slot of the state `number` in the array: where it is, or where it can be entered."""
    wanted = state.at(number)
    mask = np.uint64(reached.table.size - 1)
    slot = _hash(wanted, left) & mask
    while reached.table[slot] != 0:
        other = np.int64(reached.table[slot]) - 1
        if reached.left[other] == left and wanted.has_content_of(state.at(other)):
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def _hash(state, left):
    return mixed(state.content_hash() + np.uint64(left + 1))
