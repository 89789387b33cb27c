"""What a player knows in a game of another library, which deals the states that fit."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol

from branchwise.common.errors import GameError
from branchwise.game.kinds.random_numbers import Draws
from branchwise.rules.facts.given_to_bots import Shown


class Deals(Protocol):
    """A source of states that one player thinks possible, see `rules.dealing.Dealer`."""

    repeated: int
    """States that were dealt again for want of others."""

    @property
    def left(self) -> int:
        """Number of distinct states that were dealt."""

    def deal(self, known: Any, random: Draws, until: float | None = None) -> Any:
        """Return a state that looks to the player as `known` does; None if none was found.

        A source of states of another library raises `GameError` instead.
        """


class ForeignKnown(Shown):
    """What a player who is to move knows in a game of another library.

    name : of the game.   player : who is asked.   legal : that player's actions.   min_return : the lowest
    return of the game.
    """

    name: str
    player: int
    legal: tuple[int, ...]
    min_return: float
    turn = "to move"

    @abstractmethod
    def action_to_string(self, action: int) -> str:
        """Return the text of an action."""

    @abstractmethod
    def dealer(self, last: Deals | None) -> Deals:
        """Return a source of states that fit: `last` if it dealt for an earlier moment of the same game."""

    def current_player(self) -> int:
        """Return the player, who is to move."""
        return self.player

    def is_terminal(self) -> bool:
        """Return False: a player is to move."""
        return False

    def not_a_state(self) -> GameError:
        """Return the error for a search of states that is given this in place of one."""
        return GameError(
            f"{self.name} has hidden information, so there is no state here but what player {self.player} "
            "knows, which this search cannot use",
            mend="bw.PIMC, or the bot pimc, searches states that fit",
        )

    def __repr__(self) -> str:
        return f"<what player {self.player} knows in {self.name}, {len(self.legal)} legal actions>"
