"""The spaces of a game's actions, one of which draws from the actions that are legal now."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from branchwise.common.errors import GameError
from branchwise.game.kinds.continuous_actions import box_varies, has_box
from branchwise.game.rules_class import Game
from branchwise.rules.facts.facts import GameFacts


class LegalActions(spaces.Discrete):
    """The actions of a problem; without a mask given, `sample` draws from the actions that are legal now.

    mask : mask of the actions that are legal now; the environment updates it.
    """

    mask: NDArray[np.int8] | None = None

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.float64] | None = None
    ) -> np.int64:
        """Return a random action."""
        if mask is None and probability is None:
            mask = self.mask
        action: np.int64 = super().sample(mask, probability)
        return action


def space_of_actions(
    rules: type[Game], facts: GameFacts, kind: type[spaces.Discrete], owner: str
) -> spaces.Space[Any]:
    """Return the space of a game's actions; raises `GameError` for a box that depends on the state.

    kind : the space of numbered actions.   owner : who has the space, for the error.
    """
    if not has_box(rules):
        return kind(rules.num_actions)
    if box_varies(rules):
        raise GameError(
            f"the box of actions of {rules.name} depends on the state, and {owner} has one space of actions",
            mend="let action_low and action_high be constants",
        )
    return spaces.Box(np.array(facts.low), np.array(facts.high), dtype=np.float64)
