"""The compiled form of a game, to be played in step with its plain Python form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.call import call, keep_on_disk
from branchwise.compile.native import NativeRecords
from branchwise.compile.rules import compiled_type
from branchwise.core.observe import COUNT, PLAYER, START, TERMINAL, Sight, observe
from branchwise.game import Game

keep_on_disk()


class CompiledState:
    """One state of `game` whose rules run compiled; it begins at the game's start.

    Raises `GameError` if the rules cannot be compiled. Actions are not checked: apply legal ones only.

    >>> from branchwise.games.nim import Nim
    >>> state = CompiledState(Nim)
    >>> state.apply(2)
    >>> state.player, state.legal, state.record["chips"]
    (1, (0, 1, 2), array([18], dtype=int16))
    """

    def __init__(self, game: type[Game]) -> None:
        self._game = game
        self._states = NativeRecords(compiled_type(game))
        self._sight = Sight(
            facts=np.zeros(3, np.int64),
            actions=np.zeros(game.num_actions, np.int32),
            returns=np.zeros(game.num_players, np.float64),
            evaluation=np.zeros(game.num_players, np.float64),
        )
        self.start()

    def start(self) -> None:
        """Go to the start of the game."""
        self._states.records[0] = self._game().to_record()
        call(observe, self._states, START, self._sight)

    def apply(self, action: int) -> None:
        """Play a legal action."""
        call(observe, self._states, action, self._sight)

    @property
    def terminal(self) -> bool:
        return bool(self._sight.facts[TERMINAL])

    @property
    def player(self) -> int:
        """Who is to move; without meaning once the game is over."""
        return int(self._sight.facts[PLAYER])

    @property
    def legal(self) -> tuple[int, ...]:
        """Legal actions in the order of the rules; without meaning once the game is over."""
        return tuple(self._sight.actions[: self._sight.facts[COUNT]].tolist())

    @property
    def returns(self) -> tuple[float, ...]:
        """One number a player; without meaning before the game is over."""
        return tuple(self._sight.returns.tolist())

    @property
    def evaluation(self) -> tuple[float, ...]:
        """One number a player, the middle of the bounds without `evaluate`; without meaning at the end."""
        return tuple(self._sight.evaluation.tolist())

    @property
    def record(self) -> NDArray[Any]:
        """The fields, shape (), as `Game.to_record` gives them."""
        record: NDArray[Any] = self._states.records[0:1].copy().reshape(())
        return record
