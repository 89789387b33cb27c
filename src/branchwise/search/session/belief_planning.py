"""Planning from a belief, in partially observed problems: what `MCTS` does with a `Belief`.

POMCP: Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010; see `core.beliefs.belief_search`.
POMCPOW: Sunberg, Kochenderfer, 2018; see `core.beliefs.weighted_search`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from branchwise.common.errors import GameError
from branchwise.game.kinds.game_kinds import num_arguments
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts, facts_of
from branchwise.search.composition.composition import AS_A_PLANNER, BY_WEIGHTED_PARTICLES
from branchwise.search.drivers.root_source import RootSource, particles
from branchwise.search.parts.plan import Descent
from branchwise.search.session.belief import Belief
from branchwise.search.settings.budget import Budget
from branchwise.search.settings.settings import MAX_DEPTH, Settings, check_for_observer

_BYTES_OF_PARTICLE = 36
_MOST_PARTICLES = 2**30
_SHARE_OF_MEMORY = 0.5
"""Maximum share of `memory_mb` for particles of nodes, besides the tree."""


def belief_facts(state: Any, settings: Settings) -> GameFacts:
    """Return the facts of a problem; raises `SettingsError` for settings without meaning here."""
    check_for_observer(
        settings,
        known="a belief",
        nodes="what was observed",
        search="a search from a belief",
        limits_outcomes=True,
    )
    return facts_of(state)


def belief_descent(game: type[Game], settings: Settings) -> Descent:
    """Return the descent of searches from beliefs.

    Raises `GameError` if observations are to be limited, and the class has no `observation_density`.
    """
    if settings.outcome_widening is None:
        return AS_A_PLANNER
    if num_arguments(game, "observation_density") < 0:
        raise GameError(
            f"outcome_widening needs a rule that {game.name} does not have: observation_density",
            mend="add def observation_density(self, action, seen): return how likely it is in this state; or "
            "leave outcome_widening out",
        )
    return BY_WEIGHTED_PARTICLES


def belief_source(belief: Belief, settings: Settings, budget: Budget) -> RootSource:
    """Return where simulations begin: in the belief's particles; raises what `belief_descent` raises."""
    weights = belief.weights
    shares = None if np.all(weights == weights[0]) else weights
    descent = belief_descent(belief.game, settings)
    if settings.outcome_widening is None:
        return particles(belief.states, descent, weights=shares, records=belief.records)
    numbers = belief.numbers_observed
    each = belief.records.itemsize + _BYTES_OF_PARTICLE + 8 * numbers
    room = int(settings.memory_mb * 2**20 * _SHARE_OF_MEMORY) // (each * settings.threads)
    if budget.simulations is not None:
        most = min(settings.max_depth or MAX_DEPTH, belief.game.max_game_length)
        room = min(room, budget.simulations * most)
    return particles(
        belief.states,
        descent,
        weights=shares,
        records=belief.records,
        spare=max(min(room, _MOST_PARTICLES), 1),
        numbers=numbers,
    )
