"""The policy of NRPA: a table of codes with weights, and how it is adapted to lines.

Each code has a weight exp(w) in every row of weights; a level has one row, or several with a beam. Codes are
keys of a hash table with open addressing. Adapting to a line is one gradient step on its log-probability:
Rosin, "Nested rollout policy adaptation for Monte Carlo tree search", 2011. With sparing, which is our own,
it is a step on a mixture of two: that of each action among all legal ones, and among those that the line does
not choose later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import DONE

ITERATIONS, PLAYOUTS_EACH, MOST_REPEATS, USED, CODING = range(5)
"""Indices in `Policy.facts`: adaptations per level; playouts before each adaptation of level 1; number of
consecutive repetitions of the best line that ends a level (0: never); number of codes in the table; what the
code of an action depends on, below."""

OWN, ACTION, PREVIOUS, STEP = range(4)
"""The rules' `action_code`; the action; with the one before it; with the number of actions so far."""

ALPHA, BIAS, SPARE, LEAST, GREATEST = range(5)
"""Indices in `Policy.numbers`: the step size of an adaptation; the exponent of the priors; the share of
sparing in an adaptation; the range of weights, as exp(w)."""

FREE = -1
_TINY = 1e-290
"""Least sum that a share is taken of; improved lines may choose actions that have a prior of 0."""
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
    slots: NDArray[np.uint32]  # [M] the slots of these weights


class Policy(NamedTuple):
    """Weights of codes for V levels, and the progress of each level; the table has B slots, a power of two.

    Codes of a level are added after those of the levels above it, and are removed when the level is complete.
    """

    facts: NDArray[np.int64]  # [5]
    numbers: NDArray[np.float64]  # [5]
    shift: NDArray[np.uint64]  # [1] 64 - log2(B)
    keys: NDArray[np.int64]  # [B] the code in each slot, or FREE
    weights: NDArray[np.float64]  # [W, B + 1] rows of weights; the last of a row, 1, is for unknown codes
    starts: NDArray[
        np.int64
    ]  # [V + 2] first row of weights of each level; a level has one, or several (`beam`)
    changes: NDArray[np.float64]  # [B] pending changes of the logarithms of weights; 0 between adaptations
    later: NDArray[np.int32]  # [B or 0] scratch: the last place at which a line chooses a code, from 1
    order: NDArray[np.int32]  # [B] slots in the order in which they were taken
    rows: NDArray[np.int64]  # [V + 1 + H] row of each level's best line; level 0 and helpers: their last line
    tries: NDArray[np.int64]  # [V + 1] calls of the level below
    rounds: NDArray[np.int64]  # [V + 1] adaptations so far
    repeats: NDArray[np.int64]  # [V + 1] consecutive lines equal to the best
    used_before: NDArray[np.int64]  # [V + 1] codes in the table when the level began


@kernel
def begin_level(lines, policy, level, row):
    """Begin a call of a level, whose line, in a row, has no actions yet."""
    policy.used_before[level] = policy.facts[USED]
    policy.tries[level] = 0
    policy.rounds[level] = 0
    policy.repeats[level] = 0
    lines.length[row] = 0
    lines.score[row] = -np.inf


@kernel
def adapt(task, lines, steps, policy, level, row, weights_row):
    """Make the line in a row likelier by a row of weights of `level`: one step on its log-probability."""
    alpha = policy.numbers[ALPHA]
    spare = policy.numbers[SPARE]
    least, greatest = policy.numbers[LEAST], policy.numbers[GREATEST]
    biased = steps.biases.shape[1] > 0
    weights, changes = policy.weights[weights_row], policy.changes
    places, biases, odds = steps.places[row], steps.biases[row], task.shares
    _find_all(lines, steps, policy, level, row)
    if spare > 0.0:
        _mark_later(lines, steps, policy, row, True)
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
        chosen = places[steps.chosen[row, depth]]
        scale = alpha / max(total, _TINY)
        if spare > 0.0:
            rest = 0.0
            for i in range(first, end):
                if policy.later[places[i]] <= depth + 1 or places[i] == chosen:
                    rest += odds[i - first]
                else:  # the line chooses it later
                    changes[places[i]] -= (1.0 - spare) * scale * odds[i - first]
                    odds[i - first] = 0.0
            scale = (1.0 - spare) * scale + spare * alpha / max(rest, _TINY)
        for i in range(first, end):
            changes[places[i]] -= scale * odds[i - first]
        changes[chosen] += alpha
        first = end
    if spare > 0.0:
        _mark_later(lines, steps, policy, row, False)
    factors, slots = steps.factors, steps.slots
    different = 0
    for i in range(first):  # a repeated code changes its weight only once
        place = places[i]
        change = changes[place]
        changes[place] = 0.0
        factors[different] = change
        slots[different] = place
        different += change != 0.0
    for i in range(different):  # a separate loop, which the compiler vectorises
        factors[i] = exponential(factors[i])
    for i in range(different):
        weight = weights[slots[i]] * factors[i]
        weights[slots[i]] = min(max(weight, least), greatest)


@kernel
def _mark_later(lines, steps, policy, row, marks):
    """Note where the line in a row last chooses each code, or clear these notes."""
    first = 0
    for depth in range(lines.length[row]):
        end = steps.ends[row, depth]
        if end > first:
            policy.later[steps.places[row, steps.chosen[row, depth]]] = depth + 1 if marks else 0
        first = end


@kernel
def exponential(x):
    """Return exp(x), x clipped to [-460, 460], with a relative error of about 2e-16.

    The C library's result is the same on most machines, but calling it from here takes twice as long.
    2**k exp(r) with r within log(2) / 2 of 0, by the first 13 terms of its series.
    """
    x = min(_FARTHEST, max(-_FARTHEST, x))  # in this order what is no number becomes one
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
def code_of(state, action):
    """Return the code of an action: that of the rules, below 0 if they give none, or else the action."""
    return np.int64(state.action_code(action)) if state.codes else action


@kernel
def first_code(state, policy, actions, depth):
    """Return the code of action 0 after a line, where codes are numbered by action; -1: the rules give codes.

    actions, depth : the line's actions, and how many there are.
    """
    coding = policy.facts[CODING]
    if coding == STEP:
        return np.int64(depth * state.num_actions)
    if coding == PREVIOUS:
        return np.int64((actions[depth - 1] + 1) * state.num_actions if depth > 0 else 0)
    return np.int64(-1 if coding == OWN and state.codes else 0)


@kernel
def bias_of(prior, exponent):
    """Return the factor of an action's weight that its prior stands for."""
    return prior if exponent == 1.0 else prior**exponent


@kernel
def _find_all(lines, steps, policy, level, row):
    """Find the slots of the codes of a level's line; new codes are added to the table."""
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
    """Return the slot of a code; a new one is added, with weight 1 for a level. There must be room."""
    keys = policy.keys
    last = np.uint64(keys.size - 1)
    place = _first_place(policy, code)
    while keys[place] != code:
        if keys[place] == FREE:
            keys[place] = code
            for row in range(policy.starts[level], policy.starts[level + 1]):
                policy.weights[row, place] = 1.0
            policy.order[policy.facts[USED]] = place
            policy.facts[USED] += 1
            break
        place = (place + _ONE) & last
    return place


@kernel
def forget(policy, used):
    """Remove all codes but the first `used`, newest first, so that the others can still be found."""
    while policy.facts[USED] > used:
        policy.facts[USED] -= 1
        policy.keys[policy.order[policy.facts[USED]]] = FREE


@kernel
def copy_weights(policy, source, target):
    """Copy one row of weights to another."""
    weights = policy.weights
    for i in range(policy.facts[USED]):
        place = policy.order[i]
        weights[target, place] = weights[source, place]


@kernel
def has_room(lines, steps, policy):
    """Whether the codes of all lines in use fit in the table, which is then at most half full."""
    needed = policy.facts[USED]
    for row in range(steps.known.size):
        if lines.length[row] > 0:
            needed += steps.ends[row, lines.length[row] - 1]
    return 2 * needed <= policy.keys.size


@entry_kernel
def move_codes(policy, larger):
    """Copy all codes of a table, with their weights for all levels, into a larger, empty one."""
    for i in range(policy.facts[USED]):
        old = policy.order[i]
        place = _enter(larger, policy.keys[old], 0)
        for row in range(policy.weights.shape[0]):
            larger.weights[row, place] = policy.weights[row, old]
    return DONE
