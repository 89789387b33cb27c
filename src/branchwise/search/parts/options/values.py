"""What a node's value is besides the mean of its simulations: power means, minimax, spread of returns."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.backup import backup
from branchwise.core.tree.return_samples import MOST_ACTIONS, samples_each
from branchwise.search.parts.plan import Part, Plan


class Values(Part):
    """Backups other than the mean, and whose return counts."""

    def options(self, plan: Plan) -> Collection[str]:
        return ["minimax"] if plan.mixes_minimax else []

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {"add_outcome": backup.add_and_revise} if plan.revises else {}

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {
            "mixes_minimax": plan.mixes_minimax,
            "averages_by_power": plan.settings.backup != "mean",
            "is_paranoid": plan.is_paranoid,
        }

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        settings = plan.settings
        return {
            "power": math.inf if settings.backup == "max" else settings.power,
            "minimax_share": settings.implicit_minimax,
        }


class Spread(Part):
    """The distribution of returns of each action at the root."""

    def applies(self, plan: Plan) -> bool:
        return plan.keeps_spread

    def check(self, plan: Plan) -> None:
        if plan.facts.num_actions > MOST_ACTIONS:
            raise GameError(
                f"spread and risk support at most {MOST_ACTIONS:,} distinct actions; "
                f"{plan.facts.name} has more",
                mend="leave out spread and risk",
            )

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {"keeps_spread": plan.keeps_spread}

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        num_actions = plan.facts.num_actions
        return {"spreads": num_actions, "samples": num_actions * samples_each(num_actions)}
