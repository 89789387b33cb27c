"""Turning states by the compiled form of a game's symmetries."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.checking.symmetries import turn_state
from branchwise.game.rules_class import Game

keep_on_disk()


class CompiledSymmetries:
    """The compiled form of `symmetry` and `symmetry_action`. Raises `GameError` if they do not compile.

    >>> from branchwise.games.connect_four import ConnectFour
    >>> state, actions = CompiledSymmetries(ConnectFour).turn(ConnectFour.from_actions("a b"), 1, [0, 1, 6])
    >>> state == ConnectFour.from_actions("g f"), actions
    (True, [6, 5, 0])
    """

    def __init__(self, game: type[Game]) -> None:
        self._game = game
        self._states = NativeRecords(compiled_type(game, watched=True))

    def turn(self, state: Game, k: int, actions: Sequence[int]) -> tuple[Game, list[int]]:
        """Return what symmetry k makes of a state, and of actions of that state."""
        self._states.records[0] = state.to_record()
        turned = np.array(actions, np.int64)
        call(turn_state, self._states, k, turned)
        return self._game.from_record(self._states.records[0]), turned.tolist()
