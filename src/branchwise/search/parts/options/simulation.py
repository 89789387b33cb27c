"""What every search has: the four phases of a simulation, and the memory for one path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.compile.states.randomness import randomness
from branchwise.core.backup import backup
from branchwise.core.numbers.random_streams import MOVES
from branchwise.core.simulation import select, simulate
from branchwise.core.tree.node_fields import MAX_CHILDREN, OPTIONS
from branchwise.search.parts.plan import Part, Plan

_KEEPS = {option: f"keeps_{option}" for option in OPTIONS}
"""By option, the constant that says whether its statistics are kept."""


class Simulation(Part):
    """Selection, evaluation and backup in a tree whose nodes are states."""

    def check(self, plan: Plan) -> None:
        settings = plan.settings
        wanted = {
            "heuristics" in plan.rule.needs: f'selection="{plan.rule.name}"',
            settings.implicit_minimax > 0: "implicit_minimax",
            plan.cutoff is not None and not plan.facts.pays: (
                "playout_cutoff" if settings.cutoff is None else "cutoff"
            ),
        }
        if any(wanted) and not plan.has("evaluate"):
            raise GameError(
                f"{wanted[True]} needs a rule that {plan.facts.name} does not have: evaluate",
                mend="add def evaluate(self): return the value of an unfinished game, one number a player",
            )

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {
            "select": simulate.select,
            "place": select.place_in_tree,
            "visits": select.visits_in_tree,
            "mean": select.mean_in_tree,
            "evaluate": simulate.evaluate,
            "back_up": simulate.back_up,
            "add_outcome": backup.add_outcome,
            "gain_by": backup.gain_in_tree,
            "randomness": randomness,
        }

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        observing = plan.observing
        return {
            "proofs": plan.proofs,
            "opposed": plan.facts.opposed,
            "checks_sum": plan.checks_sum,
            "grows": plan.grows,
            "grows_by_one": plan.grows and plan.descent.grows_by_one,
            "has_chance": plan.has_chance,
            "draws_chance": plan.facts.num_outcomes > 0,
            "is_open": plan.is_open,
            "is_drawn": plan.is_drawn,
            "is_observed": observing is not None,
            "steers": observing is None or plan.settings.halving or observing.steered,
            **{name: option in plan.kept for option, name in _KEEPS.items()},
        }

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        facts = plan.facts
        return {
            "max_depth": plan.max_depth,
            "guided": 0,
            "viewer": 0,
            "num_players": facts.num_players,
            "num_actions": facts.num_actions,
            "num_outcomes": facts.num_outcomes,
            "min_return": facts.min_return,
            "max_return": facts.max_return,
            "no_gain": facts.no_gain,
            "gain_per_return": 1.0 / facts.span,
            "sum_of_two": facts.sum_of_two,
        }

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {
            "actions": min(plan.facts.num_actions, MAX_CHILDREN),
            "total": plan.facts.num_players,
            "streams": MOVES + 1,
            "number": 1,
            "num_faces": 1,
        }

    def visit(self, plan: Plan) -> Mapping[str, int]:
        return {
            "levels": plan.most_levels + 2,
            "depth": 1,
            "returns": plan.facts.num_players,
            "left": 1,
            "num_moves": 1,
        }
