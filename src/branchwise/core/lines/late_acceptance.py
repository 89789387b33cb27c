"""Late acceptance: local search of one line, whose changes are played as far as the rules allow.

A change turns a part of the line round, moves a part, exchanges two actions, or replaces one. The changed
line is played action by action. One that is not legal waits. In one half of the lines it is tried again at
each step: a stop that no longer fits is then the first of the next van; in the other half only where the next
action is not legal either, so that a way back to the depot from the depot is forgotten. Where the line ends
before the rules do, a playout goes on. A new line is taken if it is no worse than the one before, or than the
one that was kept some number of lines ago. A run ends when lines get no better. The next one begins anew, and
looks back four times as far.

Source: Burke, Bykov, "The late acceptance hill-climbing heuristic", 2017. How lines are changed and played is
our own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.lines.nested import play_out
from branchwise.core.lines.solution_lines import (
    DISCOUNT,
    FRESH,
    MOST_MOVES,
    MOVES,
    PLAYOUTS,
    RUNS,
    copy_line,
    earn,
    end_line,
    ends,
    fill_legal,
    is_over,
    note,
    status_of,
)
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import DONE, REWARD_IS_NO_NUMBER
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, draw_below, next_counter

NEW, CURRENT = range(2)
"""Rows of lines."""
SIZE, STEP, IDLE = range(3)
"""Places in `Past.facts`: how many lines a run looks back; lines of the run; and those since the last that
was better than the one before it."""

_IDLE = 20
"""A run ends after this many times its SIZE lines that are no better."""
_LONGEST_PART = 3
_ANY = -1
_WAITING = 16
"""Actions that wait, at most."""


class Past(NamedTuple):
    """What a run remembers; lines have at most L actions."""

    facts: NDArray[np.int64]  # [3]
    scores: NDArray[np.float64]  # [H] of the lines kept lately, in turn
    wishes: NDArray[np.int32]  # [L] the changed line
    waiting: NDArray[np.int32]  # [_WAITING] its actions that were not legal when it was their turn


def new_past(size: int, most: int, moves: int) -> Past:
    """Return what a search remembers that looks back `size` lines at first, and later at most `most`."""
    facts, waiting = np.array([size, 0, 0], np.int64), np.zeros(_WAITING, np.int32)
    return Past(facts, np.zeros(most), np.zeros(moves, np.int32), waiting)


@entry_kernel
def climb(state, task, lines, past, most):
    """Continue for `most` playouts; returns DONE, NO_ROOM or the fault of the rules.

    It runs fewer if the search is complete or this thread is asked to end. If there is no room, the playout
    has not taken place. state : the root, followed by room for another. All others are modified in place.
    """
    until = task.facts[PLAYOUTS] + most
    while task.facts[PLAYOUTS] < until and not is_over(task, lines) and not asked(END_BATCH):
        counter = task.streams[PLAYOUT_STREAM]
        wishes = 0 if task.facts[FRESH] == 1 else _change(task, lines, past)
        status = _follow(state, task, lines, past, wishes)
        if status != DONE:
            task.streams[PLAYOUT_STREAM] = counter
            return status
        task.facts[MOVES] += lines.length[NEW]
        note(task, lines, NEW)
        _take_or_leave(task, lines, past)
    return DONE


@kernel
def _draw(task, bound):
    return draw_below(next_counter(task.streams, PLAYOUT_STREAM), bound)


@kernel
def _change(task, lines, past):
    """Write a changed line to the wishes; returns its length."""
    wishes, length = past.wishes, lines.length[CURRENT]
    for i in range(length):
        wishes[i] = lines.actions[CURRENT, i]
    first = _draw(task, length)
    other = (first + 1 + _draw(task, 1 + _draw(task, length))) % length  # rather near
    way = _draw(task, 4)
    if way == 0:
        _turn(wishes, min(first, other), max(first, other) + 1)
    elif way == 1:
        part = 1 + _draw(task, min(_LONGEST_PART, length - first))
        low, high = min(first, other), max(first + part, other + 1)
        _turn(wishes, low, high)
        if low == first:
            _turn(wishes, low, high - part)
            low = high - part
        else:
            _turn(wishes, low + part, high)
        if _draw(task, 2) == 0:
            _turn(wishes, low, low + part)
    elif way == 2:
        wishes[first], wishes[other] = wishes[other], wishes[first]
    else:
        wishes[first] = _ANY
    return length


@kernel
def _turn(wishes, low, high):
    """Turn the wishes from `low` to `high` - 1 round."""
    while low < high - 1:
        high -= 1
        wishes[low], wishes[high] = wishes[high], wishes[low]
        low += 1


@kernel
def _follow(state, task, lines, past, wishes):
    """Play the first `wishes` wishes, as far as they are legal, to the row NEW; returns a status."""
    here = on_stack(state, state.at(1))
    room = min(task.facts[MOST_MOVES], lines.actions.shape[1])
    depth, total, weight = 0, 0.0, 1.0
    place = waiting = 0
    patient = _draw(task, 2)
    while not ends(here, task, depth):
        count = fill_legal(here, task, depth, room) if place < wishes or waiting > 0 else 0
        if count < 0:
            return status_of(task, count, depth)
        action, place, waiting = _next(task, past, place, wishes, waiting, count, patient)
        if action < 0:
            return play_out(here, task, lines, NEW, depth, total, weight)
        lines.actions[NEW, depth] = action
        depth += 1
        total = earn(here, task, action, depth, total, weight)
        if math.isnan(total):
            return REWARD_IS_NO_NUMBER
        weight *= task.numbers[DISCOUNT]
    return end_line(here, task, lines, NEW, depth, total)


@kernel
def _next(task, past, place, wishes, waiting, count, patient):
    """Return the next action, the next place, and how many wait; the action is -1 where none is left.

    count : of legal actions.   patient : 0: those that wait come first.
    """
    found = np.int64(-1)
    if patient == 0:
        found, waiting = _waited(task, past, waiting, count)
    while found < 0 and place < wishes:
        action = np.int64(past.wishes[place])
        place += 1
        if action == _ANY:
            return np.int64(task.legal[_draw(task, count)]), place, waiting
        if _is_listed(task, action, count):
            return action, place, waiting
        found, waiting = _waited(task, past, waiting, count)
        if waiting < past.waiting.size:
            past.waiting[waiting] = action
            waiting += 1
    if found < 0:
        found, waiting = _waited(task, past, waiting, count)
    return found, place, waiting


@kernel
def _waited(task, past, waiting, count):
    """Return the first of those that wait that is legal, and how many are left; -1: none."""
    for i in range(waiting):
        action = np.int64(past.waiting[i])
        if _is_listed(task, action, count):
            for later in range(i + 1, waiting):
                past.waiting[later - 1] = past.waiting[later]
            return action, waiting - 1
    return np.int64(-1), waiting


@kernel
def _is_listed(task, action, count):
    for i in range(count):
        if task.legal[i] == action:
            return True
    return False


@kernel
def _take_or_leave(task, lines, past):
    """Make the new line the current one unless it is worse, and end the run if it is over."""
    facts, scores, score = past.facts, past.scores, lines.score[NEW]
    if task.facts[FRESH] == 1:
        task.facts[FRESH] = 0
        copy_line(lines, NEW, CURRENT)
        for i in range(facts[SIZE]):
            scores[i] = score
        facts[STEP] = facts[IDLE] = 0
        return
    place = facts[STEP] % facts[SIZE]
    facts[STEP] += 1
    facts[IDLE] = 0 if score > lines.score[CURRENT] else facts[IDLE] + 1
    if score >= lines.score[CURRENT] or score >= scores[place]:
        copy_line(lines, NEW, CURRENT)
    scores[place] = max(scores[place], lines.score[CURRENT])
    if facts[IDLE] > _IDLE * facts[SIZE]:
        task.facts[RUNS] += 1
        task.facts[FRESH] = 1
        facts[SIZE] = min(4 * facts[SIZE], scores.size)
