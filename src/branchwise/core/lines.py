"""Lines of play for a problem of one player: playing them from its root, their scores, the best line.

Nested search and NRPA share this module. A line ends by the rules, or at the horizon. Its score
is the sum of its rewards, discounted by the rules' `discount`, or the return at its end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.kernel import kernel
from branchwise.core.mailbox import FIRST_FREE, HELPERS, all_have_answered, hand_out
from branchwise.core.random import ORDER_STREAM, PLAYOUT_STREAM, advanced, mixed
from branchwise.core.status import (
    ACTION_OUT_OF_RANGE,
    DONE,
    HALTED,
    HELPER_RAISED,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    REWARD_IS_NO_NUMBER,
    TOO_MANY_ACTIONS,
)
from branchwise.players import GREATEST_REWARD

NO_ROOM, NO_ROOM_FOR_CODES, PAUSED, ILLEGAL_LINE = -1, -2, -3, -4
"""Statuses besides `core.status`: a line is too long for an array; the table of codes is too full; level 1
has found a line that is to be improved; a line that was given is not legal."""

PLAYOUTS, RUNS, RUNS_WANTED, FRESH, NOTED, MOST_MOVES, HORIZON, DEPTH, WAY, TOP = range(10)
MOVES, PAUSES, IS_PAUSED = range(10, 13)
"""Places in `Task.facts`: PLAYOUTS and RUNS done, and RUNS_WANTED; whether a run is to begin (FRESH);
improvements NOTED; MOST_MOVES of a line, HORIZON in decisions (0: none); DEPTH reached by the line under way;
the WAY in which playouts choose; the TOP level; MOVES played, each of which entered a state; whether the
kernel PAUSES when level 1 has found a line, and IS_PAUSED now."""
NUM_FACTS = 13

IMPROVEMENTS = 256
"""Improvements after which a kernel returns, so that Python takes them over; a few more may come at once."""

DISCOUNT, LEAST, GREATEST = range(3)
"""Places in `Task.numbers`: the discount; bounds of scores."""

UNIFORM, BY_RULES, BY_PRIOR = range(3)
"""Ways in which playouts choose: all actions alike, the rules' `playout_action`, or with odds of `prior`."""


class Task(NamedTuple):
    """The task of a search and its results; A distinct actions, K improvements."""

    facts: NDArray[np.int64]  # [NUM_FACTS]
    numbers: NDArray[np.float64]  # [3]
    streams: NDArray[np.uint64]  # [NUM_STREAMS] see `core.random`
    legal: NDArray[np.int32]  # [A] legal actions of one state
    shares: NDArray[np.float64]  # [A] sums of their weights up to each
    paid: NDArray[np.float64]  # [1] a reward
    returns: NDArray[np.float64]  # [1]
    improvements: NDArray[np.float64]  # [K, 3] playouts until each, its score, and moves until then


class Lines(NamedTuple):
    """R lines of at most L actions from the root. The last row is the best line of all.

    The helpers' lines, if any, are in the rows before it.
    """

    actions: NDArray[np.int32]  # [R, L]
    length: NDArray[np.int64]  # [R]
    score: NDArray[np.float64]  # [R]; -inf without a line


class Team(NamedTuple):
    """What the leader of a search and its H helpers share, each of which plays a line at every bottom step.

    The random numbers of a helper's line follow from the number of playouts before the step. So a step that
    is repeated, because an array was too small, is the same again.
    """

    mailbox: NDArray[np.int64]  # [STATUSES + H] see `core.mailbox`, and below
    numbers: NDArray[np.float64]  # [2] rewards before the lines part; discount factor of the next reward


START, STEP, WEIGHTS, FAULTY, STATUSES = range(FIRST_FREE, FIRST_FREE + 5)
"""Further places in `Team.mailbox`: number of moves before the lines part, and of playouts before the step;
the row of weights that lines follow; the helper whose line has a fault, from 1 (0: it is the leader's); from
STATUSES on, each helper's last status."""


@kernel
def begin_job(task, team):
    """Begin the next job of helpers, after their other data has been written."""
    team.mailbox[STEP] = task.facts[PLAYOUTS]
    hand_out(team.mailbox)


@kernel
def draw_for_job(task, team):
    """Set the random numbers of a helper for its next line; task : the helper's."""
    step = np.uint64(team.mailbox[STEP]) + np.uint64(1)
    task.streams[PLAYOUT_STREAM] = mixed(task.streams[ORDER_STREAM] + step * advanced(np.uint64(0)))


@kernel
def end_job(team, status):
    """Wait for the helpers; returns the first status in their order that is not DONE.

    status : of the leader's own line.
    """
    mailbox = team.mailbox
    mailbox[FAULTY] = 0
    if not all_have_answered(mailbox):
        return HELPER_RAISED
    for number in range(mailbox[HELPERS]):
        if status == DONE and mailbox[STATUSES + number] != DONE:
            status = mailbox[STATUSES + number]
            mailbox[FAULTY] = number + 1
    return status


@kernel
def row_of_helper(lines, team, number):
    """Return the row of the line of a helper, numbered from 0."""
    return lines.score.size - 1 - team.mailbox[HELPERS] + number


@kernel
def ends(state, task, depth):
    """Whether the line ends at `state`, `depth` decisions from the root."""
    return state.is_terminal() or (task.facts[HORIZON] > 0 and depth >= task.facts[HORIZON])


@kernel
def fill_legal(state, task, depth, most):
    """Write the legal actions into task.legal; returns how many, or minus the status of a fault.

    depth : of `state`.   most : task.facts[MOST_MOVES], which loops read once.
    """
    count = fill_unchecked(state, task, depth, most)
    for i in range(count):
        if not is_action(state, task.legal[i]):
            return -ACTION_OUT_OF_RANGE
    return count


@kernel
def is_action(state, action):
    """Whether an action is from 0 to num_actions - 1."""
    return 0 <= action < state.num_actions


@kernel
def fill_unchecked(state, task, depth, most):
    """The same without checking the range of actions, for callers that check the one they choose."""
    task.facts[DEPTH] = depth
    if state.is_to_be_left():
        return -HALTED
    if state.current_player() != 0:
        return -PLAYER_OUT_OF_RANGE
    count = state.fill_legal_actions(task.legal)
    if count < 1:
        return -NO_LEGAL_ACTION
    if count > task.legal.size:
        return -TOO_MANY_ACTIONS
    if depth >= most:
        return -NEVER_ENDS
    return count


@kernel
def play(state, task, action):
    """Apply an action; returns its reward, 0 where the rules have returns."""
    if state.pays:
        state.apply_for_rewards(action, task.paid, 0)
        return task.paid[0]
    state.apply_action(action)
    return 0.0


@kernel
def is_reward(reward):
    """Whether a reward is a number."""
    return abs(reward) <= GREATEST_REWARD


@kernel
def score_at_end(state, task, total):
    """Return the score of a line that ends at `state`; total : the rewards on the way."""
    if state.pays:
        return total
    state.write_returns(task.returns)
    return task.returns[0]


@kernel
def fault_in(state, task, score):
    """Return DONE for a score that the rules allow, else the fault."""
    if state.pays and not math.isfinite(score):
        return REWARD_IS_NO_NUMBER
    if not task.numbers[LEAST] <= score <= task.numbers[GREATEST]:
        return RETURN_OUT_OF_BOUNDS
    return DONE


@kernel
def note(task, lines, row):
    """Count a playout, with its line in a row, and keep the line if it is better than all before."""
    task.facts[PLAYOUTS] += 1
    keep_best(task, lines, row)


@kernel
def keep_best(task, lines, row):
    """Keep the line in a row if it is better than all before."""
    best = lines.score.size - 1
    if lines.score[row] > lines.score[best]:
        copy_line(lines, row, best)
        place = task.facts[NOTED]
        task.improvements[place, 0] = task.facts[PLAYOUTS]
        task.improvements[place, 1] = lines.score[row]
        task.improvements[place, 2] = task.facts[MOVES]
        task.facts[NOTED] = place + 1


@kernel
def is_over(task, lines):
    """Whether the task is over: the runs are done, a line has the best possible score, or
    there is no room for improvements.
    """
    best = lines.score[lines.score.size - 1]
    done = task.facts[RUNS_WANTED] > 0 and task.facts[RUNS] >= task.facts[RUNS_WANTED]
    return done or best >= task.numbers[GREATEST] or task.facts[NOTED] >= IMPROVEMENTS


@kernel
def copy_line(lines, source, target):
    """Copy a line to another row."""
    length = lines.length[source]
    lines.length[target] = length
    lines.score[target] = lines.score[source]
    for i in range(length):
        lines.actions[target, i] = lines.actions[source, i]


@kernel
def are_equal(lines, one, other):
    """Whether two rows have the same line."""
    if lines.score[one] != lines.score[other] or lines.length[one] != lines.length[other]:
        return False
    for i in range(lines.length[one]):
        if lines.actions[one, i] != lines.actions[other, i]:
            return False
    return True
