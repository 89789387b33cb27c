"""Reading the settings found for a game that came with Branchwise, without the checks, which load Numba."""

from __future__ import annotations

import json
from typing import Any

from branchwise.game.rules_class import Game
from branchwise.rules.measured_files.places import is_in_package, places_beside

TUNED_FOLDER, TUNED_VARIABLE = "tuned", "BRANCHWISE_TUNED"
BOTS_OWN = ("reuse",)
"""Settings that belong to the bot `mcts`, not to a planner: whether the tree is kept from move to move."""


def shipped_settings(rules: type[Game]) -> dict[str, Any] | None:
    """Return the settings for a planner that came with a game, {} if there are none.

    None if a user's own file has them, which may be damaged.
    """
    found = [place for place in places_beside(rules, TUNED_FOLDER, TUNED_VARIABLE) if place.is_file()]
    if not found:
        return {}
    if not is_in_package(found[0]):
        return None
    content = json.loads(found[0].read_bytes())
    return {k: v for k, v in content["found"].items() if k not in BOTS_OWN} if content["confirmed"] else {}
