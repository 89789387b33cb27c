"""Beam NRPA: each level of NRPA keeps several lines, each with a policy of its own.

In a round of a level, the level below is called once with the policy of each of the level's lines. The best
of all lines found so, and of those kept so far, are kept for the next round; each policy is the one that its
line was found with, adapted to that line. A level returns all its lines. With one line this is NRPA. A line
that is there already is not added again, and of lines with equal scores the one found last comes first.

Source: Cazenave, Teytaud, "Beam nested rollout policy adaptation", 2012.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.lines.nrpa_policy import (
    ITERATIONS,
    MOST_REPEATS,
    PLAYOUTS_EACH,
    adapt,
    begin_level,
    copy_weights,
    forget,
)
from branchwise.core.lines.solution_lines import FRESH, IS_PAUSED, PAUSES, RUNS, TOP, are_equal
from branchwise.core.machine.kernel import kernel


class Beam(NamedTuple):
    """The lines of V levels; at most B at a level, of R rows of lines in all.

    The first `sizes[v]` places of level v had lines and policies when its round began. Lines are sorted, the
    best first, and change as they are found; policies follow at the end of the round.
    """

    widths: NDArray[np.int64]  # [V + 1] most lines of each level; level 0 is not used, here and below
    sizes: NDArray[np.int64]  # [V + 1] number of policies
    counts: NDArray[np.int64]  # [V + 1] number of lines
    turns: NDArray[np.int64]  # [V + 1] the policy that the level below is called with
    rows: NDArray[np.int64]  # [V + 1, B] the row of each line
    origins: NDArray[np.int64]  # [V + 1, B] the policy that each line was found with
    weights: NDArray[np.int64]  # [V + 1, B] row of weights of each policy, then the level's unused rows
    order: NDArray[np.int64]  # [B] scratch: the next `weights`
    taken: NDArray[np.bool_]  # [B] scratch
    free: NDArray[np.int64]  # [R + 1] unused rows of lines, after their number


@kernel
def current_weights(beam, level):
    """Return the row of weights that `level` calls the level below with."""
    return beam.weights[level, beam.turns[level]]


@kernel
def begin_beams(task, lines, policy, beam):
    """Begin a call of the top level, with an untrained policy."""
    task.facts[FRESH] = 0
    forget(policy, 0)
    top = task.facts[TOP]
    beam.free[0] = 0
    for row in range(beam.free.size - 1):
        if not _is_for_playouts(policy, row):
            _release(beam, row)
    for level in range(top, 0, -1):
        _begin_level(lines, policy, beam, level, top)


@kernel
def _begin_level(lines, policy, beam, level, top):
    """Begin a call of `level`: no line, and the current policy of the level above."""
    beam.turns[level] = 0
    beam.sizes[level] = 1
    beam.counts[level] = 1
    beam.origins[level, 0] = 0
    row = _reserve(beam)
    beam.rows[level, 0] = row
    begin_level(lines, policy, level, row)
    if level < top:
        copy_weights(policy, current_weights(beam, level + 1), beam.weights[level, 0])


@kernel
def pass_beams_up(task, lines, steps, policy, beam, goes_on):
    """Pass the playout's line to level 1, and the lines of each complete level to the next one.

    goes_on : whether this resumes after a pause at the end of level 1.
    """
    top = task.facts[TOP]
    level = 1
    if goes_on:
        beam.rows[1, 0] = policy.rows[1]  # the improved line, if it is better
    else:
        policy.rows[0] = _insert(lines, policy, beam, 1, policy.rows[0])
        policy.tries[1] += 1
        if policy.tries[1] % policy.facts[PLAYOUTS_EACH] > 0:
            return
    while True:
        if level > 1 or not goes_on:
            beam.turns[level] += 1
            if beam.turns[level] < beam.sizes[level]:
                break
            _end_round(task, lines, steps, policy, beam, level)
            most = policy.facts[MOST_REPEATS]
            stays = most > 0 and policy.repeats[level] >= most
            if policy.rounds[level] < policy.facts[ITERATIONS] and not stays:
                break
            if level == 1 and task.facts[PAUSES] == 1:
                policy.rows[1] = beam.rows[1, 0]
                task.facts[IS_PAUSED] = 1
                return
        if level == top:
            task.facts[RUNS] += 1
            task.facts[FRESH] = 1
            return
        forget(policy, policy.used_before[level])
        for place in range(beam.counts[level]):
            row = beam.rows[level, place]
            steps.known[row] = False
            if lines.length[row] > 0:
                row = _insert(lines, policy, beam, level + 1, row)
            _release(beam, row)
        level += 1
    for lower in range(level - 1, 0, -1):
        _begin_level(lines, policy, beam, lower, top)


@kernel
def _insert(lines, policy, beam, level, row):
    """Add the line in a row to a level if it is new, and good enough; returns a row that is free instead."""
    count = beam.counts[level]
    for place in range(count):
        if are_equal(lines, row, beam.rows[level, place]):
            policy.repeats[level] += 1
            return row
    policy.repeats[level] = 0
    place = count
    while place > 0 and lines.score[beam.rows[level, place - 1]] <= lines.score[row]:
        place -= 1
    if place == beam.widths[level]:
        return row
    if count < beam.widths[level]:
        freed = _reserve(beam)
        beam.counts[level] = count + 1
    else:
        count -= 1
        freed = beam.rows[level, count]
    for later in range(count, place, -1):
        beam.rows[level, later] = beam.rows[level, later - 1]
        beam.origins[level, later] = beam.origins[level, later - 1]
    beam.rows[level, place] = row
    beam.origins[level, place] = beam.turns[level]
    return freed


@kernel
def _end_round(task, lines, steps, policy, beam, level):
    """Give each line of a level a policy, the one that it was found with, and adapt it to the line."""
    width, count = beam.widths[level], beam.counts[level]
    weights, order, taken = beam.weights[level], beam.order, beam.taken
    for place in range(width):
        order[place] = -1
        taken[place] = False
    for place in range(count):
        origin = beam.origins[level, place]
        if not taken[origin]:
            order[place] = weights[origin]
            taken[origin] = True
    unused = 0
    for place in range(width):
        if order[place] < 0:
            while taken[unused]:
                unused += 1
            order[place] = weights[unused]
            taken[unused] = True
            if place < count:
                copy_weights(policy, weights[beam.origins[level, place]], order[place])
    for place in range(width):
        weights[place] = order[place]
        beam.origins[level, place] = place
    for place in range(count):
        adapt(task, lines, steps, policy, level, beam.rows[level, place], weights[place])
    beam.sizes[level] = count
    beam.turns[level] = 0
    policy.rounds[level] += 1


# --- rows of lines ----------------------------------------------------------------------------------------


@kernel
def _is_for_playouts(policy, row):
    """Whether a playout of this thread or of a helper is written to a row."""
    found = row == policy.rows[0]
    for place in range(policy.tries.size, policy.rows.size):
        found |= row == policy.rows[place]
    return found


@kernel
def _reserve(beam):
    """Return an unused row."""
    row = beam.free[beam.free[0]]
    beam.free[0] -= 1
    return row


@kernel
def _release(beam, row):
    """Let a row be used again."""
    beam.free[0] += 1
    beam.free[beam.free[0]] = row
