"""Nested Monte Carlo search: each move is chosen by a search of the level below.

A search of level n follows every action of a state by a search of level n - 1, plays the next action of the
best line found so far, and repeats this from there. A search of level 0 is a playout. The recursion is a
state machine, so it can pause between any two playouts and resume in the next call.

Source: Cazenave, "Nested Monte-Carlo search", 2009.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.lines.solution_lines import (
    BY_PRIOR,
    BY_RULES,
    DEPTH,
    DISCOUNT,
    FRESH,
    HORIZON,
    IS_PAUSED,
    LEADING,
    MIN_PRIOR,
    MOST_MOVES,
    MOVES,
    NO_ROOM,
    NOTED,
    OF_LINES,
    PAUSED,
    PAUSES,
    PLAYING,
    PLAYOUTS,
    RUNS,
    START,
    TOP,
    UNIFORM,
    WAY,
    begin_job,
    claim_line,
    copy_line,
    draw_for_line,
    draw_unchecked,
    end_job,
    end_line,
    ends,
    enter_unlisted,
    fill_legal,
    fill_unchecked,
    hand_in,
    is_action,
    is_over,
    is_reward,
    note,
    play,
    row_of,
    status_of,
)
from branchwise.core.machine.atomic import read_item
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    ACTION_OUT_OF_RANGE,
    BAD_PRIOR,
    DONE,
    ILLEGAL_PLAYOUT_ACTION,
    REWARD_IS_NO_NUMBER,
)
from branchwise.core.machine.leader_and_helpers import GENERATION, HELPERS, has_job
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import (
    PLAYOUT_STREAM,
    advanced,
    draw_below,
    draw_share,
    mixed,
    next_counter,
)

LEVEL = 0
"""Index in `Frames.facts`: the level that acts next."""


class Frames(NamedTuple):
    """The searches in progress, one per level; V levels, A distinct actions.

    Row v of `Lines` is the best line of level v. Row 0 is the current line; its first actions lead to each
    level's state. The state of level v is v + 1 places behind the root.
    """

    facts: NDArray[np.int64]  # [1]
    width: NDArray[np.int64]  # [V + 1] maximum number of actions that a level tries in a state; 0: all
    samples: NDArray[np.int64]  # [V + 1] playouts after each action, to choose these
    legal: NDArray[np.int32]  # [V + 1, A] legal actions of each level's state
    counts: NDArray[np.int64]  # [V + 1] number of legal actions
    tried: NDArray[np.int64]  # [V + 1] number of actions tried
    sampled: NDArray[np.int64]  # [V + 1] number of samples of the action that is tried
    value: NDArray[np.float64]  # [V + 1, A] sum of the samples' scores, by legal action
    depth: NDArray[np.int64]  # [V + 1] moves from the root to the state
    total: NDArray[np.float64]  # [V + 1] rewards of these moves
    weight: NDArray[np.float64]  # [V + 1] discount factor of the next reward


@entry_kernel
def search_nested(state, task, lines, frames, team, most):
    """Continue for `most` playouts; returns DONE, NO_ROOM, PAUSED or the fault of the rules.

    With a team, each action at level 1, and each sample, is a playout in every thread, and the last of them
    may be one too many.

    PAUSED: level 1 has found a line, in row 1. It runs fewer playouts if the search is complete or this
    thread is asked to end. If there is no room, the playout has not taken place; the caller enlarges the
    arrays and calls again.
    state : the root, followed by room for one state per level and two more.   team : None without helpers.
    All others are modified in place.
    """
    until = task.facts[PLAYOUTS] + most
    while task.facts[PLAYOUTS] < until and not is_over(task, lines) and not asked(END_BATCH):
        if task.facts[FRESH] == 1:
            top = task.facts[TOP]
            state.at(top + 1).copy_from(state)
            status = _open(state, task, lines, frames, top, 0, 0.0, 1.0)
            if status != DONE:
                return status
            task.facts[FRESH] = 0
        level = frames.facts[LEVEL]
        if frames.tried[level] == frames.counts[level]:
            status = _move_on(state, task, lines, frames, level)
        elif level == 1 or _has_too_many(frames, level):
            status = _try_by_playouts(state, task, lines, frames, team, level, until)
        else:
            status = _try_next(state, task, lines, frames, level)
        if status != DONE:
            return status
        if task.facts[IS_PAUSED] == 1:
            task.facts[IS_PAUSED] = 0
            return PAUSED
    return DONE


@kernel
def _open(state, task, lines, frames, level, depth, total, weight):
    """Begin the search of `level` at its state; returns a status."""
    frames.depth[level] = depth
    frames.total[level] = total
    frames.weight[level] = weight
    lines.score[level] = -np.inf
    lines.length[level] = 0
    status = _list(state, task, frames, level)
    if status == DONE:
        frames.facts[LEVEL] = level
    return status


@kernel
def _list(state, task, frames, level):
    """List the actions of a level's state that are to be tried."""
    here = state.at(level + 1)
    count = fill_legal(here, task, frames.depth[level], task.facts[MOST_MOVES])
    if state.biased:
        if count > 0 and task.numbers[MIN_PRIOR] > 0.0:
            count = _select(here, task, count)
    if count < 0:
        return -count
    for i in range(count):
        frames.legal[level, i] = task.legal[i]
    frames.counts[level] = count
    frames.tried[level] = 0
    frames.sampled[level] = 0
    if _has_too_many(frames, level):
        _shuffle(task, frames, level)
    return DONE


@kernel
def _select(state, task, count):
    """Keep the actions in task.legal with enough prior; returns how many, or minus the status of a fault."""
    largest = 0.0
    for i in range(count):
        task.shares[i] = state.prior(np.int64(task.legal[i]))
        if not 0.0 <= task.shares[i] < np.inf:
            return np.int64(-BAD_PRIOR)
        largest = max(largest, task.shares[i])
    if largest == 0.0:
        return np.int64(-BAD_PRIOR)
    kept = np.int64(0)
    for i in range(count):
        if task.shares[i] >= task.numbers[MIN_PRIOR] * largest:
            task.legal[kept] = task.legal[i]
            kept += 1
    return kept


@kernel
def _try_next(state, task, lines, frames, level):
    """Play the next untried action of `level`, from 2, and begin the level below there; returns a status."""
    here = state.at(level)
    here.copy_from(state.at(level + 1))
    depth = frames.depth[level]
    if depth + 1 >= lines.actions.shape[1]:
        return NO_ROOM
    action = np.int64(frames.legal[level, frames.tried[level]])
    status, total, weight = _play_first(here, task, lines, frames, level, action)
    if status == DONE:
        if ends(here, task, depth + 1):
            status = end_line(here, task, lines, 0, depth + 1, total)
            if status == DONE:
                _count(task, lines, 0, depth, level)
        else:
            task.facts[MOVES] += 1
            status = _open(state, task, lines, frames, level - 1, depth + 1, total, weight)
    if status == DONE:
        frames.tried[level] += 1
    return status


@kernel
def _has_too_many(frames, level):
    """Whether the actions that a level tries are still to be chosen from the legal ones."""
    return 0 < frames.width[level] < frames.counts[level]


@kernel
def _shuffle(task, frames, level):
    """Put the actions of a level in random order, so that chance decides between equal ones."""
    counter = task.streams[PLAYOUT_STREAM]
    for place in range(frames.counts[level] - 1, 0, -1):
        counter = advanced(counter)
        _swap(frames, level, place, draw_below(counter, place + 1))
    task.streams[PLAYOUT_STREAM] = counter
    for place in range(frames.counts[level]):
        frames.value[level, place] = 0.0


@kernel
def _try_by_playouts(state, task, lines, frames, team, level, until):
    """Follow each untried action by a playout; above level 1 by several, to choose actions; returns a status.

    With a team every thread plays as many. It returns early after `until` playouts of the search, or a new
    best line, or a request to end. Both uses share one call of `play_out`, which is inlined then: 4 % of the
    time in `snake_in_the_box`.
    """
    depth, noted = frames.depth[level], task.facts[NOTED]
    if depth + 1 >= lines.actions.shape[1]:
        return NO_ROOM
    start, memory = state.at(level + 1), state.at(1)
    samples = frames.samples[level]
    place = frames.tried[level]
    while place < frames.counts[level]:
        if task.facts[PLAYOUTS] >= until or task.facts[NOTED] > noted or asked(END_BATCH):
            return DONE
        counter = task.streams[PLAYOUT_STREAM]
        action = np.int64(frames.legal[level, place])
        if team is None:
            here = on_stack(start, memory)
            status, total, weight = _play_first(here, task, lines, frames, level, action)
            if status == DONE:
                status = play_out(here, task, lines, 0, depth + 1, total, weight)
        else:
            memory.copy_from(start)
            status, total, weight = _play_first(memory, task, lines, frames, level, action)
            if status == DONE:
                other = state.at(task.facts[TOP] + 2)
                status = _play_together(memory, other, task, lines, team, depth + 1, total, weight)
        if status != DONE:
            task.streams[PLAYOUT_STREAM] = counter
            return status
        _count(task, lines, 0, depth, level)
        if team is not None:
            _count_helpers(task, lines, team, depth, level)
        if level > 1:
            _add_samples(lines, frames, team, level, place)
            frames.sampled[level] += 1
        if level == 1 or frames.sampled[level] == samples:
            frames.sampled[level] = 0
            place += 1
            frames.tried[level] = place
    if level > 1:
        _keep_best(frames, level)
    return DONE


@kernel
def _add_samples(lines, frames, team, level, place):
    """Add the scores of the lines that were played to the value of an action."""
    frames.value[level, place] += lines.score[0]
    if team is not None:
        for line in range(team.mailbox[HELPERS]):
            frames.value[level, place] += lines.score[row_of(lines, team, line)]


@kernel
def _keep_best(frames, level):
    """Keep the actions of a level with the greatest values, and begin to try these."""
    for place in range(frames.width[level]):
        best = place
        for other in range(place + 1, frames.counts[level]):
            if frames.value[level, other] > frames.value[level, best]:
                best = other
        _swap(frames, level, place, best)
    frames.counts[level] = frames.width[level]
    frames.tried[level] = 0


@kernel
def _swap(frames, level, one, other):
    """Swap two actions of a level, and their values."""
    legal, value = frames.legal[level], frames.value[level]
    legal[one], legal[other] = legal[other], legal[one]
    value[one], value[other] = value[other], value[one]


@kernel
def _play_together(leaf, memory, task, lines, team, depth, total, weight):
    """Play out a state once, and once for each line of the helpers; returns a status.

    leaf : the state.   memory : for another.   Other arguments are those of `play_out`.
    """
    mailbox = team.mailbox
    mailbox[START] = depth
    team.numbers[0] = total
    team.numbers[1] = weight
    begin_job(task, team)
    line, row, own = np.int64(-1), np.int64(0), DONE
    counter = task.streams[PLAYOUT_STREAM]
    while True:
        mailbox[LEADING] = line + 1
        status = play_out(on_stack(leaf, memory), task, lines, row, depth, total, weight)
        if line < 0:
            own = status
            counter = task.streams[PLAYOUT_STREAM]
        else:
            hand_in(task, team, line, status)
        line = claim_line(team)
        if line < 0:
            break
        row = row_of(lines, team, line)
        draw_for_line(task, team, line)
    task.streams[PLAYOUT_STREAM] = counter
    return end_job(team, own)


@kernel
def _count_helpers(task, lines, team, depth, level):
    """Count the playouts besides the leader's; their lines begin like that in row 0."""
    for line in range(team.mailbox[HELPERS]):
        row = row_of(lines, team, line)
        if lines.score[row] > lines.score[level]:
            for place in range(depth + 1):
                lines.actions[row, place] = lines.actions[0, place]
        _count(task, lines, row, depth, level)


@entry_kernel
def help_nested(leaf, state, task, lines, team, number):
    """Play out the states that the leader hands out, as far as nobody else does, until it finishes.

    leaf : the leader's state of a playout.   state : memory for another.   task, number : the helper's, from
    0.   lines, team : the leader's.   All but leaf are modified in place.
    """
    mailbox = team.mailbox
    done = read_item(mailbox, GENERATION)
    line = claim_line(team)
    while True:
        if line >= 0:
            mailbox[OF_LINES + 3 * number + PLAYING] = line + 1
            draw_for_line(task, team, line)
            total, weight = team.numbers[0], team.numbers[1]
            row = row_of(lines, team, line)
            status = play_out(on_stack(leaf, state), task, lines, row, mailbox[START], total, weight)
            hand_in(task, team, line, status)
        elif has_job(mailbox, done):
            done = read_item(mailbox, GENERATION)
        else:
            return DONE
        line = claim_line(team)


@kernel
def _play_first(here, task, lines, frames, level, action):
    """Play an action of a level's state, which is copied to `here`, in row 0.

    Returns a status, the rewards up to there and the discount factor of the next reward.
    """
    depth, weight = frames.depth[level], frames.weight[level]
    lines.actions[0, depth] = action
    task.facts[DEPTH] = depth
    reward = play(here, task, action)
    task.facts[DEPTH] = depth + 1
    total = frames.total[level] + weight * reward
    return DONE if is_reward(reward) else REWARD_IS_NO_NUMBER, total, weight * task.numbers[DISCOUNT]


@kernel
def _count(task, lines, row, depth, level):
    """Count a playout of `level`, `depth` moves from the root, and keep its line if it is better."""
    task.facts[MOVES] += lines.length[row] - depth
    note(task, lines, row)
    _keep(lines, row, level)


@kernel
def _move_on(state, task, lines, frames, level):
    """Play the next action of a level's best line, or pass the line up if it ends; returns a status."""
    here = state.at(level + 1)
    depth = frames.depth[level]
    action = np.int64(lines.actions[level, depth])
    reward = play(here, task, action)
    task.facts[MOVES] += 1
    lines.actions[0, depth] = action
    frames.total[level] += frames.weight[level] * reward
    frames.weight[level] *= task.numbers[DISCOUNT]
    frames.depth[level] = depth + 1
    if not ends(here, task, depth + 1):
        return _list(state, task, frames, level)
    if level == 1 and task.facts[PAUSES] == 1:
        task.facts[IS_PAUSED] = 1
    if level == task.facts[TOP]:
        task.facts[RUNS] += 1
        task.facts[FRESH] = 1
    else:
        _keep(lines, level, level + 1)
        frames.facts[LEVEL] = level + 1
    return DONE


@kernel
def _keep(lines, row, best):
    if lines.score[row] > lines.score[best]:
        copy_line(lines, row, best)


@kernel
def play_out(state, task, lines, row, depth, total, weight):
    """Play the line in a row from `state`, `depth` moves from the root, to its end; returns a status.

    state : modified in place.   total : rewards so far.   weight : discount factor of the next reward.
    """
    actions, legal = lines.actions[row], task.legal
    is_uniform = True
    if state.chooses:
        is_uniform = task.facts[WAY] == UNIFORM
    if state.biased:
        is_uniform = task.facts[WAY] == UNIFORM
    is_listed = True
    if state.tells_legality:
        is_listed = task.facts[WAY] != BY_RULES
    counter = task.streams[PLAYOUT_STREAM]
    room = min(task.facts[MOST_MOVES], lines.actions.shape[1])
    horizon = task.facts[HORIZON] if task.facts[HORIZON] > 0 else room + 1
    while not (state.is_terminal() or depth >= horizon):
        following, action = advanced(counter), np.int64(0)
        if is_uniform:
            count, action = draw_unchecked(state, task, depth, room, mixed(following))
        elif is_listed:
            count = fill_unchecked(state, task, depth, room)
        else:
            count = enter_unlisted(state, task, depth, room)
        if count < 0:
            return status_of(task, count, depth)
        if is_uniform:
            counter = following
        else:
            task.streams[PLAYOUT_STREAM] = counter
            if is_listed:
                chosen = _choose(state, task, count)
                if chosen < 0:
                    return -chosen
                action = np.int64(legal[chosen])
            else:
                action = _choose_unlisted(state, task)
                if action < 0:
                    return -action
            counter = task.streams[PLAYOUT_STREAM]
        if not is_action(state, action):
            return ACTION_OUT_OF_RANGE
        actions[np.uint64(depth)] = action
        reward = play(state, task, action)  # not by `earn`, which makes short rules a tenth slower here
        depth += 1
        if state.pays:
            if not is_reward(reward):
                task.facts[DEPTH] = depth
                return REWARD_IS_NO_NUMBER
            total += weight * reward
            weight *= state.discount
    task.streams[PLAYOUT_STREAM] = counter
    return end_line(state, task, lines, row, depth, total)


@kernel
def _choose(state, task, count):
    """Return the index of the legal action that a playout plays, or the negative of a fault's status."""
    if state.chooses:
        if task.facts[WAY] == BY_RULES:
            action = np.int64(state.playout_action(state.draws_from(task.streams)))
            for i in range(count):
                if task.legal[i] == action:
                    return np.int64(i)
            return np.int64(-ILLEGAL_PLAYOUT_ACTION)
    if state.biased:
        if task.facts[WAY] == BY_PRIOR:
            return _choose_by_prior(state, task, count)
    return draw_below(next_counter(task.streams, PLAYOUT_STREAM), count)


@kernel
def _choose_unlisted(state, task):
    """Return the action that the rules choose, or the negative of a fault's status."""
    if state.chooses:
        if state.tells_legality:
            action = np.int64(state.playout_action(state.draws_from(task.streams)))
            if is_action(state, action) and state.is_legal(action):
                return action
    return np.int64(-ILLEGAL_PLAYOUT_ACTION)


@kernel
def _choose_by_prior(state, task, count):
    total = 0.0
    for i in range(count):
        prior = np.float64(state.prior(np.int64(task.legal[i])))
        if not 0.0 <= prior < np.inf:
            return np.int64(-BAD_PRIOR)
        total += prior
        task.shares[i] = total
    if not 0.0 < total < np.inf:
        return np.int64(-BAD_PRIOR)
    drawn = draw_share(next_counter(task.streams, PLAYOUT_STREAM)) * total
    chosen = np.int64(0)
    while chosen < count - 1 and task.shares[chosen] <= drawn:
        chosen += 1
    return chosen
