"""Where the simulations of a search begin, if not in one state: see `core.descents.sampled_roots`.

A `RootSource` has the states of the root array and the data that kernels need; a session gives them to its
drivers. `dealt_from` makes the one for what a player knows, `particles` one for given states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.queries.player_views import observation_keys, visible_bits
from branchwise.core.descents.sampled_roots import (
    CELL_BYTES,
    DEALT,
    FIRST_ATTEMPTS,
    KEPT,
    KEPT_DEALS,
    MOST_ATTEMPTS,
    NOTHING,
    NUM_DEALING,
    NUM_ROOTS,
    REPEATED,
)
from branchwise.core.simulation.search_arrays import EVENT
from branchwise.game.kinds.hidden_information import has_rule, pool_of
from branchwise.game.rules_class import Game
from branchwise.rules.knowledge.dealing import way_of, with_cards
from branchwise.rules.knowledge.information import InformationState
from branchwise.search.drivers.interpreted_states import hash_of_numbers
from branchwise.search.parts.descents.information_sets import AS_A_PLAYER
from branchwise.search.parts.descents.sampled_roots import BY_WEIGHT, EVENLY, dealing
from branchwise.search.parts.plan import Descent, Observing


@dataclass(frozen=True)
class Deals:
    """The states that simulations of one search began in.

    dealt : how many.   repeated : those of them that were dealt before, because no other was found in a few
    attempts.   left : deals that are kept to be repeated; None if every deal succeeds, so that none is kept.
    """

    dealt: int
    repeated: int
    left: int | None


@dataclass(frozen=True)
class RootSource:
    """Where simulations begin.

    states : the first states of the root array.   records : the same as records, for compiled rules, where
    they are at hand.   spare : places behind them for deals that are kept.
    viewer : the observer, from 0.   attempts : for the first deal.   arrays : those of
    `core.search.Scratch` that the kernels need, by name.   cell_bytes : of a cell of the pool.
    numbers : in an observation, if nodes have particles of their own; `spare` places are for these then.
    """

    states: Sequence[Game]
    observing: Observing
    viewer: int
    spare: int = 0
    attempts: int = 1
    records: NDArray[Any] | None = None
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    cell_bytes: int = 1
    numbers: int = 0

    @property
    def size(self) -> int:
        """States in the root array."""
        return len(self.states) + self.spare

    def new_arrays(self) -> dict[str, NDArray[Any]]:
        """Return arrays for the memory of one thread."""
        counters = np.zeros(NUM_DEALING, np.int64)
        counters[NUM_ROOTS] = self.spare if "deal" in self.observing.roots else len(self.states)
        counters[MOST_ATTEMPTS] = self.attempts
        counters[CELL_BYTES] = self.cell_bytes
        arrays = {**self.arrays, "dealing": counters}
        if self.numbers:  # memory is taken as it is written to
            for name in ("heaped", "paid_then"):
                arrays[name] = np.zeros(self.spare, np.float64)
            for name in ("older", "further", "height"):
                arrays[name] = np.zeros(self.spare, np.int32)
            arrays["told"] = np.zeros(self.spare * (1 + self.numbers), np.float64)
        return arrays

    def deals(self, counters: Sequence[NDArray[np.int64]]) -> Deals | None:
        """Return the deals of the threads with these counters, search.dealing; None for given states."""
        if "deal" not in self.observing.roots:
            return None
        dealt, repeated, left = (sum(int(of[place]) for of in counters) for place in (DEALT, REPEATED, KEPT))
        return Deals(dealt, repeated, left if self.spare else None)


def particles(
    states: Sequence[Game],
    descent: Descent,
    *,
    viewer: int = 0,
    weights: Sequence[float] | NDArray[np.float64] | None = None,
    records: NDArray[Any] | None = None,
    arrays: Mapping[str, NDArray[Any]] | None = None,
    spare: int = 0,
    numbers: int = 0,
) -> RootSource:
    """Return a source that draws from given states, at least one.

    descent : of the search; it says what the observer sees.
    weights : of the states, from 0, at least one above 0; None: all are equally likely.
    records : the states as records, where they are at hand.
    arrays : further arrays of `core.search.Scratch` that `descent` needs.
    spare, numbers : room for particles of nodes, and how many numbers their observations have.
    """
    found = dict(arrays or {})
    if weights is not None:
        found["shares"] = np.cumsum(np.asarray(weights, np.float64))
    observing = Observing(EVENLY if weights is None else BY_WEIGHT, descent)
    return RootSource(states, observing, viewer, spare=spare, records=records, arrays=found, numbers=numbers)


def dealt_from(known: InformationState, *, compiled: bool) -> RootSource:
    """Return the source of states that look to a player as `known` does.

    compiled : whether rules are compiled.
    """
    game, way = known.game, way_of(known.game)
    rejects = has_rule(game, "consistent")
    arrays: dict[str, NDArray[Any]] = {"masks": visible_bits(game).reshape(-1)}
    cell_bytes = 1
    start = known.view
    if way == "pool":
        start = with_cards(known, known.unseen)
        arrays["holes"] = _bytes_of_holes(known)
        cell_bytes = _pool_type(game).itemsize
    elif way == "replay":
        start = game()
        arrays["script"] = _script(known, compiled=compiled)
    return RootSource(
        states=[start],
        observing=Observing(dealing(way, rejects=rejects), AS_A_PLAYER),
        viewer=known.player,
        spare=KEPT_DEALS if rejects or way == "replay" else 0,
        attempts=FIRST_ATTEMPTS,
        arrays=arrays,
        cell_bytes=cell_bytes,
    )


def _pool_type(game: type[Game]) -> np.dtype[Any]:
    return next(field.dtype for field in game._fields if field.name == pool_of(game)[0])


def _bytes_of_holes(known: InformationState) -> NDArray[np.int64]:
    """Return where in a state's record the unseen cells are that hold cards of the pool."""
    game = known.game
    fields = {field.name: field for field in game._fields}
    assert game._dtype.fields is not None
    places: list[NDArray[np.int64]] = []
    for name in pool_of(game):
        size = int(np.prod(fields[name].shape, dtype=np.int64))
        places.append(game._dtype.fields[name][1] + fields[name].dtype.itemsize * np.arange(size))
    return np.concatenate(places)[list(known.holes)].astype(np.int64)


def _script(known: InformationState, *, compiled: bool) -> NDArray[Any]:
    """Return a player's history for `core.descents.sampled_roots.deal_by_replay`, EVENT [events + 1]."""
    seen = [known.start]
    for event in known.events:
        seen.append(seen[-1] if event.observation is None else event.observation)
    script = np.zeros(len(seen), EVENT)
    script["action"][1:] = [NOTHING if event.action is None else event.action for event in known.events]
    script["seen"][1:] = [NOTHING if event.seen is None else event.seen for event in known.events]
    if compiled:
        script["view"] = observation_keys(known.game, known.player, seen)
    else:
        script["view"] = [hash_of_numbers(numbers) for numbers in seen]
    return script
