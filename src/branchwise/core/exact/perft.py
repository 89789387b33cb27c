"""Counting the sequences of moves that can be played from a state: perft, without a table of positions.

A depth-first walk with its stack in arrays, so it can pause anywhere and resume in the next call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, PROBABILITY_TOLERANCE
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    BAD_OUTCOME,
    BAD_PROBABILITY,
    DONE,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    TOO_MANY_ACTIONS,
)

UNFINISHED = -1
DEPTH, LEVEL, ENTERING, TOTAL = range(4)  # indices in `facts`


class Walk(NamedTuple):
    """A walk that counts sequences; D levels, one per move; A distinct actions or outcomes."""

    facts: NDArray[np.int64]  # [4] DEPTH to count to, from 1; LEVEL reached, -1 at the end; whether it is
    # ENTERING the state there (0 or 1); TOTAL counted so far
    actions: NDArray[np.int32]  # [D, A] legal actions of the state at each level, or outcomes of chance
    odds: NDArray[np.float64]  # [A] probabilities of the outcomes of one state
    counts: NDArray[np.int64]  # [D] number of actions or outcomes
    tried: NDArray[np.int64]  # [D] number of them that were played


@entry_kernel
def count_sequences(state, walk, positions):
    """Continue a walk for `positions` positions; returns DONE, UNFINISHED or the fault that ended it.

    DONE : walk.facts[TOTAL] is the number of sequences of DEPTH moves.
    state : the walk's start, followed by room for D - 1 states.   state, walk : modified in place.
    """
    facts = walk.facts
    last = facts[DEPTH] - 1
    level = facts[LEVEL]
    while level >= 0:
        here = state.at(level)
        if facts[ENTERING] == 1:
            if positions == 0:
                return UNFINISHED
            positions -= 1
            count = 0
            if not here.is_terminal():
                count = fill_moves(here, walk.actions[level], walk.odds)
                if count > walk.actions.shape[1]:
                    return TOO_MANY_ACTIONS
            if level == last:
                facts[TOTAL] += count
                count = 0
            walk.counts[level] = count
            walk.tried[level] = 0
            facts[ENTERING] = 0
        if walk.tried[level] == walk.counts[level]:
            level -= 1
        else:
            if level + 1 == walk.counts.size:
                return NEVER_ENDS
            action = walk.actions[level, walk.tried[level]]
            walk.tried[level] += 1
            level += 1
            facts[LEVEL] = level
            facts[ENTERING] = 1
            after = state.at(level)
            after.copy_from(here)
            after.apply_action(action)
        facts[LEVEL] = level
    return DONE


@kernel
def fill_moves(state, moves, odds):
    """Write the legal actions, or the outcomes of chance and their `odds`; returns their number."""
    if state.has_chance and state.current_player() == CHANCE:
        return state.fill_chance_outcomes(moves, odds)
    return state.fill_legal_actions(moves)


@kernel
def fill_checked(state, decides, moves, odds):
    """Write the legal actions, each with odds of 1, or the outcomes of chance with their probabilities.

    decides : whether a player is to move. Returns a status, their number, and the sum of the odds.
    """
    count = fill_moves(state, moves, odds)
    total = 0.0
    if count > moves.size:
        return TOO_MANY_ACTIONS if decides else BAD_OUTCOME, count, total
    if count < 1:
        return NO_LEGAL_ACTION if decides else BAD_OUTCOME, count, total
    for i in range(count):
        if decides:
            odds[i] = 1.0
        elif not odds[i] >= 0.0:
            return BAD_PROBABILITY, count, total
        total += odds[i]
    if not decides and not abs(total - 1.0) <= PROBABILITY_TOLERANCE:
        return BAD_PROBABILITY, count, total
    return DONE, count, total
