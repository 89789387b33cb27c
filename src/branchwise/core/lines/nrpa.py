"""Nested rollout policy adaptation: each level adapts the policy of playouts to its best line.

A call of level n makes N calls of the level below and adapts its policy after each to the best line so far; a
call of level 0 is a playout. Every action has a code, and every code a weight exp(w); playouts choose with
probabilities in proportion to weights. The recursion is a state machine, so it can pause between any two
playouts and resume in the next call.

Sources: Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", 2011. Bias: Cazenave,
"Generalized nested rollout policy adaptation", 2020. Several playouts before each adaptation: Cazenave,
Sevestre, Toulemont, "Stabilized nested rollout policy adaptation", 2021. Ending a level that repeats its best
line: Cazenave, "Limited repetitions", 2024. Several lines per level: see `core.lines.beam`; local search
along lines: `core.lines.line_sweep`. Playouts in several threads: Negrevergne, Cazenave, "Distributed nested
rollout policy for SameGame", 2017.
"""

from __future__ import annotations

import math

import numpy as np

from branchwise.core.lines.beam import begin_beams, current_weights, pass_beams_up
from branchwise.core.lines.line_sweep import HAS_CHANGED, LEFT, LEVEL, SWEPT, begin_sweeps, sweep_on
from branchwise.core.lines.nrpa_policy import (
    BIAS,
    ITERATIONS,
    MOST_REPEATS,
    PLAYOUTS_EACH,
    adapt,
    begin_level,
    bias_of,
    code_of,
    copy_weights,
    find,
    first_code,
    forget,
    has_room,
)
from branchwise.core.lines.solution_lines import (
    FRESH,
    HORIZON,
    ILLEGAL_LINE,
    IS_PAUSED,
    LEADING,
    MOST_MOVES,
    MOVES,
    NO_ROOM,
    NO_ROOM_FOR_CODES,
    OF_LINES,
    PAUSED,
    PAUSES,
    PLAYING,
    PLAYOUTS,
    RUNS,
    TOP,
    WAY,
    WEIGHTS,
    are_equal,
    begin_job,
    claim_line,
    copy_line,
    draw_for_line,
    earn,
    end_job,
    end_line,
    fill_legal,
    hand_in,
    is_over,
    keep_best,
    note,
    status_of,
)
from branchwise.core.machine.atomic import read_item
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import BAD_CODE, BAD_PRIOR, DONE, REWARD_IS_NO_NUMBER
from branchwise.core.machine.leader_and_helpers import GENERATION, has_job
from branchwise.core.machine.states_on_stack import on_stack
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, advanced, draw_share


@entry_kernel
def adapt_policies(state, task, lines, steps, policy, beam, sweep, team, most):
    """Continue for `most` playouts; returns a status of `solution_lines` or the fault of the rules.

    PAUSED: level 1 has found a line, in its row, and `follow` may replace it. It runs fewer playouts if the
    search is complete or this thread is asked to end. If there is no room, the playout has not taken place;
    the caller enlarges the arrays and calls again. With a team, every thread plays a line at each step, and
    the last of them may be too many.
    state : the root, followed by room for two other states.   beam, sweep, team : None without; sweeps have
    no beam.   All others are modified in place.
    """
    if task.facts[IS_PAUSED] == 1:
        task.facts[IS_PAUSED] = 0
        _pass_up(task, lines, steps, policy, beam, sweep, True)
    until = task.facts[PLAYOUTS] + most
    while task.facts[PLAYOUTS] < until and not is_over(task, lines) and not asked(END_BATCH):
        if task.facts[FRESH] == 1:
            if beam is None:
                _begin_run(task, lines, policy)
            else:
                begin_beams(task, lines, policy, beam)
        if sweep is not None:
            if sweep.facts[LEVEL] > 0:
                status = sweep_on(state, task, lines, policy, sweep)
                if status == DONE and sweep.facts[LEFT] == 0:
                    status = _end_sweeps(state, task, lines, steps, policy, sweep)
                if status != DONE:
                    return status
                if task.facts[IS_PAUSED] == 1:
                    return PAUSED
                continue
        counter = task.streams[PLAYOUT_STREAM]
        weights_row = policy.starts[1]
        if beam is not None:
            weights_row = current_weights(beam, 1)
        if team is None:
            row, memory = policy.rows[0], state.at(1)
            status = play_out(state, task, lines, steps, policy, row, weights_row, memory, None)
        else:
            status = _play_together(state, task, lines, steps, policy, team, weights_row)
        if status == DONE and not has_room(lines, steps, policy):
            status = NO_ROOM_FOR_CODES
        if status != DONE:
            task.streams[PLAYOUT_STREAM] = counter
            return status
        _count(task, lines, policy)
        _pass_up(task, lines, steps, policy, beam, sweep, False)
        if team is not None:
            for place in range(policy.tries.size, policy.rows.size):
                policy.rows[0], policy.rows[place] = policy.rows[place], policy.rows[0]
                _count(task, lines, policy)
                if not _has_level_ended(task, policy, sweep):
                    _pass_up(task, lines, steps, policy, beam, sweep, False)
        if task.facts[IS_PAUSED] == 1:
            return PAUSED
    return DONE


@kernel
def _count(task, lines, policy):
    """Count a playout, whose line is in the playouts' row."""
    task.facts[MOVES] += lines.length[policy.rows[0]]
    note(task, lines, policy.rows[0])


@kernel
def _has_level_ended(task, policy, sweep):
    """Whether level 1 has ended with the last line that it was given."""
    if sweep is not None:
        if sweep.facts[LEVEL] > 0:
            return True
    return policy.tries[1] == 0 or task.facts[FRESH] == 1 or task.facts[IS_PAUSED] == 1


@kernel
def _play_together(state, task, lines, steps, policy, team, weights_row):
    """Play a line from the root, and those of the helpers, by a row of weights; returns a status."""
    mailbox = team.mailbox
    mailbox[WEIGHTS] = weights_row
    begin_job(task, team)
    line, place, own = np.int64(-1), np.int64(0), DONE
    counter = task.streams[PLAYOUT_STREAM]
    while True:
        mailbox[LEADING] = line + 1
        row = policy.rows[place]
        status = play_out(state, task, lines, steps, policy, row, weights_row, state.at(1), None)
        if line < 0:
            own = status
            counter = task.streams[PLAYOUT_STREAM]
        else:
            hand_in(task, team, line, status)
        line = claim_line(team)
        if line < 0:
            break
        place = policy.tries.size + line
        draw_for_line(task, team, line)
    task.streams[PLAYOUT_STREAM] = counter
    return end_job(team, own)


@entry_kernel
def help_nrpa(state, memory, task, lines, steps, policy, team, number):
    """Play the lines of the leader's steps, as far as nobody else does, until it finishes.

    memory : for a state.   task, number : the helper's, from 0.   lines, steps, policy, team : the leader's.
    All but state and policy are modified in place.
    """
    mailbox = team.mailbox
    done = read_item(mailbox, GENERATION)
    line = claim_line(team)
    while True:
        if line >= 0:
            mailbox[OF_LINES + 3 * number + PLAYING] = line + 1
            draw_for_line(task, team, line)
            row, weights_row = policy.rows[policy.tries.size + line], mailbox[WEIGHTS]
            status = play_out(state, task, lines, steps, policy, row, weights_row, memory, None)
            hand_in(task, team, line, status)
        elif has_job(mailbox, done):
            done = read_item(mailbox, GENERATION)
        else:
            return DONE
        line = claim_line(team)


@kernel
def play_out(state, task, lines, steps, policy, row, weights_row, memory, given):
    """Play a line from the root into a row, by a row of weights; returns a status.

    memory : a state; see `on_stack`.   given : None, or the length of the line that is in the row and is
    played again. It may have priors of 0; ILLEGAL_LINE if the rules do not allow it.
    """
    actions, most_moves = lines.actions[row], lines.actions.shape[1]
    ends_of, chosen_of = steps.ends[row], steps.chosen[row]
    codes, places, most_codes = steps.codes[row], steps.places[row], steps.codes.shape[1]
    biases = steps.biases[row]
    weights = policy.weights[weights_row]
    legal, shares = task.legal, task.shares
    by_prior, exponent = task.facts[WAY] > 0, policy.numbers[BIAS]
    room = min(task.facts[MOST_MOVES], most_moves)
    horizon = task.facts[HORIZON] if task.facts[HORIZON] > 0 else room + 1
    steps.known[row] = True
    here = on_stack(state, memory)
    counter = task.streams[PLAYOUT_STREAM]
    total, weight = 0.0, 1.0
    depth = 0
    end = 0
    while not (here.is_terminal() or depth >= horizon):
        count = fill_legal(here, task, depth, room)
        if count < 0:
            return status_of(task, count, depth)
        chosen = 0
        if given is not None:
            while chosen < count and (depth == given or legal[chosen] != actions[depth]):
                chosen += 1
            if chosen == count:
                return ILLEGAL_LINE
        if count > 1:
            if end + count > most_codes:
                return NO_ROOM
            sum_of_shares = 0.0
            first = first_code(state, policy, actions, depth)
            for i in range(count):
                action = np.int64(legal[i])
                code = first + action if first >= 0 else code_of(here, action)
                if code < 0:
                    return BAD_CODE
                codes[end + i] = code
                place = find(policy, code)
                places[end + i] = place
                share = weights[place]
                if state.biased:
                    if by_prior:
                        prior = bias_of(here.prior(action), exponent)
                        if not 0.0 <= prior < np.inf:
                            return BAD_PRIOR
                        biases[end + i] = prior
                        share *= prior
                sum_of_shares += share
                shares[i] = sum_of_shares
            if given is None:
                if not 0.0 < sum_of_shares < np.inf:
                    return BAD_PRIOR
                counter = advanced(counter)
                drawn = draw_share(counter) * sum_of_shares
                while chosen < count - 1 and shares[chosen] <= drawn:
                    chosen += 1
            chosen_of[depth] = end + chosen
            end += count
        action = np.int64(legal[chosen])
        actions[depth] = action
        ends_of[depth] = end
        depth += 1
        total = earn(here, task, action, depth, total, weight)
        if math.isnan(total):
            return REWARD_IS_NO_NUMBER
        weight *= state.discount
    if given is not None:
        if depth < given:
            return ILLEGAL_LINE
    task.streams[PLAYOUT_STREAM] = counter
    return end_line(here, task, lines, row, depth, total)


@entry_kernel
def follow(state, task, lines, steps, policy):
    """Replay the line in the playouts' row, and make it the line of level 1 if it is better.

    Sets its score. Returns DONE, ILLEGAL_LINE, NO_ROOM, NO_ROOM_FOR_CODES or the fault of the rules.
    Arguments are those of `adapt_policies`.
    """
    row = policy.rows[0]
    status = _retrace(state, task, lines, steps, policy, row)
    if status != DONE:
        return status
    task.facts[MOVES] += lines.length[row]
    if lines.score[row] > lines.score[policy.rows[1]]:
        keep_best(task, lines, row)
        policy.rows[0], policy.rows[1] = policy.rows[1], row
    return DONE


@kernel
def _retrace(state, task, lines, steps, policy, row):
    """Replay the line in a row, and write its steps and score; returns a status as of `follow`."""
    length, weights_row = lines.length[row], policy.starts[1]
    status = play_out(state, task, lines, steps, policy, row, weights_row, state.at(1), length)
    return status if status != DONE or has_room(lines, steps, policy) else NO_ROOM_FOR_CODES


# --- levels -----------------------------------------------------------------------------------------------


@kernel
def _begin_run(task, lines, policy):
    """Begin a call of the top level, with an untrained policy."""
    task.facts[FRESH] = 0
    forget(policy, 0)
    top = task.facts[TOP]
    for level in range(top, 0, -1):
        _begin_level(lines, policy, level, top)


@kernel
def _begin_level(lines, policy, level, top):
    """Begin a call of `level`, starting from the policy of the level above."""
    begin_level(lines, policy, level, policy.rows[level])
    if level < top:
        copy_weights(policy, policy.starts[level + 1], policy.starts[level])


@kernel
def _pass_up(task, lines, steps, policy, beam, sweep, goes_on):
    """Pass the playout's line to level 1, and the lines of each complete level to the next one.

    goes_on : as for `pass_beams_up`, or `_pass_best_up` without a beam.
    """
    if beam is None:
        _pass_best_up(task, lines, steps, policy, sweep, goes_on)
    else:
        pass_beams_up(task, lines, steps, policy, beam, goes_on)


@kernel
def _pass_best_up(task, lines, steps, policy, sweep, goes_on):
    """Pass the playout's line to level 1, and the best line of each complete level to the next one.

    goes_on : whether this resumes after a pause at the end of level 1, or after sweeps.
    """
    top = task.facts[TOP]
    level = 1
    if sweep is not None:
        level = max(1, sweep.facts[LEVEL])
        sweep.facts[LEVEL] = 0
    first = level
    while True:
        if level > first or not goes_on:
            _keep(policy, lines, level)
            policy.tries[level] += 1
            if level > 1 or policy.tries[level] % policy.facts[PLAYOUTS_EACH] == 0:
                adapt(task, lines, steps, policy, level, policy.rows[level], policy.starts[level])
                policy.rounds[level] += 1
            most = policy.facts[MOST_REPEATS]
            stays = most > 0 and policy.repeats[level] >= most
            if policy.rounds[level] < policy.facts[ITERATIONS] and not stays:
                break
            if sweep is not None:
                if sweep.wanted[level] > 0:
                    begin_sweeps(task, lines, policy, sweep, level, policy.rows[level])
                    return
            if level == 1 and task.facts[PAUSES] == 1:
                task.facts[IS_PAUSED] = 1
                return
        if level == top:
            task.facts[RUNS] += 1
            task.facts[FRESH] = 1
            return
        forget(policy, policy.used_before[level])
        steps.known[policy.rows[level]] = False
        level += 1
    for lower in range(level - 1, 0, -1):
        _begin_level(lines, policy, lower, top)


@kernel
def _end_sweeps(state, task, lines, steps, policy, sweep):
    """Give the line that the sweeps have found to its level, and pass it up or pause; returns a status."""
    facts = sweep.facts
    level = facts[LEVEL]
    if facts[HAS_CHANGED] == 1:
        row = policy.rows[level]
        copy_line(lines, facts[SWEPT], row)
        status = _retrace(state, task, lines, steps, policy, row)
        if status != DONE:
            return status
        task.facts[MOVES] += lines.length[row]
    if level == 1 and task.facts[PAUSES] == 1:
        facts[LEVEL] = 0
        task.facts[IS_PAUSED] = 1
    else:
        _pass_best_up(task, lines, steps, policy, sweep, True)
    return DONE


@kernel
def _keep(policy, lines, level):
    """Keep the line of the level below as the level's best unless the present one is better."""
    new, best = policy.rows[level - 1], policy.rows[level]
    if lines.score[new] < lines.score[best]:
        policy.repeats[level] = 0
    elif are_equal(lines, new, best):
        policy.repeats[level] += 1
    else:
        policy.repeats[level] = 0
        policy.rows[level - 1], policy.rows[level] = best, new
