"""Rewards on the way: a node's value is the reward of the move into it plus the later rewards.

Value and bounds of a node include the reward for the move into it and all later rewards, for the player who
chose the move, so that siblings can be compared. Rewards after the next decision
are discounted once, when that decision's node is entered; an outcome of chance is not a decision.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int64

from branchwise.common.players import CHANCE, GREATEST_REWARD
from branchwise.core.machine.kernel import kernel, phase, text
from branchwise.core.machine.kernel_status import DONE, NOT_CONSTANT_SUM, REWARD_IS_NO_NUMBER
from branchwise.core.tree.return_scaling import as_return, gain, hold

_TOLERANCE = 1e-6


# --- moves that pay ---------------------------------------------------------------------------------------


@text
def move(search, state, depth, action):
    """Apply the action, or outcome, that leads to the path's node at `depth`."""
    state.apply_action(action)


@text
def move_for_reward(search, state, depth, action):
    """The same, and record its rewards."""
    state.apply_for_rewards(action, search.rewards, depth * search.num_players)


@text
def follow(search, state, depth):
    """Apply the actions of the path down to `depth`."""
    state.follow(search.levels, depth)


@text
def follow_for_rewards(search, state, depth):
    """The same, and record their rewards."""
    state.follow_for_rewards(search.levels, depth, search.rewards)


@text
def move_in_simulator(search, state, depth, action):
    """The same for rules that draw at random."""
    state.apply_randomly(action, search.randomness(search.streams))


@text
def move_in_simulator_for_reward(search, state, depth, action):
    """The same, and record its rewards."""
    random = search.randomness(search.streams)
    state.apply_randomly_for_rewards(action, random, search.rewards, depth * search.num_players)


@text
def apply(search, state, action):
    """Apply an action, or an outcome, in a playout or to a state beside the path."""
    state.apply_action(action)


@text
def apply_for_reward(search, state, action):
    """The same, and write its rewards into search.paid."""
    state.apply_for_rewards(action, search.paid, 0)


@text
def apply_in_simulator(search, state, action):
    """The same for rules that draw at random."""
    state.apply_randomly(action, search.randomness(search.streams))


@text
def apply_in_simulator_for_reward(search, state, action):
    """The same, and write its rewards into search.paid."""
    state.apply_randomly_for_rewards(action, search.randomness(search.streams), search.paid, 0)


@text
def value_of_try(search, trial, over):
    """Write the returns of `trial` into search.returns, or its evaluation if the game is not over."""
    if over:
        trial.write_returns(search.returns)
    else:
        trial.write_evaluation(search.returns)


@text
def value_of_try_with_reward(search, trial, over):
    """The same, with the rewards for the move to it, which are in search.paid."""
    if over:
        trial.write_returns(search.returns)
    else:
        trial.write_evaluation(search.returns)
    search.add_paid(search, not over and search.has_chance and trial.current_player() == CHANCE)


@phase(boolean)
def add_paid(search, is_chance):
    """Add the rewards in search.paid to search.returns; is_chance : whether chance moves next."""
    factor = 1.0 if is_chance else search.discount
    for player in range(search.num_players):
        search.returns[player] = search.paid[player] + factor * search.returns[player]


# --- the end, and the horizon -----------------------------------------------------------------------------


@text
def ends(search, state, depth):
    """Whether the game is over."""
    return state.is_terminal()


@text
def ends_at_horizon(search, state, depth):
    """Whether the game is over, or the path to `depth` has reached the horizon: nothing after it counts.

    The outcome of chance after the last decision that counts still belongs to it.
    """
    if state.is_terminal():
        return True
    if search.decisions(search, depth) < search.horizon:
        return False
    return not search.has_chance or state.current_player() != CHANCE


@phase(int64)
def decisions(search, depth):
    """Return how many decisions led to the path's node at `depth`."""
    if not search.has_chance:
        return np.int64(depth)
    made = np.int64(0)
    for level in range(depth):
        if search.nodes[search.levels[level].node].player != CHANCE:
            made += 1
    return made


@phase(int64)
def note_left(search, depth):
    """Record how many decisions are left before the horizon at the path's node at `depth`."""
    search.left[0] = search.horizon - decisions(search, depth)


@phase(int64)
def note_chance(search, depth):
    """Record that chance is to move at the leaf at `depth`: later rewards are not discounted there."""
    search.nodes[search.levels[depth].node].player = CHANCE


# --- adding up --------------------------------------------------------------------------------------------


@kernel
def factor_at(search, node):
    """Return the discount factor of rewards after the move into `node`."""
    if search.has_chance and search.nodes[node].player == CHANCE:
        return 1.0
    return search.discount


@kernel
def with_reward(search, level, value):
    """Return the value of the move to `level` of the path for its mover; value : of the later rewards."""
    reward = search.rewards[level * search.num_players + search.levels[level].mover]
    factor = factor_at(search, search.levels[level].node)
    return reward + factor * value if factor > 0.0 else reward


@kernel
def gain_with_reward(search, level, gained):
    """The same in gains."""
    return gain(search, with_reward(search, level, as_return(search, gained)))


@kernel
def add_reward(search, level):
    """Add to search.returns, which has the rewards after the move to `level` of the path, its own rewards."""
    factor = factor_at(search, search.levels[level].node)
    players = search.num_players
    for player in range(players):
        search.returns[player] = search.rewards[level * players + player] + factor * search.returns[player]
    if search.stretches:
        mover = search.levels[level].mover
        hold(search, mover, gain(search, search.returns[mover]))


@kernel
def check_rewards(search, depth):
    """Return DONE, or the fault in the rewards of the path down to `depth`."""
    players = search.num_players
    for level in range(1, depth + 1):
        total = 0.0
        for player in range(players):
            reward = search.rewards[level * players + player]
            if not abs(reward) <= GREATEST_REWARD:
                return REWARD_IS_NO_NUMBER
            total += reward
        if search.checks_sum and players == 2:
            most = abs(search.rewards[level * players])
            if abs(total) > _TOLERANCE * max(most, 1.0):
                return NOT_CONSTANT_SUM
    return DONE
