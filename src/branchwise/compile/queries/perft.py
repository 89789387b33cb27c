"""Counting sequences of moves (perft) by compiled rules."""

from __future__ import annotations

import numpy as np

from branchwise.common.errors import GameError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_slices import run_in_slices
from branchwise.core.exact.perft import DEPTH, ENTERING, LEVEL, TOTAL, Walk, count_sequences
from branchwise.core.machine.kernel_status import DONE, TOO_MANY_ACTIONS
from branchwise.game.kinds.continuous_actions import refuse
from branchwise.game.rules_class import Game

keep_on_disk()


class CompiledCounter:
    """Counts sequences of up to `depth` moves of `game`. Raises `GameError` if its rules do not compile.

    >>> from branchwise.games.nim import Nim
    >>> CompiledCounter(Nim, 2).count(Nim(), 2)
    9
    """

    def __init__(self, game: type[Game], depth: int) -> None:
        refuse(game, "cannot be listed")
        self._game = game
        levels = max(1, min(depth, game.max_game_length))
        choices = max(game.num_actions, game.num_outcomes)
        self._states = NativeRecords(compiled_type(game), levels)
        self._walk = Walk(
            facts=np.zeros(4, np.int64),
            actions=np.zeros((levels, choices), np.int32),
            odds=np.zeros(choices),
            counts=np.zeros(levels, np.int64),
            tried=np.zeros(levels, np.int64),
        )

    def count(self, state: Game, depth: int) -> int:
        """Return the number of sequences of exactly `depth` moves from `state`; raises `GameError`."""
        if depth == 0:
            return 1
        facts = self._walk.facts
        facts[DEPTH], facts[LEVEL], facts[ENTERING], facts[TOTAL] = depth, 0, 1, 0
        self._states.records[0] = state.to_record()
        status = run_in_slices(
            lambda positions: int(call(count_sequences, self._states, self._walk, positions)),
            lambda error: self._fault(f"raised {type(error).__name__}: {error}", state),
        )
        if status == TOO_MANY_ACTIONS:
            raise self._fault("gave more actions than num_actions, or outcomes than num_outcomes", state)
        if status != DONE:
            raise self._fault(f"let a game go on for more than {self._game.max_game_length:,} moves", state)
        return int(facts[TOTAL])

    def _fault(self, what: str, state: Game) -> GameError:
        walk = self._walk
        path = [walk.actions[level, walk.tried[level] - 1] for level in range(walk.facts[LEVEL])]
        after = " ".join(map(str, path)) or "no move"
        return GameError(
            f"the rules of {self._game.name} {what}",
            after=f"the actions {after} (from the state that was given)" if path else None,
            mend="count in plain Python to see the line: perft(state, depth, compiled=False), or --plain",
        )
