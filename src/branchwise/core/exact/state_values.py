"""Exact values of listed states, computed for each group of states that can reach one another.

Groups come after all groups that they lead to, so most states need one computation from their successors. In
a group with a cycle the values are iterated, from both sides at once if returns are bounded. If one player
chooses and the group is small, the values are then those of the best policy, by linear equations, where that
is wanted or iterating takes longer.
Groups: Tarjan, "Depth-first search and linear graph algorithms", 1972. Settled in order: Dai, Mausam, Weld,
Goldsmith, "Topological value iteration algorithms", 2011. From both sides: Haddad, Monmege, "Interval
iteration algorithm for MDPs and IMDPs", 2018. By policies: Howard, "Dynamic programming and Markov
processes", 1960.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.core.exact.reachable_states import NO_ROOM, UNFINISHED
from branchwise.core.machine.kernel import entry_kernel, inlined_kernel, kernel
from branchwise.core.machine.kernel_status import DONE, NEVER_ENDS

ROOT, DEPTH, SEEN, WAITING, PLACED, GROUPS, LONGEST, MAY_STAY = range(8)  # places in Groups.facts
GROUP, SWEEPS = range(2)  # places in Values.facts
MOST_SWEEPS = 1_000_000
_MOST_POLICIES = 1000
_SWEEPS_FOR_EQUATIONS = 64
"""To solve equations of N states takes about as long as N * N sweeps, divided by this number."""
_NEAR = 1e-13
"""Relative gain that counts as none, because rounding may cause it."""


class Groups(NamedTuple):
    """The groups of N states, in the order in which their values can be computed.

    Group g has the states order[start[g]:start[g + 1]].
    """

    facts: NDArray[np.int64]  # [8] next ROOT of a walk; DEPTH of the path, 0 for none; states SEEN, WAITING
    # for their group, and PLACED in one; GROUPS found; LONGEST line of groups with a cycle; whether one
    # MAY_STAY in a group for ever without a reward, as far as a look at single states tells
    number: NDArray[
        np.int32
    ]  # [N] in the order of the walk, from 1; 0 is not seen; once placed in a group with
    # a cycle, minus the number of the group
    low: NDArray[np.int32]  # [N] least number that can be reached; once placed, groups with a cycle from here
    placed: NDArray[np.bool_]  # [N] whether the state has its group
    path: NDArray[np.int32]  # [N] states from ROOT to where the walk is
    step: NDArray[np.int64]  # [N] next step to walk, of those on the path
    waiting: NDArray[np.int32]  # [N] states that the walk has left and that have no group yet
    order: NDArray[np.int32]  # [N]
    start: NDArray[np.int32]  # [N + 1]


class Values(NamedTuple):
    """Player 0's values of N states; D is the largest group solved by linear equations so far, 0 for none."""

    facts: NDArray[np.int64]  # [2] next GROUP; SWEEPS over it so far
    low: NDArray[np.float64]  # [N] lower bound, or the value where there are no bounds
    high: NDArray[np.float64]  # [N, or 0 where there are no bounds] upper bound
    change: NDArray[np.float64]  # [1] by the last sweep over GROUP
    matrix: NDArray[np.float64]  # [D, D + 1] linear equations
    policy: NDArray[np.int64]  # [D] a step of each state of GROUP


@entry_kernel
def group(reached, groups, most):
    """Continue for `most` steps to put the states from ROOT on into groups; returns DONE or UNFINISHED."""
    facts = groups.facts
    number, low, path = groups.number, groups.low, groups.path
    while True:
        if facts[DEPTH] == 0:
            while facts[ROOT] < number.size and number[facts[ROOT]] != 0:
                facts[ROOT] += 1
            if facts[ROOT] == number.size:
                return DONE
            _walk_to(reached, groups, facts[ROOT])
        if most == 0:
            return UNFINISHED
        most -= 1
        here = path[facts[DEPTH] - 1]
        step = groups.step[here]
        if step < reached.first[here + 1]:
            groups.step[here] = step + 1
            after = reached.targets[step]
            if number[after] == 0:
                _walk_to(reached, groups, after)
            elif not groups.placed[after]:
                low[here] = min(low[here], number[after])
            continue
        facts[DEPTH] -= 1
        lowest = low[here]
        groups.waiting[facts[WAITING]] = here
        facts[WAITING] += 1
        if lowest == number[here]:
            _place_group(reached, groups, here)
        if facts[DEPTH] > 0:
            before = path[facts[DEPTH] - 1]
            low[before] = min(low[before], lowest)


@kernel
def _walk_to(reached, groups, state):
    facts = groups.facts
    facts[SEEN] += 1
    groups.number[state] = facts[SEEN]
    groups.low[state] = facts[SEEN]
    groups.step[state] = reached.first[state]
    groups.path[facts[DEPTH]] = state
    facts[DEPTH] += 1


@kernel
def _place_group(reached, groups, root):
    """Place the group of `root`: the states that the walk has left last, down to those it found before.

    So a state comes after most of its successors, and values converge in few sweeps.
    """
    facts = groups.facts
    begin = facts[PLACED]
    first = facts[WAITING]
    while first > 0 and groups.number[groups.waiting[first - 1]] >= groups.number[root]:
        first -= 1
    for i in range(first, facts[WAITING]):
        state = groups.waiting[i]
        groups.order[facts[PLACED]] = state
        groups.placed[state] = True
        groups.low[state] = -1
        facts[PLACED] += 1
    facts[WAITING] = first
    end = facts[PLACED]
    facts[GROUPS] += 1
    groups.start[facts[GROUPS]] = end
    cycles, has_cycle, chooses, may_stay = np.int32(0), False, False, False
    for i in range(begin, end):
        state = groups.order[i]
        decides = reached.players[state] != CHANCE
        chooses |= decides
        for step in range(reached.first[state], reached.first[state + 1]):
            after = groups.low[reached.targets[step]]
            cycles = max(cycles, after)
            if after < 0:
                has_cycle = True
                may_stay |= decides and (reached.rewards.size == 0 or reached.rewards[step, 0] == 0.0)
    if has_cycle:
        cycles += np.int32(1)
        if may_stay or not chooses:
            facts[MAY_STAY] = 1
    for i in range(begin, end):
        state = groups.order[i]
        groups.low[state] = cycles
        if has_cycle:
            groups.number[state] = -facts[GROUPS]
    facts[LONGEST] = max(facts[LONGEST], np.int64(cycles))


@entry_kernel
def settle(reached, groups, values, discount, tolerance, largest, exact, most):
    """Continue for about `most` states to compute values, group by group; returns a status.

    largest : states of a group to solve by linear equations, 0 if there are two players.   exact : whether
    equations come soon, and not only once sweeps have taken about as long as they do.
    DONE : all are within `tolerance`.   NEVER_ENDS : the bounds or the values of GROUP do not converge.
    NO_ROOM : D must be at least the size of GROUP.
    Without bounds a group that is too large for linear equations is done when a sweep changes values by no
    more than `tolerance`, and all later ones together do not either if changes go on shrinking as they do.
    """
    facts = values.facts
    while facts[GROUP] < groups.facts[GROUPS]:
        if most <= 0:
            return UNFINISHED
        begin, end = groups.start[facts[GROUP]], groups.start[facts[GROUP] + 1]
        most -= end - begin
        state = groups.order[begin]
        if groups.number[state] > 0:
            values.low[state] = worth(reached, values.low, discount, state)
            if values.high.size > 0:
                values.high[state] = worth(reached, values.high, discount, state)
        else:
            by_equations = _is_turn_of_equations(facts[SWEEPS], end - begin, largest, exact)
            if by_equations:
                if end - begin > values.policy.size:
                    return NO_ROOM
                most -= (end - begin) ** 2
            if not by_equations or not _best_policy(reached, groups, values, discount, begin, end):
                facts[SWEEPS] += 1
                status = _iterate(reached, groups, values, discount, tolerance, begin, end)
                if status == UNFINISHED:
                    continue
                if status != DONE:
                    return status
        facts[GROUP] += 1
        facts[SWEEPS] = 0
    return DONE


@kernel
def _is_turn_of_equations(sweeps, size, largest, exact):
    """Whether to try linear equations now: after 8 sweeps, 64, 512 and so on; see `settle` for `exact`."""
    if size > largest or sweeps < 8 or (not exact and sweeps * _SWEEPS_FOR_EQUATIONS < size * size):
        return False
    while sweeps % 8 == 0:
        sweeps //= 8
    return sweeps == 1


@kernel
def _iterate(reached, groups, values, discount, tolerance, begin, end):
    """Sweep once over a group with a cycle; returns DONE, UNFINISHED or NEVER_ENDS."""
    before = values.change[0] if values.facts[SWEEPS] > 1 else np.inf
    changed_by, apart = _sweep(reached, groups, values, discount, begin, end)
    values.change[0] = changed_by
    if values.high.size > 0:
        # Groups ahead may be this wide already; each adds the same to it.
        cycles = groups.low[groups.order[begin]]
        if apart <= 2.0 * tolerance * cycles / groups.facts[LONGEST]:
            return DONE
        return UNFINISHED if changed_by > 0.0 else NEVER_ENDS
    if not np.isfinite(changed_by) or values.facts[SWEEPS] > MOST_SWEEPS:
        return NEVER_ENDS
    if changed_by == 0.0:
        return DONE
    if changed_by <= tolerance and changed_by < before:
        missing = changed_by * changed_by / (before - changed_by)  # changes shrink by the same share again
        if missing <= tolerance:
            return DONE
    return UNFINISHED


@kernel
def _best_policy(reached, groups, values, discount, begin, end):
    """Write the values of the best policy of a group; returns False if a policy on the way never leaves it.

    The equations have a row for each state of the group. Their matrix is diagonally dominant, so that they
    need no pivots.
    """
    order, size = groups.order, end - begin
    policy, matrix = values.policy, values.matrix
    for row in range(size):
        groups.step[order[begin + row]] = row
        policy[row] = -1
    for _ in range(_MOST_POLICIES):
        changed = False
        for row in range(size):
            step = _best_step(reached, values.low, discount, order[begin + row], policy[row], 0)
            changed |= step != policy[row]
            policy[row] = step
        if not changed:
            if values.high.size > 0:
                for i in range(begin, end):
                    values.high[order[i]] = values.low[order[i]]
            return True
        for row in range(size):
            _write_equation(reached, groups, values, discount, begin, size, row)
            for above in range(row):
                factor = matrix[row, above] / matrix[above, above]
                if factor != 0.0:
                    for column in range(above + 1, size + 1):
                        matrix[row, column] -= factor * matrix[above, column]
            if not matrix[row, row] > _NEAR:
                return False
        for row in range(size - 1, -1, -1):
            total = matrix[row, size]
            for column in range(row + 1, size):
                total -= matrix[row, column] * values.low[order[begin + column]]
            values.low[order[begin + row]] = total / matrix[row, row]
    return False


@kernel
def _write_equation(reached, groups, values, discount, begin, size, row):
    """Write the equation of a state: its value less the values of its successors in the group."""
    matrix = values.matrix
    matrix[row, : size + 1] = 0.0
    matrix[row, row] = 1.0
    state = groups.order[begin + row]
    first, last = reached.first[state], reached.first[state + 1]
    if reached.players[state] != CHANCE:
        first = values.policy[row]
        last = first + 1
    for step in range(first, last):
        after = reached.targets[step]
        share = reached.chances[step]
        column = groups.step[after]
        if column < size and groups.order[begin + column] == after:
            matrix[row, column] -= share * (discount if reached.players[after] >= 0 else 1.0)
            if reached.rewards.size > 0:
                matrix[row, size] += share * reached.rewards[step, 0]
        else:
            matrix[row, size] += share * step_worth(reached, values.low, discount, step, 0)


@kernel
def _best_step(reached, values, discount, state, step, player):
    """Return the best step for the player to move: `step`, or the first that is clearly better.

    step : -1 for none.   values : float64 [N], those of `player`.   Where chance moves it is the first.
    """
    if reached.players[state] == CHANCE:
        return reached.first[state]
    best = step_worth(reached, values, discount, step, player) if step >= 0 else -np.inf
    for other in range(reached.first[state], reached.first[state + 1]):
        value = step_worth(reached, values, discount, other, player)
        if value > best + _NEAR * (1.0 + abs(value)):
            step, best = other, value
    return step


@kernel
def _sweep(reached, groups, values, discount, begin, end):
    """Compute values of a group anew; returns the greatest change, and the greatest gap between bounds.

    Bounds only close in, because rounding must not move one back.
    """
    bounded = values.high.size > 0
    changed_by, apart = 0.0, 0.0
    for i in range(begin, end):
        state = groups.order[i]
        before = values.low[state]
        low = worth(reached, values.low, discount, state)
        if bounded:
            low = max(low, before)
            high = worth(reached, values.high, discount, state)
            if high < values.high[state]:
                changed_by = max(changed_by, values.high[state] - high)
                values.high[state] = high
            apart = max(apart, values.high[state] - low)
        change = abs(low - before)
        if not change <= changed_by:  # NaN counts
            changed_by = change
        values.low[state] = low
    return changed_by, apart


@inlined_kernel
def worth(reached, values, discount, state):
    """Return player 0's value of `state` from those of its successors."""
    player = reached.players[state]
    if player == TERMINAL:
        return reached.final[state, 0]
    first, last = np.uint64(reached.first[state]), np.uint64(reached.first[state + 1])
    if player == CHANCE:
        total = 0.0
        for step in range(first, last):
            total += reached.chances[step] * step_worth(reached, values, discount, step, 0)
        return total
    best = -np.inf if player == 0 else np.inf
    for step in range(first, last):
        value = step_worth(reached, values, discount, step, 0)
        best = max(best, value) if player == 0 else min(best, value)
    return best


@inlined_kernel
def step_worth(reached, values, discount, step, player):
    """Return a player's reward for a step, and the value after it, of the player's values."""
    after = np.uint64(reached.targets[step])
    value = values[after]
    if discount != 1.0 and reached.players[after] >= 0:
        value *= discount
    if reached.rewards.size > 0:
        value += reached.rewards[step, player]
    return value


@entry_kernel
def settle_for_all(reached, order, values, discount):
    """Compute all players' values by backward induction; of equally good actions a player takes the first.

    order : int32 [N], each state after those that it leads to.   values : float64 [N, V], written.
    """
    for state in order:
        mover = reached.players[state]
        first, last = reached.first[state], reached.first[state + 1]
        if mover >= 0:
            first = _best_step(reached, values[:, mover], discount, state, -1, mover)
            last = first + 1
        for player in range(values.shape[1]):
            values[state, player] = reached.final[state, player]
            for step in range(first, last):
                gain = step_worth(reached, values[:, player], discount, step, player)
                values[state, player] += reached.chances[step] * gain
    return DONE


@entry_kernel
def choose(reached, order, gains, slack, good, settled, choices):
    """Write the step that each player takes; among equally good ones, one that leads towards an end.

    order : int32 [N], most states after those that they lead to.   gains : float64 [E, players], what each
    can expect after a step.   slack : difference of gains that counts as none.   good : bool [E], written:
    outcomes of chance, and equally good actions.   settled : bool [N], all False.   choices : int64 [N], -1,
    written where a player is to move.
    A state is settled once it leads to a settled one: by chance, or by a good action, so that no cycle of
    equally good actions is kept for ever.
    """
    for state in order:
        _mark_good(reached, gains, slack, good, state)
    changed = True
    while changed:
        changed = False
        for state in order:
            if not settled[state] and _is_settled(reached, good, settled, choices, state):
                settled[state] = True
                changed = True
    return DONE


@kernel
def _mark_good(reached, gains, slack, good, state):
    player = reached.players[state]
    first, last = reached.first[state], reached.first[state + 1]
    least = -np.inf
    if player != CHANCE:
        for step in range(first, last):
            least = max(least, gains[step, player] - slack)
    for step in range(first, last):
        good[step] = player == CHANCE or gains[step, player] >= least


@kernel
def _is_settled(reached, good, settled, choices, state):
    player = reached.players[state]
    for step in range(reached.first[state], reached.first[state + 1]):
        if good[step]:
            leads_on = settled[reached.targets[step]]
            if player != CHANCE and (choices[state] < 0 or leads_on):
                choices[state] = step
            if leads_on:
                return True
    return player == TERMINAL
