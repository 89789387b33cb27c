"""How a leaf gets its children: all at once, or one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core.machine.kernel import kernels_of
from branchwise.core.simulation import expand, expand_one_child, simulate
from branchwise.search.parts.plan import Part, Plan


class Expansion(Part):
    """Children of nodes, their priors, and how many of them are considered."""

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        if plan.grows:
            return {
                **kernels_of(expand_one_child),
                "expand": expand_one_child.expand_by_one,
                "find_ends": expand_one_child.find_ends if plan.proofs else expand_one_child.find_no_ends,
                "enter": expand_one_child.enter_one,
            }
        return {
            "expand": simulate.expand,
            "grow": expand.grow,
            **weighing(plan),
            **seeing(plan),
            "give_up": simulate.give_up,
            "enter": simulate.enter,
        }

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        widens = plan.settings.widening is not None
        return {
            "widens": widens and not plan.has_box,
            "sorts_children": widens and plan.keeps_priors,
        }

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        settings = plan.settings
        return {"widening": settings.widening or 0.0, "widening_power": settings.widening_power}

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {"marks": plan.facts.num_actions if plan.grows else 0}


def weighing(plan: Plan) -> dict[str, Any]:
    """Return the kernels that give new children their priors."""
    weigh = expand.weigh_nothing
    if plan.keeps_priors:
        weigh = expand.weigh_by_rules if plan.has("prior") else expand.weigh_equally
    return {"weigh": weigh, "rank": expand.rank, "share_priors": expand.share_priors}


def seeing(plan: Plan) -> dict[str, Any]:
    """Return the kernels that add a node for a state that a leaf leads to, and evaluate it."""
    return {
        "look_ahead": expand.look_ahead if plan.looks_ahead else expand.look_at_nothing,
        "see_child": expand.see_child,
        "relate": expand.relate_nothing,
        "link": expand.link,
    }
