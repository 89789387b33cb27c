"""Observing the rules of a game in which players move at once, at one state.

See `core.checking.checked_games`, which does the same for other games. Random games are played in step with
plain Python.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.common.players import CHANCE, SIMULTANEOUS
from branchwise.core.checking.checked_games import COUNT, PLAYER, SAMPLE, START, TERMINAL
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.machine.kernel_status import DONE

TOGETHER = -4
"""In place of an action: apply those of all players, in sight.joint."""


class JointSight(NamedTuple):
    """The rules' answers at a state; A is the number of distinct actions or outcomes, P that of players."""

    facts: NDArray[np.int64]  # [NUM_FACTS] as in `core.observe.Sight`
    joint: NDArray[np.int64]  # [P] the actions to apply
    counts: NDArray[np.int64]  # [P] how many actions each player has, where all move at once
    choices: NDArray[np.int32]  # [P, A] the first counts[p] of row p are player p's
    actions: NDArray[np.int32]  # [A] legal actions of a single player, or outcomes of chance
    chances: NDArray[np.float64]  # [A] probabilities of outcomes
    returns: NDArray[np.float64]  # [P] set once the game is over
    rewards: NDArray[np.float64]  # [P] of the move applied last
    evaluation: NDArray[np.float64]  # [P] set until then
    streams: NDArray[np.uint64]  # [NUM_STREAMS] rules draw from the playouts' stream


@entry_kernel
def observe_joint(state, action, sight):
    """Apply a move to `state` and write the rules' answers into `sight`; returns DONE.

    action : int64, legal (not checked); or START for none, TOGETHER, or SAMPLE to let the rules draw an
    outcome of chance, the first of the actions. The state does not change then.
    """
    if state.samples:
        if action == SAMPLE:
            sight.actions[0] = state.sample_outcome(state.draws_from(sight.streams))
            return DONE
    sight.rewards[:] = 0.0
    if action == TOGETHER:
        if state.pays:
            state.apply_together_for_rewards(sight.joint, sight.rewards, 0)
        else:
            state.apply_together(sight.joint)
    elif action != START:
        if state.moves_alone:
            if state.pays:
                state.apply_for_rewards(action, sight.rewards, 0)
            else:
                state.apply_action(action)
    facts = sight.facts
    facts[TERMINAL] = state.is_terminal()
    if facts[TERMINAL]:
        state.write_returns(sight.returns)
        return DONE
    facts[PLAYER] = state.current_player()
    facts[COUNT] = 0
    if facts[PLAYER] == SIMULTANEOUS:
        for player in range(sight.counts.size):
            sight.counts[player] = state.fill_actions_of(player, sight.choices[player])
    elif state.has_chance and facts[PLAYER] == CHANCE:
        facts[COUNT] = state.fill_chance_outcomes(sight.actions, sight.chances)
    elif facts[PLAYER] >= 0:
        facts[COUNT] = state.fill_actions_of(facts[PLAYER], sight.actions)
    state.write_evaluation(sight.evaluation)
    return DONE
