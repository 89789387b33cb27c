"""When a search is a rollout policy: by default where a problem has chance and its class a rule."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from branchwise.common.errors import GameError
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.settings.settings import ROLLOUT, Settings

ROLLOUT_WORDS = "rollouts of playout_action decide; --settings rollout=false searches a tree"
_OF_THE_MACHINE = {"seed", "memory_mb", "compiled"}
"""Settings that do not say how to search."""


def is_plain(settings: Settings) -> bool:
    """Whether the settings leave it to the game how to search."""
    return settings.changed.keys() <= _OF_THE_MACHINE


def suits_rollouts(state: Any, facts: GameFacts) -> bool:
    """Whether a search of `state` is a rollout policy by default.

    A problem of one player with chance whose class has a rule is searched from what the rule does: there a
    tree has to try bad actions on all levels before it is as good as the rule.
    """
    if facts.num_players > 1 or facts.dimensions or not (facts.num_outcomes > 0 or facts.only_draws):
        return False
    return callable(getattr(state, "playout_action", None))


def with_rollout(settings: Settings, state: Any, facts: GameFacts) -> Settings:
    """Return the settings of a search of `state`: with those of a rollout policy if it is one.

    Raises `GameError` for a game that cannot have one.
    """
    wanted = settings.rollout
    if wanted is None:
        wanted = suits_rollouts(state, facts) and is_plain(settings)
    elif wanted and (facts.num_players > 1 or facts.dimensions):
        what = "one player" if facts.num_players > 1 else "numbered actions"
        raise GameError(f"rollout is for problems with {what}, and {facts.name} is none", mend="leave it out")
    return replace(settings, rollout=True, **ROLLOUT) if wanted else settings
