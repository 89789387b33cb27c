"""Depth-limited alpha-beta over a stack of states, in slices that can be interrupted; expectimax with chance.

Values are those of player 0; player 0 maximises and player 1 minimises, so extra turns and passes need no
special treatment. Source: Knuth, Moore, "An analysis of alpha-beta pruning", 1975.
Where chance moves, the value is the mean of the outcomes' values. A value outside the window is only a bound,
and bounds cannot be averaged, so the window is fully open below chance. Source: Michie, "Game-playing and
game-learning automata", 1966.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE
from branchwise.core.machine.kernel import entry_kernel, kernel
from branchwise.core.machine.kernel_status import (
    DONE,
    EVALUATION_OUT_OF_BOUNDS,
    NO_LEGAL_ACTION,
    NOT_CONSTANT_SUM,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    TOO_MANY_ACTIONS,
)
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.simulation.chance import check_outcomes

UNFINISHED = -1
TOLERANCE = 1e-6


class Stack(NamedTuple):
    """The line of play being searched; D is its depth in moves, A the distinct actions, O the outcomes."""

    actions: NDArray[np.int32]  # [D, A] legal actions at each level
    outcomes: NDArray[np.int32]  # [D, O] outcomes at each level where chance moves
    odds: NDArray[np.float64]  # [D, O] their probabilities
    counts: NDArray[np.int32]  # [D] number of actions or outcomes; 0 when the level has just been entered
    nexts: NDArray[np.int32]  # [D] index of the action or outcome to try next
    alpha: NDArray[np.float64]  # [D + 1]
    beta: NDArray[np.float64]  # [D + 1]
    best: NDArray[np.float64]  # [D + 1] value of each level so far
    players: NDArray[np.int8]  # [D] player to move, or CHANCE
    returns: NDArray[np.float64]  # [2] scratch
    level: NDArray[np.int64]  # [1] current level; -1 when the search is finished


class Outcomes(NamedTuple):
    """The outcomes of one level, in the form that `check_outcomes` takes."""

    faces: NDArray[np.int32]
    odds: NDArray[np.float64]


def new_stack(depth: int, num_actions: int, num_outcomes: int, alpha: float, beta: float) -> Stack:
    """Return a stack for searching one position to `depth` moves, within the window alpha to beta."""
    stack = Stack(
        actions=np.zeros((max(depth, 1), num_actions), np.int32),
        outcomes=np.zeros((max(depth, 1), num_outcomes), np.int32),
        odds=np.zeros((max(depth, 1), num_outcomes)),
        counts=np.zeros(max(depth, 1), np.int32),
        nexts=np.zeros(max(depth, 1), np.int32),
        alpha=np.full(depth + 1, alpha),
        beta=np.full(depth + 1, beta),
        best=np.zeros(depth + 1),
        players=np.zeros(max(depth, 1), np.int8),
        returns=np.zeros(2),
        level=np.zeros(1, np.int64),
    )
    return stack


@entry_kernel
def examine(states, stack, depth, slice_nodes):
    """Continue the search for about `slice_nodes` positions, or fewer if the thread is asked to end.

    states : depth + 1 states, the first of them the position; modified in place, like `stack`.
    Returns UNFINISHED, a fault, or DONE: stack.best[0] is then the position's value for player 0, exact
    within the window and a bound outside it.
    """
    level = stack.level[0]
    for _ in range(slice_nodes):
        if asked(END_BATCH):
            break
        state = states.at(level)
        entering = level == depth or stack.counts[level] == 0
        closed = False
        if entering:
            over = state.is_terminal()
            if over or level == depth:
                if over:
                    state.write_returns(stack.returns)
                else:
                    state.write_evaluation(stack.returns)
                if not (state.min_return <= stack.returns[0] <= state.max_return):
                    return RETURN_OUT_OF_BOUNDS if over else EVALUATION_OUT_OF_BOUNDS
                off = stack.returns[0] + stack.returns[1] - state.min_return - state.max_return
                if over and abs(off) > TOLERANCE * (state.max_return - state.min_return):
                    return NOT_CONSTANT_SUM
                stack.best[level] = stack.returns[0]
                closed = True
            else:
                status = _enter(state, stack, level)
                if status != DONE:
                    return status
        if not closed:
            pruned = stack.alpha[level] >= stack.beta[level]
            if pruned or stack.nexts[level] == stack.counts[level]:
                closed = True
            else:
                child = states.at(level + 1)
                child.copy_from(state)
                if stack.players[level] == CHANCE:
                    child.apply_action(stack.outcomes[level, stack.nexts[level]])
                    stack.alpha[level + 1] = -np.inf
                    stack.beta[level + 1] = np.inf
                else:
                    child.apply_action(stack.actions[level, stack.nexts[level]])
                    stack.alpha[level + 1] = stack.alpha[level]
                    stack.beta[level + 1] = stack.beta[level]
                stack.nexts[level] += 1
                level += 1
                if level < depth:
                    stack.counts[level] = 0
        if closed:
            value = stack.best[level]
            level -= 1
            if level < 0:
                stack.level[0] = level
                return DONE
            if stack.players[level] == CHANCE:
                stack.best[level] += stack.odds[level, stack.nexts[level] - 1] * value
            elif stack.players[level] == 0:
                stack.best[level] = max(stack.best[level], value)
                stack.alpha[level] = max(stack.alpha[level], value)
            else:
                stack.best[level] = min(stack.best[level], value)
                stack.beta[level] = min(stack.beta[level], value)
    stack.level[0] = level
    return UNFINISHED


@kernel
def _enter(state, stack, level):
    """Write the moves of `state` to the stack's `level`; returns a status."""
    player = state.current_player()
    if state.has_chance and player == CHANCE:
        outcomes = Outcomes(stack.outcomes[level], stack.odds[level])
        status, count = check_outcomes(outcomes, state.fill_chance_outcomes(outcomes.faces, outcomes.odds))
        if status != DONE:
            return status
        stack.best[level] = 0.0
    else:
        count = state.fill_legal_actions(stack.actions[level])
        if count < 1:
            return NO_LEGAL_ACTION
        if count > stack.actions.shape[1]:
            return TOO_MANY_ACTIONS
        if player < 0 or player > 1:
            return PLAYER_OUT_OF_RANGE
        stack.best[level] = -np.inf if player == 0 else np.inf
    stack.counts[level] = count
    stack.nexts[level] = 0
    stack.players[level] = player
    return DONE
