"""Reading what the rules say of a state: the compiled half of comparing two forms of the same rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.core.kernel import entry_kernel

START = -1
TERMINAL, PLAYER, COUNT = range(3)


class Sight(NamedTuple):
    """What the rules say of a state; A is the number of distinct actions, P that of players."""

    facts: NDArray[np.int64]  # [3] by TERMINAL (0 or 1), PLAYER and COUNT of legal actions
    actions: NDArray[np.int32]  # [A] legal actions; the first COUNT of them, at most A, are set
    returns: NDArray[np.float64]  # [P] set once the game is over
    evaluation: NDArray[np.float64]  # [P] set until then


@entry_kernel
def observe(state, action, sight):
    """Apply `action` to `state`, unless it is START, and write what the rules then say into `sight`.

    state, sight : modified in place.   action : int64, legal (not checked).
    """
    if action != START:
        state.apply_action(action)
    if state.is_terminal():
        sight.facts[TERMINAL] = 1
        state.write_returns(sight.returns)
    else:
        sight.facts[TERMINAL] = 0
        sight.facts[PLAYER] = state.current_player()
        sight.facts[COUNT] = state.fill_legal_actions(sight.actions)
        state.write_evaluation(sight.evaluation)
