"""What a search by what a player knows can be given."""

from __future__ import annotations

from typing import Any

from branchwise.common.errors import ActionError, GameError
from branchwise.game.kinds.hidden_information import hides_information
from branchwise.rules.knowledge.foreign_games import ForeignKnown
from branchwise.rules.knowledge.information import InformationState


def check_known(known: Any, method: str) -> None:
    """Raise unless `known` is the information state of a player who is to move among numbered actions.

    method : what searches, for errors. Raises `ActionError` if the player is not to move, else `GameError`.
    """
    if isinstance(known, ForeignKnown):
        raise GameError(
            f"{known.name} is a game of another library, and {method} needs its rules",
            mend="search it with PIMC, which is given states that fit",
        )
    if not isinstance(known, InformationState):
        raise GameError(
            f"{method} searches by what a player knows, not from a {type(known).__name__}",
            mend="give Playthrough(...).information_state(player)",
        )
    if not hides_information(known.game):
        raise GameError(f"{known.name} hides nothing", mend="search the state with MCTS")
    if known.is_terminal():
        raise GameError(f"this {known.name} game is over: there is nothing to search")
    if known.turn != "to move":
        raise ActionError(f"player {known.player} is not to move here: there is nothing to search")
    if not known.legal:
        raise GameError(f"the actions of {known.name} are not numbered, which {method} needs")
