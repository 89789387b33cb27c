"""Uniformly random games of compiled rules, for the scripts that compare their speed."""

from __future__ import annotations

from typing import Any

import numpy as np

import branchwise as bw
from branchwise.compile.code.call_kernel import call
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.machine.kernel import entry_kernel
from branchwise.core.machine.kernel_status import DONE
from branchwise.core.numbers.random_streams import new_streams
from branchwise.core.simulation.playout import play_randomly
from clock import now


@entry_kernel  # compiled otherwise, it crashes where rules were compiled for a search before
def _play_games(state: Any, root: Any, games: int, actions: Any, returns: Any, streams: Any) -> float:
    """Play uniform random games; returns the sum of the first player's returns, NaN after a fault."""
    total = 0.0
    for _ in range(games):
        state.copy_from(root)
        if play_randomly(state, actions, streams) != DONE:
            return np.nan
        state.write_returns(returns)
        total += returns[0]
    return total


class CompiledPlayouts:
    """Random games of a game's compiled rules; `mean_return` is the first player's in the last of them."""

    def __init__(self, game: type[bw.Game]) -> None:
        native = compiled_type(game)
        self._root, self._state = NativeRecords(native), NativeRecords(native, 2)
        self._root.records[0] = game().to_record()
        self._actions = np.zeros(game.num_actions, np.int32)
        self._returns = np.zeros(game.num_players)
        self.mean_return = 0.0
        self.seconds(1, 0)

    def seconds(self, games: int, seed: int) -> float:
        """Play this many games; returns how long it took."""
        streams = new_streams(seed)
        started = now()
        total = call(_play_games, self._state, self._root, games, self._actions, self._returns, streams)
        taken = now() - started
        self.mean_return = total / games
        return taken
