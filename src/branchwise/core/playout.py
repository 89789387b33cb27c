"""Playing a state out to the end of the game by random moves."""

from __future__ import annotations

from branchwise.core.kernel import kernel
from branchwise.core.random import PLAYOUT_STREAM, advanced, draw_below
from branchwise.core.status import (
    DONE,
    NEVER_ENDS,
    NO_LEGAL_ACTION,
    RETURN_OUT_OF_BOUNDS,
    TOO_MANY_ACTIONS,
)


@kernel
def play_out(state, decisive, actions, returns, streams):
    """Play random moves until the game is over; returns a status.

    state : modified in place; if `decisive`, there is room for another behind it.   decisive : the player
    to move wins at once where they can, which draws no random number (Teytaud, Teytaud, "On the huge
    benefit of decisive moves in Monte-Carlo tree search algorithms", 2010).   actions : int32 [A],
    returns : float64 [P], scratch.   streams : uint64, modified in place: one draw a random move.
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
        if moves >= state.max_game_length:
            status = NEVER_ENDS
            break
        if decisive and _won_at_once(state, actions, count, returns):
            break
        counter = advanced(counter)
        state.apply_action(actions[draw_below(counter, count)])
        moves += 1
    streams[PLAYOUT_STREAM] = counter
    return status


@kernel
def _won_at_once(state, actions, count, returns):
    """Win in one move if the player to move can; returns whether they could. Else nothing changes."""
    player = state.current_player()
    if player < 0 or player >= returns.size:
        return False
    trial = state.at(1)
    for i in range(count):
        trial.copy_from(state)
        trial.apply_action(actions[i])
        if trial.is_terminal():
            trial.write_returns(returns)
            if returns[player] >= state.max_return:
                state.copy_from(trial)
                return True
    return False


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
