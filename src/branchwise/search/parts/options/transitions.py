"""How actions are applied: rewards, simulators, chance in playouts, and the horizon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core.backup import rewards
from branchwise.core.simulation import chance, playout
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.parts.plan import Part, Plan

_MOVES = {
    (False, False): (rewards.move, rewards.apply),
    (False, True): (rewards.move_for_reward, rewards.apply_for_reward),
    (True, False): (rewards.move_in_simulator, rewards.apply_in_simulator),
    (True, True): (rewards.move_in_simulator_for_reward, rewards.apply_in_simulator_for_reward),
}
"""Kernels that apply an action in the tree and elsewhere; keys: is it a simulator, does it pay rewards."""


def move_in_tree(facts: GameFacts) -> Any:
    """Return the kernel that applies an action in the tree."""
    return _MOVES[facts.simulates, facts.pays][0]


class Transitions(Part):
    """Moves, and where a simulation ends."""

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        facts = plan.facts
        move, apply = _MOVES[facts.simulates, facts.pays]
        found = {
            "move": move,
            "apply": apply,
            "follow": rewards.follow_for_rewards if facts.pays else rewards.follow,
            "value_of_try": rewards.value_of_try_with_reward if facts.pays else rewards.value_of_try,
            "ends": rewards.ends_at_horizon if facts.horizon else rewards.ends,
        }
        if facts.pays:
            found |= {
                "add_paid": rewards.add_paid,
                "note_chance": rewards.note_chance,
                "begin_sum": playout.begin_sum,
                "add_to_sum": playout.add_to_sum,
            }
        if facts.num_outcomes:
            found["draw_chance"] = playout.draw_sampled if facts.samples else playout.draw_listed
            found["draw_share"] = chance.draw_share_for_playout
        if facts.horizon:
            found |= {"decisions": rewards.decisions, "note_left": rewards.note_left}
        return found

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {"pays": plan.facts.pays, "has_horizon": plan.facts.horizon > 0}

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        return {"discount": plan.facts.discount, "horizon": plan.facts.horizon}

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        return {"paid": plan.facts.num_players if plan.facts.pays else 0}

    def visit(self, plan: Plan) -> Mapping[str, int]:
        return {"rewards": (plan.most_levels + 2) * plan.facts.num_players if plan.facts.pays else 0}
