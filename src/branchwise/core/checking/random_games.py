"""Playing whole random games, to measure the speed of the rules alone."""

from __future__ import annotations

from branchwise.core.machine.kernel import short_entry_kernel
from branchwise.core.machine.kernel_status import DONE
from branchwise.core.machine.stop_flags import END_BATCH
from branchwise.core.machine.stop_requests import asked
from branchwise.core.simulation.playout import play_randomly


@short_entry_kernel
def play_games(root, state, actions, streams, games):
    """Play `games` uniformly random games from `root`; returns a status, DONE or the fault that ended them.

    Fewer if this thread is asked to end.

    state, actions (int32 [A]), streams : modified in place.   root, state : states of the same game.
    """
    for _ in range(games):
        if asked(END_BATCH):
            break
        state.copy_from(root)
        status = play_randomly(state, actions, streams)
        if status != DONE:
            return status
    return DONE
