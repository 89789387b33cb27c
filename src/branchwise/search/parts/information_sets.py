"""Information-set search: the observer is a player of a game with hidden information."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from branchwise.core import observed
from branchwise.search.parts.observing import ObservedWalk
from branchwise.search.parts.plan import Plan


class AsAPlayer(ObservedWalk):
    """Nodes stand for what one player has seen of all moves; see `core.observed`."""

    def kernels(self, plan: Plan) -> Mapping[str, Any]:
        return {
            **super().kernels(plan),
            "begin_watching": observed.begin_watching,
            "note_start": observed.note_start,
            "note_event": observed.note_event,
            "view_of": observed.view_of,
            "decide": observed.decide_as_a_player,
            "choose_own": observed.choose_own,
            "choose_other": observed.choose_other,
            "move_and_watch": observed.move_and_watch,
            "pass_chance": observed.pass_chance_and_watch,
            "enter_observation": observed.enter_turn,
            "enter_seen": observed.enter_seen,
        }


AS_A_PLAYER = AsAPlayer()
