"""The closed loop: nodes are states; those of chance have a child for each outcome that the rules list."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from branchwise.core.machine.kernel import kernels_of
from branchwise.core.simulation import chance, simulate
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.parts.options.expansion import seeing
from branchwise.search.parts.plan import Descent, Plan
from branchwise.search.settings.settings import Settings


class ListedChance(Descent):
    """Selection needs no state: all outcomes are in the tree, or there are none."""

    lists_chance = True
    unscored = frozenset({"chance"})

    def fits(self, settings: Settings, facts: GameFacts) -> bool:
        return True

    def plays_plainly(self, facts: GameFacts) -> bool:
        return True

    def options(self, plan: Plan) -> Collection[str]:
        return ["chance"] if plan.lists_outcomes else []

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        found: dict[str, Any] = {} if plan.evaluates else {"simulate": simulate.simulate}
        if plan.lists_outcomes:
            found |= {**kernels_of(chance), **seeing(plan)}
        return found

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        listed = plan.facts.num_outcomes if plan.lists_outcomes else 0
        return {"faces": listed, "odds": listed}
