"""Players who move at once: the descent chooses an action of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.descents import joint_bandits, joint_moves, joint_playout, open_loop
from branchwise.core.descents.sampled_roots import NUM_DEALING
from branchwise.core.machine.kernel import kernels_of
from branchwise.core.tree.children import LARGEST_BLOCK, MOST_MARKED
from branchwise.core.tree.node_fields import MAX_CHILDREN
from branchwise.rules.facts.facts import GameFacts
from branchwise.search.parts.plan import Descent, Plan
from branchwise.search.settings.settings import Settings

_EDGES = {
    "decoupled_uct": joint_bandits.choose_by_score,
    "exp3": joint_bandits.choose_by_weights,
    "regret_matching": joint_bandits.choose_by_regrets,
}
_LEARNING = {"exp3": joint_bandits.learn_gains, "regret_matching": joint_bandits.learn_regrets}
"""By method for joint nodes: the kernels that choose an edge, and that learn from the outcome."""


class JointMoves(Descent):
    """See `core.descents.joint_moves`."""

    is_drawn = True
    repeats = False
    unscored = frozenset({"open_loop", "keys"})

    def fits(self, settings: Settings, facts: GameFacts) -> bool:
        return facts.joint

    def most_levels(self, facts: GameFacts, max_depth: int) -> int:
        return (2 * facts.num_players + 1) * max_depth  # a joint move takes two a player, and chance another

    def room(self, plan: Plan, children: int, simulations: int) -> int:
        # edges of all players, their cells, and a node of chance
        return super().room(plan, plan.facts.num_players * (children + LARGEST_BLOCK) + 1, simulations)

    def check(self, plan: Plan) -> None:
        for what in _refused(plan):
            raise GameError(
                f"{what} cannot be combined with players who move at once, as in {plan.facts.name}",
                mend="leave it out",
            )
        if plan.facts.num_actions > MOST_MARKED:
            raise GameError(
                f"where players move at once, a search supports at most {MOST_MARKED:,} distinct actions; "
                f"{plan.facts.name} has more",
                mend="let num_actions be the number of distinct actions",
            )

    def options(self, plan: Plan) -> Collection[str]:
        mixed = ["strategies"] if plan.settings.joint_method.is_mixed else []
        return ["open_loop", "keys", *mixed]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        facts, method = plan.facts, plan.settings.joint_method.name
        found = {
            **kernels_of(joint_moves),
            **kernels_of(joint_playout),
            "simulate": joint_moves.simulate_jointly,
            "choose_edge": _EDGES[method],
            "choose_alone": joint_moves.choose_alone if facts.alone else joint_moves.nobody_moves_alone,
            "move_alone": joint_moves.move_alone if facts.alone else joint_moves.never_alone,
            "pass_chance": open_loop.pass_chance,
            "add_outcome": joint_bandits.add_jointly,
            "play_move": joint_playout.play_jointly,
            "play_alone": joint_playout.play_alone if facts.alone else joint_playout.never_alone,
        }
        if facts.num_outcomes:
            found["play_outcome"] = joint_moves.play_outcome_in_history
        if facts.pays:
            found["add_paid_to_path"] = open_loop.add_paid_to_path
            found["move_together"] = joint_moves.move_together_for_rewards
            found["apply_together"] = joint_playout.apply_together_for_rewards
        else:
            del found["discount_once"]
        if method in _LEARNING:
            found["learn_jointly"] = _LEARNING[method]
            if method == "regret_matching" and facts.num_players == 2:
                found["learn_jointly"] = joint_bandits.learn_regrets_of_two
        return found

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {"is_joint": plan.is_joint}

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        return {"gamma": plan.settings.joint_method.gamma}

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        mixed = 3 * min(plan.facts.num_actions, MAX_CHILDREN)
        return {
            "dealing": NUM_DEALING,
            "joint": plan.facts.num_players,
            "members": plan.facts.num_players * min(plan.facts.num_actions, MAX_CHILDREN),
            "mixed": mixed if plan.settings.joint_method.is_mixed else 0,
        }

    def visit(self, plan: Plan) -> Mapping[str, int]:
        return {"watched": 3}


def _refused(plan: Plan) -> Iterator[str]:
    """Yield the settings that cannot be combined with players who move at once."""
    settings, policy, rule = plan.settings, plan.policy, plan.rule
    for is_wanted, what in (
        (bool(rule.needs & {"priors", "heuristics", "amaf", "history"}), f'selection="{rule.name}"'),
        (policy.policy != "uniform" or bool(policy.urgent), f'playout="{settings.playout or policy.policy}"'),
        (settings.transpositions, "transpositions"),
        (settings.open_loop is not None, "open_loop"),
        (settings.outcome_widening is not None, "outcome_widening"),
        (settings.widening is not None, "widening"),
        (settings.first_play is not None, "first_play"),
        (settings.backup != "mean", f'backup="{settings.backup}"'),
        (settings.implicit_minimax > 0, "implicit_minimax"),
        (settings.evaluator is not None, "evaluator"),
        (settings.paranoid, "paranoid"),
        (settings.spread, "spread"),
        (settings.risk is not None, "risk"),
        (settings.halving, "halving"),
        (settings.early_stop, "early_stop"),
        (settings.choice != "visits", f'choice="{settings.choice}"'),
        (settings.threads > 1, "threads"),
    ):
        if is_wanted:
            yield what
