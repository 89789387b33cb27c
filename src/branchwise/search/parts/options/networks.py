"""Leaves that a network evaluates, in the simulation itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.machine.kernel import kernels_of
from branchwise.core.networks import evaluate
from branchwise.core.simulation import batch
from branchwise.search.parts.plan import Part, Plan


class Networks(Part):
    """See `core.networks.evaluate`."""

    def applies(self, plan: Plan) -> bool:
        return plan.network is not None

    def check(self, plan: Plan) -> None:
        learnt = plan.rule.needs & {"amaf", "history"}
        for is_wanted, what in (
            (plan.is_open or plan.is_drawn, "an open loop"),
            (plan.observing is not None, "a search by what a player knows"),
            (bool(learnt), f'selection="{plan.rule.name}", which learns from the moves of playouts'),
        ):
            if is_wanted:
                raise GameError(f"a network cannot be combined with {what}", mend="leave one of them out")

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        found = {
            "simulate": evaluate.simulate_with_network,
            **{name: one for name, one in kernels_of(evaluate).items() if name != "simulate_with_network"},
            **kernels_of(batch),
            "count_at_root": batch.count_nothing,
            "enter": batch.stay,
        }
        if plan.keeps_priors:
            found["weigh"] = evaluate.weigh_by_network
        return found

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        if plan.network is None:
            return {}
        inputs = plan.network.inputs
        width, second = plan.network.widths
        return {
            "net_width": width,
            "net_second": second,
            "net_rows": inputs.rows,
            "net_columns": inputs.columns,
            "net_sees_cells": bool(inputs.patterns),
            "net_sees_more": inputs.num_more > 0,
            "net_has_pairs": inputs.policy_rows is not None,
        }

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {"evaluation": plan.facts.num_players}

    def arrays(self, plan: Plan) -> Mapping[str, Any]:
        assert plan.network is not None
        return plan.network.arrays()
