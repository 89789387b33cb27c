"""Playouts: how their moves are chosen, how many a leaf gets, and what is learnt from the moves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from branchwise.common.errors import GameError
from branchwise.core.backup import move_statistics
from branchwise.core.descents import common_numbers
from branchwise.core.simulation import playout
from branchwise.core.simulation.leaf_parallel import play_out_together
from branchwise.core.tree.node_fields import MAX_CHILDREN
from branchwise.search.parts.plan import Part, Plan

NUM_PAIRS = 2**16
"""Number of entries for pairs of moves; a power of 2."""

_URGENT = {
    "": playout.no_urgent_move,
    "decisive": playout.decisive_move,
    "anti_decisive": playout.anti_decisive_move,
}
_PREFERRED = {
    "mast": playout.move_by_average,
    "nst": playout.move_by_pairs,
    "last_good_reply": playout.move_by_reply,
}


class Playouts(Part):
    """Playouts by a policy, to the end of the game or to a cut-off."""

    def check(self, plan: Plan) -> None:
        if plan.facts.pays and plan.policy.urgent:
            raise GameError(
                f'playout="{plan.settings.playout or plan.policy.urgent}" looks for moves that win, but '
                f"{plan.facts.name} pays rewards on the way",
                mend="use other playouts, such as uniform",
            )

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        settings, policy = plan.settings, plan.policy
        play_out = playout.play_out_once
        if settings.threads > 1 and settings.parallel == "leaf":
            play_out = play_out_together
        elif settings.playouts > 1:
            play_out = playout.play_out_repeatedly
        once, accept = playout.play_out_by_moves, playout.accept
        if plan.plays_plainly:
            once = playout.play_out_for_rewards if plan.facts.pays else playout.play_out_uniformly
        elif plan.plays_as_chosen:
            once = playout.play_out_as_chosen
        if plan.plays_plainly or plan.plays_as_chosen:
            accept = playout.accept_all if play_out is playout.play_out_once else accept
        found = {
            "play_out": play_out,
            "play_once": once,
            "accept": accept,
            "urgent_move": _URGENT[policy.urgent],
            "play_move": playout.play_by_policy,
            "winning_move": playout.winning_move,
            "can_win_at_once": playout.can_win_at_once,
            "choose_move": playout.choose_uniformly
            if policy.policy == "uniform"
            else playout.choose_by_policy,
            "is_uniform": playout.is_uniform if policy.epsilon > 0 else playout.is_never_uniform,
            "draw": playout.draw,
        }
        if policy.policy in _PREFERRED:
            found["preferred_move"] = _PREFERRED[policy.policy]
        return found

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {
            "follows_policy": plan.policy.policy != "uniform",
            "cuts_off": plan.cutoff is not None or plan.evaluates,
            "lists_moves": not plan.leaves_moves_to_rules,
        }

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        return {
            "epsilon": plan.policy.epsilon,
            "cutoff": plan.cutoff or 0,
            "playouts": plan.settings.playouts,
        }

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        others = plan.policy.urgent == "anti_decisive"
        return {"others": min(plan.facts.num_actions, MAX_CHILDREN) if others else 0}


class OwnPlayouts(Part):
    """Playouts whose moves the rules choose. It comes last: no rule is missed in a search that is refused."""

    def applies(self, plan: Plan) -> bool:
        return plan.policy.policy == "game"

    def check(self, plan: Plan) -> None:
        if not plan.has("playout_action"):
            raise GameError(
                f'playout="game" needs a rule that {plan.facts.name} does not have: playout_action',
                mend="add def playout_action(self, random): return a legal action; random.below(n) draws",
            )

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {"choose_move": playout.choose_by_rules}


class CommonNumbers(Part):
    """Playouts of a rollout policy: those of each action at the root meet the same chance."""

    def applies(self, plan: Plan) -> bool:
        return bool(plan.settings.rollout)

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        if plan.is_open:
            return {"begin_path": common_numbers.begin_path_commonly}
        return {"select": common_numbers.select_commonly}


class Moves(Part):
    """Statistics of the moves of simulations, for selection and for playouts."""

    def options(self, plan: Plan) -> Collection[str]:
        found = {"amaf": plan.keeps_amaf, "move_tables": plan.keeps_move_tables}
        return [option for option, is_kept in found.items() if is_kept]

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        if not plan.notes_moves:
            return {
                "note_move": move_statistics.note_nothing,
                "note_outcome": move_statistics.note_no_outcome,
                "learn": move_statistics.learn_nothing,
            }
        return {
            "note_move": move_statistics.note_move,
            "note_outcome": move_statistics.note_outcome,
            "learn": move_statistics.learn,
        }

    def constants(self, plan: Plan) -> Mapping[str, bool | int]:
        return {"learns_moves": plan.learns_moves}

    def numbers(self, plan: Plan) -> Mapping[str, float]:
        return {"reference_visits": plan.rule.reference_visits}

    def scratch(self, plan: Plan) -> Mapping[str, int]:
        by_move = plan.facts.num_players * plan.facts.num_actions
        policy = plan.policy.policy
        found: dict[str, int] = {}
        if plan.keeps_amaf or plan.keeps_move_tables:
            found["seen"] = by_move
        if plan.keeps_move_tables:
            found |= {"codes": by_move, "gains": plan.facts.num_players}
        if "history" in plan.rule.needs or policy in ("mast", "nst"):
            found["history"] = by_move
        if policy == "nst":
            found["pairs"] = NUM_PAIRS
        if policy == "last_good_reply":
            found["replies"] = by_move
        return found

    def visit(self, plan: Plan) -> Mapping[str, int]:
        kept = 2 * plan.facts.max_game_length + 2 if plan.notes_moves else 0
        return {"moves": kept, "movers": kept}
