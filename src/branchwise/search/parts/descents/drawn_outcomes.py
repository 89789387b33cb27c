"""The closed loop with outcomes that are drawn: each state reached has a node, found again by its content."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.descents import drawn_outcomes
from branchwise.core.machine.kernel import kernels_of
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.parts.descents.walk import Walk
from branchwise.search.parts.options.transpositions import check_by_content
from branchwise.search.parts.plan import Plan
from branchwise.search.settings.settings import Settings


class DrawnOutcomes(Walk):
    """See `core.descents.drawn_outcomes`."""

    is_drawn = True
    unscored = Walk.unscored | {"drawn"}

    def fits(self, settings: Settings, facts: GameFacts) -> bool:
        """Raises `GameError` if outcomes are limited in a game without chance."""
        if settings.outcome_widening is None:
            return facts.only_draws and settings.open_loop is False
        if not (facts.only_draws or facts.num_outcomes):
            raise GameError(
                f"outcome_widening limits outcomes of chance, and {facts.name} has none", mend="leave it out"
            )
        return True

    def max_depth(self, moves: int) -> int:
        return 2 * moves  # and after each a node of chance

    def needed_by(self, plan: Plan) -> str:
        settings = plan.settings
        is_chosen = settings.open_loop is not None or settings.outcome_widening is not None
        return "drawn outcomes" if is_chosen else f"drawn outcomes, which {plan.facts.name} needs"

    def check(self, plan: Plan) -> None:
        check_by_content(plan, "a closed loop with drawn outcomes needs")
        super().check(plan)

    def options(self, plan: Plan) -> Collection[str]:
        return [*super().options(plan), "drawn"]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {
            **super().kernels(plan),
            **kernels_of(drawn_outcomes),
            "advance": drawn_outcomes.advance_by_drawing,
        }

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {"widens_outcomes": plan.settings.outcome_widening is not None}

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        settings = plan.settings
        return {
            "outcome_widening": settings.outcome_widening or 0.0,
            "outcome_widening_power": settings.outcome_widening_power,
        }

    def visit(self, plan: Plan) -> Mapping[str, int]:
        return {"transition": 2}
