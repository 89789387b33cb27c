"""Kernels that draw the state in which a simulation begins; see `core.roots`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core import roots

EVENLY: Mapping[str, Any] = {"draw_root": roots.draw_root, "draw_place": roots.draw_place}
"""Simulations begin in any of an array of states."""

BY_WEIGHT: Mapping[str, Any] = {"draw_root": roots.draw_root, "draw_place": roots.draw_place_by_weight}
"""The same, in proportion to their weights."""

_DEALS = {"determinize": roots.deal_by_rules, "pool": roots.deal_from_pool, "replay": roots.deal_by_replay}


def dealing(way: str, *, rejects: bool) -> Mapping[str, Any]:
    """Return the kernels that deal a state for each simulation.

    way : as `rules.dealing.way_of` gives.   rejects : whether the class has `consistent`.
    """
    may_fail = rejects or way == "replay"
    found = {
        "draw_root": roots.deal_until_it_fits if may_fail else roots.deal_surely,
        "deal": _DEALS[way],
        "fits": roots.fits_by_rules if rejects else roots.fits_always,
    }
    if may_fail:
        found |= {
            "may_try": roots.may_try,
            "note_attempt": roots.note_attempt,
            "deal_again": roots.deal_again,
        }
    else:
        found["count_deal"] = roots.count_deal
    if way == "replay":
        found |= {
            "replay_hidden_move": roots.replay_hidden_move,
            "take_random": roots.take_random,
            "is_last": roots.is_last,
            "own_action": roots.own_action,
            "follow_event": roots.follow_event,
        }
    return found
