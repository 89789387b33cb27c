"""Information-set search: the observer is a player of a game with hidden information."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core.descents import one_observer
from branchwise.core.machine.kernel import kernels_of
from branchwise.search.parts.descents.observing import ObservedWalk
from branchwise.search.parts.plan import Plan


class AsAPlayer(ObservedWalk):
    """Nodes stand for what one player has seen of all moves; see `core.descents.one_observer`."""

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {
            **super().kernels(plan),
            **kernels_of(one_observer),
            "decide": one_observer.decide_as_a_player,
            "play_outcome": one_observer.play_outcome_and_watch,
            "enter_observation": one_observer.enter_turn,
        }


AS_A_PLAYER = AsAPlayer()
