"""Kernels that draw the state in which a simulation begins; see `core.descents.sampled_roots`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core.descents import sampled_roots

EVENLY: Mapping[str, Any] = {"draw_root": sampled_roots.draw_root, "draw_place": sampled_roots.draw_place}
"""Simulations begin in any of an array of states."""

BY_WEIGHT: Mapping[str, Any] = {
    "draw_root": sampled_roots.draw_root,
    "draw_place": sampled_roots.draw_place_by_weight,
}
"""The same, in proportion to their weights."""

_DEALS = {
    "determinize": sampled_roots.deal_by_rules,
    "pool": sampled_roots.deal_from_pool,
    "replay": sampled_roots.deal_by_replay,
}


def dealing(way: str, *, rejects: bool) -> Mapping[str, Any]:
    """Return the kernels that deal a state for each simulation.

    way : as `rules.knowledge.dealing.way_of` gives.   rejects : whether the class has `consistent`.
    """
    may_fail = rejects or way == "replay"
    found = {
        "draw_root": sampled_roots.deal_until_it_fits if may_fail else sampled_roots.deal_surely,
        "deal": _DEALS[way],
        "fits": sampled_roots.fits_by_rules if rejects else sampled_roots.fits_always,
    }
    if may_fail:
        found |= {
            "may_try": sampled_roots.may_try,
            "note_attempt": sampled_roots.note_attempt,
            "deal_again": sampled_roots.deal_again,
        }
    else:
        found["count_deal"] = sampled_roots.count_deal
    if way == "replay":
        found |= {
            "replay_hidden_move": sampled_roots.replay_hidden_move,
            "take_random": sampled_roots.take_random,
            "is_last": sampled_roots.is_last,
            "own_action": sampled_roots.own_action,
            "follow_event": sampled_roots.follow_event,
        }
    return found
