"""Continuous actions, drawn from a box."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.descents import continuous_actions
from branchwise.core.machine.kernel import kernels_of
from branchwise.search.parts.options.transitions import move_in_tree
from branchwise.search.parts.plan import Part, Plan

DEFAULT_WIDENING = 1.0
"""Default of `widening` for continuous actions."""


class Boxes(Part):
    """Vectors in place of numbered actions. The descent plays the state along."""

    def applies(self, plan: Plan) -> bool:
        return plan.has_box

    def check(self, plan: Plan) -> None:
        settings, policy = plan.settings, plan.policy
        plays = settings.playout or policy.policy
        for is_wanted, what in (
            ("history" in plan.rule.needs, f'selection="{plan.rule.name}"'),
            (policy.policy != "uniform" or bool(policy.urgent), f'playout="{plays}"'),
            (settings.spread, "spread"),
            (settings.risk is not None, "risk"),
        ):
            if is_wanted:
                raise GameError(
                    f"{what} needs numbered actions, and those of {plan.facts.name} are continuous",
                    mend="leave it out",
                )

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {
            **kernels_of(continuous_actions),
            "play_move": continuous_actions.play_in_box,
            "may_choose": continuous_actions.fits,
            "decide": continuous_actions.choose_in_box,
            "draw_vector": continuous_actions.draw_by_rules
            if plan.facts.draws_actions
            else continuous_actions.draw_uniformly,
            "move": continuous_actions.move_by_vector,
            "move_given": move_in_tree(plan.facts),
        }

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        facts = plan.facts
        return {
            "has_box": plan.has_box,
            "box_varies": facts.box_varies,
            "draws_by_rules": facts.draws_actions,
            "dimensions": facts.dimensions,
            "whole": _bits(facts.whole),
        }

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        found = {"refinement": plan.settings.refinement}
        if plan.has_box:
            found["widening"] = plan.settings.widening or DEFAULT_WIDENING
        return found

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return dict.fromkeys(("low", "high", "vector"), plan.facts.dimensions)


def _bits(flags: Sequence[bool]) -> int:
    """Return up to 64 flags as the bits of an int64, the first as the lowest."""
    bits = sum(1 << place for place, flag in enumerate(flags) if flag)
    return bits - (1 << 64 if bits >> 63 else 0)
