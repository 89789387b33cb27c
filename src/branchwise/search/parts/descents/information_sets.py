"""Information-set search: the observer is a player of a game with hidden information."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core.descents import one_observer
from branchwise.search.parts.descents.observing import ObservedWalk
from branchwise.search.parts.plan import Plan


class AsAPlayer(ObservedWalk):
    """Nodes stand for what one player has seen of all moves; see `core.descents.one_observer`."""

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {
            **super().kernels(plan),
            "begin_watching": one_observer.begin_watching,
            "note_start": one_observer.note_start,
            "note_event": one_observer.note_event,
            "view_of": one_observer.view_of,
            "decide": one_observer.decide_as_a_player,
            "choose_own": one_observer.choose_own,
            "choose_other": one_observer.choose_other,
            "move_and_watch": one_observer.move_and_watch,
            "pass_chance": one_observer.pass_chance_and_watch,
            "enter_observation": one_observer.enter_turn,
            "enter_seen": one_observer.enter_seen,
        }


AS_A_PLAYER = AsAPlayer()
