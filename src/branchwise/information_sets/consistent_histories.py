"""Finding the histories after which a player knows what that player knows now.

Kernels: `core.information_sets.consistent_histories`.
"""

from __future__ import annotations

import math
import time

import numpy as np
from numpy.typing import NDArray

from branchwise.common.errors import BranchwiseError
from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.information_sets.consistent_histories import (
    ENDS,
    LOOKED,
    NO_ROOM,
    NUM_FACTS,
    PLAYER,
    TRIED,
    UNFINISHED,
    Routes,
    draw_routes,
    find_routes,
    weigh_ends,
)
from branchwise.core.machine.kernel_status import DONE, Status
from branchwise.core.numbers.random_streams import new_streams
from branchwise.game.rules_class import Game
from branchwise.information_sets.knowledge import knowledge_of
from branchwise.information_sets.search_memory import new_sight
from branchwise.rules.checking.diagnosis import RULE_ERRORS, fault_error, raised_error
from branchwise.rules.facts.facts import GameFacts
from branchwise.rules.knowledge.information import InformationState

keep_on_disk()

MOST_LOOKED = 200_000
"""Maximum number of states to look at in the search for all histories."""
MOST_DRAWN = 1000
"""Histories to draw if there are too many to find all."""
MOST_TRIED = 100_000
"""Maximum number of histories to try for these."""
_FIRST = 256
_SLICE = 10_000
_FEW_TRIED = 1000


class KnownRoutes:
    """The histories after which a player knows what `known` says; all of them, or a sample.

    known : None for none, as at the start of a game.   seed : of the sample.   seconds : limit of the time,
    without that of the compiler; None: no limit.
    """

    def __init__(
        self,
        game: type[Game],
        facts: GameFacts,
        known: InformationState | None,
        seed: int = 0,
        seconds: float | None = None,
    ) -> None:
        self._game, self._facts = game, facts
        self._chain = np.zeros(1, np.uint64) if known is None else knowledge_of(known)
        self._player = 0 if known is None else known.player
        self._levels = 1 if known is None else facts.max_game_length + 2
        self.is_complete = True
        """Whether these are all such histories."""
        self.seconds = 0.0
        """Time spent, without that of the compiler."""
        self._clear()
        if known is None:
            return
        self._stack = NativeRecords(compiled_type(game), self._levels + 1)
        self._stack.records[0] = game().to_record()
        self._left = math.inf if seconds is None else seconds
        self._run(find_routes, 0)  # loads or compiles the code
        began = time.perf_counter()
        self.is_complete = self._find_all(began + self._left / 2)
        self.seconds += time.perf_counter() - began
        if not self.is_complete:
            self._clear()
            self._draw_some(new_streams(seed, 1), self._left - self.seconds)

    def __len__(self) -> int:
        return int(self.routes.facts[ENDS])

    @property
    def key(self) -> np.uint64:
        """What the player knows."""
        found: np.uint64 = self._chain[-1]
        return found

    @property
    def shares(self) -> NDArray[np.float64]:
        """Sums of the probabilities of the ends up to each, not scaled, with others' moves taken as given."""
        weights = np.zeros(len(self))
        call(weigh_ends, self.routes, weights)
        return np.cumsum(weights)

    def state(self, end: int) -> Game:
        """Return the state at an end."""
        return self._game.from_record(self.ends.records[end])

    def _find_all(self, until: float) -> bool:
        """Find all histories; returns whether there were few enough."""
        while True:
            if self._run(find_routes, _SLICE) == DONE:
                return True
            if int(self.routes.facts[LOOKED]) > MOST_LOOKED or time.perf_counter() > until:
                return False

    def _draw_some(self, streams: NDArray[np.uint64], seconds: float) -> None:
        """Draw histories until there are enough, or too many attempts failed, or time is over."""
        self._run(draw_routes, streams, 0, 0)  # loads or compiles the code
        began = time.perf_counter()
        spent = 0.0
        while self.routes.facts[TRIED] < MOST_TRIED and (spent <= seconds or not self.routes.facts[TRIED]):
            status = self._run(draw_routes, streams, _FEW_TRIED, MOST_DRAWN)
            if status == DONE and int(self.routes.drawn.sum()) >= MOST_DRAWN:
                break
            spent = time.perf_counter() - began
        self.seconds += time.perf_counter() - began

    def _run(self, kernel: object, *args: object) -> int:
        """Run a kernel, and make room where it has run out; raises the errors for faults of the rules."""
        try:
            status = int(call(kernel, self._stack, self.ends, self.routes, *args))
        except BranchwiseError:
            raise
        except RULE_ERRORS as error:
            raise raised_error(self._game(), self._facts, error) from error
        if status == NO_ROOM:
            self._make_room(2 * len(self.routes.parents) + self._levels, 2 * len(self.routes.ends))
        elif status not in (DONE, UNFINISHED):
            raise fault_error(self._game(), self._facts, Status(status), [])
        return status

    def _clear(self) -> None:
        self.routes = self._arrays(_FIRST, _FIRST)
        self.ends = NativeRecords(compiled_type(self._game), _FIRST)

    def _make_room(self, nodes: int, ends: int) -> None:
        """Move the trie and its ends to larger arrays."""
        old, records = self.routes, self.ends
        self.routes = self._arrays(nodes, ends)
        self.ends = NativeRecords(compiled_type(self._game), ends)
        self.ends.records[: len(records.records)] = records.records
        for name, array in old._asdict().items():
            if name != "sight":
                getattr(self.routes, name)[: len(array)] = array

    def _arrays(self, nodes: int, ends: int) -> Routes:
        players, levels = self._game.num_players, self._levels
        choices = max(self._facts.num_actions, self._facts.num_outcomes)
        routes = Routes(
            facts=np.zeros(NUM_FACTS, np.int64),
            chain=self._chain,
            parents=np.zeros(nodes, np.int32),
            places=np.zeros(nodes, np.int32),
            children=np.full(nodes, -1, np.int32),
            siblings=np.zeros(nodes, np.int32),
            shares=np.zeros(nodes),
            ends=np.zeros(ends, np.int32),
            drawn=np.zeros(ends, np.int64),
            known=np.zeros((ends, players), np.uint64),
            views=np.zeros((ends, players), np.uint64),
            node=np.zeros(levels, np.int32),
            events=np.zeros(levels, np.int32),
            counts=np.zeros(levels, np.int32),
            tried=np.zeros(levels, np.int32),
            fits=np.zeros(levels, np.int32),
            movers=np.zeros(levels, np.int32),
            moves=np.zeros((levels, choices), np.int32),
            odds=np.zeros((levels, choices)),
            level_known=np.zeros((levels, players), np.uint64),
            level_views=np.zeros((levels, players), np.uint64),
            sight=new_sight(self._game),
        )
        routes.facts[PLAYER] = self._player
        return routes
