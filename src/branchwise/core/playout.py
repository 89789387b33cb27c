"""Playing a state out to the end of the game by random moves."""

from __future__ import annotations

from branchwise.core.kernel import kernel
from branchwise.core.random import PLAYOUT_STREAM, advanced, draw_below
from branchwise.core.status import (
    DONE,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    PLAYER_OUT_OF_RANGE,
    RETURN_OUT_OF_BOUNDS,
    TOO_MANY_ACTIONS,
)


@kernel
def play_uniformly(state, limit, actions, streams):
    """Play uniformly random moves until the game is over; returns a status.

    state : modified in place.   limit : int64, the most moves.   actions : int32 [A], scratch.
    streams : uint64, modified in place: one draw a move.
    """
    counter = streams[PLAYOUT_STREAM]
    status = DONE
    moves = 0
    while not state.is_terminal():
        count = state.fill_legal_actions(actions)
        if count < 1:
            status = NO_LEGAL_ACTION
            break
        if count > actions.size:
            status = TOO_MANY_ACTIONS
            break
        if moves >= limit:
            status = NEVER_ENDS
            break
        counter = advanced(counter)
        state.apply_action(actions[draw_below(counter, count)])
        moves += 1
    streams[PLAYOUT_STREAM] = counter
    return status


@kernel
def play_decisively(state, trial, limit, actions, returns, streams):
    """Play as `play_uniformly` does, but win at once where the player to move can; returns a status.

    trial : another state of the game, scratch.   returns : float64 [P], scratch.
    A winning move draws no random number. Source: Teytaud, Teytaud, 2010; see `search.planner`.
    """
    counter = streams[PLAYOUT_STREAM]
    status = DONE
    moves = 0
    while not state.is_terminal():
        count = state.fill_legal_actions(actions)
        if count < 1:
            status = NO_LEGAL_ACTION
            break
        if count > actions.size:
            status = TOO_MANY_ACTIONS
            break
        if moves >= limit:
            status = NEVER_ENDS
            break
        player = state.current_player()
        if player < 0 or player >= returns.size:
            status = PLAYER_OUT_OF_RANGE
            break
        won = False
        for i in range(count):
            trial.copy_from(state)
            trial.apply_action(actions[i])
            if trial.is_terminal():
                trial.write_returns(returns)
                if returns[player] >= state.max_return:
                    won = True
                    break
        if won:
            state.copy_from(trial)
            break
        counter = advanced(counter)
        state.apply_action(actions[draw_below(counter, count)])
        moves += 1
    streams[PLAYOUT_STREAM] = counter
    return status


@kernel
def read_returns(state, bounds, returns):
    """Write the returns of a finished game, one a player, into `returns`, float64; returns a status."""
    state.write_returns(returns)
    return check_bounds(returns, bounds)


@kernel
def check_bounds(returns, bounds):
    """Return DONE, or RETURN_OUT_OF_BOUNDS unless all returns are numbers within the game's bounds."""
    for player in range(returns.size):
        if not (bounds.min_return <= returns[player] <= bounds.max_return):
            return RETURN_OUT_OF_BOUNDS
    return DONE
