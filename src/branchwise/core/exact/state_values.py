"""Exact values of listed states, computed for each group of states that can reach one another.

Groups come after all groups that they lead to, so most states need one computation from their successors. In
a group with a cycle the values are iterated, from both sides at once if returns are bounded.
Groups: Tarjan, "Depth-first search and linear graph algorithms", 1972. Settled in order: Dai, Mausam, Weld,
Goldsmith, "Topological value iteration algorithms", 2011. From both sides: Haddad, Monmege, "Interval
iteration algorithm for MDPs and IMDPs", 2018.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, TERMINAL
from branchwise.core.exact.reachable_states import UNFINISHED
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import DONE, NEVER_ENDS

ROOT, DEPTH, SEEN, WAITING, PLACED, GROUPS, LONGEST = range(7)  # places in Groups.facts
GROUP, SWEEPS = range(2)  # places in Values.facts
MOST_SWEEPS = 1_000_000


class Groups(NamedTuple):
    """The groups of N states, in the order in which their values can be computed.

    Group g has the states order[start[g]:start[g + 1]].
    """

    facts: NDArray[np.int64]  # [7] next ROOT of a walk; DEPTH of the path, 0 for none; states SEEN, WAITING
    # for their group, and PLACED in one; GROUPS found; LONGEST line of groups with a cycle
    number: NDArray[np.int32]  # [N] in the order of the walk, from 1; 0 is not seen
    low: NDArray[np.int32]  # [N] least number that can be reached; once placed, groups with a cycle from here
    placed: NDArray[np.bool_]  # [N] whether the state has its group
    path: NDArray[np.int32]  # [N] states from ROOT to where the walk is
    step: NDArray[np.int64]  # [N] next step to walk, of those on the path
    waiting: NDArray[np.int32]  # [N] states that the walk has left and that have no group yet
    order: NDArray[np.int32]  # [N]
    start: NDArray[np.int32]  # [N + 1]


class Values(NamedTuple):
    """Player 0's values of N states."""

    facts: NDArray[np.int64]  # [2] next GROUP; SWEEPS over it so far
    low: NDArray[np.float64]  # [N] lower bound, or the value where there are no bounds
    high: NDArray[np.float64]  # [N, or 0 where there are no bounds] upper bound


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
        facts[PLACED] += 1
    facts[WAITING] = first
    end = facts[PLACED]
    facts[GROUPS] += 1
    groups.start[facts[GROUPS]] = end
    cycles = np.int32(0)
    for i in range(begin, end):
        state = groups.order[i]
        groups.low[state] = -1
    for i in range(begin, end):
        state = groups.order[i]
        for step in range(reached.first[state], reached.first[state + 1]):
            cycles = max(cycles, groups.low[reached.targets[step]])
    if _has_cycle(reached, groups, begin, end):
        cycles += np.int32(1)
    for i in range(begin, end):
        groups.low[groups.order[i]] = cycles
    facts[LONGEST] = max(facts[LONGEST], np.int64(cycles))


@kernel
def _has_cycle(reached, groups, begin, end):
    if end - begin > 1:
        return True
    state = groups.order[begin]
    for step in range(reached.first[state], reached.first[state + 1]):
        if reached.targets[step] == state:
            return True
    return False


@entry_kernel
def settle(reached, groups, values, discount, tolerance, most):
    """Continue for about `most` states to compute values, group by group; returns a status.

    DONE : all are within `tolerance`.   NEVER_ENDS : the bounds or the values of GROUP do not converge.
    Without bounds a group is done when a sweep changes no value by more than `tolerance`.
    """
    facts = values.facts
    while facts[GROUP] < groups.facts[GROUPS]:
        if most <= 0:
            return UNFINISHED
        begin, end = groups.start[facts[GROUP]], groups.start[facts[GROUP] + 1]
        most -= end - begin
        bounded = values.high.size > 0
        if not _has_cycle(reached, groups, begin, end):
            state = groups.order[begin]
            values.low[state] = worth(reached, values.low, discount, state)
            if bounded:
                values.high[state] = worth(reached, values.high, discount, state)
        elif bounded:
            # Groups ahead may be this wide already; each adds the same to it.
            cycles = groups.low[groups.order[begin]]
            changed, apart = _close_in(reached, groups, values, discount, begin, end)
            if apart > 2.0 * tolerance * cycles / groups.facts[LONGEST]:
                if not changed:
                    return NEVER_ENDS
                continue
        else:
            facts[SWEEPS] += 1
            changed_by = _sweep(reached, groups, values, discount, begin, end)
            if not np.isfinite(changed_by) or facts[SWEEPS] > MOST_SWEEPS:
                return NEVER_ENDS
            if changed_by > tolerance:
                continue
        facts[GROUP] += 1
        facts[SWEEPS] = 0
    return DONE


@kernel
def _close_in(reached, groups, values, discount, begin, end):
    """Compute both bounds of a group anew; returns whether one has changed, and the gap between them."""
    changed = False
    apart = 0.0
    for i in range(begin, end):
        state = groups.order[i]
        low = worth(reached, values.low, discount, state)
        high = worth(reached, values.high, discount, state)
        if low > values.low[state]:  # rounding must not move a bound back
            values.low[state] = low
            changed = True
        if high < values.high[state]:
            values.high[state] = high
            changed = True
        apart = max(apart, values.high[state] - values.low[state])
    return changed, apart


@kernel
def _sweep(reached, groups, values, discount, begin, end):
    """Compute the values of a group anew; returns the greatest change."""
    changed_by = 0.0
    for i in range(begin, end):
        state = groups.order[i]
        value = worth(reached, values.low, discount, state)
        change = abs(value - values.low[state])
        if not change <= changed_by:  # NaN counts
            changed_by = change
        values.low[state] = value
    return changed_by


@kernel
def worth(reached, values, discount, state):
    """Return player 0's value of `state` from those of its successors."""
    player = reached.players[state]
    if player == TERMINAL:
        return reached.final[state]
    total = 0.0
    best = -np.inf if player == 0 else np.inf
    for step in range(reached.first[state], reached.first[state + 1]):
        after = reached.targets[step]
        value = values[after]
        if reached.players[after] >= 0:
            value *= discount
        if reached.rewards.size > 0:
            value += reached.rewards[step]
        if player == CHANCE:
            total += reached.chances[step] * value
        elif player == 0:
            best = max(best, value)
        else:
            best = min(best, value)
    return total if player == CHANCE else best
