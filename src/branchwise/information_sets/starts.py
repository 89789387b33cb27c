"""The states in which multiple-observer simulations begin.

They are the ends of histories that look to the player as the present moment does. Where none was found,
states are dealt by the rules. What others know is then what they see in such a state, without a past.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from branchwise.compile.code.call_kernel import call, keep_on_disk
from branchwise.compile.states.native_types import NativeRecords
from branchwise.compile.states.prepared_rules import compiled_type
from branchwise.core.information_sets.information_keys import look_at
from branchwise.game.kinds.random_numbers import Random
from branchwise.game.rules_class import Game
from branchwise.information_sets.consistent_histories import KnownRoutes
from branchwise.information_sets.search_memory import new_sight
from branchwise.rules.knowledge.dealing import Dealer, way_of
from branchwise.rules.knowledge.information import InformationState

keep_on_disk()

MOST_DEALT = 1000
"""States to deal if no history was found."""
_MOST_ATTEMPTS = 100


class Starts(NamedTuple):
    """R states, and what P players know in them."""

    states: NativeRecords
    known: NDArray[np.uint64]  # [R, P]
    views: NDArray[np.uint64]  # [R, P] hashes of what each player sees
    shares: NDArray[np.float64]  # [R] sums of weights up to each state


def start_of_game(game: type[Game]) -> Starts:
    """Return the start of a game, of which players know what they see."""
    return _seen([game()])


def ends_of(routes: KnownRoutes) -> Starts:
    """Return the ends of histories, with their probabilities."""
    arrays = routes.routes
    return Starts(routes.ends, arrays.known, arrays.views, routes.shares)


def dealt(known: InformationState, key: np.uint64, seed: int, seconds: float | None) -> Starts | None:
    """Return states that look to a player as `known` does; None if none was found.

    key : what the player knows.   seconds : limit of the time; the first attempt is always made. A game that
    is dealt anew by replaying the player's history has none: no history was found.
    Raises `GameError` for a `determinize` that changes what the player sees.
    """
    if way_of(known.game) == "replay":
        return None
    until = None if seconds is None else time.perf_counter() + seconds
    random, dealer = Random(seed), Dealer(_MOST_ATTEMPTS)
    states: list[Game] = []
    while len(states) < MOST_DEALT and (until is None or not states or time.perf_counter() < until):
        state = dealer.deal(known, random, until)
        if state is None or dealer.repeated:
            break
        states.append(state)
    if not states:
        return None
    found = _seen(states)
    found.known[:, known.player] = key
    return found


def _seen(states: list[Game]) -> Starts:
    """Return states of which players know what they see."""
    game = type(states[0])
    sight = new_sight(game)
    memory = NativeRecords(compiled_type(game), len(states))
    known = np.zeros((len(states), game.num_players), np.uint64)
    views = np.zeros_like(known)
    one = NativeRecords(compiled_type(game))
    for number, state in enumerate(states):
        one.records[0] = memory.records[number] = state.to_record()
        call(look_at, one, sight)
        known[number], views[number] = sight.known, sight.views
    return Starts(memory, known, views, np.arange(1.0, len(states) + 1.0))
