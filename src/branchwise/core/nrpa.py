"""Nested rollout policy adaptation: each level adapts the policy of playouts to its best line.

A call of level n makes N calls of the level below and adapts its policy after each to the best line so far; a
call of level 0 is a playout. Every action has a code, and every code a weight exp(w); playouts choose with
probabilities in proportion to weights. The recursion is a state machine, so it can pause between any two
playouts and resume in the next call.

Sources: Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", 2011. Bias: Cazenave,
"Generalized nested rollout policy adaptation", 2020. Several playouts before each adaptation: Cazenave,
Sevestre, Toulemont, "Stabilized nested rollout policy adaptation", 2021. Ending a level that repeats its best
line: Cazenave, "Limited repetitions", 2024.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.halting import asked
from branchwise.core.kernel import entry_kernel, kernel
from branchwise.core.lines import (
    DEPTH,
    DISCOUNT,
    FRESH,
    HORIZON,
    ILLEGAL_LINE,
    IS_PAUSED,
    MOST_MOVES,
    MOVES,
    NO_ROOM,
    NO_ROOM_FOR_CODES,
    PAUSED,
    PAUSES,
    RUNS,
    TOP,
    WAY,
    ends,
    fault_in,
    fill_legal,
    is_over,
    is_reward,
    keep_best,
    note,
    play,
    score_at_end,
)
from branchwise.core.local import on_stack
from branchwise.core.random import PLAYOUT_STREAM, advanced, draw_share
from branchwise.core.requests import END_BATCH
from branchwise.core.status import BAD_CODE, BAD_PRIOR, DONE, NEVER_ENDS, REWARD_IS_NO_NUMBER

ITERATIONS, PLAYOUTS_EACH, MOST_REPEATS, USED = range(4)
"""Indices in `Policy.facts`: adaptations per level; playouts before each adaptation of level 1; number of
consecutive repetitions of the best line that ends a level (0: never); number of codes in the table."""

ALPHA, BIAS = range(2)
"""Indices in `Policy.numbers`: the step size of an adaptation; the exponent of the priors."""

FREE = -1
_LEAST, _GREATEST = 1e-200, 1e200
_FARTHEST = 460.0
_PER_LOG_2 = 1.4426950408889634
_LOG_2_HIGH, _LOG_2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_MIDDLE = 700
_POWERS_OF_2 = 2.0 ** np.arange(-_MIDDLE, _MIDDLE + 1)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_BLOCK, _IN_BLOCK, _ONE = np.uint64(6), np.uint64(63), np.uint64(1)


class Steps(NamedTuple):
    """The choices along the lines of R rows, M codes each; the codes of one choice are adjacent.

    The codes of choice d end before ends[d]. A state with a single action is not a choice.
    """

    ends: NDArray[np.int64]  # [R, L]
    chosen: NDArray[np.int64]  # [R, L] index of the action that was played
    codes: NDArray[np.int64]  # [R, M] of all legal actions
    biases: NDArray[np.float64]  # [R, M or 0] their priors, which multiply weights
    places: NDArray[np.uint32]  # [R, M] their slots in the table; B for unknown codes
    known: NDArray[np.bool_]  # [R] whether `places` is up to date
    factors: NDArray[np.float64]  # [M] factors that change the weights of one line


class Policy(NamedTuple):
    """Weights of codes for V levels, and the progress of each level; the table has B slots, a power of two.

    Codes of a level are added after those of the levels above it, and are removed when the level is complete.
    """

    facts: NDArray[np.int64]  # [4]
    numbers: NDArray[np.float64]  # [2]
    shift: NDArray[np.uint64]  # [1] 64 - log2(B)
    keys: NDArray[np.int64]  # [B] the code in each slot, or FREE
    weights: NDArray[np.float64]  # [V + 1, B + 1]; row v is level v's; the last, 1, is for unknown codes
    changes: NDArray[np.float64]  # [B] pending changes of the logarithms of weights; 0 between adaptations
    order: NDArray[np.int32]  # [B] slots in the order in which they were taken
    rows: NDArray[np.int64]  # [V + 1] the row of each level's best line; level 0 is the playout
    tries: NDArray[np.int64]  # [V + 1] calls of the level below
    rounds: NDArray[np.int64]  # [V + 1] adaptations so far
    repeats: NDArray[np.int64]  # [V + 1] consecutive lines equal to the best
    used_before: NDArray[np.int64]  # [V + 1] codes in the table when the level began


@entry_kernel
def adapt_policies(state, task, lines, steps, policy, most):
    """Continue for `most` playouts; returns a status of `core.lines` or the fault of the rules.

    PAUSED: level 1 has found a line, in its row, and `follow` may replace it. It runs fewer playouts if the
    search is complete or this thread is asked to end. If there is no room, the playout has not taken place;
    the caller enlarges the arrays and calls again.
    state : the root, followed by room for another state.   All others are modified in place.
    """
    if task.facts[IS_PAUSED] == 1:
        task.facts[IS_PAUSED] = 0
        _pass_up(task, lines, steps, policy, True)
    while most > 0 and not is_over(task, lines) and not asked(END_BATCH):
        if task.facts[FRESH] == 1:
            _begin_run(task, policy, lines)
        counter = task.streams[PLAYOUT_STREAM]
        status = play_out(state, task, lines, steps, policy)
        if status == DONE and not _has_room(task, lines, steps, policy):
            status = NO_ROOM_FOR_CODES
        if status != DONE:
            task.streams[PLAYOUT_STREAM] = counter
            return status
        most -= 1
        task.facts[MOVES] += lines.length[policy.rows[0]]
        note(task, lines, policy.rows[0])
        _pass_up(task, lines, steps, policy, False)
        if task.facts[IS_PAUSED] == 1:
            return PAUSED
    return DONE


@kernel
def play_out(state, task, lines, steps, policy):
    """Play a line from the root with the policy of level 1; returns a status."""
    row = policy.rows[0]
    actions, most_moves = lines.actions[row], lines.actions.shape[1]
    ends_of, chosen_of = steps.ends[row], steps.chosen[row]
    codes, places, most_codes = steps.codes[row], steps.places[row], steps.codes.shape[1]
    biases = steps.biases[row]
    weights = policy.weights[1]
    legal, shares = task.legal, task.shares
    by_prior, exponent = task.facts[WAY] > 0, policy.numbers[BIAS]
    room = min(task.facts[MOST_MOVES], most_moves)
    horizon = task.facts[HORIZON] if task.facts[HORIZON] > 0 else room + 1
    steps.known[row] = True
    here = on_stack(state, state.at(1))
    counter = task.streams[PLAYOUT_STREAM]
    total, weight = 0.0, 1.0
    depth = 0
    end = 0
    while not (here.is_terminal() or depth >= horizon):
        count = fill_legal(here, task, depth, room)
        if count < 0:
            is_short = count == -NEVER_ENDS and depth < task.facts[MOST_MOVES]
            return NO_ROOM if is_short else -count
        chosen = 0
        if count > 1:
            if end + count > most_codes:
                return NO_ROOM
            sum_of_shares = 0.0
            for i in range(count):
                action = np.int64(legal[i])
                code = action
                if state.codes:
                    code = np.int64(here.action_code(action))
                    if code < 0:
                        return BAD_CODE
                codes[end + i] = code
                place = find(policy, code)
                places[end + i] = place
                share = weights[place]
                if state.biased:
                    if by_prior:
                        prior = _bias(here.prior(action), exponent)
                        if not 0.0 <= prior < np.inf:
                            return BAD_PRIOR
                        biases[end + i] = prior
                        share *= prior
                sum_of_shares += share
                shares[i] = sum_of_shares
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
        if depth > 0:
            weight *= state.discount
        depth += 1
        reward = play(here, task, action)
        if state.pays:
            if not is_reward(reward):
                task.facts[DEPTH] = depth
                return REWARD_IS_NO_NUMBER
            total += weight * reward
    task.facts[DEPTH] = depth
    task.streams[PLAYOUT_STREAM] = counter
    lines.length[row] = depth
    lines.score[row] = score_at_end(here, task, total)
    return fault_in(state, task, lines.score[row])


@entry_kernel
def follow(state, task, lines, steps, policy):
    """Replay the line in the playouts' row, and make it the line of level 1 if it is better.

    Sets its score. Returns DONE, ILLEGAL_LINE, NO_ROOM, NO_ROOM_FOR_CODES or the fault of the rules.
    Arguments are those of `adapt_policies`.
    """
    row = policy.rows[0]
    codes, biases = steps.codes[row], steps.biases[row]
    by_prior, exponent = task.facts[WAY] > 0, policy.numbers[BIAS]
    here = state.at(1)
    here.copy_from(state)
    total, weight = 0.0, 1.0
    end = 0
    for depth in range(lines.length[row]):
        if ends(here, task, depth):
            return ILLEGAL_LINE
        count = fill_legal(here, task, depth, task.facts[MOST_MOVES])
        if count < 0:
            return -count
        chosen = 0
        while chosen < count and task.legal[chosen] != lines.actions[row, depth]:
            chosen += 1
        if chosen == count:
            return ILLEGAL_LINE
        if count > 1:
            if end + count > codes.size:
                return NO_ROOM
            for i in range(count):
                action = np.int64(task.legal[i])
                code = action
                if state.codes:
                    code = np.int64(here.action_code(action))
                    if code < 0:
                        return BAD_CODE
                codes[end + i] = code
                if state.biased:
                    if by_prior:
                        biases[end + i] = _bias(here.prior(action), exponent)
                        if not 0.0 <= biases[end + i] < np.inf:
                            return BAD_PRIOR
            steps.chosen[row, depth] = end + chosen
            end += count
        steps.ends[row, depth] = end
        reward = play(here, task, np.int64(task.legal[chosen]))
        if state.pays:
            if not is_reward(reward):
                return REWARD_IS_NO_NUMBER
            total += weight * reward
            weight *= task.numbers[DISCOUNT]
    task.facts[MOVES] += lines.length[row]
    if not ends(here, task, lines.length[row]):
        return ILLEGAL_LINE
    lines.score[row] = score_at_end(here, task, total)
    status = fault_in(state, task, lines.score[row])
    if status != DONE:
        return status
    if not _has_room(task, lines, steps, policy):
        return NO_ROOM_FOR_CODES
    steps.known[row] = False
    if lines.score[row] > lines.score[policy.rows[1]]:
        keep_best(task, lines, row)
        policy.rows[0], policy.rows[1] = policy.rows[1], row
    return DONE


@kernel
def _bias(prior, exponent):
    return prior if exponent == 1.0 else prior**exponent


# --- levels -----------------------------------------------------------------------------------------------


@kernel
def _begin_run(task, policy, lines):
    """Begin a call of the top level, with an untrained policy."""
    task.facts[FRESH] = 0
    _forget(policy, 0)
    top = task.facts[TOP]
    for level in range(top, 0, -1):
        _begin_level(policy, lines, level, top)


@kernel
def _begin_level(policy, lines, level, top):
    """Begin a call of `level`, starting from the policy of the level above."""
    used = policy.facts[USED]
    policy.used_before[level] = used
    policy.tries[level] = 0
    policy.rounds[level] = 0
    policy.repeats[level] = 0
    lines.score[policy.rows[level]] = -np.inf
    lines.length[policy.rows[level]] = 0
    if level < top:
        for i in range(used):
            place = policy.order[i]
            policy.weights[level, place] = policy.weights[level + 1, place]


@kernel
def _pass_up(task, lines, steps, policy, goes_on):
    """Pass the playout's line to level 1, and the best line of each complete level to the next one.

    goes_on : whether this resumes after a pause at the end of level 1.
    """
    top = task.facts[TOP]
    level = 1
    while True:
        if level > 1 or not goes_on:
            _keep(policy, lines, level)
            policy.tries[level] += 1
            if level > 1 or policy.tries[level] % policy.facts[PLAYOUTS_EACH] == 0:
                _adapt(task, lines, steps, policy, level)
                policy.rounds[level] += 1
            most = policy.facts[MOST_REPEATS]
            stays = most > 0 and policy.repeats[level] >= most
            if policy.rounds[level] < policy.facts[ITERATIONS] and not stays:
                break
            if level == 1 and task.facts[PAUSES] == 1:
                task.facts[IS_PAUSED] = 1
                return
        if level == top:
            task.facts[RUNS] += 1
            task.facts[FRESH] = 1
            return
        _forget(policy, policy.used_before[level])
        steps.known[policy.rows[level]] = False
        level += 1
    for lower in range(level - 1, 0, -1):
        _begin_level(policy, lines, lower, top)


@kernel
def _keep(policy, lines, level):
    """Keep the line of the level below as the level's best unless the present one is better."""
    new, best = policy.rows[level - 1], policy.rows[level]
    if lines.score[new] < lines.score[best]:
        policy.repeats[level] = 0
    elif _are_equal(lines, new, best):
        policy.repeats[level] += 1
    else:
        policy.repeats[level] = 0
        policy.rows[level - 1], policy.rows[level] = best, new


@kernel
def _are_equal(lines, one, other):
    if lines.score[one] != lines.score[other] or lines.length[one] != lines.length[other]:
        return False
    for i in range(lines.length[one]):
        if lines.actions[one, i] != lines.actions[other, i]:
            return False
    return True


@kernel
def _adapt(task, lines, steps, policy, level):
    """Make the level's best line likelier, by one gradient step on its log-probability."""
    row = policy.rows[level]
    alpha = policy.numbers[ALPHA]
    biased = steps.biases.shape[1] > 0
    weights, changes = policy.weights[level], policy.changes
    places, biases, odds = steps.places[row], steps.biases[row], task.shares
    _find_all(lines, steps, policy, level)
    first = 0
    for depth in range(lines.length[row]):
        end = steps.ends[row, depth]
        if end == first:
            continue
        total = 0.0
        for i in range(first, end):
            weight = weights[places[i]]
            if biased:
                weight *= biases[i]
            odds[i - first] = weight
            total += weight
        scale = alpha / total
        for i in range(first, end):
            changes[places[i]] -= scale * odds[i - first]
        changes[places[steps.chosen[row, depth]]] += alpha
        first = end
    factors = steps.factors
    for i in range(first):
        factors[i] = changes[places[i]]
        changes[places[i]] = 0.0  # a repeated code changes its weight only once
    for i in range(first):  # a separate loop, which the compiler vectorises
        factors[i] = exponential(factors[i])
    for i in range(first):
        weight = weights[places[i]] * factors[i]
        weights[places[i]] = min(max(weight, _LEAST), _GREATEST)


@kernel
def exponential(x):
    """Return exp(x), x clipped to [-460, 460], with a relative error of about 2e-16.

    The C library's result is the same on most machines, but calling it from here takes twice as long.
    2**k exp(r) with r within log(2) / 2 of 0, by the first 13 terms of its series.
    """
    x = min(max(x, -_FARTHEST), _FARTHEST)
    k = np.floor(x * _PER_LOG_2 + 0.5)
    r = (x - k * _LOG_2_HIGH) - k * _LOG_2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = (1.0 + r) + r2 * (1.0 / 2 + r * (1.0 / 6))
    middle = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040))
    high = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800))
    series = low + r4 * (middle + r4 * (high + r4 * (1.0 / 479001600)))
    return series * _POWERS_OF_2[np.int32(k) + np.int32(_MIDDLE)]


@kernel
def _find_all(lines, steps, policy, level):
    """Find the slots of the codes of a level's best line; new codes are added to the table."""
    row = policy.rows[level]
    if lines.length[row] == 0:
        return
    codes, places = steps.codes[row], steps.places[row]
    known, unknown = steps.known[row], policy.keys.size
    for i in range(steps.ends[row, lines.length[row] - 1]):
        if not known or places[i] == unknown:
            places[i] = _enter(policy, codes[i], level)
    steps.known[row] = True


# --- the table of codes -----------------------------------------------------------------------------------


@kernel
def _first_place(policy, code):
    """Return the slot at which to look for a code first: the code itself if it is small.

    Neighbouring large codes stay adjacent; blocks of them are scattered over the table.
    """
    bits = np.uint64(code)
    if bits < np.uint64(policy.keys.size):
        return bits
    return (((bits >> _BLOCK) * _SPREAD) >> policy.shift[0]) ^ (bits & _IN_BLOCK)


@kernel
def find(policy, code):
    """Return the slot of a code, uint64; B if it is unknown."""
    keys = policy.keys
    last = np.uint64(keys.size - 1)
    place = _first_place(policy, code)
    while keys[place] != code:
        if keys[place] == FREE:
            return np.uint64(keys.size)
        place = (place + _ONE) & last
    return place


@kernel
def _enter(policy, code, level):
    """Return the slot of a code, which is added with weight 1 if it is new; there must be room."""
    keys = policy.keys
    last = np.uint64(keys.size - 1)
    place = _first_place(policy, code)
    while keys[place] != code:
        if keys[place] == FREE:
            keys[place] = code
            policy.weights[level, place] = 1.0
            policy.order[policy.facts[USED]] = place
            policy.facts[USED] += 1
            break
        place = (place + _ONE) & last
    return place


@kernel
def _forget(policy, used):
    """Remove all codes but the first `used`, newest first, so that the others can still be found."""
    while policy.facts[USED] > used:
        policy.facts[USED] -= 1
        policy.keys[policy.order[policy.facts[USED]]] = FREE


@kernel
def _has_room(task, lines, steps, policy):
    """Whether the codes of all levels' best lines fit in the table, which is at most half full."""
    needed = policy.facts[USED]
    for level in range(task.facts[TOP] + 1):
        row = policy.rows[level]
        if lines.length[row] > 0:
            needed += steps.ends[row, lines.length[row] - 1]
    return 2 * needed <= policy.keys.size


@entry_kernel
def move_codes(policy, larger, levels):
    """Copy all codes of a table, with their weights for all levels, into a larger, empty one."""
    for i in range(policy.facts[USED]):
        old = policy.order[i]
        place = _enter(larger, policy.keys[old], 0)
        for level in range(1, levels + 1):
            larger.weights[level, place] = policy.weights[level, old]
    return DONE
