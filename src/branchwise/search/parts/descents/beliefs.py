"""Search from a belief: the observer is the planner of a partially observed problem."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from branchwise.core.beliefs import belief_backup, belief_search, weighted_search
from branchwise.core.beliefs.belief_search import MOST_NUMBERS
from branchwise.core.machine.kernel import kernels_of
from branchwise.core.simulation import expand, playout
from branchwise.core.tree.children import FIRST_BLOCK, LARGEST_BLOCK
from branchwise.search.parts.descents.observing import ObservedWalk
from branchwise.search.parts.options.expansion import weighing
from branchwise.search.parts.plan import Plan


class AsAPlanner(ObservedWalk):
    """Nodes stand for actions and observations; see `core.beliefs.belief_search`."""

    values_unvisited = True
    grows_by_one = False

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        found = {
            **super().kernels(plan),
            **weighing(plan),
            **kernels_of(belief_search),
            "begin_watching": belief_search.begin_unseen,
            "move_and_watch": belief_search.move_unseen,
            "grow": expand.grow,
            "decisions": belief_search.decisions_before,
        }
        facts = plan.facts
        if plan.plays_uniformly and facts.simulates and facts.pays and not facts.num_outcomes:
            found["play_once"] = playout.play_out_in_simulator
        found["add_outcome"] = belief_backup.add_outcome_of_planner
        if plan.revises:
            found["add_outcome"] = belief_backup.add_and_revise_observed
        return found

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {**super().scratch(plan), "observed": MOST_NUMBERS}

    def room(self, plan: Plan, children: int, simulations: int) -> int:
        # edges of one node, and a block for one observation
        return (children + FIRST_BLOCK + 1) * (simulations + 1) + LARGEST_BLOCK + 1


class ByWeightedParticles(AsAPlanner):
    """The same with a limited number of observations after an action, and weighted particles in nodes.

    See `core.beliefs.weighted_search`.
    """

    unscored = AsAPlanner.unscored | {"particles"}

    def options(self, plan: Plan) -> Collection[str]:
        return [*super().options(plan), "particles"]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {
            **super().kernels(plan),
            **kernels_of(weighted_search),
            "enter_observation": weighted_search.enter_weighted,
        }


AS_A_PLANNER = AsAPlanner()
BY_WEIGHTED_PARTICLES = ByWeightedParticles()
