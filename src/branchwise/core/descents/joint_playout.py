"""Random games in which players move at once; see `core.descents.joint_moves`."""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.common.players import SIMULTANEOUS
from branchwise.core.machine.kernel import phase, text
from branchwise.core.machine.kernel_status import (
    ACTION_OUT_OF_RANGE,
    DONE,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    TOO_MANY_ACTIONS,
)
from branchwise.core.numbers.random_streams import PLAYOUT_STREAM, draw_below, next_counter
from branchwise.core.tree.node_fields import NO_ACTION


@text
def play_jointly(search, state, player, place):
    """Play uniformly random moves of all players, or of the one to move; returns a status."""
    if player == SIMULTANEOUS:
        status = search.draw_together(search, state)
        if status == DONE:
            search.apply_together(search, state)
        return status
    return search.play_alone(search, state, player)


@text
def draw_together(search, state):
    """Write a random legal action of each player to search.joint; returns a status."""
    choices = 0
    for player in range(search.num_players):
        count = state.fill_actions_of(player, search.actions)
        drawn = search.draw_for(search, player, count)
        if drawn < 0:
            return -drawn
        choices += drawn
    return DONE if choices > 0 else NO_LEGAL_ACTION


@phase(int64, int64)
def draw_for(search, player, count):
    """Draw one of search.actions[:count] for a player, into search.joint.

    Returns 1, or 0 for a player without a choice, or a negative status.
    """
    search.joint[player] = NO_ACTION
    if count == 0:
        return np.int64(0)
    if count < 0 or count > search.actions.size:
        return np.int64(-TOO_MANY_ACTIONS)
    action = np.int64(search.actions[draw_below(next_counter(search.streams, PLAYOUT_STREAM), count)])
    if action < 0 or action >= search.num_actions:
        return np.int64(-ACTION_OUT_OF_RANGE)
    search.joint[player] = action
    return np.int64(1)


@text
def play_alone(search, state, player):
    """Play a random legal action of `player`, who moves alone; returns a status."""
    if player < 0 or player >= search.num_players:
        return PLAYER_OUT_OF_RANGE
    count = state.fill_actions_of(player, search.actions)
    drawn = search.draw_for(search, player, count)
    if drawn < 0:
        return -drawn
    if drawn == 0:
        return NO_LEGAL_ACTION
    search.apply(search, state, search.drawn_for(search, player))
    return DONE


@text
def never_alone(search, state, player):
    """The same in a game without moves of a single player."""
    return PLAYER_OUT_OF_RANGE


@phase(int64)
def drawn_for(search, player):
    """Return the action that `draw_for` drew for a player."""
    return np.int64(search.joint[player])


@text
def apply_together(search, state):
    """Apply the joint action in search.joint in a random game."""
    state.apply_together(search.joint)


@text
def apply_together_for_rewards(search, state):
    """The same, and write its rewards into search.paid."""
    state.apply_together_for_rewards(search.joint, search.paid, 0)
