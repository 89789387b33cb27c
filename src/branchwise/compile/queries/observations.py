"""Observations by compiled rules, for the rule checker."""

from __future__ import annotations

import numpy as np

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.beliefs.particles import look
from branchwise.core.numbers.random_streams import NUM_STREAMS, PLAYOUT_STREAM
from branchwise.game.rules_class import Game

keep_on_disk()

_MOST_NUMBERS = 1024


class CompiledObservations:
    """The compiled form of `observe`. Raises `GameError` if the rules do not compile.

    >>> from branchwise.problems.tiger import Tiger
    >>> CompiledObservations(Tiger).observe(Tiger(tiger=0), 1, 5)    # nothing is heard after opening a door
    [0.0]
    """

    def __init__(self, game: type[Game]) -> None:
        self._states = NativeRecords(compiled_type(game))
        self._given = np.zeros(_MOST_NUMBERS)
        self._streams = np.zeros(NUM_STREAMS, np.uint64)

    def observe(self, state: Game, action: int, counter: int) -> list[float]:
        """Return the numbers observed after an action; counter : where the random numbers begin."""
        self._states.records[0] = state.to_record()
        self._streams[PLAYOUT_STREAM] = counter
        count = int(call(look, self._states, action, self._given, self._streams))
        numbers: list[float] = self._given[:count].tolist()
        return numbers
