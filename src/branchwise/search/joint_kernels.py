"""The kernels of a search in which players move at once, and the settings that it does not take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from branchwise.core import joint, joint_playout, open_loop, playout, strategies
from branchwise.core.children import MOST_MARKED
from branchwise.errors import GameError

if TYPE_CHECKING:
    from branchwise.rules.facts import GameFacts
    from branchwise.search.playouts import PlayoutPolicy
    from branchwise.search.selection import SelectionRule
    from branchwise.search.settings import Settings


def check_joint(settings: Settings, rule: SelectionRule, policy: PlayoutPolicy, facts: GameFacts) -> None:
    """Raise `GameError` for settings that cannot be combined with players who move at once."""
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
            raise GameError(
                f"{what} cannot be combined with players who move at once, as in {facts.name}",
                mend="leave it out",
            )
    if facts.num_actions > MOST_MARKED:
        raise GameError(
            f"where players move at once, a search supports at most {MOST_MARKED:,} distinct actions; "
            f"{facts.name} has more"
        )


def joint_kernels(facts: GameFacts, method: str) -> dict[str, Any]:
    """Return the kernels of a search in which players move at once, which replace others.

    method : how players choose at joint nodes.
    """
    draws = facts.num_outcomes > 0
    found = {
        "simulate": joint.simulate_jointly,
        "begin_history": joint.begin_history,
        "note_turn": joint.note_turn,
        "end_path": joint.end_path,
        "choose_together": joint.choose_together,
        "choose_for": joint.choose_for,
        "choose_edge": _EDGES[method],
        "enter_cells": joint.enter_cells,
        "move_together": joint.move_together_for_rewards if facts.pays else joint.move_together,
        "choose_alone": joint.choose_alone if facts.alone else joint.nobody_moves_alone,
        "move_alone": joint.move_alone if facts.alone else joint.never_alone,
        "draw_outcomes": joint.draw_outcomes if draws else joint.draw_nothing,
        "add_outcome": strategies.add_jointly,
        "play_once": joint_playout.play_out_jointly,
        "accept": playout.accept,
        "count_moves": joint_playout.count_moves,
        "draw_together": joint_playout.draw_together,
        "draw_for": joint_playout.draw_for,
        "play_alone": joint_playout.play_alone if facts.alone else joint_playout.never_alone,
        "apply_together": joint_playout.apply_together_for_rewards
        if facts.pays
        else joint_playout.apply_together,
    }
    if facts.alone:
        found |= {"choose_one": joint.choose_one, "action_at": joint.action_at}
        found |= {"drawn_for": joint_playout.drawn_for}
    if draws:
        found["note_drawn"] = joint.note_drawn
    found["enter_drawn"] = joint.enter_drawn
    if facts.pays:
        found |= {"add_paid_to_path": open_loop.add_paid_to_path, "discount_once": joint.discount_once}
    if method in _LEARNING:
        found["learn_jointly"] = _LEARNING[method]
        if method == "regret_matching" and facts.num_players == 2:
            found["learn_jointly"] = strategies.learn_regrets_of_two
    return found


_EDGES = {
    "decoupled_uct": strategies.choose_by_score,
    "exp3": strategies.choose_by_weights,
    "regret_matching": strategies.choose_by_regrets,
}
_LEARNING = {"exp3": strategies.learn_gains, "regret_matching": strategies.learn_regrets}
"""By method for joint nodes: the kernels that choose an edge, and that learn from the outcome."""
