"""What searches by one observer have in common: nodes stand for what the observer has seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core.descents import one_observer
from branchwise.core.descents.sampled_roots import NUM_DEALING
from branchwise.core.tree.node_fields import MAX_CHILDREN
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.parts.descents.walk import Walk
from branchwise.search.parts.plan import Plan


class ObservedWalk(Walk):
    """A descent from a root state that is drawn for each simulation; see `core.descents.one_observer`."""

    is_drawn = True
    repeats = False

    def applies(self, plan: Plan) -> bool:
        return plan.observing is not None and plan.descent is self

    def plays_plainly(self, facts: GameFacts) -> bool:
        return not facts.only_draws

    def max_depth(self, moves: int) -> int:
        return 2 * moves  # and after each what was seen of it

    def needed_by(self, plan: Plan) -> str:
        return f"nodes known by what one player saw, as in {plan.facts.name}"

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        assert plan.observing is not None
        return {
            **super().kernels(plan),
            "start": one_observer.start_in_drawn_root,
            "advance": one_observer.advance_by_observing,
            **plan.observing.roots,
        }

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {"members": min(plan.facts.num_actions, MAX_CHILDREN), "dealing": NUM_DEALING}

    def visit(self, plan: Plan) -> Mapping[str, int]:
        return {"watched": 3}
