"""Sweeps: local search along the line of a level of NRPA.

A sweep visits every place of a line in turn. There it plays another action: one whose code the line never
chooses, drawn by the policy that the call of the level began with. It completes the line with actions whose
codes the line chooses, drawn uniformly, as long as one is legal, and else with actions drawn by that policy.
If the new line is not worse, the sweep goes on along it. This is our own method. It takes a line for a set of
actions that can be played in many orders.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.lines.nrpa_policy import BIAS, USED, bias_of, code_of, find
from branchwise.core.lines.solution_lines import (
    DEPTH,
    HORIZON,
    MOST_MOVES,
    MOVES,
    TOP,
    WAY,
    copy_line,
    earn,
    end_line,
    fill_legal,
    note,
    play,
    status_of,
)
from branchwise.core.machine.kernel import kernel
from branchwise.core.machine.kernel_status import BAD_CODE, BAD_PRIOR, DONE, REWARD_IS_NO_NUMBER
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, advanced, draw_share

LEVEL, LEFT, PLACE, IS_LISTED, HAS_CHANGED, SWEPT, TRIAL = range(7)
"""Places in `Sweep.facts`: the level whose line is swept (0: none); the number of sweeps left; the next place
of the line (-1: its codes are not known yet); whether `keys` holds the line's codes; whether the line has
changed; the rows of the line and of the new line that is tried."""
NUM_FACTS = 7

TOTAL, WEIGHT = range(2)
"""Places in `Sweep.numbers`: the sum of the rewards before PLACE, and the discount factor of the next one."""

_NO_CODE = -1
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_HERE, _AFTER = 2, 1
"""States behind the root: the state at PLACE, and the one in which a new line is played."""


class Sweep(NamedTuple):
    """The sweeps of one search, of V levels; lines have at most L actions; K is a power of two."""

    facts: NDArray[np.int64]  # [NUM_FACTS]
    numbers: NDArray[np.float64]  # [2]
    wanted: NDArray[np.int64]  # [V + 1] sweeps over the best line of each call; [0] is not used
    codes: NDArray[np.int64]  # [L] of the actions of the line
    others: NDArray[np.int64]  # [L] of the actions of the new line
    keys: NDArray[np.int64]  # [K] hash table, with open addressing, of `codes`
    shift: NDArray[np.uint64]  # [1] 64 - log2(K)


def new_sweep(wanted: tuple[int, ...], moves: int, swept: int) -> Sweep:
    """Return room for sweeps.

    wanted : the number for each level, from level 0.   moves : most actions of a line.   swept : the row of
    the line; the new line has the next row.
    """
    facts = np.zeros(NUM_FACTS, np.int64)
    facts[SWEPT], facts[TRIAL] = swept, swept + 1
    return with_room(Sweep(facts, np.zeros(2), np.array(wanted), *_empty(1)), moves)


def with_room(sweep: Sweep, moves: int) -> Sweep:
    """Return the same sweeps with room for lines of `moves` actions."""
    codes, others, keys, shift = _empty(moves)
    codes[: sweep.codes.size] = sweep.codes
    sweep.facts[IS_LISTED] = 0
    return sweep._replace(codes=codes, others=others, keys=keys, shift=shift)


def _empty(moves: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64]]:
    log = (4 * moves - 1).bit_length()
    codes, others = np.zeros(moves, np.int64), np.zeros(moves, np.int64)
    return codes, others, np.full(2**log, _NO_CODE, np.int64), np.array([64 - log], np.uint64)


@kernel
def begin_sweeps(task, lines, policy, sweep, level, row):
    """Begin the sweeps over the line of a level, in a row."""
    facts = sweep.facts
    if level < task.facts[TOP]:  # the level above does not know the codes that were added since
        weights = policy.weights[policy.starts[level + 1]]
        for i in range(policy.used_before[level], policy.facts[USED]):
            weights[policy.order[i]] = 1.0
    copy_line(lines, row, facts[SWEPT])
    facts[LEVEL] = level
    facts[LEFT] = sweep.wanted[level]
    facts[PLACE] = -1
    facts[HAS_CHANGED] = 0


@kernel
def sweep_on(state, task, lines, policy, sweep):
    """Play one new line, or end the last sweep, after which LEFT is 0; returns a status.

    If there is no room, the playout has not taken place; see `adapt_policies`.
    """
    facts = sweep.facts
    if facts[PLACE] < 0:
        status = _read_codes(state, task, lines, sweep)
        if status != DONE:
            return status
        _return_to_root(state, sweep)
    if facts[IS_LISTED] == 0:
        _list_codes(lines, sweep)
    while facts[LEFT] > 0:
        if facts[PLACE] >= lines.length[facts[SWEPT]]:
            facts[LEFT] -= 1
            _return_to_root(state, sweep)
            continue
        status, length = _play_new(state, task, lines, policy, sweep)
        if status != DONE:
            return status
        if length > 0:
            _take_or_leave(task, lines, sweep, length)
        status = _advance(state, task, lines, sweep)
        if status != DONE or length > 0:
            return status
    return DONE


@kernel
def _read_codes(state, task, lines, sweep):
    """Write the codes of the line; returns a status."""
    facts = sweep.facts
    here, row = state.at(_HERE), facts[SWEPT]
    here.copy_from(state)
    for place in range(lines.length[row]):
        action = np.int64(lines.actions[row, place])
        lines.actions[facts[TRIAL], place] = action
        task.facts[DEPTH] = place
        code = code_of(here, action)
        if code < 0:
            return BAD_CODE
        sweep.codes[place] = code
        play(here, task, action)
    task.facts[MOVES] += lines.length[row]
    facts[IS_LISTED] = 0
    return DONE


@kernel
def _return_to_root(state, sweep):
    here = state.at(_HERE)
    here.copy_from(state)
    sweep.facts[PLACE] = 0
    sweep.numbers[TOTAL] = 0.0
    sweep.numbers[WEIGHT] = 1.0


@kernel
def _advance(state, task, lines, sweep):
    """Play the line's action at PLACE; returns a status."""
    facts, numbers = sweep.facts, sweep.numbers
    place = facts[PLACE]
    action = np.int64(lines.actions[facts[SWEPT], place])
    numbers[TOTAL] = earn(state.at(_HERE), task, action, place + 1, numbers[TOTAL], numbers[WEIGHT])
    if math.isnan(numbers[TOTAL]):
        return REWARD_IS_NO_NUMBER
    numbers[WEIGHT] *= state.discount
    task.facts[MOVES] += 1
    facts[PLACE] = place + 1
    return DONE


@kernel
def _play_new(state, task, lines, policy, sweep):
    """Play a new line, with another action at PLACE, into the row TRIAL, and write its codes.

    Returns a status and the length of the new line, 0 if no other action can be played.
    """
    facts = sweep.facts
    row, swept, first = facts[TRIAL], facts[SWEPT], facts[PLACE]
    actions, codes = lines.actions[row], sweep.others
    legal, shares = task.legal, task.shares
    room = min(task.facts[MOST_MOVES], actions.size)
    horizon = task.facts[HORIZON] if task.facts[HORIZON] > 0 else room + 1
    counter = task.streams[PLAYOUT_STREAM]
    here = on_stack(state.at(_HERE), state.at(_AFTER))
    total, weight = sweep.numbers[TOTAL], sweep.numbers[WEIGHT]
    for place in range(first):
        actions[place] = lines.actions[swept, place]
        codes[place] = sweep.codes[place]
    depth = first
    while depth == first or not (here.is_terminal() or depth >= horizon):
        count = fill_legal(here, task, depth, room)
        if count < 0:
            return status_of(task, count, depth), np.int64(0)
        own = 0
        for i in range(count):
            code = code_of(here, np.int64(legal[i]))
            if code < 0:
                return BAD_CODE, np.int64(0)
            own += _has_code(sweep, code)
            shares[i] = own
        sum_of_shares = float(own)
        if depth == first or own == 0:
            sum_of_shares = _share_among_others(state, here, task, policy, sweep, count)
            if depth == first and sum_of_shares == 0.0:
                return DONE, np.int64(0)
            if not 0.0 < sum_of_shares < np.inf:
                return BAD_PRIOR, np.int64(0)
        chosen = 0
        if count > 1:
            counter = advanced(counter)
            drawn = draw_share(counter) * sum_of_shares
            while chosen < count - 1 and shares[chosen] <= drawn:
                chosen += 1
        action = np.int64(legal[chosen])
        actions[depth] = action
        codes[depth] = code_of(here, action)
        depth += 1
        total = earn(here, task, action, depth, total, weight)
        if math.isnan(total):
            return REWARD_IS_NO_NUMBER, np.int64(0)
        weight *= state.discount
    task.streams[PLAYOUT_STREAM] = counter
    return end_line(here, task, lines, row, depth, total), np.int64(depth)


@kernel
def _share_among_others(state, here, task, policy, sweep, count):
    """Write the partial sums of the shares that the first policy of the call gives to legal actions.

    Actions of the line have none.

    Returns the sum of all; NaN if a prior is out of range.
    """
    level, top = sweep.facts[LEVEL], task.facts[TOP]
    weights = policy.weights[policy.starts[min(level + 1, top)]]
    total = 0.0
    for i in range(count):
        action = np.int64(task.legal[i])
        code = code_of(here, action)
        if not _has_code(sweep, code):
            share = weights[find(policy, code)] if level < top else 1.0
            if state.biased:
                if task.facts[WAY] > 0:
                    prior = bias_of(here.prior(action), policy.numbers[BIAS])
                    share *= prior if 0.0 <= prior < np.inf else np.nan
            total += share
        task.shares[i] = total
    return total


@kernel
def _take_or_leave(task, lines, sweep, length):
    """Count the new line, of `length` actions, as a playout; it replaces the line unless it is worse."""
    facts = sweep.facts
    row, swept = facts[TRIAL], facts[SWEPT]
    task.facts[MOVES] += length - facts[PLACE]
    note(task, lines, row)
    if lines.score[row] >= lines.score[swept]:
        copy_line(lines, row, swept)
        for place in range(length):
            sweep.codes[place] = sweep.others[place]
        facts[HAS_CHANGED] = 1
        _list_codes(lines, sweep)


# --- the set of codes -------------------------------------------------------------------------------------


@kernel
def _list_codes(lines, sweep):
    """Make `keys` the set of the codes of the line."""
    keys = sweep.keys
    for slot in range(keys.size):
        keys[slot] = _NO_CODE
    for place in range(lines.length[sweep.facts[SWEPT]]):
        code = sweep.codes[place]
        keys[_slot_of(sweep, code)] = code
    sweep.facts[IS_LISTED] = 1


@kernel
def _has_code(sweep, code):
    """Whether the line chooses a code."""
    return sweep.keys[_slot_of(sweep, code)] == code


@kernel
def _slot_of(sweep, code):
    """Return the slot of a code, or the free one where it would be, uint64."""
    keys = sweep.keys
    last = np.uint64(keys.size - 1)
    slot = (np.uint64(code) * _SPREAD) >> sweep.shift[0]
    while keys[slot] != code and keys[slot] != _NO_CODE:
        slot = (slot + _ONE) & last
    return slot
