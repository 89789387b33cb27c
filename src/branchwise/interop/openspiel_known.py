"""What the player to move knows in a game of OpenSpiel, which deals anew by `resample_from_infostate`."""

from __future__ import annotations

import math
from typing import Any

import pyspiel

from branchwise.draws import Draws
from branchwise.errors import GameError
from branchwise.rules.foreign import ForeignKnown

MOST_COUNTED = 1000
"""Maximum number of distinct states that are counted."""


class OpenSpielKnown(ForeignKnown):
    """What the player to move knows in a state of OpenSpiel's.

    The state itself is kept for OpenSpiel to deal from; a search never gets it. Raises `GameError` for a game
    that OpenSpiel cannot deal anew.
    """

    def __init__(self, state: Any) -> None:
        game = state.get_game()
        self._state = state.clone()
        self.name = game.get_type().short_name
        self.player = int(state.current_player())
        self.legal = tuple(state.legal_actions())
        self.min_return = game.min_utility()
        self._dealt(Draws(0))

    def action_to_string(self, action: int) -> str:
        text: str = self._state.action_to_string(self.player, action)
        return text

    def new_dealer(self) -> _Dealer:
        return _Dealer()

    def _dealt(self, random: Draws) -> Any:
        """Return a state that looks to the player as this one does."""
        try:
            state = self._state.resample_from_infostate(self.player, random.uniform)
        except (pyspiel.SpielError, RuntimeError) as error:
            raise GameError(
                f"{self.name} has hidden information, and OpenSpiel cannot deal it anew "
                f"({str(error).strip().partition(chr(10))[0]})",
                mend="bw.MCTS(perfect_information=True) searches the pyspiel.State, and sees everything",
            ) from error
        if state.current_player() != self.player or self._sight(state) != self._sight(self._state):
            raise GameError(
                f"resample_from_infostate of {self.name} changed what player {self.player} sees: a fault of "
                "that game"
            )
        return state

    def _sight(self, state: Any) -> list[Any]:
        """Return what the player sees of a state."""
        kind = state.get_game().get_type()
        if kind.provides_information_state_string:
            return [state.information_state_string(self.player)]
        if kind.provides_observation_string:
            return [state.observation_string(self.player)]
        return list(state.legal_actions(self.player))


class _Dealer:
    """Deals as OpenSpiel does, which never fails."""

    repeated = 0

    def __init__(self) -> None:
        self._seen: set[str] = set()

    @property
    def left(self) -> int:
        return len(self._seen)

    def deal(self, known: OpenSpielKnown, random: Draws, until: float | None = math.inf) -> Any:
        state = known._dealt(random)
        if len(self._seen) < MOST_COUNTED:
            self._seen.add(f"{state.history_str()}\n{state}")
        return state
