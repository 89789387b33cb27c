"""How a child is chosen: the selection rule, first-play urgency, and choices that are reused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from branchwise.core.simulation import repeat_choice, select, steering
from branchwise.core.simulation.repeat_choice import NUM_COMMITMENTS
from branchwise.core.simulation.select import (
    FIXED_SCORE,
    FIXED_VALUE,
    PARENT_ONCE,
    PARENT_VALUE,
    TRY_ALL_FIRST,
)
from branchwise.search.parts.plan import Part, Plan


class Choices(Part):
    """Selection, alone or while other simulations are under way in the same tree."""

    def options(self, plan: Plan) -> Collection[str]:
        found = {"priors": plan.keeps_priors, "heuristics": plan.keeps_heuristics}
        found["squares"] = "squares" in plan.rule.needs
        return [option for option, is_kept in found.items() if is_kept]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        reads_more = bool(plan.scored or plan.rule.needs)
        found = {
            "look": select.look_at_all if reads_more else select.look_at_mean,
            "choose": repeat_choice.choose_again if plan.repeat > 1 else repeat_choice.choose_anew,
            "follow_new": repeat_choice.follow_alone,
            "credit": repeat_choice.credit_alone,
            "leave_out": steering.leave_out,
        }
        if plan.shared:
            found["choose"] = repeat_choice.choose_among_threads
            found["follow_new"] = repeat_choice.follow_among_threads
            found["credit"] = repeat_choice.credit_among_threads
        return found

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {
            "shared": plan.shared,
            "counted_on_entry": int(plan.shared),
            "unvisited": _unvisited(plan),
            "keeps_history": "history" in plan.rule.needs,
            "draws_noise": "noise" in plan.rule.needs,
            "stretches": plan.stretches,
            "weight_grows": "c_base" in plan.rule.options and plan.rule.is_own,
        }

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        first_play = plan.settings.first_play
        return {
            "first_play": first_play if isinstance(first_play, int | float) else 0.0,
            "repeat": plan.repeat,
            "c": plan.rule.c,
            **plan.rule.options,
        }

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {"commitments": NUM_COMMITMENTS if plan.shared or plan.repeat > 1 else 0, "guide": 1}

    def visit(self, plan: Plan) -> Mapping[str, int]:
        return {"losses": plan.most_levels + 2 if plan.shared and plan.stretches else 0}


def _unvisited(plan: Plan) -> int:
    first_play, rule = plan.settings.first_play, plan.rule
    if first_play == "parent":
        return PARENT_VALUE if rule.scores_unvisited else PARENT_ONCE
    if first_play is not None:
        return FIXED_VALUE if rule.scores_unvisited else FIXED_SCORE
    return PARENT_VALUE if rule.scores_unvisited else TRY_ALL_FIRST
