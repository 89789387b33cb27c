"""Playing whole random games, and nothing else: how fast the rules alone are."""

from __future__ import annotations

from branchwise.core.kernel import entry_kernel
from branchwise.core.playout import play_out
from branchwise.core.status import DONE


@entry_kernel
def play_games(root, state, actions, returns, streams, games):
    """Play `games` uniformly random games from `root`; returns a status, DONE or the fault that ended them.

    state, actions (int32 [A]), returns (float64 [P]), streams : modified in place.   root, state : states of
    the same game; behind `state` there is room for another.
    """
    for _ in range(games):
        state.copy_from(root)
        status = play_out(state, False, actions, returns, streams)
        if status != DONE:
            return status
    return DONE
