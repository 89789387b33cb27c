"""Kernels that draw the state in which a simulation begins; see `core.descents.sampled_roots`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core.descents import sampled_roots
from branchwise.core.machine.kernel import kernels_of

EVENLY: Mapping[str, Any] = kernels_of(sampled_roots)
"""Simulations begin in any of an array of states."""

BY_WEIGHT: Mapping[str, Any] = {
    **kernels_of(sampled_roots),
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
    return {
        **kernels_of(sampled_roots),
        "draw_root": sampled_roots.deal_until_it_fits if may_fail else sampled_roots.deal_surely,
        "deal": _DEALS[way],
        "fits": sampled_roots.fits_by_rules if rejects else sampled_roots.fits_always,
    }
