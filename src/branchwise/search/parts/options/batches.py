"""Leaves that an evaluator judges, in batches; simulations run in two halves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.machine.kernel import kernels_of
from branchwise.core.simulation import batch
from branchwise.search.parts.plan import Part, Plan


class Batches(Part):
    """See `core.simulation.batch`."""

    def applies(self, plan: Plan) -> bool:
        return plan.settings.evaluator is not None

    def check(self, plan: Plan) -> None:
        learnt = plan.rule.needs & {"amaf", "history"}
        for is_wanted, what in (
            (plan.has_box, f"continuous actions, which {plan.facts.name} has"),
            (plan.is_open, f"an open loop, as {plan.facts.name} needs"),
            (plan.is_drawn, f"drawn outcomes, as {plan.facts.name} needs"),
            (bool(learnt), f'selection="{plan.rule.name}", which learns from the moves of playouts'),
        ):
            if is_wanted:
                raise GameError(
                    f"an evaluator cannot be combined with {what}",
                    mend='use selection="ucb1" or selection="puct"' if learnt else "leave evaluator out",
                )

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        found = {**kernels_of(batch), "enter": batch.stay}
        if plan.keeps_priors:
            found["weigh"] = batch.weigh_by_evaluator
        return found

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {"evaluation": plan.facts.num_players, "weights": plan.facts.num_actions}
