"""The open loop: a node stands for the decisions that lead to it, whatever chance made of them."""

from __future__ import annotations

from branchwise.rules.facts.facts import GameFacts
from branchwise.search.parts.descents.walk import Walk
from branchwise.search.parts.plan import Plan
from branchwise.search.settings.settings import Settings


class OpenLoop(Walk):
    """See `core.descents.open_loop`."""

    is_open = True

    def fits(self, settings: Settings, facts: GameFacts) -> bool:
        if settings.open_loop is not None:
            # without chance a line of continuous actions leads to one state
            return settings.open_loop or (facts.dimensions > 0 and not facts.only_draws)
        return facts.only_draws or facts.dimensions > 0

    def needed_by(self, plan: Plan) -> str:
        is_chosen = plan.settings.open_loop is not None
        return "open_loop" if is_chosen else f"an open loop, which {plan.facts.name} needs"
