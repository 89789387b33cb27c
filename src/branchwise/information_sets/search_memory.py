"""The memory of a search on information sets, and running its kernel within a budget."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import BranchwiseError, GameError
from branchwise.common.pace import next_chunk
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.queries.player_views import visible_bits
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.compile.stopping.time_limits import Limits, limited
from branchwise.core.information_sets.information_keys import Sight
from branchwise.core.information_sets.regret_table import (
    ACTIONS_DIFFER,
    DEPTH,
    ENTRIES,
    FULL,
    GROWS,
    NO_ROOM,
    NUM_FACTS,
    SIMULATIONS,
    USED,
    InformationSets,
    Path,
    enter_all,
    find_all,
)
from branchwise.core.machine.kernel_status import Status
from branchwise.core.numbers.random_streams import new_streams
from branchwise.game.rules_class import Game
from branchwise.rules.checking.diagnosis import RULE_ERRORS, fault_error, raised_error
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.settings.budget import Budget

keep_on_disk()

_FIRST = 256
_CHUNK_SECONDS = 0.02
_BYTES = 40
"""Bytes of an information set, without the numbers of its actions."""


class Table:
    """The information sets that a search has come to, and the arrays of its simulations.

    columns : numbers for each action.   memory_mb : limit of the table; at the limit nothing is added.
    """

    def __init__(self, game: type[Game], facts: GameFacts, columns: int, seed: int, memory_mb: float) -> None:
        self.game, self.facts = game, facts
        self._memory = memory_mb * 2**20
        self.choices = max(facts.num_actions, facts.num_outcomes)
        self.memory = NativeRecords(compiled_type(game), 2)
        """The start of the game, and room for one state."""
        self.memory.records[0] = game().to_record()
        levels, players = facts.max_game_length + 1, facts.num_players
        self.path = Path(
            sets=np.zeros(levels, np.int32),
            players=np.zeros(levels, np.int32),
            actions=np.zeros(levels, np.int32),
            places=np.zeros(levels, np.int32),
            moves=np.zeros(self.choices, np.int32),
            odds=np.zeros(self.choices),
            returns=np.zeros(players),
            known=np.zeros(players, np.uint64),
            views=np.zeros(players, np.uint64),
            streams=new_streams(seed),
            sight=new_sight(game),
        )
        self.sets = self._new_sets(_FIRST, _FIRST * 2 + self.choices, columns)
        self.sets.facts[GROWS] = 1

    def __len__(self) -> int:
        return int(self.sets.facts[USED])

    @property
    def simulations(self) -> int:
        """Simulations of all runs."""
        return int(self.sets.facts[SIMULATIONS])

    @property
    def is_full(self) -> bool:
        """Whether information sets were left out for want of memory."""
        return bool(self.sets.facts[FULL])

    def rows(self, keys: NDArray[np.uint64]) -> list[NDArray[np.float64] | None]:
        """Return the numbers of the information sets with these keys, [actions, columns]; None if unknown."""
        found = np.zeros(len(keys), np.int64)
        call(find_all, self.sets, np.asarray(keys, np.uint64), found)
        sets = self.sets
        return [
            None if n < 0 else sets.numbers[sets.first[n] : sets.first[n] + sets.counts[n]]
            for n in found.tolist()
        ]

    def visits(self, key: np.uint64) -> int:
        """Return in how many simulations a player chose at an information set."""
        found = np.zeros(1, np.int64)
        call(find_all, self.sets, np.array([key], np.uint64), found)
        return int(self.sets.visits[found[0]]) if found[0] >= 0 else 0

    def run(self, kernel: Callable[[int], int], budget: Budget, stop: threading.Event) -> tuple[int, float]:
        """Call `kernel` with numbers of simulations until a limit is reached.

        Returns the simulations run and the seconds, without those of the compiler. Raises `GameError` for a
        fault of the rules.
        """
        self._step(kernel, 0)  # loads or compiles the code, so that no budget pays for it
        first, began, chunk = self.simulations, time.perf_counter(), 64
        end = None if budget.seconds is None else began + budget.seconds
        limits = Limits(end, stop)
        with limited(limits):
            while True:
                done = self.simulations - first
                left = None if budget.simulations is None else budget.simulations - done
                now = time.perf_counter()
                if left == 0 or (done and (stop.is_set() or (end is not None and now >= end))):
                    return done, now - began
                self._step(kernel, chunk if left is None else min(chunk, left))
                spent = time.perf_counter() - now
                chunk = next_chunk(chunk, spent, _CHUNK_SECONDS, growth=4)
                if self.simulations - first == done and limits.asked and not done:
                    limits = Limits()  # the first simulation is always run
                    with limited(limits):
                        self._step(kernel, 1)

    def _step(self, kernel: Callable[[int], int], count: int) -> None:
        """Run `count` simulations, fewer if this thread is asked to end."""
        until = self.simulations + count
        while True:
            try:
                status = kernel(until - self.simulations)
            except BranchwiseError:
                raise
            except RULE_ERRORS as error:
                raise raised_error(self.game(), self.facts, error) from error
            if status == NO_ROOM:
                self._grow()
                continue
            if status in (Status.DONE, Status.HALTED):
                return
            raise self._fault(int(status))

    def _fault(self, status: int) -> GameError:
        path = self.path.actions[: int(self.sets.facts[DEPTH])].tolist()
        if status == ACTIONS_DIFFER:
            return GameError(
                f"{self.game.__name__}.legal_actions differ between two states that look the same to the "
                "player to move",
                mend="let legal actions follow from what the player sees: branchwise check",
            )
        return fault_error(self.game(), self.facts, Status(status), path)

    def _grow(self) -> None:
        """Enlarge the table, or stop its growth at the limit of memory."""
        old, facts = self.sets, self.sets.facts
        number, entries = len(old.keys), len(old.numbers)
        if facts[USED] == number:
            number *= 2
        if facts[ENTRIES] + self.choices > entries:
            entries = 2 * entries + self.choices
        columns = old.numbers.shape[1]
        if _BYTES * number + 8 * columns * entries > self._memory:
            facts[GROWS] = 0
            return
        self.sets = self._new_sets(number, entries, columns)
        for name, array in old._asdict().items():
            if name != "slots":
                getattr(self.sets, name)[: len(array)] = array
        call(enter_all, self.sets)

    @staticmethod
    def _new_sets(number: int, entries: int, columns: int) -> InformationSets:
        return InformationSets(
            facts=np.zeros(NUM_FACTS, np.int64),
            slots=np.zeros(1 << (2 * number).bit_length(), np.int32),
            keys=np.zeros(number, np.uint64),
            first=np.zeros(number, np.int64),
            counts=np.zeros(number, np.int32),
            visits=np.zeros(number, np.int64),
            numbers=np.zeros((entries, columns)),
        )


def new_sight(game: type[Game]) -> Sight:
    """Return arrays for what the players of a game know."""
    players = game.num_players
    return Sight(
        known=np.zeros(players, np.uint64),
        views=np.zeros(players, np.uint64),
        seen=np.zeros(players, np.int64),
        masks=visible_bits(game),
    )
