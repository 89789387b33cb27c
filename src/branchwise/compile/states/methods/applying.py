"""Applying actions where rules pay on the way, draw at random, or let players move at once."""

from __future__ import annotations

import numpy as np
from numba import njit

from branchwise.compile.states.methods.returned_numbers import store_rewards
from branchwise.core.machine.kernel import INNER, INNER_UNCOUNTED
from branchwise.core.simulation.playout import play_for_rewards


@njit(**INNER)
def _apply_for_rewards(self, action, out, start):
    """Apply an action or an outcome, and write its rewards to `out`, float64, from `start` on."""
    store_rewards(self, out, start, self.apply_action(np.int64(action)))


@njit(**INNER)
def _follow_for_rewards(self, levels, depth, out):
    """Apply a path's actions, down to `depth`, and record their rewards; see `core.tree.simulation_path`."""
    for level in range(1, depth + 1):
        self.apply_for_rewards(levels[level].action, out, level * self.num_players)


@njit(**INNER_UNCOUNTED)
def write_nothing(self, out):
    """Write 0 into `out`, float64, for each player: no further returns."""
    out[:] = 0.0


REWARD_METHODS = {
    "apply_for_rewards": _apply_for_rewards,
    "follow_for_rewards": _follow_for_rewards,
    "write_returns": write_nothing,
    "play_for_rewards": play_for_rewards,
}
"""Additional and different methods for games that pay on the way."""


@njit(**INNER)
def _apply_randomly(self, action, random):
    """Apply an action of a simulator; random : source of its random numbers."""
    self.apply_action(np.int64(action), random)


@njit(**INNER)
def _apply_randomly_for_rewards(self, action, random, out, start):
    """The same, and write its rewards to `out`, float64, from `start` on."""
    store_rewards(self, out, start, self.apply_action(np.int64(action), random))


SIMULATOR_METHODS = {
    "apply_randomly": _apply_randomly,
    "apply_randomly_for_rewards": _apply_randomly_for_rewards,
}
"""Additional methods for simulators."""


@njit(**INNER)
def _apply_together(self, actions):
    """Apply a joint action; actions : int64 [P]."""
    self.apply_actions(actions)


@njit(**INNER)
def _apply_together_for_rewards(self, actions, out, start):
    """The same, and write its rewards to `out`, float64, from `start` on."""
    store_rewards(self, out, start, self.apply_actions(actions))


JOINT_METHODS = {
    "apply_together": _apply_together,
    "apply_together_for_rewards": _apply_together_for_rewards,
}
"""Additional methods for games in which players move at once."""
