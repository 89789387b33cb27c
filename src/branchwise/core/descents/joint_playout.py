"""Random games in which players move at once; see `core.descents.joint_moves`."""

from __future__ import annotations

import numpy as np
from numba import int64

from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.core.machine.kernel import phase, text
from branchwise.core.machine.kernel_status import (
    ACTION_OUT_OF_RANGE,
    BAD_OUTCOME,
    DONE,
    HALTED,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    TOO_MANY_ACTIONS,
)
from branchwise.core.numbers.random_streams import MOVES, PLAYOUT_STREAM, draw_below, next_counter
from branchwise.core.tree.node_fields import NO_ACTION


@text
def play_out_jointly(search, state, depth):
    """Play uniformly random moves of all players, to the end or until they are cut off."""
    moves = 0
    weight = 1.0
    left = np.int64(-1)
    if search.pays:
        left = search.begin_sum(search)
    while not state.is_terminal():
        player = state.current_player()
        if state.is_to_be_left():
            return HALTED
        if moves >= state.max_game_length:
            return NEVER_ENDS
        if search.draws_chance and player == CHANCE:
            outcome = search.draw_chance(search, state)
            if outcome < 0 or outcome >= search.num_outcomes:
                return BAD_OUTCOME
            search.apply(search, state, outcome)
            if search.pays:
                search.add_to_sum(search, weight)
            moves += 1
            continue
        if search.pays:
            if left == 0:
                break
            left -= 1
            if moves > 0:
                weight *= search.discount
        if search.cuts_off and moves >= search.cutoff:
            search.count_moves(search, moves)
            if search.pays:
                state.write_evaluation(search.paid)
                search.add_to_sum(search, weight)
            else:
                state.write_evaluation(search.returns)
            return search.accept(search, depth, True)
        if player == SIMULTANEOUS:
            status = search.draw_together(search, state)
            if status != DONE:
                return status
            search.apply_together(search, state)
        else:
            status = search.play_alone(search, state, player)
            if status != DONE:
                return status
        if search.pays:
            search.add_to_sum(search, weight)
        moves += 1
    search.count_moves(search, moves)
    if not search.pays:
        state.write_returns(search.returns)
    return search.accept(search, depth, False)


@phase(int64)
def count_moves(search, moves):
    """Count the moves of a random game."""
    search.streams[MOVES] += np.uint64(moves)


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
