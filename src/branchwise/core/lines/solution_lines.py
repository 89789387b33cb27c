"""Lines of play for a problem of one player: playing them from its root, their scores, the best line.

Nested search and NRPA share this module. A line ends by the rules, or at the horizon. Its score
is the sum of its rewards, discounted by the rules' `discount`, or the return at its end.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import GREATEST_REWARD
from branchwise.core.machine.atomic import publish_item, read_item, swap_item_if
from branchwise.core.machine.kernel import kernel
from branchwise.core.machine.kernel_status import (
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
from branchwise.core.machine.leader_and_helpers import (
    FIRST_FREE,
    GENERATION,
    HELPERS,
    all_have_answered,
    answer,
    hand_out,
)
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, advanced, below_of, mixed

NO_ROOM, NO_ROOM_FOR_CODES, PAUSED, ILLEGAL_LINE = -1, -2, -3, -4
"""Statuses besides `kernel_status`: a line is too long for an array; the table of codes is too full;
level 1 has found a line that is to be improved; a line that was given is not legal."""

PLAYOUTS, RUNS, RUNS_WANTED, FRESH, NOTED, MOST_MOVES, HORIZON, DEPTH, WAY, TOP = range(10)
MOVES, PAUSES, IS_PAUSED = range(10, 13)
"""Places in `Task.facts`: PLAYOUTS and RUNS done, and RUNS_WANTED; whether a run is to begin (FRESH);
improvements NOTED; MOST_MOVES of a line, HORIZON in decisions (0: none); DEPTH reached by the line under way;
the WAY in which playouts choose; the TOP level; MOVES played, each of which entered a state; whether the
kernel PAUSES when level 1 has found a line, and IS_PAUSED now."""
NUM_FACTS = 13

IMPROVEMENTS = 256
"""Improvements after which a kernel returns, so that Python takes them over; a few more may come at once."""

DISCOUNT, LEAST, GREATEST, MIN_PRIOR = range(4)
"""Places in `Task.numbers`: the discount; bounds of scores; the least prior of an action that nested search
tries, as a share of the greatest (0: it tries all)."""

UNIFORM, BY_RULES, BY_PRIOR = range(3)
"""Ways in which playouts choose: all actions alike, the rules' `playout_action`, or with odds of `prior`."""


class Task(NamedTuple):
    """The task of a search and its results; A distinct actions, K improvements."""

    facts: NDArray[np.int64]  # [NUM_FACTS]
    numbers: NDArray[np.float64]  # [4]
    streams: NDArray[np.uint64]  # [NUM_STREAMS] see `core.numbers.random_streams`
    legal: NDArray[np.int32]  # [A] legal actions of one state
    shares: NDArray[np.float64]  # [A] sums of their weights up to each
    paid: NDArray[np.float64]  # [1] a reward
    returns: NDArray[np.float64]  # [1]
    improvements: NDArray[np.float64]  # [K, 3] playouts until each, its score, and moves until then


class Lines(NamedTuple):
    """R lines of at most L actions from the root. The last row is the best line of all.

    With helpers, the H lines of a step are in the rows before it.
    """

    actions: NDArray[np.int32]  # [R, L]
    length: NDArray[np.int64]  # [R]
    score: NDArray[np.float64]  # [R]; -inf without a line


class Team(NamedTuple):
    """What the leader of a search shares with its H helpers; every bottom step has H lines besides its own.

    Whoever is free plays the next line, so that nobody waits for a helper that has no processor. The random
    numbers of a line follow from its number and from the number of playouts before the step: the result does
    not depend on who plays it, and a step that is repeated is the same again.
    """

    mailbox: NDArray[np.int64]  # [OF_LINES + 3 H] see `core.machine.leader_and_helpers`, and below
    numbers: NDArray[np.float64]  # [2] rewards before the lines part; discount factor of the next reward
    seeds: NDArray[np.uint64]  # [H] of the random numbers of each line


START, STEP, WEIGHTS, NEXT, LEADING, FAULTY, OF_LINES = range(FIRST_FREE, FIRST_FREE + 7)
"""Further places in `Team.mailbox`: number of moves before the lines part, and of playouts before the
step; the row of weights that lines follow; numbers of the job and its next line; the line that the leader
plays; the one in which a fault was found, both from 1 (0: the leader's own); then three words per line."""

STATUS, REACHED, PLAYING = range(3)
"""The words of a line: its status; the depth that it reached; the line, from 1, that the helper of the same
number plays."""

_LINES = 1 << 16


@kernel
def begin_job(task, team):
    """Begin the next job, after its other data has been written."""
    mailbox = team.mailbox
    mailbox[STEP] = task.facts[PLAYOUTS]
    publish_item(mailbox, NEXT, (mailbox[GENERATION] + 1) * _LINES)
    hand_out(mailbox)


@kernel
def claim_line(team):
    """Return the number of a line that nobody plays yet, for the caller to play; -1 if there is none."""
    mailbox = team.mailbox
    while True:
        word = read_item(mailbox, NEXT)
        line = word % _LINES
        if line >= mailbox[HELPERS]:
            return np.int64(-1)
        if swap_item_if(mailbox, NEXT, word, word + 1):
            return line


@kernel
def draw_for_line(task, team, line):
    """Set the random numbers of the next playout to those of a line."""
    step = np.uint64(team.mailbox[STEP]) + np.uint64(1)
    task.streams[PLAYOUT_STREAM] = mixed(team.seeds[line] + step * advanced(np.uint64(0)))


@kernel
def hand_in(task, team, line, status):
    """Hand in a line that has been played, with its status."""
    words = OF_LINES + 3 * line
    team.mailbox[words + STATUS] = status
    team.mailbox[words + REACHED] = task.facts[DEPTH]
    answer(team.mailbox)


@kernel
def end_job(team, status):
    """Wait for the lines of helpers; returns the first status in order of the lines that is not DONE.

    status : of the leader's own line.
    """
    mailbox = team.mailbox
    mailbox[LEADING] = 0
    mailbox[FAULTY] = 0
    if not all_have_answered(mailbox):
        return HELPER_RAISED
    for line in range(mailbox[HELPERS]):
        found = mailbox[OF_LINES + 3 * line + STATUS]
        if status == DONE and found != DONE:
            status = found
            mailbox[FAULTY] = line + 1
    return status


@kernel
def row_of(lines, team, line):
    """Return the row of a line besides the leader's, numbered from 0."""
    return lines.score.size - 1 - team.mailbox[HELPERS] + line


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
    status = _enter(state, task, depth)
    if status != DONE:
        return np.int64(-status)
    return _checked(state.fill_legal_actions(task.legal), task, depth, most)


@kernel
def enter_unlisted(state, task, depth, most):
    """Enter a state whose legal actions nobody lists; returns 1, or minus the status of a fault."""
    status = _enter(state, task, depth)
    if status != DONE:
        return np.int64(-status)
    return np.int64(-NEVER_ENDS) if depth >= most else np.int64(1)


@kernel
def draw_unchecked(state, task, depth, most, bits):
    """The same, with one of the actions, drawn uniformly; returns how many there are, and that one.

    bits : uint64, random.   A list of two is not written to task.legal.
    """
    action = np.int64(0)
    status = _enter(state, task, depth)
    if status != DONE:
        return np.int64(-status), action
    if state.lists_few:
        count, action = state.draw_from_few(bits)
        return _checked(count, task, depth, most), action
    count = _checked(state.fill_legal_actions(task.legal), task, depth, most)
    if count > 0:
        action = np.int64(task.legal[below_of(bits, count)])
    return count, action


@kernel
def _enter(state, task, depth):
    """Note that the rules are asked about a state at `depth`; returns DONE if its one player is to move."""
    task.facts[DEPTH] = depth
    if state.is_to_be_left():
        return HALTED
    if state.current_player() != 0:
        return PLAYER_OUT_OF_RANGE
    return DONE


@kernel
def _checked(count, task, depth, most):
    """Return a number of legal actions, or minus the status of a fault."""
    if count < 1:
        return np.int64(-NO_LEGAL_ACTION)
    if count > task.legal.size:
        return np.int64(-TOO_MANY_ACTIONS)
    if depth >= most:
        return np.int64(-NEVER_ENDS)
    return np.int64(count)


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
def earn(state, task, action, depth, total, weight):
    """Apply action number `depth` of a line; returns the rewards so far, NaN if this one is not a number.

    total : the rewards before.   weight : the discount factor of this one.
    """
    reward = play(state, task, action)
    if state.pays:
        if not is_reward(reward):
            task.facts[DEPTH] = depth
            return np.nan
        total += weight * reward
    return total


@kernel
def end_line(state, task, lines, row, depth, total):
    """Score the line in a row, which ends at `state`, `depth` decisions from the root; returns a status.

    total : the rewards on the way.
    """
    task.facts[DEPTH] = depth
    lines.length[row] = depth
    score = total
    if not state.pays:
        state.write_returns(task.returns)
        score = task.returns[0]
    lines.score[row] = score
    if state.pays and not math.isfinite(score):
        return REWARD_IS_NO_NUMBER
    if not task.numbers[LEAST] <= score <= task.numbers[GREATEST]:
        return RETURN_OUT_OF_BOUNDS
    return DONE


@kernel
def status_of(task, fault, depth):
    """Return the status of a fault found at `depth`: NO_ROOM if arrays are shorter than lines may be.

    fault : the negative number that `fill_legal` and others like it return.
    """
    is_short = fault == -NEVER_ENDS and depth < task.facts[MOST_MOVES]
    return NO_ROOM if is_short else -fault


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
