"""Planning from a belief, in partially observed problems: what `MCTS` does with a `Belief`.

POMCP: Silver, Veness, "Monte-Carlo planning in large POMDPs", 2010; see `core.belief_search`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from branchwise.errors import SettingsError
from branchwise.rules.facts import GameFacts, facts_of
from branchwise.search.belief import Belief
from branchwise.search.composition import AS_A_PLANNER
from branchwise.search.root_source import RootSource, particles
from branchwise.search.settings import WITHOUT_CODE, Settings


def belief_facts(belief: Belief, settings: Settings) -> GameFacts:
    """Return the facts of the problem of a belief; raises `SettingsError` for settings without meaning here."""
    for is_given, what, why in (
        (settings.perfect_information, "perfect_information", "searches a state, and this is a belief"),
        (settings.transpositions, "transpositions", "joins states, and here nodes are what was observed"),
        (
            settings.evaluator is not None,
            "evaluator",
            "judges states, and here nodes are what was observed",
        ),
        (settings.open_loop is not None, "open_loop", "has no meaning where nodes are what was observed"),
    ):
        if is_given:
            raise SettingsError(f"{what} {why}", mend="leave it out")
    if settings.compiled is False and settings.threads > 1:
        raise SettingsError(
            "with rules in plain Python a search from a belief has one thread",
            mend="leave out threads, or compiled=False",
        )
    return facts_of(belief.states[0])


def belief_settings(settings: Settings) -> Settings:
    """Return the settings of a search from a belief: it begins when its code is there."""
    return replace(settings, compiled=None) if settings.compiled in WITHOUT_CODE else settings


def belief_source(belief: Belief, settings: Settings) -> RootSource:
    """Return where simulations begin: in the belief's particles."""
    weights = belief.weights
    return particles(
        belief.states,
        AS_A_PLANNER,
        weights=None if np.all(weights == weights[0]) else weights,
        records=belief.records,
    )
